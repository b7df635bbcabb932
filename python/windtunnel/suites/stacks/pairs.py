"""Each controller against each: who gets how much of one bottleneck."""

from __future__ import annotations

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.metrics.view import SETTLING_S
from windtunnel.plots.declared import Matrix
from windtunnel.scenario import Scenario
from windtunnel.suites.stacks.common import NETWORK, bottleneck, flow, start_s
from windtunnel.suites.stacks.subjects import EVERY

RATE_MBPS, RTT_MS = 10, 40


def _pair(point: Point, draws: Draws, duration_s: float) -> Scenario:
    starts = [start_s(draws, number) for number in (1, 2)]
    return Scenario(
        bottleneck=bottleneck(RATE_MBPS, RTT_MS, 1.0),
        flows=tuple(flow(point[name], start_s=at) for name, at in zip(("alg", "opponent"), starts, strict=True)),
        rtt_s=RTT_MS * 1e-3,
        duration_s=duration_s,
        warmup_s=max(starts) + SETTLING_S,
        sample_s=0.1,
    )


def pair(point: Point, draws: Draws) -> Scenario:
    """Return two flows that start within a tenth of a second, for 100 seconds."""
    return _pair(point, draws, 100.0)


def pair_in_short(point: Point, draws: Draws) -> Scenario:
    """Return the same for half a minute."""
    return _pair(point, draws, 30.0)


def share(view: View) -> float | None:
    """Return the first flow's share of the goodput of both."""
    first, second = (view.row(number)["window_goodput_bytes"] for number in (0, 1))
    return None if first is None or second is None or not first + second else float(first / (first + second))


def _once(point: Point) -> bool:
    """Whether a pair is run in this order: its flows differ in name alone, so that one order is enough."""
    return EVERY.index(point["alg"]) <= EVERY.index(point["opponent"])


EXPERIMENTS = (
    Experiment(
        id="stacks.pairs",
        title="Each against each",
        question="How do two controllers share a bottleneck, each with each, and with another flow of its own?",
        source="RFC 9438, 5.1; RFC 9743, 5.1",
        duration_s=100.0,
        points={"alg": EVERY, "opponent": EVERY},
        scenario=pair,
        measures=(Measure("share", function=share), Measure("util"), Measure("jain")),
        figures=(
            Matrix(
                "shares",
                "Share of the goodput of both: row against column",
                metric="share",
                x="opponent",
                y="alg",
                centre=0.5,
                y_limits=(0.0, 1.0),
                mirrored=1.0,
                caption="0.50 is equal sharing; a row's number is what the controller on the left gets beside the one above.",
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "2, started within a tenth of a second of each other"),
            ("rate", "10 Mbit/s"),
            ("RTT", "40 ms (BDP 33 packets)"),
            ("queue", "1 BDP"),
            ("duration", "100 s, measured from 10 s after the second start"),
        ),
        only=_once,
        repeats=5,
        quick=Quick(repeats=3, scenario=pair_in_short, note="At the quick scale a run lasts 30 s."),
    ),
)
