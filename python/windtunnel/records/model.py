"""Records: what one run measured, as polars frames, and the facts about the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from windtunnel import native
from windtunnel.frames import pl
from windtunnel.records.schema import FRAMES, OPEN_FRAMES, OPTIONAL_FRAMES, SCHEMA_VERSION


@dataclass(frozen=True)
class RunFacts:
    """Facts about a run that are not measurements.

    Parameters
    ----------
    scenario : mapping
        The canonical scenario.
    digest : str
        SHA-256 of its canonical JSON.
    backend : str
        Name of the backend.
    engine_version : int
        The backend's version; raised by hand when results may change.
    code_version : str
        Version of the package.
    counters : mapping
        ``data_packets``, ``events`` (integers), ``wall_s``, ``cpu_s`` (seconds).
    host : mapping
        Where it ran.
    notes : tuple of str
        What was adjusted in the scenario, a line each.
    """

    scenario: Mapping[str, Any]
    digest: str
    backend: str
    engine_version: int
    code_version: str
    counters: Mapping[str, Any]
    host: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    schema_version: int = SCHEMA_VERSION


@dataclass(frozen=True)
class Records:
    """The frames of one run; columns and units are those of `windtunnel.records.schema`."""

    facts: RunFacts
    flows: pl.DataFrame
    flow_samples: pl.DataFrame
    link_samples: pl.DataFrame
    links: pl.DataFrame
    events: pl.DataFrame
    acks: pl.DataFrame | None = None
    transfers: pl.DataFrame | None = None
    pages: pl.DataFrame | None = None
    exchanges: pl.DataFrame | None = None
    video: pl.DataFrame | None = None
    host_samples: pl.DataFrame | None = None
    given_digest: str | None = None
    """The digest of records whose samples are on disk and not here."""

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return the frames by name, in the order of the schema; the optional ones only where there are any."""
        named = {name: getattr(self, name) for name in FRAMES}
        return {name: frame for name, frame in named.items() if frame is not None}

    def thinned(self, columns: Mapping[str, Sequence[str]]) -> Records:
        """Return the same records with less in some frames.

        Parameters
        ----------
        columns : mapping of str to sequence of str
            For a frame, the columns to keep (the others become null throughout, variables of the algorithms go); no column
            leaves the frame without rows. Frames that are not named stay whole.

        Returns
        -------
        Records
            With the schema's columns all the same.
        """
        thin: dict[str, Any] = {name: _thin(name, frame, columns[name]) for name, frame in self.frames().items() if name in columns}
        return replace(self, **thin)

    def digest(self) -> str:
        """Return the SHA-256 over every column of every frame (names, types, nulls, values), in hexadecimal.

        Columns that the schema did not always have count where something was measured.
        """
        return self._digest if self.given_digest is None else self.given_digest

    @cached_property
    def _digest(self) -> str:
        return native.records_digest(
            [(name, frame.height, [hashed(series) for series in frame.iter_columns()]) for name, frame in self.frames().items()]
        )


def _thin(name: str, frame: pl.DataFrame, kept: Sequence[str]) -> pl.DataFrame:
    if not kept:
        return frame_of(name, {})
    schema = FRAMES[name]
    return frame.select(pl.col(key) if key in kept else pl.lit(None, dtype).alias(key) for key, dtype in schema.items())


def hashed(series: pl.Series) -> tuple[str, str, Any, Any]:
    """Return a column as the core hashes it: name, type, where it is null, and its values, zeros and empty words where null."""
    absent, rows = series.null_count(), series.len()
    if absent and absent == rows:
        # Most columns of a stored run: made without asking polars for each of them.
        nothing: Any = [""] * rows if series.dtype == pl.String else np.zeros(rows * _bytes(series.dtype), dtype=np.uint8)
        return series.name, str(series.dtype), np.ones(rows, dtype=np.bool_), nothing
    nulls = series.is_null().to_numpy() if absent else None
    if series.dtype == pl.String:
        return series.name, str(series.dtype), nulls, (series.fill_null("") if absent else series).to_list()
    values = (series.fill_null(0) if absent else series).to_numpy()
    return series.name, str(series.dtype), nulls, values.astype(values.dtype.newbyteorder("<"), copy=False).view(np.uint8)


@cache
def _bytes(dtype: pl.DataType) -> int:
    """Return what a value of a type takes as the core hashes it."""
    return int(pl.Series([0], dtype=dtype).to_numpy().dtype.itemsize)


def frame_of(name: str, columns: Mapping[str, Any]) -> pl.DataFrame:
    """Build one frame with the schema's columns, types and order.

    Parameters
    ----------
    name : str
        The frame's name.
    columns : mapping of str to array or series, shape (rows,)
        Arrays, in which NaN becomes null, lists of text, or columns as they were stored; a column that is absent becomes null
        throughout.

    Returns
    -------
    polars.DataFrame
        Shape (rows, columns).

    Raises
    ------
    ValueError
        When columns differ in length, or a column is not part of the schema.
    """
    schema = FRAMES[name]
    rows = {len(values) for values in columns.values()}
    if len(rows) > 1:
        raise ValueError(f"{name}: columns differ in length: {sorted(rows)}")
    extra = [key for key in columns if key not in schema]
    if extra and name not in OPEN_FRAMES:
        raise ValueError(f"{name}: columns {extra} are not part of the schema")
    height = rows.pop() if rows else 0
    series = [_series(key, columns.get(key), dtype, height) for key, dtype in schema.items()]
    series += [_series(key, columns[key], pl.Float64(), height) for key in extra]
    return pl.DataFrame(series)


def _series(name: str, values: Any, dtype: pl.DataType, height: int) -> pl.Series:
    if values is None:
        return _constant(None, name, dtype, height)
    if isinstance(values, pl.Series):
        return values if values.dtype == dtype else values.cast(dtype)
    if dtype == pl.String:
        return pl.Series(name, list(values), dtype=dtype)
    measured: pl.Series = pl.Series(name, np.asarray(values), nan_to_null=True)
    return measured if measured.dtype == dtype else measured.cast(dtype)


def _constant(value: int | None, name: str, dtype: pl.DataType, height: int) -> pl.Series:
    """Return a column of one value: straight from it, for an expression takes fifty times as long, and a run has dozens of them."""
    repeated: pl.Series = pl.Series(name, [value], dtype=dtype).new_from_index(0, height)
    return repeated


def build(measured: Mapping[str, Mapping[str, Any]], facts: RunFacts) -> Records:
    """Make records of what a backend returned.

    Parameters
    ----------
    measured : mapping of str to mapping
        Frame name to columns; the optional frames may be absent.
    facts : RunFacts
        Facts about the run.

    Returns
    -------
    Records
        With every frame of the schema.
    """
    frames: dict[str, Any] = {name: frame_of(name, measured.get(name) or {}) for name in FRAMES if name not in OPTIONAL_FRAMES}
    asked: dict[str, Any] = {name: frame_of(name, measured[name]) for name in OPTIONAL_FRAMES if measured.get(name) is not None}
    return Records(facts=facts, **asked, **frames)


def with_sources(records: Records, rows: Mapping[str, Any], samples: Mapping[str, Any]) -> Records:
    """Return the records with the rows of the sources of datagrams, which lack every column of TCP's.

    Parameters
    ----------
    records : Records
        Of the flows.
    rows, samples : mapping of str to array, shape (rows,)
        Further columns of `flows` and `flow_samples`.

    Returns
    -------
    Records
        The sources' rows after the flows'; the same records where there are none.
    """
    if not len(rows["flow"]):
        return records
    flows = pl.concat([records.flows, frame_of("flows", rows)])
    sampled = pl.concat([records.flow_samples, frame_of("flow_samples", samples)], how="diagonal")
    return replace(records, flows=flows, flow_samples=sampled)
