"""A results folder of 100 000 runs: how many files it is, and how long it takes to look at it.

    python benches/store_size.py [RUNS] [--folder DIR] [--keep]

The runs are copies of a few real ones under other seeds, so that making them costs minutes in place of days: every file, key and checksum
is as in a real folder, the numbers repeat. Each question is asked by a process of its own, as a user asks it, and timed from its start.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from windtunnel.backends import backend
from windtunnel.records import write
from windtunnel.records.checksums import sealed, unsealed
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.store import KEPT, Results, run_key, writing_results
from windtunnel.store.packing import MOST_RUNS

EXPERIMENTS = 10
REAL = 1000
"""Runs that are made."""
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Without a setting that makes Python compile every module at each start, which an installed package does not."""
METRICS = ("util", "jain", "drops_pkts", "q_mean_pkts", "thr_mbps")
SHOWN = ("cubic", "reno", "htcp", "bbr", "fast")


def real_runs(folder: Path) -> list[tuple[dict[str, Any], Path]]:
    """Make a few runs, and return the document and the folder of each."""
    made = []
    for number in range(REAL):
        algorithm = SHOWN[number % len(SHOWN)]
        flows = tuple(Flow(algorithm=algorithm, rtt_s=0.02 + 0.01 * (number % 20), start_s=start) for start in (0.0, 0.5))
        scenario = Scenario(bottleneck=Bottleneck(rate_bps=10e6, queue_packets=20 + number % 50), flows=flows, duration_s=5.0, seed=number)
        place = folder / str(number)
        place.mkdir()
        write(backend("sim").run(scenario).thinned(KEPT["totals"]), place)
        made.append((unsealed((place / "run.json").read_bytes()), place))
    return made


def make(folder: Path, count: int, told: Callable[[str], None]) -> None:
    """Write a results folder of so many runs, packed as a campaign packs them, and their measures."""
    with tempfile.TemporaryDirectory() as scratch, writing_results(folder) as results:
        real = real_runs(Path(scratch))
        rows: list[dict[str, Any]] = []
        packing_s = 0.0
        for number in range(count):
            rows.append(_copy(results, number, *real[number % len(real)]))
            if (number + 1) % MOST_RUNS == 0 or number + 1 == count:
                began = time.perf_counter()
                results.runs.pack()
                packing_s += time.perf_counter() - began
                told(f"{number + 1} runs, packed in {packing_s:.1f} s")
        _store_measures(results, rows)
        print(f"packing: {packing_s / count * 1e3:.2f} ms a run")


def _copy(results: Results, number: int, document: dict[str, Any], source: Path) -> dict[str, Any]:
    digest = hashlib.sha256(f"{document['digest']}/{number}".encode()).hexdigest()
    own = {**document, "digest": digest, "seed": number, "scenario": {**document["scenario"], "seed": number}}
    key = run_key(digest, "sim", document["engine_version"])
    place = results.runs.folder / f"{key}.totals"
    place.mkdir()
    for path in source.glob("*.parquet"):
        os.link(path, place / path.name)
    (place / "run.json").write_text(sealed(own, indent=2), encoding="utf-8")
    flow = document["scenario"]["flows"][0]
    return {
        "alg": flow["algorithm"],
        "rtt": flow["rtt_s"] * 1e3,
        "seed": number // EXPERIMENTS,
        "run": key,
        "digest": own["records_digest"],
    }


def _store_measures(results: Results, rows: list[dict[str, Any]]) -> None:
    every = pl.DataFrame(rows).with_row_index("number")
    for part in range(EXPERIMENTS):
        own = every.filter(pl.col("number") % EXPERIMENTS == part)
        shown = [
            own.select("alg", "rtt", "seed", pl.lit(name).alias("metric"), _drawn(at).alias("value"), "run", "digest")
            for at, name in enumerate(METRICS)
        ]
        points = {name: own[name].unique(maintain_order=True).to_list() for name in ("alg", "rtt")}
        figure = {"kind": "curves", "name": "util", "title": "Utilisation", "metric": "util", "x": "rtt", "series": "alg"}
        declared = {
            **dict.fromkeys(("question", "source", "command"), "-"),
            **{"title": f"Part {part}", "scale": "paper", "backend": "sim", "backend_version": 1, "repeats": own["seed"].n_unique()},
            **{"parameters": [["rate", "10 Mbit/s"]], "points": points, "figures": [], "notes": [figure["title"]]},
        }
        results.store_experiment(f"size.part{part}", declared, pl.concat(shown))
    results.store_facts({"suites": ["size"], "order": [f"size.part{part}" for part in range(EXPERIMENTS)], "facts": [], "findings": []})


def _drawn(at: int) -> pl.Expr:
    """Return values between 0 and 1 that differ from row to row."""
    return (pl.col("number").hash(at) % 1_000_003).cast(pl.Float64) / 1_000_003


def questions(folder: Path, other: Path) -> Iterator[tuple[str, float | None, list[str]]]:
    """Yield what is asked, within how many seconds it is to be answered, and the command."""
    here = str(folder)
    yield "windtunnel --version (starting)", None, ["--version"]
    yield "list all runs", 2.0, ["sql", here, "SELECT run, kept, scenario, seed FROM runs ORDER BY run", "--json"]
    yield "count runs by backend", 2.0, ["sql", here, "SELECT backend, count(*) FROM runs GROUP BY ALL"]
    yield "a measure, from measures", 5.0, ["sql", here, "SELECT alg, avg(value) FROM measures WHERE metric = 'util' GROUP BY alg"]
    flows = "SELECT algorithm, avg(window_goodput_bytes * 8 / window_s) FROM flows GROUP BY algorithm"
    yield "a measure, from the records of all runs", 5.0, ["sql", here, flows]
    yield "claims", None, ["claims", here]
    yield "suite diff with a copy", None, ["suite", "diff", here, str(other)]


def ask(command: list[str]) -> tuple[float, float]:
    """Return how long a command takes and how much of a processor's time, seconds; the best of three."""
    taken = []
    for _ in range(3):
        began, used = time.perf_counter(), _used_s()
        done = subprocess.run([sys.executable, "-m", "windtunnel", *command], capture_output=True, text=True, env=ENVIRONMENT)
        taken.append((time.perf_counter() - began, _used_s() - used))
        if done.returncode not in (0, 1):
            raise SystemExit(f"{command[0]} failed: {done.stderr.strip()}")
    return min(taken)


_PAGES = (("first page", 2.0, ""), ("an experiment's", None, "experiments/"), ("a point's", None, "points/"), ("a run's", None, "runs/"))
"""What is looked at, within how many seconds it is to be there, and how its link on the page before begins."""


def look(folder: Path) -> Iterator[tuple[str, float | None, float, float]]:
    """Yield the pages that are looked at, within how many seconds they are to be there, and how long each took from the command's start."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "windtunnel", "serve", str(folder), "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=ENVIRONMENT) as serving:
        assert serving.stdout is not None
        here = serving.stdout.readline().strip()
        page = ""
        for what, limit_s, start in _PAGES:
            found = re.search(rf'href="(?:\.\./)*({start}[^"#]+\.html)', page) if start else None
            page = urllib.request.urlopen(here + (found[1] if found else "")).read().decode()
            yield f"serve: {what}", limit_s, time.perf_counter() - began, _cpu_s(serving.pid)
            began = time.perf_counter()
        serving.terminate()


def _cpu_s(pid: int) -> float:
    """Return what a process has used so far of a processor, seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _used_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Make the folder unless it is there, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="?", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--keep", action="store_true", help="leave the folder there")
    asked = parser.parse_args()
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="windtunnel-size-")) / "results"
    if not (folder / "results.json").is_file():
        make(folder, asked.runs, lambda line: print(f"\r{line}", end="", file=sys.stderr, flush=True))
        print(file=sys.stderr)
    files = [path for path in folder.rglob("*") if path.is_file()]
    print(f"{asked.runs} runs: {len(files)} files, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB")
    asked_for = ((what, limit_s, *ask(command)) for what, limit_s, command in questions(folder, folder))
    for what, limit_s, taken_s, used_s in itertools.chain(asked_for, look(folder)):
        limit = "" if limit_s is None else f" (at most {limit_s:g} s)"
        print(f"{what:42} {taken_s:6.2f} s, {used_s:6.2f} s of a processor{limit}", flush=True)
    if not asked.keep and asked.folder is None:
        shutil.rmtree(folder.parent)


if __name__ == "__main__":
    main()
