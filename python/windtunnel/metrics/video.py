"""Results per flow of video: how long frames took to the receiver, and what they were encoded for."""

from __future__ import annotations

from windtunnel.frames import pl
from windtunnel.metrics.completions import columns, counts, since_warmup, times
from windtunnel.records import Records


def video(records: Records) -> pl.DataFrame:
    """Return one row per flow of video, over the frames that were captured after the warm-up.

    Parameters
    ----------
    records : Records
        Records of the run.

    Returns
    -------
    polars.DataFrame
        `flow`; how many `frames` were captured, how many of them `skipped`, because too much waited, and `unfinished`, which had not
        arrived at the end; `rate_bps_mean`, the payload rate they were encoded for; of those that arrived `frame_s_mean`, `frame_s_median`,
        `frame_s_p95` and `frame_s_p99`, seconds from the capture until all of a frame, and of those before it, was at the receiver.
    """
    rows = records.video
    if rows is None:
        return pl.DataFrame(schema=_SCHEMA)
    skipped = (pl.col("bytes") == 0).sum().cast(pl.UInt64)
    frames, unfinished = counts("frames")
    summed = (
        since_warmup(rows, records)
        .group_by("flow")
        .agg(
            frames,
            skipped.alias("skipped"),
            (unfinished - skipped).alias("unfinished"),
            pl.col("rate_bps").mean().alias("rate_bps_mean"),
            *times("frame_s"),
        )
    )
    return summed.select(pl.col(name).cast(dtype) for name, dtype in _SCHEMA.items()).sort("flow")


_SCHEMA: dict[str, pl.DataType] = {
    "flow": pl.UInt32(),
    "frames": pl.UInt64(),
    "skipped": pl.UInt64(),
    "unfinished": pl.UInt64(),
    "rate_bps_mean": pl.Float64(),
    **columns("frame_s"),
}
