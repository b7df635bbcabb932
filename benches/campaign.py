"""Two local Dask workers beside the process pool, and what a thousand workers are expected to lose: writes docs/concepts/campaign-cost.md.

    python benches/campaign.py [RUNS]          # measure both and write the page
    python benches/campaign.py --page          # write the page anew from benches/campaign.json

The grid is made in parts, in turns on the pool and on Dask, from the call to its return: whatever else the machine does meets both. Both
are started once, which is timed apart. The time of the processors is that of all processes, which says more than the clock where others
want them.

The model's costs are measured with a scheduler in a process of its own: processor time of scheduler and command for a task and for a run.
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import windtunnel as wt
from windtunnel.campaign import Campaign, local
from windtunnel.campaign.cluster import ANSWER_S
from windtunnel.campaign.crew import AHEAD
from windtunnel.campaign.link import opened
from windtunnel.experiment import away, runner
from windtunnel.pool import kept
from windtunnel.store import PACK_AT
from windtunnel.store import runs as stored
from windtunnel.sweeps import carry_out, checked

ROOT = Path(__file__).resolve().parents[1]
KEPT, PAGE = Path(__file__).with_suffix(".json"), ROOT / "docs/concepts/campaign-cost.md"
sys.path.insert(0, str(ROOT / "tests/python/helpers"))
PARTS = 4
ALGORITHMS, RTTS_S = ("reno", "cubic", "htcp", "bbr", "vegas"), tuple(round(0.01 * (1 + number), 3) for number in range(10))
WORKERS = 2
COUNTED = 500
"""Runs from which the model's costs are taken; so many are packed here, as a thousand are elsewhere."""
TOGETHER = (1, 5, 20)
"""Runs of a task: one by itself is stored as it is, several come as a pack."""
IDLE_S = 10.0
PACKETS_S = 1.6e7
"""Packets that a processor makes in a second, as in the grid of two flows."""
MOST_RATIO, LEAST_EFFICIENCY = 1.1, 0.9


def pair(alg: str, rtt_s: float, part: float) -> wt.Scenario:
    """Return a run of some 0.1 s: two flows for five minutes."""
    link = wt.Bottleneck(rate_bps=100e6, queue_bdp=0.5)
    return wt.Scenario(bottleneck=link, flows=(alg, alg), rtt_s=rtt_s, duration_s=300.0 + part, warmup_s=20.0, sample_s=0.1)


def small(alg: str, rtt_s: float, part: float) -> wt.Scenario:
    """Return a run of a few milliseconds, of which little but its overhead is left."""
    link = wt.Bottleneck(rate_bps=10e6, queue_bdp=0.5)
    return wt.Scenario(bottleneck=link, flows=(alg, alg), rtt_s=rtt_s, duration_s=10.0 + part, warmup_s=2.0, sample_s=0.1)


def sweep(make: Callable[..., wt.Scenario], part: int, seeds: int, folder: Path, campaign: Campaign | None) -> None:
    """Carry out one part of a grid."""
    over = {"alg": ALGORITHMS, "rtt_s": RTTS_S, "part": [float(part)]}
    asked = checked(make, over=over, seeds=seeds, measures=["util", "jain", "drops_pkts"], kept="rates", name=f"part{part}")
    carry_out(asked, asked.plan(), folder, jobs=WORKERS, command="bench", on_step=lambda step: None, campaign=campaign)


def _family(pid: int) -> list[int]:
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text(encoding="utf-8").split()):
            found += _family(child)
    return found


def used_s() -> float:
    """Return the processor time of this process, of its children, and of theirs, those that have ended included."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime + sum(map(_cpu_s, _family(os.getpid())))


def _timed(what: Callable[[], None]) -> tuple[float, float]:
    began, used = time.perf_counter(), used_s()
    what()
    return time.perf_counter() - began, used_s() - used


def side_by_side(runs: int) -> dict[str, Any]:
    """Return what pool and Dask took of the clock and of the processors for the same grid, seconds: starting them, and each part."""
    seeds = max(runs // PARTS // (len(ALGORITHMS) * len(RTTS_S)), 1)
    taken: dict[str, list[tuple[float, float]]] = {"pool": [], "dask": []}
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as opened_ones:
        campaigns: list[Campaign] = []
        # The first runs of a pool start its processes; Dask's are there when the cluster is, and load the core with the first run.
        sides: dict[str, Callable[[int, int], None]] = {
            "pool": lambda part, repeats: sweep(pair, part, repeats, Path(scratch) / "pool", None),
            "dask": lambda part, repeats: sweep(pair, part, repeats, Path(scratch) / "dask", campaigns[0]),
        }
        opened_ones.enter_context(kept(WORKERS))
        taken["pool"].append(_timed(lambda: sweep(small, PARTS, 1, Path(scratch) / "pool", None)))

        def start() -> None:
            campaigns.append(opened_ones.enter_context(local(WORKERS, note=lambda line: None)))
            sweep(small, PARTS, 1, Path(scratch) / "dask", campaigns[0])

        taken["dask"].append(_timed(start))
        for part in range(PARTS):
            for kind in ("pool", "dask") if part % 2 == 0 else ("dask", "pool"):
                taken[kind].append(_timed(lambda kind=kind, part=part: sides[kind](part, seeds)))  # type: ignore[misc]
                print(
                    f"part {part + 1} of {PARTS}, {kind}: {taken[kind][-1][0]:.1f} s, {taken[kind][-1][1]:.1f} s of processors", flush=True
                )
    found: dict[str, Any] = {"runs": PARTS * seeds * len(ALGORITHMS) * len(RTTS_S)}
    for kind, parts in taken.items():
        found[kind] = {"clock_s": [round(clock, 2) for clock, _ in parts], "cpu_s": [round(cpu, 2) for _, cpu in parts]}
    return found


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def costs() -> dict[str, float]:
    """Return the processor time of command and scheduler for a task and for a run, seconds."""
    from clusters import cluster

    seeds = COUNTED // (len(ALGORITHMS) * len(RTTS_S))
    runs = seeds * len(ALGORITHMS) * len(RTTS_S)
    found: dict[int, tuple[float, float, int]] = {}
    usual = away.MOST_TOGETHER, PACK_AT
    runner.PACK_AT = stored.PACK_AT = COUNTED
    with tempfile.TemporaryDirectory() as scratch, cluster() as made:
        for _ in range(WORKERS):
            made.start_worker()
        client = opened(made.address, timeout_s=ANSWER_S)
        client.wait_for_workers(WORKERS)
        sweep(small, 0, 1, Path(scratch) / "warm", Campaign(client))
        idle = _idle(made.scheduler.pid)
        for together in TOGETHER:
            away.MOST_TOGETHER = together
            began, used, scheduled = time.perf_counter(), time.process_time(), _cpu_s(made.scheduler.pid)
            sweep(small, 0, seeds, Path(scratch) / str(together), Campaign(client))
            own, other = time.process_time() - used, _cpu_s(made.scheduler.pid) - scheduled
            found[together] = (own, max(other - idle * (time.perf_counter() - began), 0.0), -(-runs // together))
            print(f"{runs} runs, {together} a task: command {own:.2f} s, scheduler {found[together][1]:.2f} s", flush=True)
        client.close()
    away.MOST_TOGETHER, runner.PACK_AT = usual
    stored.PACK_AT = runner.PACK_AT
    alone, few, many = (found[together] for together in TOGETHER)
    command_task_s, scheduler_task_s = (max((few[at] - many[at]) / (few[2] - many[2]), 0.0) for at in (0, 1))
    scheduler_run_s = max((many[1] - many[2] * scheduler_task_s) / runs, 0.0)
    return {
        "command_task_s": command_task_s,
        "command_run_s": (many[0] - many[2] * command_task_s) / runs,
        "scheduler_task_s": scheduler_task_s,
        "scheduler_run_s": scheduler_run_s,
        "command_alone_s": alone[0] / runs,
        "scheduler_alone_s": max(alone[1] / runs, scheduler_task_s + scheduler_run_s),
    }


def _idle(pid: int) -> float:
    """Return what share of a processor a process takes when nothing is asked of it."""
    before = _cpu_s(pid)
    time.sleep(IDLE_S)
    return (_cpu_s(pid) - before) / IDLE_S


@dataclass(frozen=True)
class Model:
    """A campaign: one command, one scheduler, workers of one thread; each does one thing at a time.

    Parameters
    ----------
    command_task_s, command_run_s : float
        What the command takes for handing over a task and taking its answer, and for each run of it: planning, storing and packing it.
    scheduler_task_s, scheduler_run_s : float
        What the scheduler takes for a task, and more for each run of it.
    command_alone_s, scheduler_alone_s : float
        What both take for a run that is a task by itself.
    """

    command_task_s: float
    command_run_s: float
    scheduler_task_s: float
    scheduler_run_s: float
    command_alone_s: float
    scheduler_alone_s: float

    def efficiency(self, workers: int, run_s: float, each: int, together: int = 1) -> float:
        """Return the share of the workers' time in which they make runs, until the last run is stored.

        Parameters
        ----------
        workers : int
            Of one thread each.
        run_s : float
            What a run takes.
        each : int
            Runs for each worker.
        together : int
            Runs of a task.
        """
        tasks = workers * each // together
        scheduling_s, commanding_s = (
            (self.scheduler_alone_s / 2, self.command_alone_s)
            if together == 1
            else ((self.scheduler_task_s + self.scheduler_run_s * together) / 2, self.command_task_s + self.command_run_s * together)
        )
        handing_s = min(self.command_task_s, commanding_s) / 2
        command = scheduler = 0.0
        free = [0.0] * workers
        events: list[tuple[float, int, str]] = []
        waiting, number = tasks, 0

        def come(at: float, what: str) -> None:
            nonlocal number
            number += 1
            heapq.heappush(events, (at, number, what))

        def hand_over() -> None:
            nonlocal command, waiting
            waiting -= 1
            command += handing_s
            come(command, "to the scheduler")

        for _ in range(min(AHEAD * workers, tasks)):
            hand_over()
        while events:
            at, _, what = heapq.heappop(events)
            if what == "to the command":
                command = max(command, at) + commanding_s - handing_s
                if waiting:
                    hand_over()
                continue
            scheduler = max(scheduler, at) + scheduling_s
            if what == "done":
                come(scheduler, "to the command")
            else:
                end = max(heapq.heappop(free), scheduler) + run_s * together
                heapq.heappush(free, end)
                come(end, "done")
        return tasks * together * run_s / (workers * command)


RUNS_S = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0)
FARMS = (2, 10, 100, 1000)
EACH = 100


def together(workers: int, run_s: float) -> int:
    """Return how many runs go into a task, as `windtunnel.experiment.away` decides it."""
    most = min(max(away.BATCH_PACKETS, away.BATCH_PACKETS_A_THREAD * workers) / (run_s * PACKETS_S), EACH / away.BATCHES_EACH)
    return max(1, min(int(most), away.MOST_TOGETHER))


def expected(model: Model, workers: int, run_s: float) -> float:
    """Return the efficiency with as many runs in a task as there would be."""
    return model.efficiency(workers, run_s, EACH, together(workers, run_s))


def shortest(model: Model, workers: int) -> float:
    """Return the shortest run, of those looked at, from which the efficiency is what is asked for."""
    steps = [round(0.05 * 1.1**number, 3) for number in range(90)]
    return next(run_s for run_s in steps if expected(model, workers, run_s) >= LEAST_EFFICIENCY)


def _beside(beside: dict[str, Any]) -> list[str]:
    rows = []
    for name, what in (("by the clock", "clock_s"), ("time of the processors", "cpu_s")):
        for part, of in (("starting", slice(0, 1)), ("the grid", slice(1, None)), ("both", slice(0, None))):
            pool, dask = (sum(beside[kind][what][of]) for kind in ("pool", "dask"))
            rows.append(f"| {part}, {name}, s | {pool:.1f} | {dask:.1f} | {dask / pool:.2f} |")
    return [
        "## Two workers beside the process pool",
        "",
        f"A grid of {beside['runs']} runs (five algorithms, ten RTTs, two flows for five minutes at 100 Mbit/s), in {PARTS} parts, in",
        "turns on two worker processes of the pool and on two local Dask workers. Starting is with 50 small runs.",
        f"Limit: {MOST_RATIO:g} times the pool, for 2000 runs. Where the machine has much else to do the clock says little.",
        "",
        "| | process pool | two Dask workers | ratio |",
        "|---|---|---|---|",
        *rows,
        "",
    ]


def page(found: dict[str, Any]) -> str:
    """Return the page."""
    model = Model(**found["costs"])
    ms = {name: f"{value * 1e3:.2f}" for name, value in found["costs"].items()}
    row = [f"| {run_s:g} s | " + " | ".join(f"{expected(model, workers, run_s):.2f}" for workers in FARMS) + " |" for run_s in RUNS_S]
    lines = [
        "# What a campaign costs",
        "",
        "Generated by `make campaign-cost` from what it measured (benches/campaign.json).",
        "",
        *(_beside(found["beside"]) if "beside" in found else []),
        "## A thousand workers, modelled",
        "",
        f"Measured on {found['measured']['on']}, {found['measured']['load']} processes beside it, with the scheduler",
        "in a process of its own, per task and per run, milliseconds of a processor; where others run, each takes longer:",
        "",
        "| | for a task | for each run of it |",
        "|---|---|---|",
        f"| command: hands over, takes the answer; plans, stores and packs | {ms['command_task_s']} | {ms['command_run_s']} |",
        f"| scheduler | {ms['scheduler_task_s']} | {ms['scheduler_run_s']} |",
        "",
        f"A run that is a task by itself takes {ms['command_alone_s']} ms of the command and {ms['scheduler_alone_s']} ms of the",
        "scheduler: its files are written one by one, and read again when they are packed. Of a plan of a thousand runs or more workers",
        "pack what they make in a task, unless a function of yours measures it.",
        f"A task has up to {away.BATCH_PACKETS / 1e6:g} million packets, or {away.BATCH_PACKETS_A_THREAD / 1e6:g} million for each worker",
        "where that is more.",
        "",
        f"The model: the command does one thing at a time, and so does the scheduler; each worker has one thread and up to {AHEAD}",
        f"tasks; {EACH} runs for each worker, {PACKETS_S:.1e} packets a second. Efficiency is the time in which workers make runs, over",
        "their number times the time until the last run is stored.",
        "",
        "| a run takes | " + " | ".join(f"{workers} workers" for workers in FARMS) + " |",
        "|---" * (1 + len(FARMS)) + "|",
        *row,
        "",
        f"At 1000 workers it is {LEAST_EFFICIENCY} from runs of {shortest(model, 1000):.1f} s on, at 100 workers from runs of",
        f"{shortest(model, 100):.2f} s. What limits shorter runs is that command and scheduler are one for all of them.",
        "",
        "Not in the model: the network, workers that are unlike, runs of different lengths (the longest begin first), a shared disk",
        "that is slower than the one measured, measures that are functions of the user's script, which the command takes.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure unless told otherwise, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="?", type=int, default=2000)
    parser.add_argument("--page", action="store_true", help="write the page from what was measured before")
    parser.add_argument("--costs", action="store_true", help="measure the model's costs only")
    asked = parser.parse_args()
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    if not asked.page:
        found["costs"] = costs()
        if not asked.costs:
            found["beside"] = side_by_side(asked.runs)
        found["measured"] = {"on": time.strftime("%Y-%m-%d"), "load": round(os.getloadavg()[1])}
        KEPT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(found), encoding="utf-8")
    print(PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()
