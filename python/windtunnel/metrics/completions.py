"""How long things took that began in a run: what transfers, pages and exchanges have in common."""

from __future__ import annotations

from windtunnel.frames import pl
from windtunnel.records import Records

_QUANTILES = {"median": 0.5, "p95": 0.95, "p99": 0.99}


def since_warmup(rows: pl.DataFrame, records: Records) -> pl.DataFrame:
    """Return those of `rows` whose `start_s` is not before the end of the run's warm-up."""
    return rows.filter(pl.col("start_s") >= float(records.facts.scenario.get("warmup_s") or 0.0))


def is_done() -> pl.Expr:
    """Return whether a row has ended: its `completion_s` is there."""
    return pl.col("completion_s").is_not_null()


def counts(name: str) -> tuple[pl.Expr, pl.Expr]:
    """Return how many rows there are, called `name`, and how many of them are `unfinished`."""
    return pl.len().cast(pl.UInt64).alias(name), (~is_done()).sum().cast(pl.UInt64).alias("unfinished")


def times(name: str) -> list[pl.Expr]:
    """Return mean and quantiles of `completion_s` in seconds, as `columns` names them. Quantiles are interpolated linearly."""
    time = pl.col("completion_s")
    return [time.mean().alias(f"{name}_mean"), *(time.quantile(q, "linear").alias(f"{name}_{label}") for label, q in _QUANTILES.items())]


def columns(name: str) -> dict[str, pl.DataType]:
    """Return the names and types of what `times` computes: `name` with `_mean`, `_median`, `_p95` and `_p99`."""
    return {f"{name}_{label}": pl.Float64() for label in ("mean", *_QUANTILES)}


def typical_s(rows: pl.DataFrame, window: tuple[float, float], quantile: float | None) -> float | None:
    """Return how long those of `rows` took that began in a window.

    Parameters
    ----------
    rows : polars.DataFrame
        `start_s` and `completion_s`, in seconds; the latter is null for what has not ended.
    window : tuple of float
        Seconds; the time within which a row begins, both ends included.
    quantile : float or None
        Which quantile, 0 to 1, interpolated linearly; the mean when None.

    Returns
    -------
    float or None
        Seconds; None where nothing ended.
    """
    ended = rows.filter(pl.col("start_s").is_between(*window))["completion_s"].drop_nulls()
    if not ended.len():
        return None
    found = ended.mean() if quantile is None else ended.quantile(quantile, "linear")
    return float(found)  # type: ignore[arg-type]
