"""Time per delivered data packet beside that of an earlier build, in turns on this machine. Run by `make bench`.

Nanoseconds move by a factor of two from one minute to the next, ratios of runs that take turns do not. The build of before is that of
the commit which stored the baseline of instructions, or of the commit that ``BEFORE`` names; it is made once and kept in
``build/bench``.
"""

import os
import re
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "build" / "bench"
BUILD = ["cargo", "bench", "--locked", "-p", "windtunnel-sim", "--bench", "packet", "--no-run"]
ROUNDS = 5


def said(*command: str, folder: Path = ROOT, **environment: str) -> str:
    """Return what a command prints, on both streams."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, env=os.environ | environment)
    return done.stdout + done.stderr


def built(folder: Path, **environment: str) -> Path:
    """Build the bench of a tree as what is shipped of it is built; return the path of the binary."""
    profiled = [".ci/with-profile"] if (folder / ".ci/with-profile").exists() else []
    return folder / re.findall(r"\((.*packet-[0-9a-f]+)\)", said(*profiled, *BUILD, folder=folder, **environment))[-1]


def built_before() -> tuple[str, Path]:
    """Return the commit of before, and its binary."""
    given = os.environ.get("BEFORE") or said("git", "log", "-1", "--format=%H", "--", "benches/instructions.json").strip()
    commit = said("git", "rev-parse", "--short=12", given).strip()
    binary = KEPT / commit
    if not binary.exists():
        tree = KEPT / f"{commit}.tree"
        said("git", "worktree", "add", "--force", "--detach", str(tree), commit)
        try:
            built(tree, CARGO_TARGET_DIR=str(KEPT / "target")).rename(binary)
        finally:
            said("git", "worktree", "remove", "--force", str(tree))
    return commit, binary


def cases(binary: Path) -> list[str]:
    """Return the names of a binary's scenarios."""
    return said(str(binary), "list").split()


def ns_per_packet(binary: Path, case: str) -> float:
    """Run one scenario once; return its CPU time per delivered packet in nanoseconds."""
    process = subprocess.Popen([binary, case], stdout=subprocess.PIPE, text=True)
    printed = process.stdout.read() if process.stdout else ""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{binary} {case} ended with {process.returncode}")
    return used.ru_utime * 1e9 / int(printed)


def main() -> None:
    """Print the table of medians."""
    commit, before = built_before()
    now = built(ROOT)
    known = set(cases(before))
    print(f"CPU time, ns per packet; before: {commit}")
    print(f"{'scenario':<18} {'before':>9} {'now':>9} {'ratio':>7}")
    for case in cases(now):
        if case not in known:
            continue
        turns = [(ns_per_packet(before, case), ns_per_packet(now, case)) for _ in range(ROUNDS)]
        old, new = (statistics.median(times) for times in zip(*turns, strict=True))
        ratio = statistics.median(new / old for old, new in turns)
        print(f"{case:<18} {old:>9.1f} {new:>9.1f} {ratio:>7.2f}", flush=True)


if __name__ == "__main__":
    main()
