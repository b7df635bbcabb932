"""What a kernel's make says about a module that it does not make, in one line about the user's file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_SAID = re.compile(r"(?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)?: (?P<kind>(?:fatal )?error|note): (?P<what>.*)")
_FROM = re.compile(r"\s*(?:In file included )?from (?P<file>[^\s:]+):(?P<line>\d+)")
_UNKNOWN = re.compile(r'modpost: "(\w+)" \[.*\] undefined!')
_LICENCE = re.compile(r"modpost: GPL-incompatible module \S+ uses GPL-only symbol '(\w+)'")
_KERNELS = ("./", "include/", "arch/", "/")


def complaint(lines: Sequence[str], place: Path) -> str:
    """Return why there is no module.

    Parameters
    ----------
    lines : sequence of str
        All that make printed.
    place : Path
        The folder with the user's files.

    Returns
    -------
    str
        The compiler's first error with file and line, what the kernel does not offer, or what make said last.
    """
    lines = [line.replace(f"{place}/", "") for line in lines]
    errors = [number for number, line in enumerate(lines) if (said := _SAID.match(line)) and said["kind"] != "note"]
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        return f"{_where(lines, errors[0])}{more}"
    unknown = sorted({found[1] for line in lines if (found := _UNKNOWN.search(line))})
    if unknown:
        return f"it uses what the kernel does not offer to modules: {', '.join(unknown)}"
    refused = next((found[1] for line in lines if (found := _LICENCE.search(line))), None)
    if refused:
        return f"its MODULE_LICENSE is none that the kernel takes for {refused}; allowed: GPL, GPL v2, Dual MIT/GPL, Dual BSD/GPL"
    telling = [line.strip() for line in lines if "error" in line.lower() or "***" in line]
    return (telling or [line.strip() for line in lines if line.strip()] or ["make said nothing"])[0]


def _where(lines: Sequence[str], number: int) -> str:
    """Return an error with its place; what goes wrong in a header of the kernel's is said at the place of the user's file that uses it."""
    said = _SAID.match(lines[number])
    assert said is not None
    place = f"{said['file']}:{said['line']}"
    if said["file"].startswith(_KERNELS):
        after = (found for line in lines[number + 1 :] if (found := _SAID.match(line)) and found["kind"] == "note")
        before = (found for line in reversed(lines[:number]) if (found := _FROM.match(line)))
        own = next((found for found in (*after, *before) if not found["file"].startswith(_KERNELS)), None)
        place = place if own is None else f"{own['file']}:{own['line']}"
    return f"{place}: {said['what']}"
