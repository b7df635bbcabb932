"""A folder of ``windtunnel measure``: all its runs together show the path, and each configuration is predicted on it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from windtunnel.fit.estimate import PathEstimate
from windtunnel.fit.predict import Compared, scenario
from windtunnel.fit.seen import Seen, SeenFlow, seen
from windtunnel.run import run
from windtunnel.scenario import Scenario, ScenarioError
from windtunnel.stats import summarise

FILE = "measure.json"
BETWEEN_S = 10.0
"""From the end of a run to the beginning of the next on the common axis: hardly a window of an estimate has two runs in it."""


def is_measured(folder: Path) -> bool:
    """Return whether a folder was written by ``windtunnel measure``."""
    return (folder / FILE).is_file()


def seen_runs(folder: Path) -> list[tuple[str, Seen]]:
    """Read the runs of a measurement that nothing was sent beside, each with its configuration's name.

    Parameters
    ----------
    folder : Path
        Of ``windtunnel measure``.

    Raises
    ------
    ScenarioError
        When it cannot be read, or has no such run.
    """
    try:
        document: dict[str, Any] = json.loads((folder / FILE).read_text(encoding="utf-8"))
        rows = [row for row in document["runs"] if row["beside"] in ("alone", "pair")]
        named = [(f"{row['alg']}, window {row['window']}, {row['streams']} streams", folder / row["name"]) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ScenarioError("measurement", f"{folder / FILE} cannot be read ({error}); allowed: a folder of `windtunnel measure`") from None
    found = [(name, seen(path)) for name, path in named]
    if not found:
        raise ScenarioError("measurement", f"{folder} has no run without other traffic; allowed: at least one")
    return found


def together(runs: list[tuple[str, Seen]], source: str) -> Seen:
    """Return all runs behind one another as one measurement."""
    flows: list[SeenFlow] = []
    begin_s = 0.0
    for _, one in runs:
        flows += [
            replace(
                flow,
                start_s=flow.start_s + begin_s,
                end_s=flow.end_s + begin_s,
                t_s=flow.t_s + begin_s,
                losses_s=flow.losses_s + begin_s,
            )
            for flow in one.flows
        ]
        begin_s += one.end_s + BETWEEN_S
    return Seen(source, tuple(flows))


def predictions(runs: list[tuple[str, Seen]], path: PathEstimate, *, seeds: int) -> list[Compared]:
    """Run each configuration on the estimated path, and put what came out beside the mean of its measured repeats.

    Parameters
    ----------
    runs : list of (str, Seen)
        See `seen_runs`.
    path : PathEstimate
        The path.
    seeds : int
        Repeats of the simulator.

    Returns
    -------
    list of Compared
        Of each configuration throughput of all streams, mean RTT, and what was sent again.
    """
    repeats: dict[str, list[Seen]] = {}
    for name, one in runs:
        repeats.setdefault(name, []).append(one)
    found = []
    for name, measured in repeats.items():
        on = scenario(measured[0], path, None)
        made = [_of_run(on, seed) for seed in range(1, seeds + 1)]
        own = [_of_seen(one) for one in measured]
        for figure, unit in (("throughput", "Mbit/s"), ("mean RTT", "ms"), ("sent again", "%")):
            mean = float(np.mean([one[figure] for one in own]))
            found.append(Compared(name, figure, unit, mean, summarise([one[figure] for one in made])))
    return found


def _of_run(on: Scenario, seed: int) -> dict[str, float]:
    flows = run(on.model_copy(update={"seed": seed, "sample_s": 0.0})).flows
    sent = float(flows["sent_packets"].sum())
    return {
        "throughput": 12e-3 * float(flows["delivered_packets"].sum()) / on.duration_s,
        "mean RTT": 1e3 * float(np.mean(flows["mean_rtt_s"].drop_nulls().to_numpy())),
        "sent again": 100 * float(flows["retransmitted_packets"].sum()) / sent if sent else 0.0,
    }


def _of_seen(one: Seen) -> dict[str, float]:
    begin_s = min(flow.start_s for flow in one.flows)
    sent = sum(flow.sent for flow in one.flows)
    return {
        "throughput": sum(float(flow.delivered_bits[-1]) for flow in one.flows) / (one.end_s - begin_s) / 1e6,
        "mean RTT": 1e3 * float(np.mean([np.nanmean(flow.srtt_s) for flow in one.flows])),
        "sent again": 100 * sum(flow.retransmitted for flow in one.flows) / sent if sent else 0.0,
    }
