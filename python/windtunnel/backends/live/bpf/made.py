"""A controller's file compiled for BPF; each refusal is one line with the file's own line."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from windtunnel import foreign, native
from windtunnel.backends.live.bpf import kernel, translate
from windtunnel.backends.live.bpf.translate import NotBpf, Unit
from windtunnel.foreign import ForeignError

HEADER = "windtunnel_kernel.h"
WALL_S_MAX = 300.0


def units(algorithm: str, settings: Mapping[str, str]) -> tuple[str, list[Unit]]:
    """Return a controller's file name, and its units: the file itself first, with the parameters' values.

    Raises
    ------
    ForeignError
        When its source is not kept.
    NotBpf
        When a parameter cannot be set.
    """
    found = foreign.required(algorithm)
    source = found.library.with_suffix(".source")
    if not source.is_dir():
        raise ForeignError(found.file, f"its source is not in the cache any more; name the file again, as ./{found.file}")
    paths = sorted(source.glob("unit_*.c"), key=lambda path: int(path.stem.partition("_")[2]))
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in paths]
    texts[0] = translate.with_parameters(texts[0], settings)
    return found.file, [translate.unit(text) for text in texts]


def compiled(algorithm: str, settings: Mapping[str, str], name: str, folder: Path) -> Path:
    """Compile a controller for BPF.

    Parameters
    ----------
    algorithm : str
        The scenario's name of the controller.
    settings : mapping
        Parameters that are not at their defaults, as the kernel reads them.
    name : str
        Under which the kernel shall know it.
    folder : Path
        Where to work; it keeps the object.

    Returns
    -------
    Path
        The object.

    Raises
    ------
    ForeignError
        When it becomes none: what is wrong, with the file's line.
    """
    file = foreign.required(algorithm).file
    try:
        file, found = units(algorithm, settings)
        translate.check(found)
        types = kernel.types()
        text = translate.program(found, name, kernel.names(types))
    except NotBpf as problem:
        raise ForeignError(file, f"becomes no BPF program: {problem}") from None
    source = folder / f"{name}.c"
    source.write_text(text, encoding="utf-8")
    (folder / HEADER).write_bytes((files("windtunnel.backends.live.bpf") / HEADER).read_bytes())
    name_of_arithmetic, arithmetic = native.guest_arithmetic()
    place = folder / "include" / name_of_arithmetic
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(arithmetic, encoding="utf-8")
    for header in foreign.required(algorithm).library.with_suffix(".source").glob("*.h"):
        (folder / header.name).write_bytes(header.read_bytes())
    for wanted in re.findall(r"^[ \t]*#[ \t]*include[ \t]*<([\w/.-]+)>", text, re.MULTILINE):
        place = folder / "include" / wanted
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f'#include "{HEADER}"\n', encoding="utf-8")
    target = folder / f"{name}.o"
    flags = ["-O2", "-g", "-target", "bpf", "-mcpu=v4", f"-DWT_HZ={kernel.hertz()}", "-w", "-Werror=implicit-function-declaration"]
    where = [f"-I{folder}", f"-I{folder / 'include'}", f"-I{types}", "-fno-caret-diagnostics"]
    command = [str(kernel.clang()), *flags, *where, "-c", str(source), "-o", str(target)]
    try:
        made = subprocess.run(command, capture_output=True, text=True, timeout=WALL_S_MAX, check=False)
    except subprocess.TimeoutExpired:
        raise ForeignError(file, f"becomes no BPF program: {command[0]} was not done after {WALL_S_MAX:g} s") from None
    if made.returncode != 0:
        raise ForeignError(file, f"becomes no BPF program: {complaint(made.stderr, folder)}")
    return target


def complaint(said: str, folder: Path) -> str:
    """Return the first error of the compiler, one line."""
    for line in said.splitlines():
        if "error:" in line:
            text = line.replace(f"{folder}/", "").replace(" error:", "")
            unknown = re.search(r"call to undeclared (?:library )?function '(\w+)'", text)
            if unknown:
                return f"{text.split(': ')[0]}: calls {unknown[1]}, which no BPF program of this kernel can"
            return text
    return (said.strip().splitlines() or ["the compiler said nothing"])[-1]


def check(algorithm: str, settings: Mapping[str, str]) -> None:
    """Refuse what can be seen without a compiler and the kernel.

    Raises
    ------
    ForeignError
        With the file's line.
    """
    file = foreign.required(algorithm).file
    try:
        file, found = units(algorithm, settings)
        translate.check(found)
        translate.table(found[0])
    except NotBpf as problem:
        raise ForeignError(file, f"becomes no BPF program: {problem}") from None
