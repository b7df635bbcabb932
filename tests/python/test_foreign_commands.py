"""The commands that results and pages show can be typed again: a file stands in them as it was given, its key behind a `#`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from controllers import Write

from windtunnel.cli.grids import keys_beside
from windtunnel.store import open_results

Cli = Callable[..., Any]
KEY = r"[0-9a-f]{16}"


def test_a_suites_command_names_the_file_as_it_was_given(cli: Cli, written: Write, tmp_path: Path) -> None:
    mine = written("own/mine.c")
    asked = ["suite", "run", "li07.fig4", "--quick", "--seeds", "1", "--alg", f"reno,{mine}"]
    outcome = cli(*asked, "--jobs", "1")
    assert outcome.code == 0, outcome.err
    command = open_results(tmp_path / "results").facts["command"]
    found = re.fullmatch(rf"windtunnel (suite run .*?)  # mine.c:{KEY}", command)
    assert found is not None, command
    # In a shell the rest of the line is a comment: what it runs is what was asked for, and what is there is not run again.
    assert sorted(shlex.split(command, comments=True)[1:]) == sorted(asked)
    runs = sorted((tmp_path / "results" / "runs").rglob("*.parquet"))
    again = cli(*shlex.split(found[1]), "--jobs", "1")
    assert again.code == 0 and runs and sorted((tmp_path / "results" / "runs").rglob("*.parquet")) == runs, again.err
    reported = cli("report", "results")
    assert reported.code == 0, reported.err
    pages = tmp_path / "results" / "report"
    index = (pages / "index.html").read_text(encoding="utf-8")
    assert f"--alg reno,{mine}" in index and "--alg reno,mine.c:" not in index
    # The page of a run says what its scenario needs, and how that is made again.
    shown = [page.read_text(encoding="utf-8") for page in (pages / "runs").glob("*.html")]
    told = [page for page in shown if re.search(rf"It needs <code>mine.c:{KEY}</code>", page)]
    assert told and all("<code>windtunnel algorithms ./mine.c</code>" in page for page in told) and len(told) < len(shown)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (None, ""),
        (("reno", "cubic"), ""),
        (
            ("reno", "a.c:0123456789abcdef", "b.py:0123456789abcdef", "a.c:0123456789abcdef"),
            "  # a.c:0123456789abcdef, b.py:0123456789abcdef",
        ),
    ],
)
def test_the_keys_stand_behind_a_hash_each_once(names: tuple[str, ...] | None, said: str) -> None:
    assert keys_beside(names) == said
