"""What a million flows on one link cost beside a thousand: processor time per packet, and the largest memory. Run by `make bench`.

    python benches/many_flows.py [--flows N] [--rounds N]

Each flow has 400 kbit/s of a link with a queue of one bandwidth-delay product and a base RTT of 40 ms: a thousand share 400 Mbit/s, a
million 400 Gbit/s. They start within the first second of two. `transfers` send 30 kB each, and nothing is lost; `endless` ones have two
packets each in path and queue together, and lose many. None is sampled. Each measurement is a process of its own, as a user's is, so memory
counts all that Python holds; the thousand run as often as makes many packets. The smallest of the rounds, which take turns.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

FEW, MANY = 1000, 1_000_000
RATE_BPS = 400e3
"""Of each flow."""
GROUPS = 100
"""Flows start in so many groups, over the first second."""
KINDS = {"transfers": ",bytes=30kB", "endless": ""}
ROUNDS = 2
TIMES = 30
"""How often the thousand run."""
MOST_RATIO, MOST_BYTES = 3.0, 4e9


def document(kind: str, flows: int) -> dict[str, object]:
    """Return the scenario of so many flows."""
    groups = [f"reno,count={flows // GROUPS},start={10 * number}ms{KINDS[kind]}" for number in range(GROUPS)]
    link = {"rate": f"{flows * RATE_BPS:.0f}", "queue": "1bdp"}
    return {"bottleneck": link, "flows": groups, "rtt": "40ms", "duration": "2s", "sample": 0, "warmup": "0s"}


def once(kind: str, flows: int) -> None:
    """Run it in this process, and print what it took."""
    import windtunnel as wt
    from windtunnel.scenario import parse

    wt.run(parse(document(kind, GROUPS)))  # What is loaded at the first run is no cost of flows.
    scenario = parse(document(kind, flows))
    packets, began, core_s = 0, time.process_time(), 0.0
    for _ in range(TIMES if flows == FEW else 1):
        run = wt.run(scenario)
        core_s += run.records.facts.counters["cpu_s"]
        packets += int(run.records.flows["delivered_bytes"].sum()) // 1448
    taken_s = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"packets": packets, "cpu_s": taken_s, "core_s": core_s, "peak_bytes": peak}))


def measured(kind: str, flows: int) -> dict[str, float]:
    """Run it in a process of its own."""
    done = subprocess.run([sys.executable, __file__, "--once", kind, str(flows)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr.strip().splitlines()[-1])
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--once", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--flows", type=int, default=MANY, help="of the larger run")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    if asked.once:
        once(asked.once[0], int(asked.once[1]))
        return
    for kind in KINDS:
        taken: dict[int, list[dict[str, float]]] = {FEW: [], asked.flows: []}
        for _ in range(asked.rounds):
            for flows, rounds in taken.items():
                rounds.append(measured(kind, flows))
        cost = {}
        for flows, rounds in taken.items():
            least = min(rounds, key=lambda one: one["cpu_s"])
            cost[flows] = least["cpu_s"] / least["packets"] * 1e9
            core_ns, peak = least["core_s"] / least["packets"] * 1e9, max(one["peak_bytes"] for one in rounds)
            print(
                f"{kind:<10} {flows:>9,} flows: {least['packets']:>11,} packets, {cost[flows]:5.0f} ns of a processor each "
                f"({core_ns:.0f} in the core), {peak / 1e9:5.2f} GB at most",
                flush=True,
            )
        print(f"{kind:<10} {cost[asked.flows] / cost[FEW]:.2f} times the cost (at most {MOST_RATIO:g}; memory: {MOST_BYTES / 1e9:g} GB)")


if __name__ == "__main__":
    main()
