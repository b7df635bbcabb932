"""Controllers from C files as modules of a guest's kernel: one module per file and set of parameters, under a name of its own.

The module is compiled once per file and kernel, against what was kept of the kernel's build. Its name stands in it as a text of fixed
length, which is replaced in a copy for each set of parameters: modules of two sets have their own globals, and the kernel knows two
congestion controls.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from windtunnel import foreign
from windtunnel.backends.linux import store, transfers
from windtunnel.backends.linux.build import environment
from windtunnel.backends.linux.complaints import complaint
from windtunnel.backends.linux.errors import KernelError
from windtunnel.backends.linux.kept import Command, kept
from windtunnel.backends.linux.store import Kernel
from windtunnel.foreign import ForeignError
from windtunnel.scenario import Flow, Scenario

SUFFIX = ".c"
"""How a file's name ends that can become a module."""

_NAME = "windtunnel_{:04d}"
# Fifteen letters: as many as the name of a congestion control may have.
_ANY_NAME = _NAME.format(0)
_REGISTRATION, _BESIDE = "registration.c", "beside.h"
_WALL_S_MAX = 300.0


@dataclass(frozen=True)
class UserModule:
    """One module that a scenario needs.

    Parameters
    ----------
    name : str
        The module's, and its congestion control's.
    algorithm : str
        The scenario's name of the controller.
    settings : tuple of (str, str)
        Its parameters that are not at their defaults, and their values as the kernel reads them.
    """

    name: str
    algorithm: str
    settings: tuple[tuple[str, str], ...]

    @property
    def file(self) -> str:
        """The user's name of the file."""
        return self.algorithm.partition(":")[0]


def wanted(full: Scenario) -> dict[tuple[str, tuple[tuple[str, str], ...]], UserModule]:
    """Return the modules that a scenario needs, by controller and settings, in the order of its flows."""
    found: dict[tuple[str, tuple[tuple[str, str], ...]], UserModule] = {}
    for flow in transfers.senders(full):
        if foreign.is_made(flow.algorithm):
            found.setdefault(key(flow), UserModule(_NAME.format(len(found)), flow.algorithm, settings(flow)))
    return found


def key(flow: Flow) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return what identifies a flow's module within a scenario."""
    return flow.algorithm, settings(flow)


def settings(flow: Flow) -> tuple[tuple[str, str], ...]:
    """Return a flow's parameters as the kernel reads them: whole numbers, which all parameters of such files are."""
    return tuple(sorted((name, f"{value:.0f}") for name, value in flow.parameters.items() if not isinstance(value, str)))


def is_module(algorithm: str) -> bool:
    """Return whether a controller from a file can become a module: it is C."""
    return algorithm.partition(":")[0].endswith(SUFFIX)


def too_old(kernel: Kernel) -> str | None:
    """Return why a kernel takes no modules, None when it does."""
    if kernel.takes_modules:
        return None
    again = f"windtunnel kernel build --source {kernel.source}"
    return f"kernel {kernel.name} is too old to take a controller from a file: it was built without modules; build it again: {again}"


def contents(kernel: Kernel, modules: Iterable[UserModule]) -> dict[str, bytes]:
    """Return the files of a guest's root folder: each module under its name.

    Parameters
    ----------
    kernel : Kernel
        The guest's.
    modules : iterable of UserModule
        From `wanted`.

    Raises
    ------
    KernelError, ForeignError
        See `made`.
    """
    return {f"{module.name}.ko": _named(made(kernel, module.algorithm), module.name) for module in modules}


def _named(module: Path, name: str) -> bytes:
    old, new = _ANY_NAME.encode(), name.encode()
    assert len(old) == len(new), "a name of another length would move what comes after it"
    return module.read_bytes().replace(old, new)


def made(kernel: Kernel, algorithm: str) -> Path:
    """Make the module of a controller, or find it made.

    Parameters
    ----------
    kernel : Kernel
        Whose module.
    algorithm : str
        The scenario's name of the controller.

    Returns
    -------
    Path
        The module in the kernel's folder.

    Raises
    ------
    KernelError
        When the kernel takes no modules, or the folder cannot be written.
    ForeignError
        When the file does not compile against the kernel's headers, or uses what the kernel does not offer; with file and line.
    """
    found = foreign.required(algorithm)
    reason = too_old(kernel)
    if reason is not None:
        raise KernelError(reason)
    target = kernel.folder / "modules" / f"{found.key}-{_recipe()}.ko"
    if target.is_file():
        return target
    source = found.library.with_suffix(".source")
    if not source.is_dir():
        raise ForeignError(found.file, f"its source is not in the cache any more; name the file again, as ./{found.file}")
    with store.workplace() as place:
        _compile(kernel, found.file, source, place)
        target.parent.mkdir(exist_ok=True)
        os.replace(place / f"{_ANY_NAME}.ko", target)
    return target


def _recipe() -> str:
    """Return some letters that stand for what we add to a file."""
    return hashlib.sha256(b"".join(map(_ours, (_REGISTRATION, _BESIDE))) + _kbuild(("unit_0.c", "unit_1.c")).encode()).hexdigest()[:8]


def _ours(name: str) -> bytes:
    return (files("windtunnel.backends.linux") / "module" / name).read_bytes()


def _kbuild(units: Iterable[str]) -> str:
    """Return the make file: the file registers through ours, exports nothing, and files beside it are no modules of their own."""
    objects = [unit.removesuffix(".c") for unit in units]
    lines = [f"obj-m := {_ANY_NAME}.o", f"{_ANY_NAME}-y := {' '.join(f'{unit}.o' for unit in objects)} {_REGISTRATION[:-2]}.o"]
    for unit in objects:
        flags = "-D__DISABLE_EXPORTS -Dtcp_register_congestion_control=windtunnel_register -fno-diagnostics-show-caret"
        beside = "" if unit == objects[0] else f" -include $(src)/{_BESIDE}"
        lines.append(f"CFLAGS_{unit}.o := {flags}{beside}")
    return "\n".join([*lines, ""])


def _compile(kernel: Kernel, file: str, source: Path, place: Path) -> None:
    shutil.copytree(source, place, dirs_exist_ok=True)
    units = sorted((path.name for path in place.glob("unit_*.c")), key=lambda name: (len(name), name))
    for name in (_REGISTRATION, _BESIDE):
        (place / name).write_bytes(_ours(name))
    (place / "Kbuild").write_text(_kbuild(units), encoding="utf-8")
    lines = compiled(kernel, place, f"{_ANY_NAME}.ko")
    if lines is not None:
        raise ForeignError(file, f"becomes no module of kernel {kernel.name}: {complaint(lines, place)}")


def compiled(kernel: Kernel, place: Path, module: str) -> list[str] | None:
    """Make a module of the sources in a folder of the `store.workplace`, with the kernel's own make files.

    Parameters
    ----------
    kernel : Kernel
        Whose module.
    place : Path
        The folder, with a Kbuild file.
    module : str
        The file that is to be there then.

    Returns
    -------
    list of str or None
        What make said, when the module was not made.

    Raises
    ------
    KernelError
        When there is no make.
    """
    command = Command(
        program=str(shutil.which("make")),
        arguments=["make", "-C", str(kernel.folder / store.AGAINST), "ARCH=um", f"M={place}", "modules"],
        environment=environment(),
        cwd=str(place),
        wall_s=_WALL_S_MAX,
        remove=str(place),
    )
    if shutil.which("make") is None:
        raise KernelError("a module needs make, which is not installed (Debian: apt-get install make)")
    with kept(command) as running:
        lines = list(running.lines())
        report = running.report()
    return None if report.code == 0 and (place / module).is_file() else lines
