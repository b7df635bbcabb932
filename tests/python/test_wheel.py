"""The wheel of this commit, where there is one (``make wheel``): installed into an empty environment and used, with no compiler."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_MB = 150
"""What a run and the Python API should weigh, installed."""
NEEDS_WHEEL = pytest.mark.skipif(
    subprocess.run([ROOT / ".ci/wheel-of-this-commit"], capture_output=True, check=False).returncode != 0,
    reason="dist/ has no wheel of this commit: make wheel",
)


@pytest.fixture(scope="module")
def done() -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / ".ci/wheel"], env={"PATH": "/usr/bin:/bin", "PYTHON": sys.executable}, capture_output=True, text=True, check=False
    )


@NEEDS_WHEEL
def test_the_wheel_alone_runs_draws_and_judges(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr


@NEEDS_WHEEL
def test_what_is_installed_with_the_wheel_is_small(done: subprocess.CompletedProcess[str]) -> None:
    said = re.search(r"([\d.]+) MB  in all", done.stdout)  # The first is of the wheel without extras.
    assert said is not None and float(said[1]) < MOST_MB
