"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from windtunnel.foreign import stacks

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RUNS = [line for line in README.splitlines() if line.startswith("    .venv/bin/windtunnel run ")]


def test_the_python_lines_run_and_draw(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "cwnd_packets" in done.stdout
    assert (tmp_path / "overview.svg").stat().st_size > 1000


def test_the_runs_in_the_simulator_work(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("target"))
    lines = [
        line
        for line in README.splitlines()
        if line.startswith("    .venv/bin/windtunnel run ") and "--backend" not in line and "stack=" not in line
    ]
    said = []
    for line in lines:
        command = [sys.executable, "-m", "windtunnel", *shlex.split(line)[1:]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        notes = [one for one in done.stderr.splitlines() if not one.startswith("note: flow.pcapng: ")]
        assert (done.returncode, notes) == (0, []), line
        said.append(done.stdout)
    assert [word in text for word, text in zip(("mine.c", "htcp", "cubic"), said, strict=True)] == [True, True, True]
    assert "mine.c" in (tmp_path / "mine.svg").read_text(encoding="utf-8")


def test_the_run_of_a_whole_stack_works(tmp_path: Path) -> None:
    if not any(one.name == "quinn" for one in stacks.built()):
        pytest.skip("quinn is not built: windtunnel stacks build quinn")
    (line,) = [line for line in RUNS if "stack=" in line]
    done = subprocess.run(
        [sys.executable, "-m", "windtunnel", *shlex.split(line)[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    # A machine that is busy says how far the run is.
    assert done.returncode == 0 and "error" not in done.stderr and "cubic" in done.stdout, done.stderr
