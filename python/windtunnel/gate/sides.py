"""What a controller is judged against: a baseline, an earlier gate's folder, another controller, a kernel, a revision of a repository."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from windtunnel.gate import baseline
from windtunnel.gate.subject import Subject, subject
from windtunnel.gate.values import Values
from windtunnel.scenario import ScenarioError

STORED = "baseline.toml"
"""What the gate's folder holds of the controller that was judged."""
GIT, LINUX = "git:", "linux:"


@dataclass(frozen=True)
class Against:
    """The other side: either stored values, or a controller that is run on a backend.

    Parameters
    ----------
    title : str
        What it is, for a reader.
    file : Path, optional
        The baseline's file, for the margins beside it.
    stored : Values, optional
        What it gave.
    controller : Subject, optional
        What is run.
    backend : str
        What runs it.
    """

    title: str
    file: Path | None = None
    stored: Values | None = None
    controller: Subject | None = None
    backend: str = "sim"


def against(text: str, new: Subject, *, backend: str, work: Path) -> Against:
    """Read what a controller is judged against.

    Parameters
    ----------
    text : str
        ``FILE.toml``, a folder that ``gate --out`` wrote, ``git:REVISION:PATH``, ``linux:KERNEL`` or a controller.
    new : Subject
        The controller that is judged.
    backend : str
        What runs it.
    work : Path
        A folder for files of another revision.

    Raises
    ------
    ScenarioError
        When it is nothing of these.
    """
    path = Path(text)
    if text.startswith(LINUX):
        if not backend.startswith("linux"):
            raise ScenarioError("against", f"{text} is a kernel, and the controller runs on {backend}; allowed: with --backend linux")
        return Against(text, controller=new, backend=text)
    if text.startswith(GIT):
        return _of_revision(text, backend, work)
    if path.suffix == ".toml":
        return _stored(path, str(path))
    if path.is_dir():
        return _stored(path / STORED, str(path))
    controller = subject(text, "against")
    return Against(controller.name, controller=controller, backend=backend)


def _stored(file: Path, title: str) -> Against:
    return Against(title, file=file, stored=baseline.read(file))


def _of_revision(text: str, backend: str, work: Path) -> Against:
    revision, colon, rest = text.removeprefix(GIT).partition(":")
    name, comma, settings = rest.partition(",")
    if not revision or revision.startswith("-") or not colon or not name:
        raise ScenarioError("against", f"{text} is no file of a revision; allowed: git:REVISION:PATH, as git:v1.2:mine.c")
    folder = str(PurePosixPath(name).parent)
    archive = _git("archive", "--format=tar", revision, folder, where=text)
    target = work / "revision"
    target.mkdir()
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        if hasattr(tarfile, "data_filter"):
            files.extractall(target, filter="data")
        else:  # Python before 3.10.12.
            files.extractall(target)
    file = target / name
    if not file.is_file():
        raise ScenarioError("against", f"{revision} has no file {name}; allowed: a path from here, as git:{revision}:mine.c")
    title = f"{rest} of {revision}"
    if file.suffix == ".toml":
        return Against(title, file=Path(name), stored=baseline.read(file, title))
    return Against(title, controller=subject(f"{file}{comma}{settings}", "against"), backend=backend)


def _git(*arguments: str, where: str) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        raise ScenarioError("against", f"{where}: there is no git here; allowed: a file, or a controller") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["it failed"]
        raise ScenarioError("against", f"{where}: git: {lines[0].removeprefix('fatal: ')}; allowed: a revision of this repository")
    return done.stdout


def check_alike(old: Values, engine: str, kind: str, *, again: Callable[[], str]) -> None:
    """Refuse stored values that another engine or backend made.

    Parameters
    ----------
    old : Values
        The baseline.
    engine, kind : str
        Of what runs the controller now.
    again : callable
        Gives the command that makes the baseline again.

    Raises
    ------
    ScenarioError
        With that command.
    """
    if old.kind != kind:
        raise ScenarioError(
            "against", f"the baseline was made on backend {old.kind}, this is {kind}; allowed: one backend, made by: {again()}"
        )
    if old.engine != engine:
        raise ScenarioError(
            "against",
            f"the baseline is of engine {old.engine}, this is {engine}: what differs need not be the controller; made again by: {again()}",
        )
