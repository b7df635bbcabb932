"""What people see who wait: a line every ten seconds in a log, a bar on a terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from windtunnel import progress
from windtunnel.experiment import Step
from windtunnel.progress import Progress
from windtunnel.report import writer
from windtunnel.report.model import Figure


def test_a_log_gets_a_line_every_while_and_none_afterwards(capfd: pytest.CaptureFixture[str]) -> None:
    assert progress.EVERY_S <= 10
    with Progress(quiet=False, every_s=0.05) as shown:
        shown.step("Running", 1, 4, share=0.5)
        time.sleep(0.3)
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) >= 2 and all(re.fullmatch(r"Running: 1/4 after \d+ s, about \d+ s left", line) for line in lines)
    time.sleep(0.1)
    assert capfd.readouterr().err == ""


def test_a_step_of_unknown_length_says_how_long_it_lasts(capfd: pytest.CaptureFixture[str]) -> None:
    with Progress(quiet=False, every_s=0.05) as shown:
        shown.step("Reading results")
        time.sleep(0.12)
    assert capfd.readouterr().err.splitlines()[0] == "Reading results: after 0 s"


def test_a_command_that_prints_json_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    with Progress(quiet=True, every_s=0.01) as shown:
        shown.step("Running")
        time.sleep(0.05)
    assert capfd.readouterr().err == ""


def test_a_grid_tells_its_runs_by_their_weight(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Progress.__init__, "__kwdefaults__", {"every_s": 0.05})
    with progress.progress(quiet=False) as on_step:
        on_step(Step("runs", done=3, total=12, weight_done=50.0, weight_total=100.0))
        time.sleep(0.12)
    assert capfd.readouterr().err.startswith("Running: 3/12 after 0 s, about 0 s left\n")


def test_a_finished_bar_has_no_time_left() -> None:
    # Rich shows there the time that a finished task took, which read "left: 0:00:26".
    assert progress.left_words(26.0, finished=True) == "" and progress.left_words(None, finished=False) == ""
    assert progress.left_words(3626.0, finished=False) == "left: 1:00:26"


def on_terminal(program: str) -> tuple[int, bytes]:
    """Run a program of Python with a terminal as its standard error; return its exit code and what the terminal was sent."""
    reader, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    ran = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=terminal, env=environment)
    os.close(terminal)
    seen = b""
    while True:
        try:
            part = os.read(reader, 4096)
        except OSError:  # The other side has closed it.
            break
        if not part:
            break
        seen += part
    os.close(reader)
    return ran.wait(), seen


def test_a_step_that_begins_under_a_bar_joins_it() -> None:
    # A bar draws a new step as it is added.
    code, seen = on_terminal(
        "import time\n"
        "from windtunnel import progress\n"
        "progress.PATIENCE_S = 0.0\n"
        "with progress.Progress(quiet=False) as shown:\n"
        "    for what in ('Running', 'Measuring'):\n"
        "        shown.step(what, 1, 4)\n"
        "        time.sleep(0.4)\n"
    )
    assert code == 0, seen.decode()
    assert b"Running" in seen and b"Measuring" in seen and b"1/4" in seen


def test_a_long_run_shows_a_bar_on_a_terminal() -> None:
    program = (
        "import sys, time, types\n"
        "from windtunnel.backends.sim import Simulator\n"
        "plain = Simulator.run\n"
        "Simulator.run = lambda self, scenario: (time.sleep(1.6), plain(self, scenario))[1]\n"
        "from windtunnel.cli import main\n"
        "sys.exit(main('run --rate 1Mbit --rtt 20ms --flow reno --duration 1s'.split()))\n"
    )
    code, seen = on_terminal(program)
    assert code == 0
    assert b"Running 1 s on simulator" in seen and b"left: 0:00" not in seen


def test_a_report_tells_each_figure_that_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from windtunnel.report import making

    told: list[tuple[int, int]] = []
    monkeypatch.setattr(making, "_make_part", lambda part, folder, frame: dict.fromkeys(part.figures, (1.0, 1.0)))
    figures = dict.fromkeys(("one", "two", "three"), Figure.__new__(Figure))
    making.make(figures, [], tmp_path, writer.Frame("", ""), jobs=1, on_step=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_function_prints_nothing_into_a_programs_log(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Progress.__init__, "__kwdefaults__", {"every_s": 0.01})
    with progress.progress(quiet=False, log=False) as on_step:
        on_step(Step("runs", done=3, total=12, weight_done=50.0, weight_total=100.0))
        time.sleep(0.05)
    assert capfd.readouterr().err == ""
