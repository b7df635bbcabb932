"""A results folder of real runs, small: two protocols, two round-trip times, two repeats, the samples of the first repeat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from windtunnel.backends import backend
from windtunnel.plots.declared import Curves, Histories, to_json
from windtunnel.records import Records
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.store import writing_results

ALGORITHMS, RTTS, SEEDS = ("reno", "htcp"), (20.0, 40.0), (1, 2)
CURVES = Curves("share", "Throughput", metric="thr_mbps", x="rtt", x_label="RTT (ms)", y_label="Throughput (Mbit/s)", x_log=True)
WINDOWS = Histories("cwnd", "Windows", quantity="cwnd_packets", panels="rtt", alg="htcp", y_label="cwnd (packets)")


def scenario(alg: str, rtt: float, seed: int) -> Scenario:
    """Two flows of a protocol, the second from 1 s; a small queue, so that both lose."""
    flows = (Flow(algorithm=alg, rtt_s=rtt / 1e3), Flow(algorithm=alg, rtt_s=rtt / 1e3, start_s=1.0))
    return Scenario(bottleneck=Bottleneck(rate_bps=10e6, queue_packets=8), flows=flows, duration_s=6.0, sample_s=0.05, seed=seed)


def key(alg: str, rtt: float, seed: int) -> str:
    """Name of a run in this folder."""
    return f"{ALGORITHMS.index(alg)}{RTTS.index(rtt)}{seed}".ljust(32, "f")


def value(alg: str, rtt: float, seed: int) -> float:
    """What the table says was measured; made up, and easy to average."""
    return 1.0 + ALGORITHMS.index(alg) + RTTS.index(rtt) / 4 + seed / 8


def write(folder: Path) -> dict[str, Records]:
    """Write the folder; return its runs by key."""
    rows: list[dict[str, Any]] = []
    runs: dict[str, Records] = {}
    with writing_results(folder) as results:
        for alg in ALGORITHMS:
            for rtt in RTTS:
                for seed in SEEDS:
                    name = key(alg, rtt, seed)
                    runs[name] = backend("sim").run(scenario(alg, rtt, seed))
                    results.runs.write(name, runs[name], "all" if seed == 1 else "totals")
                    point = {"alg": alg, "rtt": rtt, "seed": seed, "run": name}
                    rows.append({**point, "metric": "thr_mbps", "value": value(alg, rtt, seed)})
                    rows.append({**point, "metric": "jain", "value": None if alg == "reno" else 0.5})
        declaration = {
            "title": "A walk",
            "question": "Where does it lead?",
            "source": "nowhere",
            "command": "windtunnel suite run walk.one",
            "scale": "paper",
            "backend": "sim",
            "backend_version": 1,
            "repeats": len(SEEDS),
            "parameters": [["rate", "10 Mbit/s"]],
            "points": {"alg": list(ALGORITHMS), "rtt": list(RTTS)},
            "figures": [to_json(CURVES), to_json(WINDOWS)],
            "notes": [],
        }
        results.store_experiment("walk.one", declaration, pl.DataFrame(rows, schema_overrides={"value": pl.Float64}))
        results.store_facts({"suites": ["walk"], "order": ["walk.one"], "facts": [["version", "1"]], "findings": [], "title": "A walk"})
    return runs
