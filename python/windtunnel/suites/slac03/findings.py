"""What strikes most in the SLAC study, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl


def findings(tables: Mapping[str, pl.DataFrame]) -> list[str]:
    """Return what was found, the most striking first.

    Parameters
    ----------
    tables : mapping of str to polars.DataFrame
        Measures by experiment.

    Returns
    -------
    list of str
        Sentences; empty when the experiments they need were not run.
    """
    return [*_reverse(tables), *_long_path(tables)]


def _means(tables: Mapping[str, pl.DataFrame], experiment: str, metric: str, by: str, **at: str) -> dict[tuple[str, str], float]:
    frame = tables.get(experiment)
    if frame is None:
        return {}
    rows = frame.filter(pl.col("metric") == metric, pl.col("value").is_not_null(), *(pl.col(name) == value for name, value in at.items()))
    grouped = rows.group_by("alg", by, maintain_order=True).agg(pl.col("value").mean())
    return {(alg, other): value for alg, other, value in grouped.iter_rows()}


def _reverse(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    found = _means(tables, "slac03.tab4", "thr_mbps", "case")
    before, after = found.get(("fast", "without_reverse")), found.get(("fast", "with_reverse"))
    others = [found[alg, "with_reverse"] for alg, case in found if case == "with_reverse" and alg != "fast"]
    if before and after and others:
        yield (
            f"With sixteen streams coming back FAST carries {after:.0f} Mbit/s to Florida instead of {before:.0f}, "
            f"the other stacks at least {min(others):.0f}: it takes the ACKs' delay for its own queue."
        )


def _long_path(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    found = _means(tables, "slac03.tab1", "thr_mbps", "win", site="Manchester")
    reno, best = found.get(("reno", "12MB")), {alg: value for (alg, win), value in found.items() if win == "12MB" and alg != "ptcp"}
    if reno and len(best) > 1:
        name = max(best, key=lambda alg: best[alg])
        yield f"On one stream to Manchester (170 ms) {name} carries {best[name]:.0f} Mbit/s and standard TCP {reno:.0f}."
