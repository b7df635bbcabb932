"""What strikes most in the FAST study, in sentences."""

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
    return [*_queue(tables), *_reverse(tables), *_repair(tables)]


def _means(tables: Mapping[str, pl.DataFrame], experiment: str, metric: str, by: str) -> dict[tuple[str, str | float], float]:
    frame = tables.get(experiment)
    if frame is None:
        return {}
    rows = frame.filter(pl.col("metric") == metric, pl.col("flow").is_null(), pl.col("value").is_not_null())
    return {(alg, other): value for alg, other, value in rows.group_by("alg", by).agg(pl.col("value").mean()).iter_rows()}


def _queue(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    found = _means(tables, "fast04.fig3", "queue_pkts", "qpkt")
    fast, others = found.get(("fast", 8000.0)), [value for (alg, q), value in found.items() if q == 8000.0 and alg != "fast"]
    if fast is not None and others:
        yield (
            f"In a queue of 8000 packets two FAST flows keep {fast:.0f}, and every other protocol {min(others):.0f} or more; "
            "in one of 400 or less FAST is no better than they are."
        )


def _reverse(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    found = _means(tables, "fast04.fig5", "thr_mbps", "case")
    pair = [found.get((alg, "with_reverse")) for alg in ("fast", "fast-bqd")]
    if pair[0] is not None and pair[1] is not None:
        yield f"With a congested reverse path FAST carries {pair[0]:.0f} Mbit/s; counting the forward path alone it carries {pair[1]:.0f}."


def _repair(tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
    frame = tables.get("fast04.fig11")
    if frame is None:
        return
    found = {metric: value for metric, value in frame.select("metric", "value").iter_rows() if value is not None}
    if {"silence_s", "recovery_rtts"} <= set(found):
        yield (
            f"With Linux 2.4.22's window of one after a timeout, 711 losses cost {found['recovery_rtts']:.0f} round trips: "
            f"{found['silence_s']:.0f} s of next to nothing."
        )
