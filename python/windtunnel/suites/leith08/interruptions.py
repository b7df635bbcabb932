"""Figures 1 and 2: how long a flow takes to fill the link again after a burst of datagrams, and with traffic in reverse."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View, measure
from windtunnel.plots.declared import Compared, Histories, Published
from windtunnel.scenario import Flow, Scenario
from windtunnel.suites.leith08.common import STACK, TRANSPORT, queue_packets, run

OVERLOAD = 1.25
"""Rate of the burst over the link's. The paper gives none; at exactly the link's, the two clocks' phase would decide what else gets in."""
BURST_S = {"ctcp:vista": 20.0}
"""Length of the burst, seconds, where it is not 5 s."""
RENO_S, OTHERS_S = 1800.0, 600.0
"""Reno needs 6667 round trips of 200 ms; the others a tenth of that."""
BURST_1_S = 100.0
REVERSE_S = 25.0
REVERSE_WINDOW = 345
"""Packets: 0.5 MB of whole segments."""


def _burst(rate: float, begin_s: float, end_s: float) -> dict[str, object]:
    return {"kind": "udp", "rate_bps": OVERLOAD * rate * 1e6, "start_s": begin_s, "stop_s": end_s}


def _burst_end_s(point: Point) -> float:
    return BURST_1_S + BURST_S.get(point["alg"], 5.0)


def interrupted(point: Point, draws: Draws) -> Scenario:
    """Return one flow over 400 Mbit/s and 200 ms, and more datagrams than the link carries from 100 s on."""
    duration_s = RENO_S if point["alg"] == "reno" else OTHERS_S
    burst = _burst(400, BURST_1_S, _burst_end_s(point))
    queue = queue_packets(400, 200, 1.0)
    return run(draws, rate=400, rtt=200, queue=queue, algorithms=(point["alg"],), duration_s=duration_s, traffic=(burst,))


def with_reverse_traffic(point: Point, draws: Draws) -> Scenario:
    """Return one flow over 250 Mbit/s and 100 ms that a burst interrupts until 25 s; a flow in reverse writes on and off from then on."""
    back = Flow(
        algorithm="reno",
        direction="reverse",
        start_s=REVERSE_S,
        on_s=5.0,
        off_s=1.0,
        window_packets=REVERSE_WINDOW,
        transport={**TRANSPORT, "idle_restart": "rfc5681"},
    )
    return run(
        draws,
        rate=250,
        rtt=100,
        queue=queue_packets(250, 100, 1.0),
        algorithms=(point["alg"],),
        duration_s=600.0,
        beside=(back,),
        traffic=(_burst(250, REVERSE_S - 5.0, REVERSE_S),),
    )


def refill_after_burst_s(view: View) -> float | None:
    """Return the time from the end of the burst of Fig. 1 until the link is full again, seconds."""
    return measure("refill_s", view, t0=_burst_end_s(view.point))


def onset_of_recovery_s(view: View) -> float | None:
    """Return the time from the beginning of the burst of Fig. 1 until throughput grows and does not fall again, seconds."""
    return measure("onset_delay_s", view, t0=BURST_1_S)


def refill_since_reverse_s(view: View) -> float | None:
    """Return the time from the start of the reverse traffic of Fig. 2 until the link is full again, seconds."""
    return measure("refill_s", view, t0=REVERSE_S)


def increase_since_reverse(view: View) -> float | None:
    """Return the growth of the window over that time, packets per round trip."""
    return measure("ai_eff", view, t0=REVERSE_S)


def _shown(alg: str, label: str) -> tuple[Histories, Histories]:
    return (
        Histories(
            f"cwnd-{alg.replace(':', '-')}",
            f"{label}: congestion window",
            quantity="cwnd_packets",
            alg=alg,
            y_label="cwnd (packets)",
            caption="One of the repeats.",
        ),
        Histories(
            f"goodput-{alg.replace(':', '-')}",
            f"{label}: goodput",
            quantity="goodput_mbps",
            alg=alg,
            y_label="Goodput (Mbit/s)",
        ),
    )


def _reverse(figure: str, alg: str, label: str) -> Experiment:
    return Experiment(
        id=f"leith08.{figure}",
        title=f"{label} with on-off traffic in reverse",
        question=f"How long does {label} take to fill a link again while its ACKs share the reverse path with on-off traffic?",
        source=f"Fig. 2({figure[-1]}); IV.A.2",
        source_repeats=1,
        points={"alg": (alg, "reno")},
        scenario=with_reverse_traffic,
        measures=(
            Measure("refill_s", function=refill_since_reverse_s),
            Measure("ai_eff", function=increase_since_reverse),
            *(Measure(name) for name in ("rev_thr_mbps", "rev_drops", "util")),
        ),
        figures=tuple(figure for name, text in ((alg, label), ("reno", "Reno")) for figure in _shown(name, text)),
        parameters=(
            *STACK,
            ("flows", "1; in reverse, from 25 s on, a Reno flow that writes for 5 s and is silent for 1 s, in slow start each time"),
            ("window limit in reverse", f"0.5 MB: {REVERSE_WINDOW} packets"),
            ("interruption", f"UDP at {OVERLOAD:g} times the link's rate from 20 s to 25 s"),
            ("rate, RTT, queue", "250 Mbit/s, 100 ms, 1 BDP (2083 packets), also in reverse"),
            ("duration", "600 s"),
        ),
        kept="all",
        quick=Quick(repeats=3),
        notes=(
            "The paper's flows start over at 25 s; how they were interrupted it does not say. A burst as in Fig. 1 is taken.",
            "0.5 MB per 100 ms are 41 Mbit/s: the reverse queue holds bursts only.",
        ),
    )


EXPERIMENTS = (
    Experiment(
        id="leith08.fig1",
        title="Recovery after a burst of datagrams",
        question="How long does a flow take to fill 400 Mbit/s and 200 ms again after seconds without the link?",
        source="Fig. 1; IV.A.1",
        duration_s=400.0,
        source_repeats=1,
        points={"alg": ("illinois", "ctcp", "ctcp:vista", "reno")},
        scenario=interrupted,
        measures=(
            Measure("refill_s", function=refill_after_burst_s),
            Measure("onset_delay_s", function=onset_of_recovery_s),
            Measure("util"),
        ),
        figures=(
            *(_shown("illinois", "Illinois")),
            *(_shown("ctcp", "Compound")),
            *(_shown("ctcp:vista", "Compound as in Vista, burst of 20 s")),
            *(_shown("reno", "Reno")),
            Compared(
                "refill",
                "From the end of the burst until the link is full again",
                metric="refill_s",
                y_label="Time to refill (s)",
                y_log=True,
                published=(Published({"alg": "illinois"}, 150.0), Published({"alg": "ctcp"}, 60.0)),
                caption="Hollow: the paper's text.",
            ),
        ),
        parameters=(
            *STACK,
            ("flows", "1"),
            ("interruption", f"UDP at {OVERLOAD:g} times the link's rate from 100 s to 105 s (ctcp:vista: 120 s)"),
            ("rate, RTT, queue", "400 Mbit/s, 200 ms, 1 BDP (6667 packets)"),
            ("duration", "600 s (reno: 1800 s)"),
        ),
        kept="all",
        quick=Quick(repeats=3, longest_s=1200.0),
        notes=(
            "The paper shows one run of each; the repeats differ in the path's delay and the ACKs' jitter.",
            "A flow starts over from one packet when a segment gets through the burst between two timeouts: the second then halves what "
            "the first left. Where none does, ssthresh still is half of the old window when the burst is over, and slow start leads there.",
        ),
        emulates="Vista SP1, by the algorithm of Compound's draft after a burst of 20 s",
    ),
    _reverse("fig2a", "illinois", "Illinois"),
    _reverse("fig2b", "ctcp", "Compound"),
)
