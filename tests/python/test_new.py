"""A folder to begin with: everything in it works at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from controllers import require_compiler

ROOT = Path(__file__).resolve().parents[2]
Cli = Callable[..., Any]


@pytest.fixture
def here(tmp_path: Path, controller_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    require_compiler()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(controller_cache))
    return tmp_path


def test_a_new_folder_works_at_once(cli: Cli, here: Path) -> None:
    outcome = cli("new", "swift", "--language", "c")
    assert outcome.code == 0, outcome.err
    files = ["swift/.github/workflows/check.yml", "swift/README.md", "swift/scenario.toml", "swift/swift.c", "swift/test_law.py"]
    assert sorted(outcome.out.split()) == files
    assert not [name for name in files if "NAME" in (here / name).read_text(encoding="utf-8")]
    done = subprocess.run([sys.executable, "test_law.py"], cwd=here / "swift", capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.count(": fine") == 3, done.stderr
    run = cli("run", "swift/scenario.toml")
    assert run.code == 0 and " swift.c " in run.out
    described = cli("algorithms", "swift/swift.c")
    assert "the longer there was no loss, the faster the window grows" in described.out


def test_the_laws_test_notices_another_law(cli: Cli, here: Path) -> None:
    assert cli("new", "swift").code == 0
    law = here / "swift/swift.c"
    text = law.read_text(encoding="utf-8")
    for old, new, failing in (("* keep / 100", "* keep / 110", "seventy"), ("(1 + seconds)", "(1 + 2 * seconds)", "by_two")):
        assert old in text
        law.write_text(text.replace(old, new), encoding="utf-8")
        command = [sys.executable, "test_law.py"]
        done = subprocess.run(command, cwd=here / "swift", capture_output=True, text=True, check=False, env={**os.environ})
        assert done.returncode == 1 and "AssertionError" in done.stderr and failing in done.stderr


def test_the_example_is_what_a_new_folder_begins_with() -> None:
    template = (ROOT / "python/windtunnel/skeletons/c/NAME.c").read_text(encoding="utf-8")
    assert template.replace("NAME", "mine") == (ROOT / "examples/c-controller/mine.c").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("new", "cubic"), "name: 'cubic' is a built-in algorithm's"),
        (("new", "Mine"), "name: 'Mine' cannot be one's name in C and in the kernel"),
        (("new", "a" * 16), "allowed: another, a lowercase letter, then at most fourteen"),
        (("new", "mine", "--language", "cobol"), "language: 'cobol' is not known; allowed: c"),
    ],
)
def test_bad_names_are_refused(cli: Cli, here: Path, arguments: tuple[str, ...], said: str) -> None:
    outcome = cli(*arguments)
    assert outcome.code == 2 and said in outcome.err and not list(here.iterdir())


def test_a_folder_that_is_there_stays_as_it_is(cli: Cli, here: Path) -> None:
    (here / "mine").mkdir()
    outcome = cli("new", "mine")
    assert outcome.code == 2 and outcome.err == "error: mine: is there already; allowed: a new folder\n"
