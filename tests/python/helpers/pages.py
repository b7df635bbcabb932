"""Do what a page of the documentation says, block by block, in the order in which a reader does it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"# (\S+\.\w+)( \(append\))?\n")


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Return the language, what follows it, and the text of each block of a page."""
    return [(found[1], found[2].strip(), found[3]) for found in BLOCK.finditer(page.read_text(encoding="utf-8"))]


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Do one line of a shell; `windtunnel` and `python` in it are those under test."""
    python = shlex.quote(sys.executable)
    line = re.sub(r"(^|&& )windtunnel\b", rf"\1{python} -m windtunnel", line)
    line = re.sub(r"(^|&& )python\b", rf"\1{python}", line)
    return subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False)


def do(page: Path, folder: Path) -> list[str]:
    """Do every block of a page in a folder, and return what its commands printed.

    A block whose first line is a comment with a file's name is written there, or put at the file's end if ``(append)`` follows the
    name. Blocks of shell are run line by line, those of Python without a name as a script.
    """
    said = []
    for language, _, text in blocks(page):
        named = NAMED.match(text)
        if named is not None:
            path = folder / named[1]
            before = path.read_text(encoding="utf-8") if named[2] else ""
            path.write_text(before + (text[named.end() :] if named[2] else text), encoding="utf-8")
        elif language == "sh":
            for line in text.strip().splitlines():
                done = shell(line, folder)
                assert done.returncode == 0, f"{page.name}: {line}\n{done.stdout}{done.stderr}"
                said.append(done.stdout)
        else:
            assert language == "python", f"{page.name}: nobody does a block of {language}"
            done = subprocess.run([sys.executable, "-W", "error", "-c", text], cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{page.name}:\n{text}\n{done.stderr}"
            said.append(done.stdout)
    return said
