"""The set-ups of the 22 cases: one BBR connection each, on a path that does what the case is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Compared, Histories
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.bbr_draft import checks
from windtunnel.suites.paths import bdp_packets

ALGORITHMS = ("bbr3", "bbr")
PATHS = {
    "128k, 200 ms": (0.128, 200.0),
    "10M, 40 ms": (10.0, 40.0),
    "100M, 10 ms": (100.0, 10.0),
    "1G, 2 ms": (1000.0, 2.0),
    "50M, 1 s": (50.0, 1000.0),
}
"""Of the draft's ranges of 64 kbit/s to 10 Gbit/s and below 1 ms to 1 s."""
SLOW_PATH = "50M, 1 s"
RATE_MBPS, RTT_MS = 20.0, 40.0
DRAIN_AT_S = {"bbr3": 0.45, "bbr": 0.54}
DOWN_AT_S = {1: 3.23, 2: 3.04, 3: 2.95}
"""When DRAIN, and of `bbr3` by seed the first PROBE_DOWN after a PROBE_UP, begin on the path of cases 4 and 9: tests read both back."""
STEP_S = 20.0
PARAMETERS = (
    ("network", "dumbbell, one drop-tail queue of 3 BDP unless said; 1500-byte packets; one flow from time zero"),
    ("stack", "profile linux-6.1; samples of 1 ms, on fast paths of 0.1 ms"),
)


def _run(
    alg: str, draws: Draws, *, rate: float = RATE_MBPS, rtt: float = RTT_MS, q: float = 3.0, duration_s: float = 20.0, **given: Any
) -> Scenario:
    """Return one flow over a path; `given`: fields of the link under `link`, of the flow under `flow`, others of the scenario."""
    link, own, least = given.pop("link", {}), given.pop("flow", {}), given.pop("least", 10)
    packets = max(least, round(q * bdp_packets(rate, rtt)))
    # Repeats differ in their path by a part of a packet time, and in the draws of the algorithm.
    off_s = min(12_000 / (rate * 1e6), 0.1 * rtt * 1e-3) * (draws.uniform("delay of the path") - 0.5)
    fields: dict[str, Any] = {
        "bottleneck": Bottleneck.model_validate({"rate_bps": rate * 1e6, "queue_packets": packets, **link}),
        "flows": (Flow.model_validate({"algorithm": alg, **own}),),
        "rtt_s": round(rtt * 1e-3 + off_s, 9),
        "duration_s": duration_s,
        "warmup_s": min(10.0, duration_s / 2),
        "sample_s": 1e-4 if rtt < 20 else 1e-3,
        "jitter_s": 0.0,
        **given,
    }
    return Scenario.model_validate(fields)


def on_path(point: Point, draws: Draws) -> Scenario:
    """Return a flow that always has data, over the point's path, before 3 BDP: cases 1, 3, 5, 8 and 10."""
    rate, rtt = PATHS[point["path"]]
    # The sample of a flow at 1 Gbit/s is short: thirteen seconds hold a PROBE_RTT of each version.
    return _run(
        point["alg"], draws, rate=rate, rtt=rtt, least=40, duration_s=60.0 if point["path"] == SLOW_PATH else 25.0 if rtt >= 20 else 13.0
    )


def thin_and_lossy(point: Point, draws: Draws) -> Scenario:
    """Return a flow whose application writes half of the rate, and a tenth of its packets lost, sixteen a round: cases 2 and 6."""
    own = {"app_rate_bps": 50e6, "chunk_s": 0.01}
    return _run(point["alg"], draws, rate=100.0, flow=own, link={"loss_probability": 0.1})


def less_from_drain(point: Point, draws: Draws) -> Scenario:
    """Return a flow whose link loses a tenth of its rate, or six tenths, when DRAIN begins: case 4."""
    left = 0.9 if point["fall"] == "10 %" else 0.4
    steps = [{"at_s": DRAIN_AT_S.get(str(point["alg"]), 0.45), "rate_bps": RATE_MBPS * 1e6 * left}]
    return _run(point["alg"], draws, link={"rate_steps": steps}, duration_s=8.0)


def less_from_down(point: Point, draws: Draws) -> Scenario:
    """Return a flow whose link loses a tenth of its rate when the first PROBE_DOWN after a probe begins: case 9."""
    at_s = DOWN_AT_S.get(draws.seed, DOWN_AT_S[1])
    steps = [{"at_s": at_s, "rate_bps": RATE_MBPS * 1e6 * 0.9}]
    # Two milliseconds less from then on: a new smallest RTT, so that no PROBE_RTT comes before the wait is over.
    delays = [{"at_s": 0.0, "extra_s": 0.002}, {"at_s": at_s - 0.3, "extra_s": 0.0}]
    return _run(point["alg"], draws, link={"rate_steps": steps, "delay_steps": delays}, duration_s=12.0)


def thin(point: Point, draws: Draws) -> Scenario:
    """Return a flow whose application writes a quarter of the rate and nothing is lost: cases 7 and 20."""
    return _run(point["alg"], draws, flow={"app_rate_bps": 5e6, "chunk_s": 0.01}, duration_s=25.0)


def idle(point: Point, draws: Draws) -> Scenario:
    """Return a flow whose application writes for three seconds and is idle for eleven: case 11."""
    return _run(point["alg"], draws, flow={"on_s": 3.0, "off_s": 11.0}, duration_s=45.0)


def together(point: Point, draws: Draws) -> Scenario:
    """Return a flow whose sender sees ACKs once in 20 ms, half a round trip: cases 12 and 13."""
    return _run(point["alg"], draws, flow={"host": {"ack_tick_s": 0.02}}, q=5.0)


def sub_packet(point: Point, draws: Draws) -> Scenario:
    """Return a flow over 64 kbit/s and 10 ms, a twentieth of a packet: case 14."""
    return _run(point["alg"], draws, rate=0.064, rtt=10.0, duration_s=60.0, sample_s=1e-3)


def stepped(point: Point, draws: Draws) -> Scenario:
    """Return a flow whose link's rate changes tenfold after 20 s: cases 15 and 16."""
    up = point["change"] == "x 10"
    steps = [{"at_s": STEP_S, "rate_bps": (100 if up else 10) * 1e6}]
    return _run(point["alg"], draws, rate=10.0 if up else 100.0, q=1.0 if not up else 10.0, link={"rate_steps": steps}, duration_s=40.0)


def policed(point: Point, draws: Draws) -> Scenario:
    """Return a flow behind a policer of 10 Mbit/s with a burst of 30 packets, no queue: case 17."""
    bucket = {"rate_bps": 10e6, "burst_bytes": 45_000.0}
    return _run(point["alg"], draws, rate=100.0, link={"discipline": "policer", "discipline_parameters": bucket}, duration_s=40.0)


def disordered(point: Point, draws: Draws) -> Scenario:
    """Return a flow of whose packets some come late, and count as lost by mistake: case 18."""
    return _run(point["alg"], draws, link={"reorder_probability": 0.002, "reorder_s": 0.02}, duration_s=20.0)


def delayed(point: Point, draws: Draws) -> Scenario:
    """Return a flow whose path becomes 600 ms longer for a second, twice, so that timeouts are spurious: case 19."""
    steps = [{"at_s": at, "extra_s": extra} for at, extra in ((8.0, 0.6), (9.0, 0.0), (14.0, 0.6), (15.0, 0.0))]
    return _run(point["alg"], draws, link={"delay_steps": steps}, duration_s=20.0)


def shallow(point: Point, draws: Draws) -> Scenario:
    """Return a flow before a fifth of a BDP, so that each probe loses: case 21."""
    return _run(point["alg"], draws, q=0.2, duration_s=30.0)


def pausing(point: Point, draws: Draws) -> Scenario:
    """Return a flow whose application is idle for 60 ms in each 700 ms: case 22, some of whose pauses meet a REFILL."""
    return _run(point["alg"], draws, flow={"on_s": 0.64, "off_s": 0.06}, duration_s=40.0)


def _case(
    name: str,
    title: str,
    question: str,
    scenario: Callable[[Point, Draws], Scenario],
    functions: Sequence[Callable[[View], float | None]],
    *,
    points: dict[str, Sequence[Any]] | None = None,
    parameters: Sequence[tuple[str, str]] = (),
    quantity: tuple[str, str] = ("cwnd_packets", "cwnd (packets)"),
    more: Sequence[Measure] = (),
    duration_s: float = 20.0,
) -> Experiment:
    points = points or {}
    along = next(iter(points), "alg")
    return Experiment(
        id=f"bbr-draft.{name}",
        title=title,
        question=question,
        source="draft-ietf-ccwg-bbr, appendix: " + name.replace("-", ", "),
        duration_s=duration_s,
        points={"alg": ALGORITHMS, **points},
        scenario=scenario,
        measures=(*(Measure(one.__name__, function=one) for one in functions), *more),
        figures=(
            Histories("state", f"{title}", quantity=quantity[0], panels="alg" if along == "alg" else along, y_label=quantity[1]),
            Compared(
                "holds",
                f"Whether the first assertion holds: {functions[0].__name__}",
                metric=functions[0].__name__,
                x="alg" if along == "alg" else along,
                x_label="",
                y_label="1: holds",
                y_limits=(-0.05, 1.05),
            ),
        ),
        parameters=(*PARAMETERS, *parameters),
        repeats=3,
        kept="all",
        quick=Quick(repeats=3),
        headings={"path": "Path", "fall": "Fall of the rate", "change": "Change of the rate"},
    )


EXPERIMENTS = (
    _case(
        "cases-01-03-05-08-10",
        "A flow that always has data",
        "Does each phase of BBR begin and end as the draft says, from 128 kbit/s to 1 Gbit/s and from 2 ms to 1 s?",
        on_path,
        (
            checks.startup_over,
            checks.bw_at_exit,
            checks.plateau,
            checks.startup_to_drain,
            checks.drain_gain,
            checks.drain_ends_low,
            checks.up_to_down,
            checks.up_rounds,
            checks.down_gain,
            checks.down_ends_low,
            checks.probe_rtt_due,
            checks.probe_rtt_length,
            checks.probe_rtt_window,
            checks.probe_rtt_returns,
        ),
        points={"path": tuple(PATHS)},
        duration_s=25.0,
    ),
    _case(
        "cases-02-06",
        "Loss, limited by the application",
        "Does loss above 2 % end STARTUP and PROBE_UP of a flow that its application limits?",
        thin_and_lossy,
        (checks.leaves_startup, checks.startup_to_drain, checks.up_to_down, checks.bound_after_up),
        parameters=(("application", "50 of 100 Mbit/s, in chunks of 10 ms"), ("loss", "10 % at random, from the start")),
    ),
    _case(
        "case-04",
        "Less rate from DRAIN on",
        "Does DRAIN end after three rounds where in-flight does not fall?",
        less_from_drain,
        (checks.drain_ends_in_time, checks.drain_ends_high),
        points={"fall": ("10 %", "60 %")},
        parameters=(("fall", "10 % is the draft's; 60 % is ours, so that a pacing gain of a half does not drain"),),
    ),
    _case(
        "cases-07-20",
        "Limited by the application, no loss",
        "Does the flow stay in STARTUP, and does PROBE_RTT give it back?",
        thin,
        (checks.stays_in_startup, checks.back_to_startup),
        parameters=(("application", "5 of 20 Mbit/s, in chunks of 10 ms"),),
    ),
    _case(
        "case-09",
        "Less rate from PROBE_DOWN on",
        "Does PROBE_DOWN end in REFILL after its longest time?",
        less_from_down,
        (checks.down_to_refill,),
        parameters=(("fall", "10 %, when the first PROBE_DOWN after a probe begins"),),
        quantity=("inflight_packets", "in flight (packets)"),
    ),
    _case(
        "case-11",
        "Idle for longer than PROBE_RTT's interval",
        "Is PROBE_RTT skipped where nothing was in flight?",
        idle,
        (checks.no_probe_after_idle,),
        parameters=(("application", "3 s of data, 11 s idle, in turn"),),
        quantity=("inflight_packets", "in flight (packets)"),
    ),
    _case(
        "cases-12-13",
        "ACKs together",
        "Does BBR fill a link whose ACKs come once in half a round trip?",
        together,
        (checks.startup_doubles, checks.startup_window, checks.aggregation_seen, checks.cruise_window),
        parameters=(("ACKs", "handled by the sender's host each 20 ms (`ack_tick`)"),),
        more=(Measure("util"),),
    ),
    _case(
        "case-14",
        "A BDP below a packet",
        "Is the window four segments, without a stall?",
        sub_packet,
        (checks.never_below_four, checks.no_stall),
        parameters=(("path", "64 kbit/s, 10 ms, 10 packets of queue"),),
        more=(Measure("util"),),
        duration_s=60.0,
    ),
    _case(
        "case-15",
        "Ten times the rate",
        "Is the new rate found in a number of rounds that is logarithmic in the BDP?",
        stepped,
        (checks.finds_more,),
        points={"change": ("x 10",)},
        quantity=("goodput_mbps", "Mbit/s"),
        duration_s=40.0,
    ),
    _case(
        "case-16",
        "A tenth of the rate",
        "Does the bandwidth fall fast, and is the old one forgotten after two cycles?",
        stepped,
        (checks.falls_fast, checks.forgets),
        points={"change": ("/ 10",)},
        quantity=("goodput_mbps", "Mbit/s"),
        duration_s=40.0,
    ),
    _case(
        "case-17",
        "A policer",
        "Is the rate stable at the tokens', without excessive loss?",
        policed,
        (checks.bounded_by_policer,),
        parameters=(("policer", "10 of 100 Mbit/s, burst 30 packets"),),
        quantity=("goodput_mbps", "Mbit/s"),
        more=(Measure("loss_ovh"), Measure("goodput_mbps")),
        duration_s=40.0,
    ),
    _case(
        "case-18",
        "A recovery by mistake",
        "Is the state of before restored when a recovery is undone?",
        disordered,
        (checks.undo_restores,),
        parameters=(("disorder", "one packet in 500 comes 20 ms late"),),
    ),
    _case(
        "case-19",
        "A timeout by mistake",
        "Is the state of before restored when a timeout is undone?",
        delayed,
        (checks.undo_restores,),
        parameters=(("way", "600 ms longer from 8 to 9 s and from 14 to 15 s"),),
    ),
    _case(
        "case-21",
        "Loss in a probe",
        "Does a probe that loses lower the long-term bound by no more than Beta?",
        shallow,
        (checks.beta_after_loss, checks.up_to_down),
        parameters=(("queue", "a fifth of a BDP"),),
        duration_s=30.0,
    ),
    _case(
        "case-22",
        "Pauses of the application",
        "Do samples that the application limits leave max_bw as it is?",
        pausing,
        (checks.samples_do_not_lower, checks.refill_to_up),
        parameters=(("application", "idle for 60 ms in each 700 ms"),),
        duration_s=40.0,
    ),
)
