"""What a module is compiled against: the headers of a built tree, its make files and their programs, and what the kernel offers."""

from __future__ import annotations

import shutil
from pathlib import Path

from windtunnel.backends.linux.errors import KernelError

OFFERED = "Module.symvers"
"""The table of what a module may use of the kernel."""

_FOLDERS = ("include", "scripts", "arch/um", "arch/x86")
# Of hardware, and of what is built from descriptions of it: nothing that TCP includes.
_UNUSED = ("include/dt-bindings", "include/drm", "include/sound", "include/media", "include/soc", "scripts/dtc", "scripts/kconfig")
_HEADERS = (".h", ".inc", ".lds")


def gather(tree: Path, into: Path) -> None:
    """Copy what a module is compiled against out of a built tree.

    Of `scripts` everything goes along: newer kernels compile a file there into every module.

    Parameters
    ----------
    tree : Path
        The tree, built with its modules.
    into : Path
        The folder, which is made.

    Raises
    ------
    KernelError
        When the build left no table of what the kernel offers.
    """
    # Without a module make leaves the table under the kernel's own name.
    offered = next((path for path in (tree / OFFERED, tree / "vmlinux.symvers") if path.is_file()), None)
    if offered is None:
        raise KernelError(f"the build left no {OFFERED}; without it no module can be made")
    into.mkdir()
    for name in ("Makefile", ".config"):
        shutil.copy2(tree / name, into / name)
    shutil.copy2(offered, into / OFFERED)
    for folder in _FOLDERS:
        for path in sorted((tree / folder).rglob("*")):
            relative = path.relative_to(tree).as_posix()
            if not path.is_dir() and _is_used(relative):
                target = into / relative
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target, follow_symlinks=False)


def _is_used(relative: str) -> bool:
    """Return whether a module's build may read a file."""
    if any(relative.startswith(f"{folder}/") for folder in _UNUSED):
        return False
    name = relative.rpartition("/")[2]
    if name.startswith(("Makefile", "Kbuild")):
        return True
    if relative.startswith("arch/"):
        return name.endswith(_HEADERS)
    return not name.endswith((".o", ".cmd"))
