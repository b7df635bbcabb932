"""How much a controller gives up at a loss, and how it takes it back: RFC 9438, 4.1 to 4.7, and RFC 9002, 7.3."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared
from windtunnel.scenario import Scenario
from windtunnel.suites.stacks.common import NETWORK, NOTE, SAID, Path, alone, by_kind, histories_by_kind
from windtunnel.suites.stacks.laws import cubic_c, kept_share, per_round, plateau, reductions, undone
from windtunnel.suites.stacks.subjects import CUBIC, EVERY, RENO, kind

DURATION_S = 60.0
CUBICS_RTT_MS, OTHERS_RTT_MS = 80.0, 40.0
"""Of CUBIC a longer path, on which its Reno-friendly region is far below its cubic; a Reno flow would need minutes for its epochs there."""


def full_path(point: Point, draws: Draws) -> Scenario:
    """Return one flow alone on a path with a queue of one BDP: its own queue is what it loses packets in."""
    rtt_ms = CUBICS_RTT_MS if kind(point["alg"]) == "cubic" else OTHERS_RTT_MS
    return alone(point["alg"], draws, duration_s=DURATION_S, path=Path(rtt_ms=rtt_ms))


EXPERIMENTS = (
    Experiment(
        id="stacks.growth",
        title="Growth and back-off",
        question="What share of its window does each controller keep at a loss, and by which law does the window come back?",
        source="RFC 9438, 4.1 to 4.7; RFC 9002, 7.3",
        duration_s=60.0,
        points={"alg": EVERY},
        scenario=full_path,
        measures=(
            Measure("beta_step", function=kept_share),
            Measure("cubic_c", function=cubic_c),
            Measure("cubic_plateau", function=plateau),
            Measure("undone", function=undone),
            Measure("growth_per_rtt", function=per_round),
            Measure("reductions", function=reductions),
            Measure("util"),
            Measure("qdelay_mean_ms"),
            Measure("loss_ovh"),
        ),
        figures=(
            *histories_by_kind(
                "cwnd", "Window of one flow, 20 Mbit/s, queue of one BDP", quantity="cwnd_packets", y_label="cwnd (datagrams)"
            ),
            Compared(
                "kept-cubic",
                "Share of the window kept at a loss: CUBIC",
                metric="beta_step",
                algs=CUBIC,
                y_label="cwnd after / before",
                y_limits=(0.4, 1.0),
                baseline=(0.7,),
                caption="Line: 0.7, RFC 9438 4.6.",
            ),
            Compared(
                "kept-reno",
                "Share of the window kept at a loss: Reno",
                metric="beta_step",
                algs=RENO,
                y_label="cwnd after / before",
                y_limits=(0.4, 1.0),
                baseline=(0.5,),
                caption="Line: 0.5, RFC 9002 7.3.2.",
            ),
            *by_kind(
                "undone",
                "Share of reductions that are taken back within eight round trips",
                metric="undone",
                y_label="share of reductions",
                y_limits=(0.0, 1.0),
            )[:2],
            Compared(
                "c",
                "Pace of the growth: C of CUBIC",
                metric="cubic_c",
                algs=CUBIC,
                y_label="C (packets/s³)",
                baseline=(0.4,),
                caption="Line: 0.4, RFC 9438 5. Least squares over epochs that have both sides of the turning point.",
            ),
            Compared(
                "slope",
                "Growth between losses: Reno",
                metric="growth_per_rtt",
                algs=RENO,
                y_label="packets per round trip",
                baseline=(1.0,),
                caption="Line: one full datagram per round trip, RFC 9002 7.3.3.",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1, alone"),
            ("rate", "20 Mbit/s"),
            ("RTT", "80 ms of CUBIC (BDP 133 packets), 40 ms of the others (67)"),
            ("queue", "1 BDP"),
            ("duration", "60 s, back-offs after 10 s"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(repeats=3),
        notes=(NOTE, SAID, "Back-offs are found in the window itself, sampled every 10 ms: where it falls by 7 % or more."),
    ),
)
