"""Instructions per delivered data packet of laws from files beside the built-in ones, counted by callgrind. Run by `make bench`.

Two flows of Reno, as a C file and as a Rust library (the package in ``examples/rust-controller``), and two of CUBIC, as the unmodified
file of an installed Linux 6.1 and as a library of the built-in law itself (``benches/cubic-library``), may cost at most 1.3 times what
the built-in law costs: the exit code is 1 where one costs more. What cannot be counted here is said, and left out.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from instructions import ROOT, bench, instructions_per_packet

LIMIT = 1.3
SOURCE = "linux-source-6.1"
RENO = ROOT / "examples/rust-controller"
CUBIC = ROOT / "benches/cubic-library"


def rust_library(package: Path) -> Path:
    """Build a package in release mode; return its library."""
    target = ROOT / "build/bench" / package.name
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--target-dir", str(target)]
    subprocess.run(command, cwd=package, check=True)
    return next((target / "release").glob("*.so"))


def cubic(folder: Path) -> Path | None:
    """Unpack the kernel's CUBIC from the installed source into a folder; None where there is none."""
    tarball = next(iter(sorted(Path("/usr/src").glob(f"{SOURCE}.tar.*"))), None)
    if tarball is None:
        print(f"cubic as a file: not counted, no /usr/src/{SOURCE}.tar.*: .ci/kernel-source installs it")
        return None
    member = f"{SOURCE}/net/ipv4/tcp_cubic.c"
    subprocess.run(["tar", "-xf", str(tarball), "-C", str(folder), "--strip-components=3", member], check=True)
    return folder / "tcp_cubic.c"


def main() -> int:
    """Print the table; return 1 where a law from a file costs more than it may."""
    if shutil.which("valgrind") is None:
        print("laws from files: not counted, valgrind is not installed")
        return 0
    binary, is_within = bench("windtunnel-guest"), True
    print(f"{'law':<8} {'as':<14} {'instr/packet':>12} {'built-in':>9} {'times':>6}   at most {LIMIT}")
    with tempfile.TemporaryDirectory() as unpacked:
        files = [
            ("reno", "C file", ROOT / "benches/reno.c"),
            ("reno", "Rust library", rust_library(RENO)),
            ("cubic", "C file", cubic(Path(unpacked))),
            ("cubic", "Rust library", rust_library(CUBIC)),
        ]
        built_in: dict[str, float] = {}
        for law, kind, file in files:
            if file is None:
                continue
            # What is compiled once is compiled before anything is counted.
            subprocess.run([binary, law, str(file)], check=True, capture_output=True)
            built_in.setdefault(law, 0.0)
            built_in[law] = built_in[law] or instructions_per_packet(binary, law)
            counted = instructions_per_packet(binary, law, str(file))
            times = counted / built_in[law]
            is_within &= times <= LIMIT
            print(f"{law:<8} {kind:<14} {counted:>12.1f} {built_in[law]:>9.1f} {times:>6.2f}", flush=True)
    return int(not is_within)


if __name__ == "__main__":
    sys.exit(main())
