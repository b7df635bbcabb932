"""A queue that marks before it drops: RFC 9002, 7.1 and 7.3, RFC 9438, 4.6."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.scenario import Scenario
from windtunnel.suites.stacks.common import NETWORK, NOTE, Path, alone, by_kind, histories_by_kind
from windtunnel.suites.stacks.laws import kept_share
from windtunnel.suites.stacks.subjects import EVERY


def marked(point: Point, draws: Draws) -> Scenario:
    """Return one flow through a queue of two BDP that marks ECN-capable packets from half a BDP on."""
    given = {} if "@" in point["alg"] else {"transport": {"ecn": "classic"}}
    return alone(point["alg"], draws, duration_s=30.0, path=Path(q=2.0, link={"mark_bdp": 0.5}), **given)


EXPERIMENTS = (
    Experiment(
        id="stacks.ecn",
        title="ECN",
        question="Does a controller mark its packets as ECN-capable, and what does it make of marks?",
        source="RFC 9002, 7.1 and 7.3.2; RFC 9438, 4.6; RFC 9000, 13.4",
        duration_s=30.0,
        points={"alg": EVERY},
        scenario=marked,
        measures=(
            Measure("marks_pkts"),
            Measure("drops_pkts"),
            Measure("util"),
            Measure("qdelay_mean_ms"),
            Measure("beta_step", function=kept_share),
        ),
        figures=(
            *by_kind(
                "delay",
                "Mean queueing delay where marks begin at half a BDP",
                metric="qdelay_mean_ms",
                y_label="ms",
                baseline=(20.0,),
                caption="Line: the delay at which marks begin.",
            ),
            *by_kind("drops", "Packets dropped behind two BDP of queue", metric="drops_pkts", y_label="packets"),
            *histories_by_kind(
                "cwnd", "Window beside a queue that marks from half a BDP on", quantity="cwnd_packets", y_label="cwnd (datagrams)"
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1, alone; the simulator's with classic ECN"),
            ("rate", "20 Mbit/s"),
            ("RTT", "40 ms (BDP 67 packets)"),
            ("queue", "2 BDP, marks from 0.5 BDP on"),
            ("duration", "30 s, measured from 10 s"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(repeats=3),
        notes=(NOTE,),
    ),
)
