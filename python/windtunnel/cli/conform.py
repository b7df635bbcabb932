"""``windtunnel conform``: replay what kernels answered, of their modules against our algorithms, of their sender against our stack."""

from __future__ import annotations

import json as json_module
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

SEGMENTS = ".txt"
"""Suffix of recorded segments."""
VECTORS = "data/kernel-vectors"
"""Where the recordings of 6.1's modules are in a clone."""


def conform_command(
    directory: Annotated[
        str,
        typer.Argument(
            metavar="DIR", help="Folder of vectors (.json), of stimuli with rows (.pkt and .rows), or of recorded segments (.txt)."
        ),
    ] = VECTORS,
    alg: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="Only this algorithm's vectors, or a file, as ./mine.c; whose sender answers to stimuli."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """Replay a kernel's recorded answers against the variants and the stack of its profile; exit code 1 if any row differs.

    A controller from a file answers to the vectors of the module whose name it registers, and with our stack to that module's segments and
    to every stimulus with rows.
    """
    from windtunnel.cli.output import note, print_json
    from windtunnel.foreign import is_file
    from windtunnel.scenario import ScenarioError

    files = _files(Path(directory))
    if alg is not None and is_file(alg):
        replays: Iterable[dict[str, Any] | None] = _replays_of_file(files, alg)
    else:
        wanted = _wanted(alg)
        replays = (_replayed(path, alg, wanted) for path in files)
    reports = [report for report in replays if report is not None]
    if not reports:
        raise ScenarioError("alg", f"{alg!r} has no vectors in {directory}; allowed: an algorithm with files there")
    if json:
        print_json([_public(report) for report in reports])
    else:
        _print(reports)
    damaged = [report for report in reports if report.get("damaged")]
    for report in damaged:
        note(f"{report['file']}: {report['damaged']}")
    if damaged:
        raise ScenarioError(str(damaged[0]["file"]), f"is not a file of vectors: {damaged[0]['damaged']}")
    if any(report["rows"] is not None and report["rows_matched"] != report["rows"] for report in reports):
        raise typer.Exit(1)


def _replayed(path: Path, alg: str | None, wanted: str | None) -> dict[str, Any] | None:
    if path.suffix == ".rows":
        return _replay_rows(path, alg or "cubic")
    return _replay_segments(path, wanted) if path.suffix == SEGMENTS else _replay(path, wanted)


def _files(directory: Path) -> list[Path]:
    from windtunnel.scenario import ScenarioError

    try:
        files = sorted(path for path in directory.iterdir() if path.suffix in (".json", ".rows", SEGMENTS) and path.is_file())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ScenarioError(str(directory), f"cannot be read: {reason}; allowed: a folder of vectors") from None
    if not files:
        raise ScenarioError(
            str(directory), f"holds no *.json, no *.rows and no *{SEGMENTS}; allowed: a folder of vectors, rows or segments"
        )
    return files


def _wanted(alg: str | None) -> str | None:
    from windtunnel.scenario import ScenarioError, catalogue
    from windtunnel.scenario.errors import unknown

    if alg is None:
        return None
    name = alg.partition(":")[0]
    found = catalogue().find(name)
    if found is None:
        raise ScenarioError("alg", unknown("protocol", alg, catalogue().algorithms))
    return found.name


def _our_name(recorded: str) -> str | None:
    """Return our name for a recorded one (``highspeed``, ``cubic_nohystart``), None when it is not implemented."""
    from windtunnel.scenario import catalogue

    found = catalogue().find(recorded) or catalogue().find(recorded.partition("_")[0])
    return None if found is None else found.name


def _replay(path: Path, wanted: str | None) -> dict[str, Any] | None:
    """Replay one file; None when it is of an algorithm that is not wanted."""
    from windtunnel.backends import sim
    from windtunnel.scenario import ScenarioError

    empty: dict[str, Any] = {"file": path.name, "algorithm": None, "rows": None, "rows_matched": None, "first_mismatch": None}
    try:
        text = path.read_text(encoding="utf-8")
        recorded = json_module.loads(text)["algorithm"]
        name = _our_name(str(recorded))
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        nameless = isinstance(error, (LookupError, TypeError))
        reason = "it names no algorithm" if nameless else " ".join(str(error).split())
        return None if wanted else {**empty, "damaged": reason[:160]}
    if wanted is not None and name != wanted:
        return None
    if name is None:
        return {**empty, "algorithm": str(recorded), "skipped": "not implemented"}
    try:
        report = sim.conform(text, path.name)
    except ValueError as error:
        reason = str(ScenarioError("", str(error)))
        kind = "skipped" if "not implemented" in reason else "damaged"
        return {**empty, "algorithm": name, kind: reason}
    return {**report, "file": path.name}


def _replays_of_file(files: Sequence[Path], text: str) -> Iterator[dict[str, Any]]:
    """Replay vectors and segments of the module that a controller from a file calls itself, and every stimulus with rows."""
    from windtunnel import foreign
    from windtunnel.backends import sim
    from windtunnel.cli.grids import algorithm_of
    from windtunnel.scenario import ScenarioError

    found = foreign.required(algorithm_of(text))
    module = found.row["name"]
    answered = [
        path
        for path in files
        if path.suffix == ".rows"
        or (path.suffix == ".json" and _recorded(path).removesuffix("_nohystart") == module)
        or (path.suffix == SEGMENTS and path.stem.partition("-")[0] == module)
    ]
    if not answered:
        allowed = "a file that registers the name of a recorded module"
        said = f"calls itself {module}, of which there are no vectors and no segments here; allowed: {allowed}"
        raise ScenarioError(text, said)
    for path in answered:
        report: dict[str, Any] = {"file": path.name, "algorithm": found.file, "rows": None, "rows_matched": None, "first_mismatch": None}
        try:
            given = path.read_text(encoding="utf-8")
            if path.suffix == ".rows":
                answer = sim.conform_rows_file(path.with_suffix(".pkt").read_text(encoding="utf-8"), given, path.name, found)
            elif path.suffix == SEGMENTS:
                answer = sim.conform_segments_file(given, path.name, found)
            else:
                answer = sim.conform_file(given, path.name, found)
            yield {**report, **answer, "file": path.name, "algorithm": found.file}
        except foreign.ForeignError:
            raise
        except (OSError, ValueError) as error:
            yield {**report, "damaged": " ".join(str(error).split())[:160]}


def _recorded(path: Path) -> str:
    """Return the name of the module that was recorded; empty where the file does not say."""
    try:
        return str(json_module.loads(path.read_text(encoding="utf-8"))["algorithm"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return ""


def _replay_rows(path: Path, algorithm: str) -> dict[str, Any]:
    """Replay the stimulus beside a file of rows."""
    from windtunnel.backends import sim
    from windtunnel.scenario import ScenarioError

    empty: dict[str, Any] = {"file": path.name, "algorithm": algorithm, "rows": None, "rows_matched": None, "first_mismatch": None}
    try:
        stimulus = path.with_suffix(".pkt").read_text(encoding="utf-8")
        report = sim.conform_rows(stimulus, path.read_text(encoding="utf-8"), algorithm=algorithm)
    except (OSError, ValueError) as error:
        return {**empty, "damaged": str(ScenarioError("", " ".join(str(error).split())))[:160]}
    return {**empty, **report}


def _replay_segments(path: Path, wanted: str | None) -> dict[str, Any] | None:
    """Replay a file of recorded segments; None when it is of an algorithm that is not wanted."""
    from windtunnel.backends import sim
    from windtunnel.scenario import ScenarioError, catalogue

    found = catalogue().find(path.stem.partition("-")[0])
    name = path.stem if found is None else found.name
    if wanted is not None and name != wanted:
        return None
    empty: dict[str, Any] = {"file": path.name, "algorithm": name, "rows": None, "rows_matched": None, "first_mismatch": None}
    try:
        return {**empty, **sim.conform_segments(path.read_text(encoding="utf-8"))}
    except (OSError, ValueError) as error:
        return {**empty, "damaged": str(ScenarioError("", " ".join(str(error).split())))[:160]}


def _public(report: dict[str, Any]) -> dict[str, Any]:
    keys = ("file", "algorithm", "rows", "rows_matched", "first_mismatch")
    public = {key: report.get(key) for key in keys}
    return public | {key: report[key] for key in ("scripts", "scripts_matched", "skipped", "damaged") if key in report}


def _print(reports: list[dict[str, Any]]) -> None:
    from windtunnel.cli.output import print_table

    def remark(report: dict[str, Any]) -> str | None:
        if "skipped" in report:
            return f"skipped: {report['skipped']}"
        if "damaged" in report:
            return f"damaged: {report['damaged']}"
        mismatch = report["first_mismatch"]
        if not isinstance(mismatch, dict):
            return None if mismatch is None else str(mismatch)
        return ", ".join(f"{key} {value}" for key, value in mismatch.items() if value is not None)

    rows = [(r["file"], r["algorithm"], r["rows"], r["rows_matched"], remark(r)) for r in reports]
    print_table("Conformance with what kernels answered", ["file", "algorithm", "rows", "matched", "first mismatch"], rows)
    replayed = [r for r in reports if r["rows"] is not None]
    matched = sum(r["rows_matched"] for r in replayed)
    total = sum(r["rows"] for r in replayed)
    print(f"{matched} of {total} rows match in {len(replayed)} files; {len(reports) - len(replayed)} files not replayed")
