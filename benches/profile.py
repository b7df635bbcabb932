"""What of the core is taken how often, as the compiler wants to know it: the profile in ``data/profile``. Run by `make profile`.

The bench is compiled with counters, runs its training set (``crates/sim/benches/packet/training.rs``, none of the scenarios that are
counted), and the counts are merged into one file, named after the compiler that made it: no other can use it. Needs ``llvm-profdata`` of
the compiler's own LLVM, from rustup's component ``llvm-tools`` or the package ``llvm-NN``.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "data" / "profile"
MADE = ROOT / "build" / "profile"
BUILD = ["cargo", "bench", "--locked", "-p", "windtunnel-sim", "--bench", "packet", "--no-run"]


def compiler() -> dict[str, str]:
    """Return what the compiler says of itself: ``host``, ``commit-hash``, ``LLVM version`` and more."""
    said = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    return dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)


def merger(about: dict[str, str]) -> str:
    """Return the path of ``llvm-profdata`` of the compiler's LLVM."""
    major = about["LLVM version"].split(".")[0]
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    places = [
        f"{sysroot}/lib/rustlib/{about['host']}/bin/llvm-profdata",
        f"llvm-profdata-{major}",
        f"/usr/lib/llvm-{major}/bin/llvm-profdata",
    ]
    for place in places:
        if found := shutil.which(place):
            return found
    sys.exit(f"llvm-profdata of LLVM {major} is needed: rustup component add llvm-tools, or the package llvm-{major}")


def main() -> None:
    """Make the profile anew."""
    about = compiler()
    merge = merger(about)
    with tempfile.TemporaryDirectory() as counts:
        given = {
            "CARGO_ENCODED_RUSTFLAGS": f"-Cprofile-generate={MADE}",
            "CARGO_TARGET_DIR": str(MADE),
            # Build scripts and macros are compiled with counters too: theirs are not kept.
            "LLVM_PROFILE_FILE": os.devnull,
        }
        built = subprocess.run(BUILD, cwd=ROOT, env=os.environ | given, capture_output=True, text=True)
        if built.returncode:
            sys.exit(built.stderr)
        binary = re.findall(r"\((.*packet-[0-9a-f]+)\)", built.stderr)[-1]
        subprocess.run([binary, "train"], cwd=ROOT, check=True, env=os.environ | {"LLVM_PROFILE_FILE": f"{counts}/%p.profraw"})
        KEPT.mkdir(exist_ok=True)
        for old in KEPT.glob("*.profdata"):
            old.unlink()
        made = KEPT / f"{about['commit-hash']}-{about['host']}.profdata"
        subprocess.run([merge, "merge", "--sparse", f"--output={made}", counts], check=True)
    print(f"{made.relative_to(ROOT)}: {made.stat().st_size // 1000} kB, for rustc {about['release']}")


if __name__ == "__main__":
    main()
