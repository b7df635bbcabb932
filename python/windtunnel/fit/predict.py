"""From an estimated path to a scenario, and what the simulator predicts on it, beside what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from windtunnel.fit.estimate import PathEstimate
from windtunnel.fit.seen import Seen, SeenFlow
from windtunnel.run import run
from windtunnel.scenario import Scenario, ScenarioError
from windtunnel.stats import Summary, summarise

SEEDS = 5


@dataclass(frozen=True)
class Compared:
    """One figure of a flow.

    Parameters
    ----------
    flow, figure, unit : str
        Which, and its unit.
    measured : float
        In the measurement.
    predicted : Summary
        Of the simulator's repeats.
    """

    flow: str
    figure: str
    unit: str
    measured: float
    predicted: Summary


def scenario(seen: Seen, path: PathEstimate, algorithms: Sequence[str] | None) -> Scenario:
    """Return the measurement as a scenario on the estimated path.

    Parameters
    ----------
    seen : Seen
        The measurement.
    path : PathEstimate
        Its path.
    algorithms : sequence of str, optional
        Of the flows in order of start, one for all or one for each; those that the measurement names when absent, else cubic.

    Raises
    ------
    ScenarioError
        When there are neither one nor as many algorithms as flows.
    """
    given = list(algorithms) if algorithms is not None else [flow.algorithm or "cubic" for flow in seen.flows]
    if len(given) == 1:
        given *= len(seen.flows)
    if len(given) != len(seen.flows):
        raise ScenarioError("alg", f"{len(given)} for {len(seen.flows)} flows; allowed: one for all, or one for each")
    begin_s = seen.flows[0].start_s
    flows = [{"algorithm": name, "start_s": round(flow.start_s - begin_s, 6)} for name, flow in zip(given, seen.flows, strict=True)]
    return Scenario(
        bottleneck={
            "rate_bps": float(f"{1e6 * path.rate_mbps.value:.4g}"),
            "queue_packets": max(1, round(path.queue_packets.value)),
            "loss_probability": float(f"{path.loss.value:.3g}") if path.loss.low > 0 else 0.0,
        },
        flows=flows,
        rtt_s=float(f"{path.rtt_ms.value / 1e3:.4g}"),
        duration_s=round(seen.end_s - begin_s, 3),
    )


def predicted(seen: Seen, on: Scenario, *, seeds: int = SEEDS) -> list[Compared]:
    """Run the scenario some times and put what came out beside the measurement: throughput, mean RTT, what was sent again."""
    runs = [run(on.model_copy(update={"seed": seed})) for seed in range(1, seeds + 1)]
    found = []
    for number, flow in enumerate(seen.flows):
        rows = [made.flows.row(number, named=True) for made in runs]
        lasts_s = on.duration_s - on.flows[number].start_s
        rates = [12e-3 * float(row["delivered_packets"]) / lasts_s for row in rows]
        found.append(Compared(flow.name, "throughput", "Mbit/s", _rate_mbps(flow), summarise(rates)))
        rtts = [1e3 * float(row["mean_rtt_s"]) for row in rows if row["mean_rtt_s"] is not None]
        found.append(Compared(flow.name, "mean RTT", "ms", 1e3 * float(np.nanmean(flow.srtt_s)), summarise(rtts)))
        again = [100 * float(row["retransmitted_packets"]) / float(row["sent_packets"]) for row in rows]
        measured = 100 * flow.retransmitted / flow.sent if flow.sent else float("nan")
        found.append(Compared(flow.name, "sent again", "%", measured, summarise(again)))
    return found


def _rate_mbps(flow: SeenFlow) -> float:
    return float(flow.delivered_bits[-1]) / (flow.end_s - flow.start_s) / 1e6


def written(on: Scenario, path: PathEstimate, source: str) -> str:
    """Return the scenario as the text of a file, with the intervals as comments."""
    link = on.bottleneck
    lines = [
        f"# Estimated from {source} by windtunnel fit; in brackets 95 % intervals.",
        f"rtt_s = {on.rtt_s:g}  # {path.rtt_ms.value:.4g} ms [{path.rtt_ms.low:.4g}, {path.rtt_ms.high:.4g}]",
        f"duration_s = {on.duration_s:g}",
        "",
        "[bottleneck]",
        f"rate_bps = {link.rate_bps:.0f}  # {path.rate_mbps.value:.4g} Mbit/s [{path.rate_mbps.low:.4g}, {path.rate_mbps.high:.4g}]",
        f"queue_packets = {link.queue_packets}  # [{path.queue_packets.low:.4g}, {path.queue_packets.high:.4g}]",
        f"loss_probability = {link.loss_probability:g}  # [{path.loss.low:.2g}, {path.loss.high:.2g}]",
    ]
    for flow in on.flows:
        lines += ["", "[[flows]]", f'algorithm = "{flow.algorithm}"', f"start_s = {flow.start_s:g}"]
    return "\n".join(lines) + "\n"
