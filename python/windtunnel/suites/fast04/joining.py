"""Figures 12 to 15: four flows that come and go."""

from __future__ import annotations

from dataclasses import dataclass

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Histories
from windtunnel.scenario import Bottleneck, Scenario
from windtunnel.suites.fast04.common import NETWORK, QUEUE, within
from windtunnel.suites.linux24 import FAST_NOTE, PROFILE, flow

DURATION_S = 3000.0
COMING_AND_GOING = ((0.0, 2400.0), (600.0, 1800.0), (600.0, None), (1200.0, None))
"""Start and stop of each flow, seconds."""
INTERVALS = {"I1": (0.0, 600.0), "I2": (600.0, 1200.0), "I3": (1200.0, 1800.0), "I4": (1800.0, 2400.0), "I5": (2400.0, 3000.0)}


PROBE = {"kind": "udp", "rate_bps": 341.5e6, "start_s": 1900.0, "stop_s": 2000.0}
"""The UDP flow that ran by mistake: half of the path's capacity, which is what each of two sources got of it before."""
DURING, AFTER = (1905.0, 1995.0), (2050.0, 2350.0)


@dataclass(frozen=True)
class Net:
    """A path.

    Parameters
    ----------
    name : str
        What it is.
    rate : float
        Of its link, Mbit/s.
    rtts : tuple of float
        Round-trip time of each flow, ms: the shortest that the paper's FAST flows saw.
    mtu : int
        IP bytes of a packet.
    probe : bool
        Whether a UDP flow runs from 1900 s to 2000 s.
    emulates : str
        What stands for it, where it is no emulated path itself.
    """

    name: str
    rate: float
    rtts: tuple[float, float, float, float]
    mtu: int = 1500
    probe: bool = False
    emulates: str = ""


DUMMYNET = Net("emulated path", 800, (51.28, 51.67, 51.48, 51.57))
TERAGRID = Net(
    "TeraGrid",
    683,
    (57.63, 54.13, 54.16, 54.11),
    mtu=9000,
    probe=True,
    emulates="the TeraGrid path, by one queue of 2000 packets at the 683 Mbit/s that UDP got, and a UDP flow of half of that",
)
"""Caltech to Argonne: nominally 1 Gbit/s, of which UDP got 683 Mbit/s."""
_MEASURED = ("thr_mbps", "jain", "util", "thr_cov", "first_share", "queue_pkts")
_NOTES = {
    "emulated path": ("The queue is not given: 2000 packets hold the 800 that four FAST flows keep there.",),
    "TeraGrid": (
        "The queue is not given: 2000 packets, as on the emulated path.",
        "What lowered the link's 1 Gbit/s to 683 Mbit/s is unknown; here it is the link's rate.",
        "The rate of the UDP flow that ran by mistake is not given: half of the path's capacity, what each of two such flows got before.",
    ),
}


def four_flows(protocol: str, net: Net) -> Scenario:
    """Return four flows of a protocol that come and go."""
    flows = tuple(
        flow(protocol, rtt_s=rtt * 1e-3, start_s=start, stop_s=stop, mtu_bytes=net.mtu)
        for rtt, (start, stop) in zip(net.rtts, COMING_AND_GOING, strict=True)
    )
    return Scenario.model_validate(
        {
            "bottleneck": Bottleneck(rate_bps=net.rate * 1e6, queue_packets=QUEUE),
            "flows": flows,
            "traffic": (PROBE | {"packet_bytes": net.mtu},) if net.probe else (),
            "duration_s": DURATION_S,
            "warmup_s": COMING_AND_GOING[-1][0] + 10.0,
            "sample_s": 0.5,
            "profile": PROFILE,
        }
    )


def _dip() -> tuple[Measure, ...]:
    """Return the throughput of all flows while the UDP flow runs, and after."""
    return tuple(Measure("thr_mbps", flow="sum", t0=begin, t1=end) for begin, end in (DURING, AFTER))


def _experiment(figure: str, protocol: str, label: str, net: Net) -> Experiment:
    def scenario(_point: Point, _draws: Draws) -> Scenario:
        return four_flows(protocol, net)

    title = f"Four {label} flows that come and go, {net.name}"
    return Experiment(
        id=f"fast04.{figure}",
        title=title,
        question=f"Do {label} flows fill the link and share it as they come and go?",
        source=f"Fig. {figure.removeprefix('fig')}; IV.C",
        duration_s=3000.0,
        points={"alg": (protocol,), "interval": tuple(INTERVALS)},
        scenario=scenario,
        measures=(
            *(within(name, INTERVALS, "interval") for name in _MEASURED),
            within("thr_mbps", INTERVALS, "interval", flow="sum"),
            Measure("drops_pkts"),
            *(_dip() if net.probe else ()),
        ),
        figures=(
            Histories("goodput", title, quantity="goodput_mbps", y_label="Goodput (Mbit/s)"),
            *(
                (Histories("base", "The round-trip time each takes for the path's own", quantity="base_rtt_s", y_label="baseRTT (ms)"),)
                if protocol == "fast"
                else ()
            ),
        ),
        parameters=(
            *(NETWORK if net.mtu == 1500 else (("network", f"dumbbell, one drop-tail queue, {net.mtu}-byte packets"), *NETWORK[1:])),
            ("flows", "4: 0 to 2400 s, 600 to 1800 s, from 600 s, from 1200 s"),
            ("rate", f"{net.rate:g} Mbit/s"),
            ("RTT", ", ".join(f"{rtt:g}" for rtt in net.rtts) + " ms, the shortest the paper's flows saw"),
            ("queue", "2000 packets"),
            *((("UDP", "341.5 Mbit/s from 1900 s to 2000 s"),) if net.probe else ()),
            ("duration", "3000 s in five intervals of 600 s, each measured from 10 s after its beginning"),
        ),
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
        notes=(*((FAST_NOTE,) if protocol == "fast" else ()), *_NOTES[net.name]),
        emulates=net.emulates,
    )


EXPERIMENTS = (
    _experiment("fig12", "reno", "Reno", DUMMYNET),
    _experiment("fig13", "fast", "FAST", DUMMYNET),
    _experiment("fig14", "reno", "Reno", TERAGRID),
    _experiment("fig15", "fast", "FAST", TERAGRID),
)
