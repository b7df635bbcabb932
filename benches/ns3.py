"""The same scenarios in the simulator, on a Linux kernel and in ns-3 (docs/comparisons/ns-3.md).

`python benches/ns3.py --install` installs Debian's ns-3 (as root); without it what is there is used. Prints the tables as Markdown. The
columns of one row are made one after another in one loop, so that costs are of the same machine under the same load.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from windtunnel.backends import backend
from windtunnel.backends.linux import store
from windtunnel.records import Records
from windtunnel.scenario import Scenario

HERE = Path(__file__).parent
PACKAGES = ("libns3-dev", "libgsl-dev", "libxml2-dev", "libsqlite3-dev")
MODULES = ("core", "internet", "applications", "point-to-point", "traffic-control")
NAMES = {
    "reno": "TcpLinuxReno",
    "cubic": "TcpCubic",
    "bic": "TcpBic",
    "hstcp": "TcpHighSpeed",
    "htcp": "TcpHtcp",
    "hybla": "TcpHybla",
    "illinois": "TcpIllinois",
    "lp": "TcpLp",
    "scalable": "TcpScalable",
    "vegas": "TcpVegas",
    "veno": "TcpVeno",
    "westwood": "TcpWestwood",
    "yeah": "TcpYeah",
    "bbr": "TcpBbr",
}
RATE_MBPS, RTT_MS, QUEUE, END_S, WARMUP_S, SEEDS = 20, 40, 67, 60, 20, 3


@dataclass(frozen=True)
class Made:
    """What a run gave: goodput per flow (Mbit/s), mean RTT (ms), CPU time per delivered packet (us)."""

    goodput: list[float]
    rtt_ms: float
    cpu_us: float


def built(folder: Path) -> Path:
    """Compile the dumbbell against the installed ns-3."""
    program = folder / "dumbbell"
    asked = ["pkg-config", "--cflags", "--libs", *(f"ns3-{one}" for one in MODULES)]
    flags = subprocess.run(asked, capture_output=True, text=True, check=True)
    command = ["g++", "-O2", "-std=c++17", "-o", str(program), str(HERE / "ns3/dumbbell.cc"), *shlex.split(flags.stdout)]
    subprocess.run(command, check=True)
    return program


def in_ns3(program: Path, names: list[str], seed: int) -> Made:
    """Run the dumbbell of ns-3."""
    options = {
        "algorithms": ",".join(NAMES[name] for name in names),
        "rate": f"{RATE_MBPS}Mbps",
        "rtt": f"{RTT_MS}ms",
        "queue": QUEUE,
        "duration": END_S,
        "warmup": WARMUP_S,
        "seed": seed,
    }
    done = subprocess.run([program, *(f"--{key}={value}" for key, value in options.items())], capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    return Made(said["goodput_mbps"], said["rtt_ms"], 1e6 * said["cpu_s"] / said["delivered"])


def scenario(names: list[str], seed: int) -> Scenario:
    """Return the same path and flows; starts are drawn within two seconds, as there."""
    flows = [{"algorithm": name, "start_s": (0.618034 * (seed + 7 * number)) % 1 * 2} for number, name in enumerate(names)]
    link = {"rate": f"{RATE_MBPS}Mbit", "queue": QUEUE}
    return Scenario(bottleneck=link, flows=flows, rtt=f"{RTT_MS}ms", duration_s=END_S, warmup_s=WARMUP_S, sample_s=0.1, seed=seed)


def on(name: str, asked: Scenario) -> Made:
    """Run it on a backend of ours."""
    made: Records = backend(name).run(asked)
    goodput = [8e-6 * float(carried) / (END_S - WARMUP_S) for carried in made.flows["window_goodput_bytes"]]
    rtts = [1e3 * float(one) for one in made.flows["mean_rtt_s"] if one is not None]
    cpu_us = 1e6 * float(made.facts.counters.get("cpu_s") or "nan") / float(made.flows["delivered_packets"].sum())
    return Made(goodput, fmean(rtts) if rtts else float("nan"), cpu_us)


def main() -> None:
    """Print the tables."""
    if "--install" in sys.argv[1:]:
        subprocess.run(["apt-get", "install", "-y", "-q", *PACKAGES], check=True)
    kernel = f"linux:{store.find('6.1').digest}"
    with tempfile.TemporaryDirectory() as folder:
        program = built(Path(folder))
        for title, others in (("alone", []), ("beside Reno", ["reno"])):
            print(f"\n{title}\n\n| | goodput, Mbit/s | | | RTT, ms | | | cost, us a packet | | |")
            print("|---|---|---|---|---|---|---|---|---|---|")
            print("|" + " | Windtunnel | Linux | ns-3" * 3 + " |")
            for name in NAMES:
                runs: list[list[Made]] = [[], [], []]
                for seed in range(1, SEEDS + 1):
                    asked = scenario([name, *others], seed)
                    runs[0].append(on("sim", asked))
                    runs[1].append(on(kernel, asked))
                    runs[2].append(in_ns3(program, [name, *others], seed))
                goodput = [f"{fmean(run.goodput[0] for run in side):.2f}" for side in runs]
                rtt = [f"{fmean(run.rtt_ms for run in side):.1f}" for side in runs]
                cost = [f"{median(run.cpu_us for run in side):.3g}" for side in runs]
                print(f"| {name} | {' | '.join([*goodput, *rtt, *cost])} |", flush=True)


if __name__ == "__main__":
    main()
