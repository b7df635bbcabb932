"""Every block of the tutorial for C is done, in the order in which a reader does it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from controllers import require_compiler

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/guides/own-controller-c.md"
BLOCKS = re.findall(r"^```(\w+)( fails)?\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def done(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Do one line of a shell block; `windtunnel` is the one under test."""
    line = re.sub(r"^windtunnel\b", f"{shlex.quote(sys.executable)} -m windtunnel", line)
    return subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False)


def test_the_file_of_the_tutorial_is_the_example() -> None:
    (code,) = [text for kind, _, text in BLOCKS if kind == "c"]
    licence, example = (ROOT / "examples/c-controller/mine.c").read_text(encoding="utf-8").split("\n", 1)
    assert code == example and "SPDX" in licence


def test_every_block_does_what_the_page_says(tmp_path: Path) -> None:
    require_compiler()
    kinds = [kind for kind, _, _ in BLOCKS]
    assert set(kinds) == {"c", "sh", "text", "toml", "python"}
    assert kinds.count("sh") == 6
    said = ""
    for kind, fails, text in BLOCKS:
        if kind == "c":
            (tmp_path / "mine.c").write_text(text, encoding="utf-8")
        elif kind == "toml":
            name = re.match(r"# (\S+)\n", text)
            assert name is not None
            (tmp_path / name[1]).write_text(text, encoding="utf-8")
        elif kind == "text":
            # Three dots stand for what is another time elsewhere.
            assert re.fullmatch(re.escape(text.strip()).replace(r"\.\.\.", ".+"), said.strip()), said
        elif kind == "python":
            ended = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False)
            assert ended.returncode == 0 and "mine.c" in ended.stdout, ended.stderr
        else:
            lines = text.strip().splitlines()
            ends = [done(line, tmp_path) for line in lines]
            codes = [0] * len(lines)
            codes[-1] = 2 if fails else 0
            said = ends[-1].stderr
            assert [one.returncode for one in ends] == codes, [one.stderr for one in ends]
    for made in ("mine.svg", "portrait.svg"):
        assert "mine.c" in (tmp_path / made).read_text(encoding="utf-8")
    assert "mine.c" in (tmp_path / "results/report/experiments/li07.fig4.html").read_text(encoding="utf-8")
