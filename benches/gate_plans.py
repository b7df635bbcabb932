"""What a plan of the gate costs, run whole: both sides, each with its wall time and its CPU time (docs/guides/gate.md).

`python benches/gate_plans.py 20min` runs one plan, `python benches/gate_plans.py` all three. The baseline's side goes into a
file, the other one is judged by it. Prints a table as Markdown.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from windtunnel import pool
from windtunnel.gate import PLANS

ROOT = Path(__file__).parents[1]
PAIRS = (("cubic", "cubic,beta=0.75"), ("bbr", "bbr,probe_gain=1.3"), ("reno", "benches/gate/reno_tenth.c"))
"""A law of windows, one that paces, which costs most of the built-in ones, and a C file."""


def timed(arguments: list[str]) -> tuple[int, float, float]:
    """Run the gate; return its exit code, wall seconds and CPU seconds, workers included."""
    began = time.monotonic()
    command = [sys.executable, "-m", "windtunnel", "gate", *arguments]
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(sys.executable, command, os.environ, file_actions=silent)
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), time.monotonic() - began, usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print the table."""
    os.chdir(ROOT)
    heads = ("plan", "judged", "runs of a side", "before: s", "CPU s", "now: s", "CPU s", "exit code")
    print(f"{pool.cores()} cores\n\n| {' | '.join(heads)} |\n{'|---' * len(heads)}|", flush=True)
    for name in sys.argv[1:] or PLANS:
        runs = len(PLANS[name].cells) * len(PLANS[name].seeds)
        for before, now in PAIRS:
            with tempfile.TemporaryDirectory() as folder:
                file = str(Path(folder) / "before.toml")
                code, *old = timed([before, "--plan", name, "--save", file])
                if code:
                    raise SystemExit(code)
                code, *new = timed([now if "/" not in now else f"./{now}", "--against", file, "--out", folder])
            print(f"| {name} | {now} by {before} | {runs} | {' | '.join(f'{one:.0f}' for one in (*old, *new))} | {code} |", flush=True)


if __name__ == "__main__":
    main()
