"""Results per source of sessions: how long their pages took."""

from __future__ import annotations

from windtunnel.frames import pl
from windtunnel.metrics.completions import columns, counts, is_done, since_warmup, times, typical_s
from windtunnel.metrics.view import View
from windtunnel.records import Records


def pages(records: Records) -> pl.DataFrame:
    """Return one row per source of sessions, over the pages that began after the warm-up.

    Parameters
    ----------
    records : Records
        Records of the run.

    Returns
    -------
    polars.DataFrame
        `source`, `algorithm`, `connections` (at once); how many `pages`, and how many of them `unfinished` at the end; of those that
        finished `objects_mean`, `bytes_mean` (payload), and of their times in seconds `completion_s_mean`, `completion_s_median`,
        `completion_s_p95`, `completion_s_p99`. Null where nothing finished.

    Notes
    -----
    A page's time is from the start of its first object to the acknowledgement of the last byte of all: the network's part of what
    browsers report as page load time. Quantiles are interpolated linearly.
    """
    scenario = records.facts.scenario
    given = tuple(scenario.get("sessions", ()))
    rows = records.pages
    if rows is None or not given:
        return pl.DataFrame(schema=_SCHEMA)
    first = len(scenario.get("arrivals", ()))
    named = pl.DataFrame(
        {
            "source": range(first, first + len(given)),
            "algorithm": [source["algorithm"] for source in given],
            "connections": [source.get("connections", 1) for source in given],
        },
        schema={"source": pl.UInt32(), "algorithm": pl.String(), "connections": pl.UInt32()},
    )
    summed = (
        since_warmup(rows, records)
        .group_by("source")
        .agg(
            *counts("pages"),
            pl.col("objects").filter(is_done()).mean().alias("objects_mean"),
            pl.col("bytes").filter(is_done()).mean().alias("bytes_mean"),
            *times("completion_s"),
        )
    )
    table = named.join(summed, on="source", how="left").with_columns(pl.col("pages", "unfinished").fill_null(0))
    return table.select(pl.col(name).cast(dtype) for name, dtype in _SCHEMA.items()).sort("source")


def page_time_s(view: View, t0: float, t1: float, quantile: float | None = None) -> float | None:
    """Return how long the pages of all sessions took that began in a window.

    Parameters
    ----------
    view : View
        The run.
    t0, t1 : float
        Seconds; the time within which a page begins.
    quantile : float, optional
        Which quantile, 0 to 1; the mean when absent.

    Returns
    -------
    float or None
        Seconds, of the pages that were completed; None without any.
    """
    rows = view.records.pages
    return None if rows is None else typical_s(rows, (t0, t1), quantile)


_SCHEMA: dict[str, pl.DataType] = {
    "source": pl.UInt32(),
    "algorithm": pl.String(),
    "connections": pl.UInt32(),
    "pages": pl.UInt64(),
    "unfinished": pl.UInt64(),
    "objects_mean": pl.Float64(),
    "bytes_mean": pl.Float64(),
    **columns("completion_s"),
}
