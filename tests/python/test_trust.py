"""The question that a scenario file with code from elsewhere leads to, asked on a terminal and nowhere else."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

LAW = """
import pathlib
import windtunnel as wt

pathlib.Path(__file__).with_name("was_run").touch()


class Mine(wt.Controller):
    def on_acked(self, w, c, acked):
        w.cwnd += w.slow_start(acked) / w.cwnd

    def ssthresh(self, w, c):
        return max(w.cwnd / 2, 2.0)
"""
SCENARIO = 'rtt = "20ms"\nduration = "1s"\nflows = ["../elsewhere/mine.py"]\n[bottleneck]\nrate = "20Mbit"\n'
QUESTION = "Build and run it? [y/N]: "


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TERM", "dumb")
    for name, text in (("elsewhere/mine.py", LAW), ("study/scenario.toml", SCENARIO)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "study" / "scenario.toml"


def was_run(study: Path) -> bool:
    return (study.parents[1] / "elsewhere" / "was_run").exists()


def on_a_terminal(study: Path, typed: bytes) -> tuple[int, str]:
    """Start the command on a terminal, type when it asks, and return its exit code with what stood on the terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "windtunnel", "run", str(study), "--json"]
    process = subprocess.Popen(command, stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL, start_new_session=True)
    os.close(theirs)
    shown, has_typed, until = b"", False, time.monotonic() + 60
    while time.monotonic() < until:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                more = os.read(ours, 4096)
            except OSError:  # Linux: the other end is closed.
                break
            shown += more
            if not more:
                break
        if not has_typed and QUESTION.encode() in shown:
            os.write(ours, typed)
            has_typed = True
    os.close(ours)
    if not has_typed:
        process.kill()
        process.wait()
    assert has_typed, shown
    return process.wait(timeout=60), shown.decode().replace("\r\n", "\n")


def test_yes_builds_and_runs_it(study: Path) -> None:
    code, shown = on_a_terminal(study, b"y\n")
    assert code == 0, shown
    assert f"names code from elsewhere than its own folder: {study.parents[1] / 'elsewhere' / 'mine.py'}\n{QUESTION}" in shown
    assert was_run(study)


@pytest.mark.parametrize("typed", [b"n\n", b"\n", b"\x04"], ids=["no", "nothing", "end of file"])
def test_anything_else_builds_nothing(study: Path, typed: bytes) -> None:
    code, shown = on_a_terminal(study, typed)
    assert code == 2, shown
    error = shown.partition(QUESTION)[2].strip().splitlines()[-1]
    assert error.startswith("error: ") and "--trust" in error
    assert "Traceback" not in shown and not was_run(study)


def test_without_a_terminal_nobody_is_asked(study: Path) -> None:
    command = [sys.executable, "-m", "windtunnel", "run", str(study)]
    outcome = subprocess.run(command, input="y\n", capture_output=True, text=True, timeout=120, check=False)
    assert outcome.returncode == 2 and QUESTION not in outcome.stderr
    assert outcome.stderr.count("\n") == 1 and "--trust" in outcome.stderr
    assert not was_run(study)


def test_a_terminal_that_shows_no_question_is_none(study: Path) -> None:
    """Input from a terminal while stderr goes to a file: the question would not be seen."""
    ours, theirs = pty.openpty()
    os.write(ours, b"y\n")
    command = [sys.executable, "-m", "windtunnel", "run", str(study)]
    outcome = subprocess.run(command, stdin=theirs, capture_output=True, text=True, timeout=120, check=False)
    os.close(ours)
    os.close(theirs)
    assert outcome.returncode == 2 and QUESTION not in outcome.stderr and not was_run(study)
