"""CUBIC where Reno would grow faster: RFC 9438, 4.3."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared
from windtunnel.scenario import Scenario
from windtunnel.suites.stacks.common import NETWORK, NOTE, Path, alone, histories_by_kind
from windtunnel.suites.stacks.laws import kept_share, per_round
from windtunnel.suites.stacks.subjects import CUBIC

DURATION_S = 40.0


def small_path(point: Point, draws: Draws) -> Scenario:
    """Return one flow on a path whose window Reno regains in a fraction of CUBIC's K."""
    return alone(point["alg"], draws, duration_s=DURATION_S, path=Path(rate_mbps=10, rtt_ms=20))


EXPERIMENTS = (
    Experiment(
        id="stacks.friendly",
        title="The Reno-friendly region",
        question="How fast does CUBIC grow on a path so small that Reno would be faster?",
        source="RFC 9438, 4.3",
        duration_s=40.0,
        points={"alg": CUBIC},
        scenario=small_path,
        measures=(Measure("growth_per_rtt", function=per_round), Measure("beta_step", function=kept_share), Measure("util")),
        figures=(
            Compared(
                "slope",
                "Growth between losses in the Reno-friendly region: CUBIC",
                metric="growth_per_rtt",
                y_label="packets per round trip",
                baseline=(0.529,),
                caption="Line: 3 (1 - 0.7) / (1 + 0.7) = 0.529, RFC 9438 4.3.",
            ),
            histories_by_kind("cwnd", "Window of one flow, 10 Mbit/s, 20 ms, one BDP", quantity="cwnd_packets", y_label="cwnd (datagrams)")[
                0
            ],
        ),
        parameters=(
            *NETWORK,
            ("flows", "1, alone"),
            ("rate", "10 Mbit/s"),
            ("RTT", "20 ms (BDP 17 packets)"),
            ("queue", "1 BDP"),
            ("duration", "40 s, back-offs after 10 s"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(repeats=3),
        notes=(NOTE, "Ten packets are regained in some 20 round trips, 0.7 s; the cubic alone would need K = 2.9 s."),
    ),
)
