"""Figures 6 and 7: transfers from the floor of a conference at 10 Gbit/s, beside those of others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View, measure
from windtunnel.plots.declared import Compared, Histories, Published
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.scenario.hosts import Host
from windtunnel.suites.linux24 import PROFILE, flow
from windtunnel.suites.slac03.common import SAMPLE_S, SETTLING_S
from windtunnel.suites.slac03.packet_sizes import EMULATES, NETWORK, QUEUE, RATE_BPS, RTT_S, SENDER, SENDS_PPS, TXQUEUELEN

MTU = 9000
MB = 2**20
WINDOW_BYTES = 30 * MB
MINUTE_S = 60.0
OTHERS_BPS = 7.5e9 - 4.37e9
"""What else was on the link before 16:12: a total of 7.5 Gbit/s, less 4.37 of the transfer's own."""


@dataclass(frozen=True)
class Phase:
    """A part of figure 6: minutes after 16:00 from which and to which it is measured, and of which flows, numbered by their start."""

    begin: float
    end: float
    flows: tuple[str, ...]
    each: bool = False


PHASES = {
    "hs_initial": Phase(0, 12, ("1",)),
    "hs_after_1612": Phase(12, 40, ("1",)),
    "scal_single": Phase(42, 68, ("3",)),
    "scal_each_of_two": Phase(68, 78, ("3", "4"), each=True),
    "scal_sum_of_two": Phase(68, 78, ("3", "4")),
}
END_S = 78 * MINUTE_S


def afternoon(_point: Point, _draws: Draws) -> Scenario:
    """Return the afternoon of figure 6: HighSpeed TCP, then Scalable, then two of it on one host; another sender from 16:12 on."""

    def ours(name: str, begin: float, end: float) -> Flow:
        return flow(name, window_bytes=WINDOW_BYTES, mtu_bytes=MTU, start_s=begin * MINUTE_S, stop_s=end * MINUTE_S)

    other = flow("hstcp", window_bytes=WINDOW_BYTES, mtu_bytes=MTU, start_s=12 * MINUTE_S, host=SENDER)
    return Scenario(
        bottleneck=Bottleneck(rate_bps=RATE_BPS, queue_packets=QUEUE),
        flows=(ours("hstcp", 0, 40), other, ours("scalable", 42, 78), ours("scalable", 68, 78)),
        traffic=({"kind": "udp", "rate_bps": OTHERS_BPS, "packet_bytes": MTU},),
        host=SENDER.model_copy(update={"shared": True}),
        rtt_s=RTT_S,
        duration_s=END_S,
        warmup_s=SETTLING_S,
        sample_s=SAMPLE_S,
        profile=PROFILE,
    )


def _window(phase: Phase) -> dict[str, float]:
    return {"t0": phase.begin * MINUTE_S + SETTLING_S, "t1": phase.end * MINUTE_S}


def throughput(view: View) -> float | None:
    """Return the throughput of a phase, Mbit/s: of its flows together, or of each on average."""
    phase = PHASES[view.point["phase"]]
    found = [measure("thr_mbps", view, flow=number, **_window(phase)) for number in phase.flows]
    known = [value for value in found if isinstance(value, float)]
    return sum(known) / (len(known) if phase.each else 1) if len(known) == len(found) else None


def stability(view: View) -> float | None:
    """Return the stability index of a phase: of its flows together, or of each on average."""
    phase = PHASES[view.point["phase"]]
    if len(phase.flows) > 1 and not phase.each:
        return measure("stability", view, flow="scalable", **_window(phase))
    known = [value for number in phase.flows if (value := measure("stability", view, flow=number, **_window(phase))) is not None]
    return sum(known) / len(known) if len(known) == len(phase.flows) else None


_PUBLISHED = {"hs_initial": (4370.0, 0.005), "hs_after_1612": (2870.0, 0.16), "scal_single": (3300.0, 0.08)} | {
    "scal_each_of_two": (1000.0, 0.56),
    "scal_sum_of_two": (1900.0, 0.39),
}
CLOCKS_GHZ = {"Chicago": 2.04, "Amsterdam": 3.06}
RTTS_S = {"Chicago": 0.065, "Amsterdam": 0.175}
WINDOWS = {"Chicago": 60 * MB, "Amsterdam": 200 * MB}
BESIDE_BPS = 1.5e9
"""The paper says 1 to 2 Gbit/s."""


def two_sites(_point: Point, _draws: Draws) -> Scenario:
    """Return a transfer to each of two sites, each from a host of its own whose packets per second go with its clock."""
    flows = tuple(
        flow(
            "hstcp",
            rtt_s=RTTS_S[site],
            window_bytes=WINDOWS[site],
            mtu_bytes=MTU,
            host=Host(cpu_pps=round(SENDS_PPS * clock / CLOCKS_GHZ["Amsterdam"]), nic_bps=RATE_BPS, txqueuelen=TXQUEUELEN),
        )
        for site, clock in CLOCKS_GHZ.items()
    )
    return Scenario(
        bottleneck=Bottleneck(rate_bps=RATE_BPS, queue_packets=QUEUE),
        flows=flows,
        traffic=({"kind": "udp", "rate_bps": BESIDE_BPS, "packet_bytes": MTU},),
        duration_s=3600.0,
        warmup_s=SETTLING_S,
        sample_s=SAMPLE_S,
        profile=PROFILE,
    )


def at_site(metric: str, view: View) -> float | None:
    """Return a metric of the flow to the point's site."""
    return measure(metric, view, flow=str(1 + list(CLOCKS_GHZ).index(view.point["site"])))


EXPERIMENTS = (
    Experiment(
        id="slac03.fig6",
        title="An afternoon at 10 Gbit/s",
        question="What do transfers of HighSpeed and Scalable TCP get at 10 Gbit/s when others come, and when two share a host?",
        source="Fig. 6; 6.2.1",
        duration_s=3600.0,
        points={"phase": tuple(PHASES)},
        scenario=afternoon,
        measures=(Measure("thr_mbps", function=throughput), Measure("stability", function=stability)),
        figures=(
            Compared(
                "throughput",
                "Throughput in the phases of the afternoon",
                metric="thr_mbps",
                x="phase",
                series="phase",
                x_label="phase",
                y_label="Throughput (Mbit/s)",
                published=tuple(Published({"phase": name}, value) for name, (value, _) in _PUBLISHED.items()),
                caption="Hollow: the paper's text.",
            ),
            Compared(
                "stability",
                "Standard deviation over mean of the throughput in intervals of 5 s",
                metric="stability",
                x="phase",
                series="phase",
                x_label="phase",
                y_label="Stability index",
                published=tuple(Published({"phase": name}, value) for name, (_, value) in _PUBLISHED.items()),
                caption="Hollow: the paper's text.",
            ),
            Histories(
                "goodput",
                "HighSpeed TCP until 40 min, Scalable from 42 min, a second one from 68 min; another sender from 12 min",
                quantity="goodput_mbps",
                y_label="Goodput (Mbit/s)",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "hstcp 0 to 40 min, scalable 42 to 78 min, another 68 to 78 min, all three on one host; 9000-byte packets"),
            ("window limit", "30 MB"),
            ("others", "3.13 Gbit/s of UDP all the time; from 12 min on a sender of HighSpeed TCP like ours, on a host of its own"),
            ("duration", "78 minutes; each phase is measured from 10 s after its beginning"),
        ),
        repeats=1,
        kept="all",
        quick=None,
        notes=(
            "All phases come from one run, as in the paper.",
            "Who else sent is not known. Before 16:12 the total was 7.5 Gbit/s; then it rose to the link's rate, which one more sender "
            "like ours does. The paper's own link total shows that others went on until the end.",
            "Two flows share a host by their packets alone: what switching between them cost is not modelled.",
        ),
        emulates=EMULATES,
    ),
    Experiment(
        id="slac03.fig7",
        title="Two sites from hosts of different clocks",
        question="What do two hosts send to two sites when their processors, and not the path, limit them?",
        source="Fig. 7; 6.2.1",
        duration_s=3600.0,
        points={"site": tuple(CLOCKS_GHZ)},
        scenario=two_sites,
        measures=tuple(Measure(name, function=partial(at_site, name)) for name in ("thr_mbps", "stability")),
        figures=(
            Compared(
                "throughput",
                "Throughput to each site",
                metric="thr_mbps",
                x="site",
                series="site",
                x_label="site",
                y_label="Throughput (Mbit/s)",
                caption="The paper gives no numbers.",
            ),
            Histories("goodput", "To Chicago (flow 1) and to Amsterdam (flow 2)", quantity="goodput_mbps", y_label="Goodput (Mbit/s)"),
        ),
        parameters=(
            *NETWORK[:1],
            ("flows", "1 of HighSpeed TCP to each site, 9000-byte packets"),
            ("RTT, window limit", "Chicago 65 ms, 60 MB; Amsterdam 175 ms, 200 MB"),
            ("hosts", "59 000 packets a second at 3.06 GHz (Amsterdam), as many per clock at 2.04 GHz (Chicago)"),
            ("others", "1.5 Gbit/s of UDP"),
            ("duration", "3600 s"),
        ),
        repeats=1,
        kept="all",
        quick=Quick(repeats=1, longest_s=120.0),
        notes=("The paper does not say which stack ran, and prints no numbers: the runs are shown, and not judged.",),
    ),
)
