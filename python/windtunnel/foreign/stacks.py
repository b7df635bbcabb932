"""Whole stacks: built from adapter packages with the user's Rust toolchain, kept in the user's cache, known by name and key."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windtunnel.foreign import fromsource, ownstack
from windtunnel.foreign.errors import ForeignError, Unreachable
from windtunnel.usercache import TARGET, cache

_KEYED = re.compile(r"([a-z0-9-]+):([0-9a-f]{16})")
_LIBRARY = "libstack.so"
NULL_CIPHER = "null-cipher"
"""Feature of an adapter's package, and the end of the name of what is built with it: ``quinn-null-cipher``."""
KERNEL = "linux"
"""The stack whose library drives a kernel that lies beside it: `windtunnel.backends.linux.endpoints` builds both."""


@dataclass(frozen=True)
class Stack:
    """A built stack.

    Parameters
    ----------
    name : str
        ``quinn``.
    key : str
        What identifies this build: its sources, its lock and the compiler.
    version : str
        Of the stack's package.
    algorithms : tuple of str
        Its congestion controllers, by its own names.
    library : Path
        In the cache.
    built : str
        When, UTC.
    build_s : float
        How long that took, seconds.
    """

    name: str
    key: str
    version: str
    algorithms: tuple[str, ...]
    library: Path
    built: str
    build_s: float

    @property
    def known_as(self) -> str:
        """What scenarios call it: its name and its key."""
        return f"{self.name}:{self.key}"


def folder() -> Path:
    """Return where built stacks are kept."""
    return cache() / "stacks"


def sources() -> Mapping[str, Path]:
    """Return the adapter packages that can be built, by name: the folders of ``stacks/`` in the source tree."""
    root = Path(__file__).resolve().parents[3] / "stacks"
    return {place.parent.name: place.parent for place in sorted(root.glob("*/Cargo.toml"))}


def unencrypted() -> list[str]:
    """Return the adapters that can be built with a null cipher: those whose package has that feature."""
    return [name for name, place in sources().items() if f"\n{NULL_CIPHER} = " in (place / "Cargo.toml").read_text(encoding="utf-8")]


def built() -> list[Stack]:
    """Return the stacks in the cache, by name, the newest of each first."""
    found = [one for place in folder().glob("*/stack.json") if (one := _kept(place)) is not None]
    return sorted(sorted(found, key=lambda one: one.built, reverse=True), key=lambda one: one.name)


def _kept(place: Path) -> Stack | None:
    try:
        row = json.loads(place.read_text(encoding="utf-8"))
        found = Stack(**row | {"algorithms": tuple(row["algorithms"]), "library": place.parent / _LIBRARY})
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return found if found.library.is_file() else None


def required(name: str) -> Stack:
    """Return a built stack.

    Parameters
    ----------
    name : str
        Its name, ``quinn``, for the newest build; or what scenarios call it, ``quinn:KEY``.

    Raises
    ------
    ForeignError
        When it is not built; says how.
    """
    known = [one for one in built() if name in (one.name, one.known_as)]
    if known:
        with contextlib.suppress(OSError):
            os.utime(known[0].library)  # When it was last used.
        return known[0]
    own, can = name.partition(":")[0], sources()
    base, is_with, _ = own.partition("-with-")
    if is_with and base in can:
        raise ForeignError("stack", f"{name!r} is not built; run: windtunnel stacks build {base} --with FOLDER")
    base = own.removesuffix(f"-{NULL_CIPHER}")
    if base != own and base in unencrypted():
        raise ForeignError("stack", f"{name!r} is not built; run: windtunnel stacks build {base} --{NULL_CIPHER}")
    if own in can or not can:
        more = " --source FOLDER" if own == fromsource.FOR else ""
        raise ForeignError("stack", f"{name!r} is not built; run: windtunnel stacks build {own}{more}")
    raise ForeignError("stack", f"{name!r} is no stack; allowed: {', '.join(can)}")


def encrypted(stack: Stack) -> Stack | None:
    """Return the newest build, with encryption, of what a stack is without; None where it is not built, or the stack encrypts."""
    base = stack.name.removesuffix(f"-{NULL_CIPHER}")
    return None if base == stack.name else next((one for one in built() if one.name == base), None)


def is_keyed(name: str) -> bool:
    """Return whether a name is what scenarios call a built stack."""
    return _KEYED.fullmatch(name) is not None


def kept(name: str, *, beside: str) -> Stack | None:
    """Return the build of an adapter with what is beside it, None where it is not built.

    Parameters
    ----------
    name : str
        One of `sources`.
    beside : str
        As for `build`.
    """
    cargo = shutil.which("cargo")
    return None if cargo is None else _kept(folder() / f"{name}-{_key(sources()[name], cargo, beside)}" / "stack.json")


def build(
    name: str,
    say: Callable[[str], None],
    *,
    crate: str | Path | None = None,
    source: Path | None = None,
    has_null_cipher: bool = False,
    beside: str = "",
    files: Mapping[str, Path] | None = None,
    spent_s: float = 0.0,
) -> Stack:
    """Build a stack and keep it; what is built already is not built again.

    Parameters
    ----------
    name : str
        One of `sources`.
    say : callable
        Called with a line when something begins.
    crate : str or Path, optional
        Folder of a user's crate whose controllers are built in, of `ownstack.FOR` alone. The stack is then called after both.
    source : Path, optional
        Folder of the stack's own sources, of `fromsource.FOR` alone, which has no other.
    has_null_cipher : bool
        Whether packets after the handshake are not encrypted, of `unencrypted` alone. The stack is then called after that, too.
    beside : str, optional
        What the build's key covers beside the adapter.
    files : mapping of str to Path, optional
        What is laid beside the library, which finds it there, by name.
    spent_s : float, optional
        What it took to make that, seconds.

    Returns
    -------
    Stack
        What was built, or found.

    Raises
    ------
    ForeignError
        When there is no such adapter, no Rust toolchain, or a step fails; nothing is kept then.
    """
    can = sources()
    if not can:
        raise ForeignError("stacks", "their sources are not here: they are in windtunnel's source tree, in stacks/")
    if name not in can:
        raise ForeignError("stack", f"{name!r} is no stack; allowed: {', '.join(can)}")
    if crate is not None and name != ownstack.FOR:
        raise ForeignError("with", f"{name} takes no controllers of others; allowed: with {ownstack.FOR}")
    adapter, cargo = can[name], shutil.which("cargo")
    if cargo is None:
        raise ForeignError("cargo", "is not installed; stacks are built with a Rust toolchain: https://rustup.rs")
    if has_null_cipher:
        if name not in unencrypted() or crate is not None:
            raise ForeignError(
                "null-cipher", f"{name} takes none{'' if crate is None else ' with a crate'}; allowed: {', '.join(unencrypted())}"
            )
        return _made(_Made(f"{name}-{NULL_CIPHER}", adapter, NULL_CIPHER, features=(NULL_CIPHER,)), cargo, say)
    if name == KERNEL and not files:
        raise ForeignError("stack", f"{KERNEL} is built with a kernel: windtunnel stacks build {KERNEL}")
    if name == fromsource.FOR:
        place = fromsource.named(source)
        return _made(_Made(name, adapter, fromsource.covered(place), asked={fromsource.VARIABLE: str(place)}), cargo, say)
    if crate is None:
        return _made(_Made(name, adapter, beside, files=files or {}, spent_s=spent_s), cargo, say)
    own = ownstack.found(crate)
    with ownstack.package(own, adapter, folder()) as package:
        return _made(_Made(own.stack, package, ownstack.covered(package, cargo), of=adapter), cargo, say)


@dataclass(frozen=True)
class _Made:
    """What is made: the name it is kept under, its package, what its key covers besides.

    `of` is the adapter that a package with a user's crate was made of, `files` what is laid beside the library, `spent_s` what that took,
    `asked` what is added to cargo's environment, `features` those of the adapter's package that are asked for.
    """

    name: str
    source: Path
    beside: str
    of: Path | None = None
    files: Mapping[str, Path] = field(default_factory=dict)
    spent_s: float = 0.0
    asked: Mapping[str, str] = field(default_factory=dict)
    features: tuple[str, ...] = ()


def _made(what: _Made, cargo: str, say: Callable[[str], None]) -> Stack:
    key = _key(what.of or what.source, cargo, what.beside)
    found = _kept(folder() / f"{what.name}-{key}" / "stack.json")
    if found is not None:
        return found
    began = time.monotonic()
    say(f"building {what.name} with cargo: some minutes")
    library = _compiled(what, cargo)
    say(f"asking {what.name} what it has")
    with tempfile.TemporaryDirectory(prefix=".asked-", dir=folder()) as place:
        for name, file in {_LIBRARY: library, **what.files}.items():
            shutil.copy2(file, Path(place) / name)
        row = _described(what.name, Path(place) / _LIBRARY)
    spent_s = round(what.spent_s + time.monotonic() - began, 1)
    made = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    return _keep(Stack(what.name, key, row["version"], tuple(row["algorithms"]), library, made, spent_s), what.files)


def _key(source: Path, cargo: str, beside: str) -> str:
    """Return what the sources of an adapter, its lock, the interface and the compiler come to, and what is beside them."""
    compiler = subprocess.run([cargo, "--version"], capture_output=True, text=True, check=False).stdout
    hashed = hashlib.sha256(compiler.encode() + beside.encode())
    roots = [source, *(source.parents[1] / "crates" / name for name in ("endpoint", "takeover")), source.parent / "common"]
    files = [path for root in roots for path in sorted(root.rglob("*")) if path.is_file() and "target" not in path.relative_to(root).parts]
    for path in files:
        hashed.update(path.name.encode() + b"\0" + path.read_bytes())
    return hashed.hexdigest()[:16]


def _compiled(what: _Made, cargo: str) -> Path:
    source = what.source
    target = folder() / TARGET
    target.mkdir(parents=True, exist_ok=True)
    command = [
        cargo,
        "build",
        "--release",
        *(["--locked"] if what.of is None else []),
        *(["--features", ",".join(what.features)] if what.features else []),
        "--quiet",
        "--manifest-path",
        str(source / "Cargo.toml"),
        "--target-dir",
        str(target),
    ]
    done = subprocess.run(command, cwd=source, env=os.environ | what.asked, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        said = next((line for line in lines if line.startswith("error")), lines[-1] if lines else "without a word")
        raise ForeignError(str(source), f"cargo build failed: {said}")
    return target / "release" / _LIBRARY


def _described(name: str, library: Path) -> dict[str, Any]:
    from windtunnel.foreign.process import ask

    try:
        row: dict[str, Any] = json.loads(ask("stack_described", str(library)))
    except Unreachable as error:
        raise ForeignError(name, error.said) from None
    except ValueError as error:
        raise ForeignError(name, str(error.args[1] if len(error.args) > 1 else error)) from None
    return row


def _keep(made: Stack, beside: Mapping[str, Path] | None = None) -> Stack:
    """Move a library, what it finds beside it and its row into the cache at once: half of them is never seen."""
    place = folder() / f"{made.name}-{made.key}"
    row = {name: value for name, value in vars(made).items() if name != "library"}
    try:
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder()) as fresh:
            whole = Path(fresh) / "stack"
            whole.mkdir()
            for name, file in {_LIBRARY: made.library, **(beside or {})}.items():
                shutil.copy2(file, whole / name)
            (whole / "stack.json").write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(place)
            whole.rename(place)
    except OSError as error:
        raise ForeignError(str(place), f"cannot be written: {error.strerror}") from None
    return Stack(**vars(made) | {"library": place / _LIBRARY})


def remove(name: str) -> list[Stack]:
    """Remove the builds of a stack; return them.

    Raises
    ------
    ForeignError
        When there is none.
    """
    found = [one for one in built() if name in (one.name, one.known_as)]
    if not found:
        raise ForeignError("stack", f"{name!r} is not built; built: {', '.join(one.name for one in built()) or 'none'}")
    for one in found:
        shutil.rmtree(one.library.parent, ignore_errors=True)
    return found
