"""What strikes most in the study of hybrid algorithms, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl


def findings(tables: Mapping[str, pl.DataFrame]) -> list[str]:
    """Return what was found.

    Parameters
    ----------
    tables : mapping of str to polars.DataFrame
        Measures by experiment.

    Returns
    -------
    list of str
        Sentences; empty when the experiments they need were not run.
    """
    return [*_epochs(tables), *_friendliness(tables)]


def _mean(table: pl.DataFrame, metric: str, **where: object) -> float | None:
    rows = table.filter((pl.col("metric") == metric) & pl.col("value").is_finite())
    for column, value in where.items():
        rows = rows.filter(pl.col(column) == value)
    value = rows["value"].mean()
    return float(value) if isinstance(value, float) else None


def _epochs(tables: Mapping[str, pl.DataFrame]) -> list[str]:
    table = tables.get("leith08.fig3")
    if table is None:
        return []
    illinois, reno = (_mean(table, "epoch_s", alg=alg, rate=250.0) for alg in ("illinois", "reno"))
    if illinois is None or reno is None:
        return []
    text = (
        f"At 250 Mbit/s, 100 ms and a queue of one BDP an Illinois flow backs off every {illinois:.0f} s, a Reno flow every {reno:.0f} s."
    )
    return [text]


def _friendliness(tables: Mapping[str, pl.DataFrame]) -> list[str]:
    table = tables.get("leith08.fig12")
    if table is None:
        return []
    exact, wrong = (_mean(table, "new_over_reno", maxrtt_err=error) for error in (0.0, 1000.0))
    if exact is None or wrong is None:
        return []
    text = (
        f"Illinois gets {exact:.1f} times the throughput of a Reno flow beside it at 400 Mbit/s; with its largest RTT a second too large "
    )
    return [f"{text}it gets {wrong:.0f} times as much."]
