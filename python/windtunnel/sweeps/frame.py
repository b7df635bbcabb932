"""The frame of a sweep: a row per run, a column per dimension and per measure."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from windtunnel.scenario import ScenarioError

_QUALIFIERS = ("flow", "state", "t0", "t1")


def wide(measures: pl.DataFrame, dimensions: Sequence[str]) -> pl.DataFrame:
    """Return a stored measures table with a row per run.

    Parameters
    ----------
    measures : polars.DataFrame
        A row per run and measure, as `windtunnel.store.Results.measures` gives it.
    dimensions : sequence of str
        Its columns that make a point.

    Returns
    -------
    polars.DataFrame
        The dimensions, ``seed``, a column per measure (null where a run has no such value), and ``run``, the key of the stored run.
    """
    keys = [*dimensions, "seed"]
    labelled = measures.with_columns(_label().alias("label"))
    frame = labelled.select(*keys, "run").unique(keys, maintain_order=True)
    for name in labelled["label"].unique(maintain_order=True):
        own = labelled.filter(pl.col("label") == name)
        value = "text" if own["text"].is_not_null().any() else "value"
        frame = frame.join(own.select(*keys, pl.col(value).alias(name)), on=keys, how="left", maintain_order="left")
    return frame.select(*[name for name in frame.columns if name != "run"], "run")


def _label() -> pl.Expr:
    parts = [pl.col("metric")]
    for name in _QUALIFIERS:
        said = pl.col(name).cast(pl.String)
        parts.append(pl.when(said.is_null()).then(pl.lit("")).otherwise(pl.format(f",{name}={{}}", said)))
    return pl.concat_str(parts)


def dimensions_of(frame: pl.DataFrame) -> list[str]:
    """Return the dimensions of a sweep's frame: the columns before ``seed``.

    Raises
    ------
    ScenarioError
        When it is no sweep's.
    """
    if not isinstance(frame, pl.DataFrame) or "seed" not in frame.columns or frame.columns[0] == "seed":
        raise ScenarioError("frame", "is not a sweep's; allowed: what sweep() or load_sweep() returned, or rows of it")
    return frame.columns[: frame.columns.index("seed")]


def long(frame: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Return one measure of a sweep's frame as a measures table, which figures are drawn from."""
    is_text = frame.schema[measure] == pl.String
    if is_text or not frame.schema[measure].is_numeric():
        raise ScenarioError("measure", f"{measure} has no numbers; allowed: a column of numbers")
    dimensions = [pl.col(name) if frame.schema[name] == pl.String else pl.col(name).cast(pl.Float64) for name in dimensions_of(frame)]
    return frame.select(*dimensions, "seed", pl.lit(measure).alias("metric"), pl.col(measure).cast(pl.Float64).alias("value"))
