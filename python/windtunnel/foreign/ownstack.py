"""A stack with a user's own controllers built in: the adapter's package once more, with a crate of the user's among what it depends on.

The crate stays as it is. Its types that implement quinn's `ControllerFactory` are found by their text, and made with `Default`.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from windtunnel.foreign.errors import ForeignError

_toml = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
FOR = "quinn"
"""The stack whose controllers may be a user's."""
NAMES = ("cubic", "reno", "bbr")
"""Its own controllers."""
_FACTORY = re.compile(r"\bimpl\s+(?:[\w:]+::)?ControllerFactory\s+for\s+(\w+)")
_FILE = """\
//! Controllers of the crate {crate}, beside quinn's own.

use std::sync::Arc;

use quinn_proto::congestion::ControllerFactory;

pub(crate) const ALGORITHMS: &[&str] = &[{names}];

pub(crate) fn controller(name: &str) -> Option<Arc<dyn ControllerFactory + Send + Sync>> {{
    match name {{
{arms}        _ => None,
    }}
}}
"""


@dataclass(frozen=True)
class OwnCrate:
    """A user's crate with controllers.

    Parameters
    ----------
    name : str
        Of its package.
    folder : Path
        Where it is.
    controllers : tuple of (str, str)
        The name of each in scenarios, and the type at the crate's root that makes it.
    """

    name: str
    folder: Path
    controllers: tuple[tuple[str, str], ...]

    @property
    def stack(self) -> str:
        """What the stack is called that has them: ``quinn-with-my-crate``."""
        return f"{FOR}-with-{_plain(self.name)}"


def found(folder: str | Path) -> OwnCrate:
    """Look for controllers in a crate.

    Parameters
    ----------
    folder : str or Path
        The crate's, with its ``Cargo.toml``.

    Raises
    ------
    ForeignError
        When there is no such crate, or no controller in it; says how.
    """
    place = Path(folder).resolve()
    try:
        name = str(_toml.loads((place / "Cargo.toml").read_text(encoding="utf-8"))["package"]["name"])
    except (OSError, LookupError, TypeError, ValueError):
        raise ForeignError("with", f"{str(folder)!r} is no crate; allowed: a folder with a package's Cargo.toml") from None
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in sorted((place / "src").rglob("*.rs"))]
    types = list(dict.fromkeys(kind for text in texts for kind in _FACTORY.findall(text)))
    if not types:
        raise ForeignError(str(folder), f"has no controller: no type in src/ implements {FOR}_proto::congestion::ControllerFactory")
    controllers = tuple((_called(kind), kind) for kind in types)
    names = [called for called, _ in controllers]
    for called in names:
        if called in NAMES or names.count(called) > 1:
            raise ForeignError(str(folder), f"{called!r} is the name of two controllers of this build; name the type otherwise")
    return OwnCrate(name, place, controllers)


def _called(kind: str) -> str:
    """Return the name of what a type makes: of ``SteadyPaceConfig`` ``steady-pace``."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+", re.sub(r"(Config|Factory)$", "", kind) or kind)
    return "-".join(words).lower()


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower())


@contextmanager
def package(own: OwnCrate, adapter: Path, folder: Path) -> Iterator[Path]:
    """Make the adapter's package with the user's crate in a folder of its own, which is gone afterwards.

    Parameters
    ----------
    own : OwnCrate
        The user's.
    adapter : Path
        The adapter's package.
    folder : Path
        In which the package is made.

    Yields
    ------
    Path
        The package.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".with-", dir=folder) as fresh:
        root = Path(fresh)
        (root / "stacks").mkdir()
        # What the adapter's sources reach beside themselves, and below its manifest.
        (root / "stacks/common").symlink_to(adapter.parent / "common")
        made = root / "stacks" / adapter.name
        shutil.copytree(adapter, made, ignore=shutil.ignore_patterns("target"))
        names = ", ".join(f'"{name}"' for name in (*NAMES, *(name for name, _ in own.controllers)))
        arms = "".join(
            f'        "{name}" => Some(Arc::new(<user_crate::{kind} as Default>::default())),\n' for name, kind in own.controllers
        )
        (made / "src/with.rs").write_text(_FILE.format(crate=own.name, names=names, arms=arms), encoding="utf-8")
        manifest = (made / "Cargo.toml").read_text(encoding="utf-8")
        beside = f"user_crate = {{ package = {json.dumps(own.name)}, path = {json.dumps(str(own.folder))} }}\n"
        # A crate of the workspace finds its root where it really is.
        manifest = manifest.replace('"../../crates/', f'"{adapter.parents[1] / "crates"}/')
        (made / "Cargo.toml").write_text(manifest.replace("[dependencies]\n", f"[dependencies]\n{beside}", 1), encoding="utf-8")
        yield made


def covered(made: Path, cargo: str) -> str:
    """Return what the packages come to that a build takes from folders, the user's among them, and the versions of all others.

    Parameters
    ----------
    made : Path
        As `package` yields it.
    cargo : str
        The program.

    Raises
    ------
    ForeignError
        When cargo does not take the user's crate; its own line.
    """
    command = [cargo, "metadata", "--format-version", "1", "--manifest-path", str(made / "Cargo.toml")]
    done = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise ForeignError("with", f"cargo does not take the crate: {'; '.join(lines[:3])}")
    hashed = hashlib.sha256()
    packages = sorted(json.loads(done.stdout)["packages"], key=lambda one: (one["name"], one["version"]))
    for one in packages:
        hashed.update(f"{one['name']} {one['version']}\n".encode())
        place = Path(one["manifest_path"]).parent
        if one["source"] is None and place != made:
            for path in sorted(place.rglob("*")):
                if path.is_file() and not {"target", ".git"} & set(path.relative_to(place).parts):
                    hashed.update(str(path.relative_to(place)).encode() + b"\0" + path.read_bytes())
    return hashed.hexdigest()
