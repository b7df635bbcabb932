"""A results folder: stored runs, and for each experiment its declaration and its measures."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from windtunnel.store.errors import ResultsError
from windtunnel.store.runs import RunStore

FORMAT = 1
MARKER = "results.json"
_ALLOWED = "a folder that `windtunnel suite run --out` wrote"


@dataclass(frozen=True)
class Results:
    """A results folder.

    Parameters
    ----------
    folder : Path
        Holds ``results.json``, ``runs/`` and ``experiments/ID/{experiment.json,measures.parquet}``.
    """

    folder: Path

    @property
    def runs(self) -> RunStore:
        """The stored runs."""
        return RunStore(self.folder / "runs")

    @property
    def facts(self) -> dict[str, Any]:
        """What ``results.json`` says: suite, scale, findings, versions."""
        return _read_json(self.folder / MARKER)

    def experiments(self) -> list[str]:
        """Return the ids of the experiments that have measures, sorted by name."""
        root = self.folder / "experiments"
        return sorted(path.parent.name for path in root.glob("*/measures.parquet")) if root.is_dir() else []

    def declaration(self, experiment: str) -> dict[str, Any]:
        """Return what was stored about an experiment.

        Raises
        ------
        ResultsError
            When it is missing or damaged.
        """
        return _read_json(self.folder / "experiments" / experiment / "experiment.json")

    def measures(self, experiment: str) -> pl.DataFrame:
        """Return an experiment's measures, one row per point, repeat and measure.

        Returns
        -------
        polars.DataFrame
            The point's dimensions, then `seed`, `metric`, `flow`, `state`, `t0`, `t1`, `value` (null: none, may be inf), `text`, `run`
            (key of the run) and `digest` (of its records).

        Raises
        ------
        ResultsError
            When the file is missing or damaged.
        """
        path = self.folder / "experiments" / experiment / "measures.parquet"
        try:
            frame = pl.read_parquet(path)
        except (OSError, pl.exceptions.PolarsError) as error:
            problem = f"cannot be read: {' '.join(str(error).split())[:120]}; run the suite again to have it measured again"
            raise ResultsError(path, problem) from None
        missing = {"seed", "metric", "value", "run"} - set(frame.columns)
        if missing:
            raise ResultsError(path, f"lacks {', '.join(sorted(missing))}; run the suite again to have it measured again")
        return frame

    def store_experiment(self, experiment: str, declaration: Mapping[str, Any], measures: pl.DataFrame) -> None:
        """Store an experiment's declaration and measures; each file is replaced in one step.

        Raises
        ------
        ResultsError
            When they cannot be written.
        """
        folder = self.folder / "experiments" / experiment
        with _writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            temporary = folder / ".measures.partial"
            measures.write_parquet(temporary, compression="zstd")
            os.replace(temporary, folder / "measures.parquet")
            _replace_json(folder / "experiment.json", declaration)

    def store_facts(self, facts: Mapping[str, Any]) -> None:
        """Replace what ``results.json`` says."""
        with _writing(self.folder):
            _replace_json(self.folder / MARKER, {"format": FORMAT, **facts})


def open_results(folder: Path) -> Results:
    """Open a results folder for reading.

    Parameters
    ----------
    folder : Path
        The folder.

    Returns
    -------
    Results
        With at least one measured experiment.

    Raises
    ------
    ResultsError
        When it is missing, is not a results folder, is of another format, or holds no measured experiment.
    """
    if not folder.is_dir():
        raise ResultsError(folder, f"is not a folder; allowed: {_ALLOWED}")
    if not (folder / MARKER).is_file():
        raise ResultsError(folder, f"holds no {MARKER}; allowed: {_ALLOWED}")
    results = Results(folder)
    found = results.facts.get("format")
    if found != FORMAT:
        raise ResultsError(folder / MARKER, f"has format {found!r}; allowed: {FORMAT}")
    if not results.experiments():
        raise ResultsError(folder, "holds no finished experiment; run `windtunnel suite run` into it again")
    return results


@contextlib.contextmanager
def writing_results(folder: Path) -> Iterator[Results]:
    """Open a results folder for writing, make it when it is absent, and keep other writers out.

    Parameters
    ----------
    folder : Path
        A new or empty folder, or a results folder.

    Yields
    ------
    Results
        The folder, swept of what killed writers left.

    Raises
    ------
    ResultsError
        When it holds anything else, cannot be written, or another process is writing to it.
    """
    with _writing(folder):
        if folder.exists() and not folder.is_dir():
            raise ResultsError(folder, "is not a folder; allowed: a new or empty folder, or a results folder")
        fresh = not (folder / MARKER).is_file()
        if fresh and folder.is_dir():
            foreign = sorted(path.name for path in folder.iterdir() if path.name not in (".lock", f".{MARKER}.partial"))
            if foreign:
                problem = f"holds {foreign[0]} and no {MARKER}; allowed: a new or empty folder, or a results folder"
                raise ResultsError(folder, problem)
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ResultsError(folder, "is being written by another process; wait for it, or choose another --out") from None
        results = Results(folder)
        if fresh:
            results.store_facts({})
        with _writing(folder):
            results.runs.folder.mkdir(exist_ok=True)
        results.runs.sweep()
        yield results


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ResultsError(path, f"cannot be written: {error.strerror or error}; allowed: a writable folder with room") from None


def _replace_json(path: Path, data: Mapping[str, Any]) -> None:
    temporary = path.with_name(f".{path.name}.partial")
    temporary.write_text(json.dumps(data, indent=1, sort_keys=True, allow_nan=False) + "\n", encoding="utf-8")
    os.replace(temporary, path)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or "it is not JSON"
        raise ResultsError(path, f"cannot be read: {reason}; run the suite again to have it written again") from None
    if not isinstance(data, dict):
        raise ResultsError(path, "is not a table; run the suite again to have it written again")
    return data
