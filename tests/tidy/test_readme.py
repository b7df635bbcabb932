"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_python_lines_run_and_draw(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "cwnd_packets" in done.stdout
    assert (tmp_path / "overview.svg").stat().st_size > 1000


def test_the_first_run_of_the_shell_section_works(tmp_path: Path) -> None:
    command = next(line for line in README.splitlines() if line.startswith("    .venv/bin/windtunnel run --rate"))
    done = subprocess.run(
        [sys.executable, "-m", "windtunnel", *shlex.split(command)[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "htcp" in done.stdout
