"""A results folder: stored runs, and for each experiment its declaration and its measures."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from windtunnel import records
from windtunnel.records.checksums import FILES, Damaged, check_text, checked, of_files, sealed_text
from windtunnel.store.documents import ADDED, AGAIN, DECLARATION, FACTS, check, read_json, write_json
from windtunnel.store.errors import OtherFormatError, ResultsError
from windtunnel.store.objects import Unreachable, address_of
from windtunnel.store.remote import BUSY, PATIENCE_S, Remote
from windtunnel.store.runs import RunStore, not_written, sweep

FORMAT = 1
MARKER = "results.json"
SIMULATOR = "sim"
"""The backend whose measures are stored without its name: it was once the only one."""
CHOICES = "choices"
"""Where open choices are varied."""
CHOSEN = "chosen"
"""What the value of an open choice that was chosen is stored under."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_ALLOWED = "a folder that `windtunnel suite run --out` wrote"
_TYPES: Mapping[str, pl.DataType] = {
    "seed": pl.Int64(),
    "metric": pl.String(),
    "value": pl.Float64(),
    "run": pl.String(),
}
"""What every measures table has, beside its dimensions."""


@dataclass(frozen=True)
class Results:
    """A results folder.

    Parameters
    ----------
    folder : Path
        Holds ``results.json``, ``runs/`` and ``experiments/ID/{experiment.json,measures.parquet}``; what another backend than the
        simulator measured is in ``experiments/ID@BACKEND/`` beside it. ``choices/CHOICE/VALUE/`` holds experiments with another value of
        what their paper leaves open; their runs are among the others. ``registers/SUITE.yaml`` are users' claims.
    whole : Path, optional
        Of such an inner folder: the results folder around it.
    remote : Remote, optional
        Of a mirror of a folder in an object store: that folder.
    """

    folder: Path
    whole: Path | None = None
    remote: Remote | None = None

    @property
    def runs(self) -> RunStore:
        """The stored runs."""
        return RunStore((self.whole or self.folder) / "runs")

    def under(self, choice: str, value: str) -> Results:
        """Return what was measured with one value of an open choice.

        Parameters
        ----------
        choice : str
            Its name.
        value : str
            `CHOSEN`, or an alternative in words.
        """
        return Results(self.folder / CHOICES / choice / (_UNSAFE.sub("-", value).strip("-.") or "-"), self.folder)

    def register_file(self, suite: str) -> Path:
        """Return where the register of claims of a user's suite is kept, there or not; papers' registers come with the package."""
        return (self.whole or self.folder) / "registers" / f"{suite}.yaml"

    def kept_register(self, suite: str) -> Path | None:
        """Return the register that is kept of a user's suite, None when none is.

        Raises
        ------
        ResultsError
            When it is damaged.
        """
        path = self.register_file(suite)
        if not path.is_file():
            return None
        try:
            check_text(path.read_bytes())
        except Damaged as error:
            raise ResultsError(path, f"{error}; {AGAIN}") from None
        except OSError as error:
            raise ResultsError(path, f"cannot be read: {error.strerror}; {AGAIN}") from None
        return path

    def keep_register(self, suite: str, text: str) -> None:
        """Keep a suite's register of claims beside what is judged by it, so that the folder can be judged wherever it is.

        Raises
        ------
        ResultsError
            When it cannot be written.
        """
        path = self.register_file(suite)
        temporary = path.with_name(f".{path.name}.partial")
        with _writing(path):
            path.parent.mkdir(exist_ok=True)
            temporary.write_text(sealed_text(text), encoding="utf-8")
            os.replace(temporary, path)

    @property
    def facts(self) -> dict[str, Any]:
        """What ``results.json`` says: suite, scale, findings, versions.

        Raises
        ------
        ResultsError
            When it is missing or damaged.
        OtherFormatError
            When it is of another format.
        """
        path = self.folder / MARKER
        data = read_json(path)
        found = data.get("format")
        if found != FORMAT or isinstance(found, bool):
            raise OtherFormatError(path, f"has format {found!r}; allowed: {FORMAT}")
        check(path, data, FACTS, needed=False)
        return {name: value for name, value in data.items() if name != FILES}

    def backends(self) -> list[str]:
        """Return the backends that have measured an experiment here, the simulator first, then by name."""
        found = {backend for _, backend in self._stored()}
        return sorted(found, key=lambda name: (name != SIMULATOR, name))

    def experiments(self, backend: str | None = None) -> list[str]:
        """Return the ids of the experiments that a backend has measured, or any when none is named, sorted by name."""
        return sorted({id for id, measured_by in self._stored() if backend in (None, measured_by)})

    def experiment_folder(self, experiment: str, backend: str | None = None) -> Path:
        """Return where a backend's measures of an experiment are, there or not; those of the first one that has some when none is named."""
        if backend is None:
            own = {measured_by for id, measured_by in self._stored() if id == experiment}
            backend = next((name for name in self.backends() if name in own), SIMULATOR)
        return self.folder / "experiments" / (experiment if backend == SIMULATOR else f"{experiment}@{backend}")

    def _stored(self) -> list[tuple[str, str]]:
        """Return experiment and backend of every measures table."""
        found = []
        for path in (self.folder / "experiments").glob("[!.]*/measures.parquet"):
            id, _, backend = path.parent.name.partition("@")
            if backend or _declared_backend(path.parent) == SIMULATOR:
                found.append((id, backend or SIMULATOR))
        return found

    def declaration(self, experiment: str, backend: str | None = None) -> dict[str, Any]:
        """Return what was stored about an experiment, by a backend, or by the first that measured it.

        Raises
        ------
        ResultsError
            When it is missing or damaged.
        """
        path = self.experiment_folder(experiment, backend) / "experiment.json"
        data = read_json(path)
        check(path, data, DECLARATION, needed=True)
        check(path, data, ADDED, needed=False)
        return {name: value for name, value in data.items() if name != FILES}

    def measures(self, experiment: str, backend: str | None = None) -> pl.DataFrame:
        """Return an experiment's measures, one row per point, repeat and measure, by a backend, or by the first that measured it.

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
        path = self.experiment_folder(experiment, backend) / "measures.parquet"
        try:
            frame = pl.read_parquet(io.BytesIO(self._checked(path)))
        except (OSError, pl.exceptions.PolarsError) as error:
            problem = f"cannot be read: {' '.join(str(error).split())[:120]}; run the suite again to have it measured again"
            raise ResultsError(path, problem) from None
        missing = [name for name, dtype in _TYPES.items() if frame.schema.get(name) != dtype]
        if missing:
            raise ResultsError(path, f"lacks {', '.join(missing)}; run the suite again to have it measured again")
        return frame

    def checked_measures(self) -> list[Path]:
        """Return the measures tables of all experiments and backends, none of them damaged.

        Raises
        ------
        ResultsError
            When one is.
        """
        found = [
            self.experiment_folder(id, backend) / "measures.parquet" for backend in self.backends() for id in self.experiments(backend)
        ]
        for path in found:
            try:
                self._checked(path)
            except OSError as error:
                raise ResultsError(path, f"cannot be read: {error.strerror}; {AGAIN}") from None
        return found

    def _checked(self, path: Path) -> bytes:
        """Return the content of a measures table, which is what its declaration says it is."""
        try:
            return checked(path, read_json(path.with_name("experiment.json")).get(FILES))
        except Damaged as error:
            raise ResultsError(path, f"{error}; {AGAIN}") from None

    def store_experiment(
        self, experiment: str, declaration: Mapping[str, Any], measures: pl.DataFrame, *, backend: str = SIMULATOR
    ) -> None:
        """Store what a backend measured of an experiment and its declaration, both or neither: the folder is replaced as a whole.

        Raises
        ------
        ResultsError
            When they cannot be written.
        """
        folder = self.experiment_folder(experiment, backend)
        try:
            with records.staged(folder, within=self.whole or self.folder) as temporary:
                measures.write_parquet(temporary / "measures.parquet", compression="zstd")
                write_json(temporary / "experiment.json", declaration, of_files(temporary))
        except records.FolderError as error:
            raise ResultsError(folder, str(error).removeprefix(f"{error.path}: ")) from None
        except pl.exceptions.PolarsError as error:  # What polars makes of a full disk.
            raise not_written(folder, error) from None

    def store_facts(self, facts: Mapping[str, Any]) -> None:
        """Replace what ``results.json`` says."""
        temporary = self.folder / f".{MARKER}.partial"
        try:
            with _writing(self.folder):
                write_json(temporary, {"format": FORMAT, **facts})
                os.replace(temporary, self.folder / MARKER)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise

    def sweep(self) -> None:
        """Remove what interrupted writers left. Only the holder of the folder's lock may do so."""
        inner = self.folder.glob(f"{CHOICES}/*/*/experiments")
        for folder in (self.folder, *(self.folder / name for name in ("runs", "experiments", "registers")), *inner):
            sweep(folder)


def _declared_backend(folder: Path) -> str:
    """Return which backend measured what lies in a folder without a backend's name, where the kernel's once were too."""
    try:
        declared = read_json(folder / "experiment.json").get("backend")
    except ResultsError:
        return SIMULATOR
    return declared.partition(":")[0] if isinstance(declared, str) else SIMULATOR


def open_results(folder: str | Path) -> Results:
    """Open a results folder for reading.

    Parameters
    ----------
    folder : str or Path
        The folder, or the address of one in an object store, ``s3://BUCKET/NAME``.

    Returns
    -------
    Results
        With at least one measured experiment.

    Raises
    ------
    ResultsError
        When it is missing, is not a results folder, is of another format, or holds no measured experiment.
    """
    address = address_of(folder)
    if address is not None:
        return _open_remote(Remote(address))
    folder = Path(folder)
    try:
        if not folder.is_dir():
            raise ResultsError(folder, f"is not a folder; allowed: {_ALLOWED}")
        if not (folder / MARKER).is_file():
            raise ResultsError(folder, f"holds no {MARKER}; allowed: {_ALLOWED}")
    except OSError as error:  # A name that is too long, a folder on the way that is not ours to read.
        raise ResultsError(folder, f"cannot be read: {error.strerror}; allowed: {_ALLOWED}") from None
    results = Results(folder)
    _ = results.facts
    if not results.experiments():
        raise ResultsError(folder, "holds no finished experiment; run `windtunnel suite run` into it again")
    return results


def _open_remote(remote: Remote) -> Results:
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(remote.alone())
        except ResultsError:
            pass  # It is being written here: the mirror has more than the store.
        else:
            remote.pull()
        if not (remote.mirror / MARKER).is_file():
            raise ResultsError(remote.address, f"holds no results; allowed: {_ALLOWED}")
        return replace(open_results(remote.mirror), remote=remote)


@contextlib.contextmanager
def writing_results(folder: str | Path) -> Iterator[Results]:
    """Open a results folder for writing, make it when it is absent, and keep other writers out.

    Parameters
    ----------
    folder : str or Path
        A new or empty folder, or a results folder; or the address of one in an object store, ``s3://BUCKET/NAME``.

    Yields
    ------
    Results
        The folder, swept of what killed writers left.

    Raises
    ------
    ResultsError
        When it holds anything else, cannot be written, or another process is writing to it.
    """
    address = address_of(folder)
    with _writing_here(Path(folder)) if address is None else _writing_remote(Remote(address)) as results:
        yield results


@contextlib.contextmanager
def _writing_remote(remote: Remote) -> Iterator[Results]:
    with remote.alone():
        remote.pull(patience_s=PATIENCE_S, mend=True)
        if not (remote.mirror / MARKER).is_file():
            Results(remote.mirror).store_facts({})
        with _writing_here(remote.mirror) as results:
            try:
                yield replace(results, remote=remote)
            except BaseException:
                with contextlib.suppress(ResultsError):
                    results.runs.pack(large=True)
                    remote.push()
                raise
            results.runs.pack(large=True)
            try:
                remote.push(patience_s=PATIENCE_S)
            except Unreachable as error:
                raise Unreachable(error.path, f"{error.problem}; all that was made is kept in {remote.mirror}: run it again") from None


@contextlib.contextmanager
def _writing_here(folder: Path) -> Iterator[Results]:
    with _writing(folder):
        if folder.exists() and not folder.is_dir():
            raise ResultsError(folder, "is not a folder; allowed: a new or empty folder, or a results folder")
        fresh = not (folder / MARKER).is_file()
        if fresh and folder.is_dir():
            foreign = sorted(path.name for path in folder.iterdir() if path.name not in (".lock", f".{MARKER}.partial"))
            if foreign:
                problem = f"holds {foreign[0]} and no {MARKER}; allowed: a new or empty folder, or a results folder"
                raise ResultsError(folder, problem)
        results = Results(folder)
        if not fresh:
            _keeps_facts(results)
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("w")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ResultsError(folder, BUSY) from None
        if not (folder / MARKER).is_file() or not _keeps_facts(results):
            results.store_facts({})
        with _writing(folder):
            results.runs.folder.mkdir(exist_ok=True)
            results.sweep()
        try:
            yield results
        finally:
            results.sweep()  # On an error or Ctrl-C, workers were killed in the middle of what they wrote.


def _keeps_facts(results: Results) -> bool:
    """Return whether ``results.json`` can be kept; a damaged one is made again where there are runs beside it."""
    try:
        _ = results.facts
    except OtherFormatError:
        raise
    except ResultsError:
        if not results.runs.folder.is_dir():
            raise
        return False
    return True


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ResultsError(path, f"cannot be written: {error.strerror or error}; allowed: a writable folder with room") from None
