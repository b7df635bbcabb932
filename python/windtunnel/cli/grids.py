"""What commands that run grids share: their options checked, and progress on stderr."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.progress import progress

if TYPE_CHECKING:
    from windtunnel.campaign import Campaign
    from windtunnel.experiment import Scale

__all__ = [
    "algorithm_of",
    "algorithms",
    "campaign",
    "each_of",
    "keys_beside",
    "local_folder",
    "options",
    "progress",
    "repeats",
    "with_files",
    "worker_count",
]

MOST_SEEDS = 1000
MOST_JOBS = 256
EXAMPLE = "scalable=./tcp_scalable.c"
"""A protocol and the file that runs in its place."""


def local_folder(out: str) -> Path:
    """Return ``--out`` of a command that writes more than results, which an object store does not hold.

    Raises
    ------
    ScenarioError
        When it is the address of one.
    """
    from windtunnel.scenario import ScenarioError
    from windtunnel.store import address_of

    if address_of(out) is not None:
        raise ScenarioError("out", f"{out!r} is in an object store; allowed: a folder of this machine")
    return Path(out)


def algorithms(text: str | None) -> tuple[str, ...] | None:
    """Return the protocols of ``--alg reno,htcp`` under our names; None when it was not given.

    Raises
    ------
    ScenarioError
        When one is unknown.
    """
    return None if text is None else tuple(algorithm_of(part.strip()) for part in text.split(","))


def with_files(text: str | None) -> tuple[tuple[str, ...] | None, dict[str, str]]:
    """Return the protocols of ``--alg reno,scalable=./mine.c``, and the files that run in place of some: their controllers, by protocol.

    Raises
    ------
    ScenarioError
        When one is unknown, or what is behind a sign of equality is no file.
    """
    from windtunnel.foreign import is_made
    from windtunnel.scenario import ScenarioError

    if text is None:
        return None, {}
    files: dict[str, str] = {}
    names = []
    for part in (one.strip() for one in text.split(",")):
        name, equals, file = part.partition("=")
        if not equals or "/" in name:  # A path may hold the sign.
            names.append(algorithm_of(part))
            continue
        names.append(algorithm_of(name))
        if names[-1] in files:
            raise ScenarioError("alg", f"{names[-1]} has two files; allowed: one, as {EXAMPLE}")
        made = algorithm_of(file) if file else ""
        if not is_made(made):
            raise ScenarioError("alg", f"{part!r} names no file behind the sign of equality; allowed: as {EXAMPLE}")
        files[names[-1]] = made
    return tuple(names), files


def algorithm_of(name: str, field: str = "alg") -> str:
    """Return a protocol under our name; of a file the name of what was made of it.

    Parameters
    ----------
    name : str
        What the user wrote: a protocol, a file, or a controller of a whole stack, ``cubic@quinn``.
    field : str
        Where, for the error.

    Raises
    ------
    ScenarioError
        When it is unknown, or the file is no controller.
    """
    from pydantic_core import PydanticCustomError

    from windtunnel.scenario import ScenarioError
    from windtunnel.scenario.checks import algorithm_name, stack_algorithm, stack_name

    law, at, stack = name.partition("@")
    try:
        return f"{stack_algorithm(stack_name(stack), law)}@{stack}" if at else algorithm_name(name)
    except PydanticCustomError as error:
        raise ScenarioError(field, str((error.context or {}).get("problem", error))) from None


def repeats(given: int | None) -> int | None:
    """Return ``--seeds``.

    Raises
    ------
    ScenarioError
        When it is out of range.
    """
    from windtunnel.scenario import ScenarioError

    if given is not None and not 1 <= given <= MOST_SEEDS:
        raise ScenarioError("seeds", f"{given} is out of range; allowed: 1 to {MOST_SEEDS}")
    return given


def worker_count(given: int | None) -> int:
    """Return ``--jobs``, one per core when it was not given.

    Raises
    ------
    ScenarioError
        When it is out of range.
    """
    from windtunnel.pool import cores
    from windtunnel.scenario import ScenarioError

    if given is None:
        return cores()
    if not 1 <= given <= MOST_JOBS:
        raise ScenarioError("jobs", f"{given} is out of range; allowed: 1 to {MOST_JOBS}")
    return given


@contextlib.contextmanager
def campaign(scheduler: str | None, workers: int | None) -> Iterator[Campaign | None]:
    """Give where ``--scheduler`` or ``--workers`` say that runs are made; None when neither was given.

    Raises
    ------
    ScenarioError
        When both were given, or the number is out of range.
    CampaignError
        When there is no such cluster.
    """
    from windtunnel.cli.output import note
    from windtunnel.scenario import ScenarioError

    if scheduler is not None and workers is not None:
        raise ScenarioError("workers", f"{workers} beside a scheduler, which has its own; allowed: one of --scheduler and --workers")
    if scheduler is None and workers is None:
        yield None
        return
    from windtunnel.campaign import connected, local

    if workers is not None and not 1 <= workers <= MOST_JOBS:
        raise ScenarioError("workers", f"{workers} is out of range; allowed: 1 to {MOST_JOBS}")
    with connected(str(scheduler), note=note) if workers is None else local(workers, note=note) as found:
        yield found


def keys_beside(names: Iterable[str] | None) -> str:
    """Return what stands behind a command that names files, a comment of the shell: the names under which results know their content.

    Parameters
    ----------
    names : iterable of str, optional
        Protocols under our names.
    """
    from windtunnel.foreign import is_made

    made = [name for name in dict.fromkeys(names or ()) if is_made(name)]
    return f"  # {', '.join(made)}" if made else ""


def options(scale: Scale, out: str, backend: str, *, alg: str | None) -> str:
    """Return the options that ask for a scale, a folder and a backend, each after a blank; those that need not be said are left out.

    Protocols stand as they were given in `alg`, files among them, so that the command can be typed again.
    """
    parts = [f"--backend {shlex.quote(backend)}"] if backend != "sim" else []
    parts += ["--quick"] if scale.quick else []
    parts += ["--full"] if scale.full else []
    parts += [f"--alg {shlex.quote(alg)}"] if alg is not None else []
    parts += [f"--seeds {scale.repeats}"] if scale.repeats is not None else []
    parts += [f"--at {shlex.quote(f'{name}={chr(44).join(values)}')}" for name, values in scale.at.items()]
    parts += [f"--longest {scale.longest_s:g}s"] if scale.longest_s is not None else []
    parts += [f"--out {shlex.quote(out)}"] if out != "results" else []
    return "".join(f" {part}" for part in parts) + keys_beside([*(scale.algorithms or ()), *scale.files.values()])


def each_of(names: Sequence[str], suites: Sequence[str]) -> str:
    """Return how a command names one experiment of those that were asked for, with ``{id}`` for its id: a user's suite keeps its path.

    Parameters
    ----------
    names : sequence of str
        As they were given.
    suites : sequence of str
        What the suites are called.
    """
    if not any("/" in name or name == "." for name in names):
        return "{id}"
    places = {str(Path(name).parent) for name in names}
    if len(places) == 1 and all(Path(name).name.partition(".")[0] in suites for name in names):
        return f"{shlex.quote(places.pop())}/{{id}}"
    return shlex.join(names).replace("{", "{{").replace("}", "}}")
