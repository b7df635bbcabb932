"""What a million flows on one link cost beside a thousand: processor time and instructions per delivered packet, and the largest memory.

    python benches/many_flows.py [--instructions]

Each flow has its 400 kbit/s of a link with a queue of one bandwidth-delay product, 3.3 packets per round trip of 100 ms: a thousand share
400 Mbit/s, a million 400 Gbit/s. They start within the first second, and none is sampled. Each run is a process of its own, as a user's is,
so memory counts all that Python holds; processor time is that of the run itself. The smallest of three rounds in turns.

With ``--instructions`` valgrind counts instead, with 10 000 flows for the larger run unless ``--flows`` says more: fifty times slower.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time

FEW, MANY = 1000, 1_000_000
RATE_BPS = 400e3
"""Of each flow."""
DURATION_S = 2.0
GROUPS = 100
"""Flows start in so many groups, over the first second."""
ROUNDS = 3
MOST_RATIO, MOST_BYTES = 3.0, 4e9


def document(flows: int) -> dict[str, object]:
    """Return the scenario of so many flows."""
    groups = [f"reno,count={flows // GROUPS},start={10 * number}ms" for number in range(GROUPS)]
    link = {"rate": f"{flows * RATE_BPS:.0f}", "queue": "1bdp"}
    return {"bottleneck": link, "flows": groups, "rtt": "100ms", "duration": f"{DURATION_S}s", "sample": 0, "warmup": "1s"}


def once(flows: int) -> None:
    """Run it in this process, and print what it took."""
    import windtunnel as wt
    from windtunnel.scenario import parse

    wt.run(parse(document(GROUPS)))  # What is loaded at the first run is no cost of flows.
    scenario = parse(document(flows))
    began = time.process_time()
    run = wt.run(scenario)
    taken_s = time.process_time() - began
    delivered = int(run.records.flows["delivered_bytes"].sum()) // 1448
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"packets": delivered, "cpu_s": taken_s, "engine_s": run.summary["engine"]["cpu_s"], "peak_bytes": peak}))


def measured(flows: int) -> dict[str, float]:
    """Run it in a process of its own."""
    done = subprocess.run([sys.executable, __file__, "--once", str(flows)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr.strip().splitlines()[-1])
    found: dict[str, float] = json.loads(done.stdout)
    return found


def instructions(flows: int) -> float:
    """Return instructions per delivered packet by valgrind; starting Python and reading the scenario is taken off."""
    counted = []
    for duration_s in (0.5, DURATION_S):
        code = f"import sys; sys.argv[1:] = []; sys.path.insert(0, {str(__file__).rpartition('/')[0]!r}); import many_flows; "
        code += f"many_flows.DURATION_S = {duration_s}; many_flows.once({flows})"
        with tempfile.TemporaryDirectory() as folder:
            command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", sys.executable, "-c", code]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        counted.append((int(re.findall(r"Collected : (\d+)", done.stderr)[0]), json.loads(done.stdout)["packets"]))
    (first, few), (second, many) = counted
    return (second - first) / (many - few)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--once", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--flows", type=int, help="of the larger run")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--instructions", action="store_true")
    asked = parser.parse_args()
    if asked.once:
        once(asked.once)
        return
    if asked.instructions:
        many = asked.flows or 10_000
        found = {flows: instructions(flows) for flows in (FEW, many)}
        for flows, each in found.items():
            print(f"{flows:>9,} flows: {each:8.0f} instructions a packet")
        print(f"{found[many] / found[FEW]:.2f} times those of {FEW} flows (at most {MOST_RATIO:g})")
        return
    many = asked.flows or MANY
    taken: dict[int, list[dict[str, float]]] = {FEW: [], many: []}
    for _ in range(asked.rounds):
        for flows, rounds in taken.items():
            rounds.append(measured(flows))
    cost = {}
    for flows, rounds in taken.items():
        least = min(rounds, key=lambda one: one["cpu_s"])
        cost[flows] = least["cpu_s"] / least["packets"] * 1e9
        engine_ns = least["engine_s"] / least["packets"] * 1e9
        peak = max(one["peak_bytes"] for one in rounds)
        print(
            f"{flows:>9,} flows: {least['packets']:>12,} packets, {cost[flows]:6.0f} ns of a processor each "
            f"({engine_ns:.0f} ns in the core), {peak / 1e9:5.2f} GB at most",
            flush=True,
        )
    print(f"{cost[many] / cost[FEW]:.2f} times the cost of {FEW} flows (at most {MOST_RATIO:g}), limit of memory {MOST_BYTES / 1e9:g} GB")


if __name__ == "__main__":
    main()
