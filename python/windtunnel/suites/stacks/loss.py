"""One flow whose packets are lost at random: the square-root law, and what CUBIC and BBR make of it."""

from __future__ import annotations

import math

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View, measured
from windtunnel.plots.declared import Overlay
from windtunnel.scenario import Scenario
from windtunnel.suites.stacks.common import NETWORK, RATE_MBPS, RTT_MS, Path, alone, curves_by_kind
from windtunnel.suites.stacks.subjects import EVERY

PROBABILITIES = (0.0003, 0.001, 0.003, 0.01)
PAYLOAD_BITS = 1448 * 8
_LAW = Overlay(
    "Reno, response function",
    function="response_mbps",
    arguments={"protocol": "reno", "rate_mbps": float(RATE_MBPS), "rtt_ms": float(RTT_MS)},
)


def lossy(point: Point, draws: Draws) -> Scenario:
    """Return one flow whose packets are lost independently."""
    return alone(point["alg"], draws, duration_s=40.0, path=Path(link={"loss_probability": point["p"]}))


def law_ratio(view: View) -> float | None:
    """Return goodput over the square-root law's: sqrt(3/2/p) full segments of 1448 bytes per base RTT, and no more than the link."""
    rate = measured("goodput_mbps", view)
    law = math.sqrt(1.5 / view.point["p"]) * PAYLOAD_BITS / view.base_rtt_s(0) / 1e6
    return None if not isinstance(rate, float) else rate / min(law, view.rate_bps * 1448 / 1500 / 1e6)


EXPERIMENTS = (
    Experiment(
        id="stacks.loss",
        title="Random loss",
        question="How much does each controller carry when packets are lost at random?",
        source="RFC 9438, 4.3 and 5.1; RFC 9002, 7",
        duration_s=40.0,
        points={"alg": EVERY, "p": PROBABILITIES},
        scenario=lossy,
        measures=(Measure("goodput_mbps"), Measure("law_ratio", function=law_ratio), Measure("cwnd_pkts"), Measure("util")),
        figures=curves_by_kind(
            "goodput",
            "Goodput against random loss",
            metric="goodput_mbps",
            x="p",
            x_label="Loss probability of a datagram",
            y_label="Goodput (Mbit/s)",
            x_log=True,
            y_log=True,
            theory=(_LAW,),
            caption="Dashed: the square-root law, capped at the link's rate.",
        ),
        parameters=(
            *NETWORK,
            ("flows", "1, alone"),
            ("rate", "20 Mbit/s"),
            ("RTT", "40 ms (BDP 67 packets)"),
            ("queue", "1 BDP"),
            ("loss", "independent per packet or datagram, before the queue"),
            ("duration", "40 s, measured from 10 s"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(points={"p": (0.001, 0.01)}, repeats=3),
    ),
)
