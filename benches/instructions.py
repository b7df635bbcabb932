"""Instructions per delivered data packet, counted by callgrind, beside the stored baseline. Run by `make bench`.

Counts repeat exactly for one binary, whatever else the machine does, where nanoseconds do not. `--store` writes the
baseline anew: do that only on purpose, and say why in the commit. What is counted is compiled as what is shipped: with the profile
(`make profile`) if this compiler made it. The profile comes from other scenarios than those that are counted here.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BASELINE = Path(__file__).with_name("instructions.json")


def bench(package: str) -> str:
    """Build a package's bench `packet` as what is shipped is built; return the path of the binary."""
    command = [".ci/with-profile", "cargo", "bench", "--locked", "-p", package, "--bench", "packet", "--no-run"]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return str(ROOT / re.findall(r"\((.*packet-[0-9a-f]+)\)", built.stderr)[-1])


def instructions_per_packet(binary: str, *case: str) -> float:
    """Run one scenario under callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", binary, *case]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    collected = int(re.findall(r"Collected : (\d+)", done.stderr)[0])
    return collected / int(done.stdout)


def main() -> None:
    """Print the table; with ``--store``, keep it as the baseline."""
    if shutil.which("valgrind") is None:
        print("instructions per packet: not counted, valgrind is not installed")
        return
    binary = bench("windtunnel-sim")
    cases = subprocess.run([binary, "list"], capture_output=True, text=True, check=True).stdout.split()
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    counted = {}
    print(f"{'scenario':<18} {'instr/packet':>12} {'baseline':>9} {'change':>8}")
    for case in cases:
        counted[case] = round(instructions_per_packet(binary, case), 1)
        before = baseline.get(case)
        change = f"{100 * (counted[case] / before - 1):+.1f} %" if before else ""
        print(f"{case:<18} {counted[case]:>12} {before or '':>9} {change:>8}", flush=True)
    if "--store" in sys.argv:
        BASELINE.write_text(json.dumps(counted, indent=2) + "\n")


if __name__ == "__main__":
    main()
