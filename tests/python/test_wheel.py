"""The wheel of this commit, where there is one (``make wheel``): installed into an empty environment and used, with no compiler."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_MB = 150
"""What a run and the Python API may weigh, installed."""


def _has_wheel() -> bool:
    return subprocess.run([ROOT / ".ci/wheel-of-this-commit"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not _has_wheel(), reason="dist/ has no wheel of this commit: make wheel")
def test_somebody_with_python_alone_runs_draws_and_judges_with_the_wheel() -> None:
    done = subprocess.run(
        [ROOT / ".ci/wheel"], env={"PATH": "/usr/bin:/bin", "PYTHON": sys.executable}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = re.search(r"([\d.]+) MB  in all", done.stdout)
    assert said is not None and float(said[1]) < MOST_MB
