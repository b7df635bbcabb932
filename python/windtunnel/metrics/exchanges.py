"""Results per flow with a client: how long responses took."""

from __future__ import annotations

from collections.abc import Sequence

from windtunnel.frames import pl
from windtunnel.metrics.completions import columns, counts, is_done, since_warmup, times, typical_s
from windtunnel.metrics.view import View
from windtunnel.records import Records


def exchanges(records: Records) -> pl.DataFrame:
    """Return one row per flow with a client, over the requests that left after the warm-up.

    Parameters
    ----------
    records : Records
        Records of the run.

    Returns
    -------
    polars.DataFrame
        `flow`; how many `exchanges`, and how many of them `unfinished` at the end; of those that finished `request_bytes_mean`,
        `bytes_mean` (payload of the response), and of their times in seconds `response_s_mean`, `response_s_median`,
        `response_s_p95`, `response_s_p99`; of all how often a request left again, `repeats`. Null where nothing finished.

    Notes
    -----
    A response's time is from the request's leaving the client until all of the response is there. Quantiles are interpolated linearly.
    """
    rows = records.exchanges
    if rows is None:
        return pl.DataFrame(schema=_SCHEMA)
    summed = (
        since_warmup(rows, records)
        .group_by("flow")
        .agg(
            *counts("exchanges"),
            pl.col("request_bytes").filter(is_done()).mean().alias("request_bytes_mean"),
            pl.col("bytes").filter(is_done()).mean().alias("bytes_mean"),
            *times("response_s"),
            pl.col("repeats").sum(),
        )
    )
    return summed.select(pl.col(name).cast(dtype) for name, dtype in _SCHEMA.items()).sort("flow")


def response_time_s(view: View, flows: Sequence[int], window: tuple[float, float], quantile: float | None = None) -> float | None:
    """Return how long the responses took whose requests left in a window.

    Parameters
    ----------
    view : View
        The run.
    flows : sequence of int
        Flow numbers.
    window : tuple of float
        Seconds; the time within which a request leaves.
    quantile : float, optional
        Which quantile, 0 to 1; the mean when absent.

    Returns
    -------
    float or None
        Seconds, of the exchanges that were completed; None without any.
    """
    rows = view.records.exchanges
    if rows is None:
        return None
    return typical_s(rows.filter(pl.col("flow").is_in(list(flows))), window, quantile)


_SCHEMA: dict[str, pl.DataType] = {
    "flow": pl.UInt32(),
    "exchanges": pl.UInt64(),
    "unfinished": pl.UInt64(),
    "request_bytes_mean": pl.Float64(),
    "bytes_mean": pl.Float64(),
    **columns("response_s"),
    "repeats": pl.UInt64(),
}
