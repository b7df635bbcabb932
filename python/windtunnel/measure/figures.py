"""The figures of the study of 2003, of the user's own path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from windtunnel import plots, records
from windtunnel.plots import Compared, Histories, History

FOLDER = "figures"
BARS = (
    ("throughput", "Throughput", "goodput_mbps", "alone", "Goodput (Mbit/s)"),
    ("stability", "Standard deviation over mean of the throughput", "stability", "alone", "Stability index"),
    ("rtt", "Mean round-trip time beside the transfers", "rtt_ms_mean", "alone", "Round-trip time (ms)"),
    ("ping", "Mean ping beside the transfers", "ping_ms_mean", "alone", "Round-trip time (ms)"),
    ("processor", "Processor time per bit of the sending machine", "cpu_sender_machine_ns_per_bit", "alone", "Time (ns per bit)"),
    ("sine", "Stability beside datagrams that swing", "stability", "sine", "Stability index"),
    ("reverse", "Throughput beside traffic from the other side", "goodput_mbps", "reverse", "Goodput (Mbit/s)"),
    ("asymmetry", "Two transfers at once", "asymmetry", "pair", "(x1 - x2) / (x1 + x2)"),
)
"""Name, title, figure of a run, kind of runs, axis."""


def draw(folder: Path, rows: Sequence[Mapping[str, Any]]) -> list[Path]:
    """Draw what the runs of a measurement show.

    Parameters
    ----------
    folder : Path
        The measurement's.
    rows : sequence of mapping
        Its runs.

    Returns
    -------
    list of Path
        The files, in ``figures/``: a metric by algorithm, window and streams, and goodput over time.
    """
    made = []
    for name, title, metric, beside, label in BARS:
        chosen = [row for row in rows if row["beside"] == beside and row.get(metric) is not None]
        if not chosen:
            continue
        measures = pl.DataFrame(
            {
                "metric": [metric] * len(chosen),
                "alg": [row["alg"] for row in chosen],
                "limit": [f"{row['window']}, {row['streams']} streams" for row in chosen],
                "seed": [row["repeat"] for row in chosen],
                "value": [float(row[metric]) for row in chosen],
            }
        )
        declared = Compared(name, title, metric=metric, series="limit", y_label=label, baseline=(0.0,) if name == "asymmetry" else ())
        made.append(_saved(folder, name, declared, measures=measures))
    alone = [row for row in rows if row["beside"] == "alone" and row["repeat"] == 1]
    histories = [_history(folder, row) for row in sorted(alone, key=lambda row: (row["streams"], row["alg"], row["window"]))]
    if any(history.flow_samples.height for history in histories):
        declared_over_time = Histories("goodput", "Goodput over time", quantity="goodput_mbps", panels="run", y_label="Goodput (Mbit/s)")
        made.append(_saved(folder, "goodput", declared_over_time, histories=histories))
    return made


def _history(folder: Path, row: Mapping[str, Any]) -> History:
    run = records.read(folder / row["name"])
    return History({"alg": row["alg"], "run": f"{row['alg']}, {row['window']}, {row['streams']} streams"}, 1, run.flow_samples, run.flows)


def _saved(folder: Path, name: str, declared: Any, **given: Any) -> Path:
    target = folder / FOLDER / f"{name}.svg"
    target.parent.mkdir(exist_ok=True)
    plots.save(plots.draw(declared, **given), target)
    return target
