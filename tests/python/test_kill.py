"""A suite run killed at any moment is finished by running it again, with the results of an undisturbed run; Ctrl-C stops it at once."""

from __future__ import annotations

import contextlib
import os
import random
import runpy
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest

from windtunnel import records, suites
from windtunnel.cli import main
from windtunnel.experiment import runner
from windtunnel.store import open_results

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are found in /proc")

# A suite of its own behind the real command: two experiments of 18 and 6 runs, 2 s at 10 Mbit/s, 6 of them shared.
PROGRAM = """
import sys
from windtunnel.experiment import Experiment, Measure
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel import suites

def pair(point, draws):
    start_s = round(draws.uniform("start of flow 2"), 3)
    flows = tuple(Flow(algorithm=point["alg"], rtt_s=0.02, start_s=start) for start in (0.0, start_s))
    return Scenario(bottleneck=Bottleneck(rate_bps=10e6, queue_packets=20), flows=flows, duration_s=2.0, warmup_s=1.5, sample_s=0.05)

def made(id, algorithms, kept, *measures):
    return Experiment(id=id, title="T", question="Q?", source="S", points={"alg": algorithms}, scenario=pair, measures=measures,
                      kept=kept, repeats=6)

def chosen(names):
    sampled = (Measure("thr_mbps", flow="2", t0=1.0, t1=2.0), Measure("conv80_s"))
    experiments = (
        made("kill.one", ("reno", "htcp", "bic"), "rates", *sampled),
        made("kill.two", ("htcp",), "totals", Measure("drops_pkts"), Measure("epoch_s")),
    )
    return [(suites.Suite("kill", "Kill", experiments, lambda tables: []), experiments)]

if __name__ == "__main__":
    from windtunnel.cli import main

    suites.chosen = chosen
    sys.exit(main(["suite", "run", "kill", *sys.argv[1:]]))
"""
RUNS = 18
# The real command and real experiments of a paper, for `make test-kills`.
REAL = """
import sys

if __name__ == "__main__":
    from windtunnel.cli import main

    sys.exit(main(["suite", "run", "open08.fig1", "open08.apps", "open08.fig9", "--quick", *sys.argv[1:]]))
"""
SOON_S = 2.0
"""Workers end as soon as their parent has; a busy machine gets room."""
LONG_S = 30.0
Moment = Callable[[Path], bool]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("program") / "kill.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def start(program: Path, folder: Path, *, jobs: int, output: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    arguments = [sys.executable, str(program), "--jobs", str(jobs), "--out", str(folder)]
    return subprocess.Popen(arguments, stdout=output, stderr=output, text=True, start_new_session=True)


def finish(program: Path, folder: Path) -> None:
    """Run the same command to its end, in this process."""

    @contextlib.contextmanager
    def here(_: int) -> Iterator[ThreadPoolExecutor]:
        with ThreadPoolExecutor(1) as pool:
            yield pool

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(runner, "workers", here)
        patched.setattr(suites, "chosen", runpy.run_path(str(program))["chosen"])
        assert main(["suite", "run", "kill", "--out", str(folder)]) == 0


@pytest.fixture(scope="module")
def undisturbed(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed") / "results"
    finish(program, folder)
    return folder


def stored(folder: Path) -> list[str]:
    """Runs under their final names."""
    with contextlib.suppress(FileNotFoundError):
        return sorted(name for name in os.listdir(folder / "runs") if not name.startswith("."))
    return []


def hidden(folder: Path) -> set[str]:
    """What is being written, or was when its writer was killed."""
    found: set[str] = set()
    for place in ("runs", "experiments"):
        with contextlib.suppress(FileNotFoundError):
            found |= {f"{place}/{name}" for name in os.listdir(folder / place) if name.startswith(".")}
    return found


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, task.read_text().split()):
                found += [child, *descendants(child)]
    return found


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"  # A zombie only waits to be counted.


def time_to_go_s(pids: list[int]) -> float:
    """Wait until all of them have ended; those that do not are ended."""
    began = time.monotonic()
    while time.monotonic() < began + LONG_S:
        if not any(map(is_alive, pids)):
            return time.monotonic() - began
        time.sleep(0.005)
    left = [pid for pid in pids if is_alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    raise AssertionError(f"{len(left)} workers outlive their parent")


def assert_equal(folder: Path, expected: Path) -> None:
    """Same tables in every column, same declarations, same records of every run, and nothing else."""
    ours, theirs = open_results(folder), open_results(expected)
    assert ours.experiments() == theirs.experiments()
    digests: dict[str, str] = {}
    for id in ours.experiments():
        table = theirs.measures(id)
        assert ours.measures(id).equals(table), id
        digests |= dict(table.select(pl.col("run"), pl.col("digest")).iter_rows())
        declared = [{name: value for name, value in one.declaration(id).items() if name != "command"} for one in (ours, theirs)]
        assert declared[0] == declared[1]
    assert stored(folder) == stored(expected) and len(stored(folder)) == len(digests)
    assert {key: ours.runs.read(path).digest() for key, path in ours.runs.stored().items()} == digests
    assert sorted(os.listdir(folder)) == sorted(os.listdir(expected))
    assert hidden(folder) == set()


def moments(draw: random.Random, before: int, left: set[str], total: int) -> Iterator[tuple[str, Moment, float]]:
    """Yield when to kill: a name, what to wait for, and how long after it, in seconds."""
    some = before + draw.randint(1, 2)
    yield "starting", lambda folder: (folder / ".lock").exists(), draw.uniform(0.0, 0.5)
    yield "running", lambda folder: len(stored(folder)) >= some, draw.uniform(0.0, 0.05)
    yield "writing a run", lambda folder: any(name.startswith("runs/") for name in hidden(folder) - left), draw.uniform(0.0, 0.01)
    yield "measuring", lambda folder: len(stored(folder)) >= total, draw.uniform(0.0, 0.1)
    yield "storing measures", lambda folder: any(name.startswith("experiments/") for name in hidden(folder) - left), 0.0


def wait_for(process: subprocess.Popen[str], is_reached: Moment, folder: Path) -> None:
    """Wait for a moment or the end of the process, whichever comes first."""
    until = time.monotonic() + 2 * LONG_S
    while process.poll() is None and not is_reached(folder):
        assert time.monotonic() < until, "it neither ends nor goes on"
        time.sleep(0.001)


def kill_once(program: Path, folder: Path, moment: tuple[str, Moment, float], *, jobs: int) -> float | None:
    """Start the suite, kill its parent at the moment, look at what is left.

    Returns how long its workers outlived it, None when it had ended by itself.
    """
    _, is_reached, after_s = moment
    known = set(stored(folder))
    process = start(program, folder, jobs=jobs)
    try:
        wait_for(process, is_reached, folder)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(after_s)
        children = descendants(process.pid)
        was_running = process.poll() is None
        process.kill()
        process.wait()
        taken_s = time_to_go_s(children)
        for name in set(stored(folder)) - known:
            records.read(folder / "runs" / name)  # Whole, or it raises.
        return taken_s if was_running else None
    finally:
        process.kill()
        process.wait()


def kill_often(program: Path, folder: Path, *, seed: int, kills: int, jobs: int, total: int = RUNS) -> list[tuple[str, float]]:
    """Kill the suite of `total` runs at random moments, running it again after each; return these, and how long workers outlived each."""
    draw = random.Random(seed)
    hit: list[tuple[str, float]] = []
    while len(hit) < kills:
        last = len(hit) >= kills - max(3, kills // 8)  # Only then may all runs be done, and what follows them is visited too.
        for name in [] if last else stored(folder)[total - 6 :]:
            shutil.rmtree(folder / "runs" / name)
        with contextlib.suppress(FileNotFoundError):
            (folder / ".lock").unlink()  # Its return shows that the next one has begun.
        choice = draw.choice(list(moments(draw, len(stored(folder)), hidden(folder), total))[: 5 if last else 3])
        outlived_s = kill_once(program, folder, choice, jobs=jobs)
        if outlived_s is not None:
            hit.append((choice[0], outlived_s))
        else:
            shutil.rmtree(folder / "experiments")
    return hit


def test_killed_twenty_times_and_run_again_it_gives_what_an_undisturbed_run_gives(program: Path, undisturbed: Path, tmp_path: Path) -> None:
    # Two folders at once, with one worker and with two: most of the time is spent starting processes.
    kills = {1: 12, 2: 8}
    with ThreadPoolExecutor(2) as both:
        chains = [
            both.submit(kill_often, program, tmp_path / str(jobs), seed=2007 + jobs, kills=count, jobs=jobs)
            for jobs, count in kills.items()
        ]
        hit = [kill for chain in chains for kill in chain.result()]
    print("killed while", hit)
    assert len(hit) == 20 and len({name for name, _ in hit}) >= 4
    # One that is still loading its modules ends when it has; `time_to_go_s` waits for that.
    assert [name for name, outlived_s in hit if outlived_s > SOON_S and name != "starting"] == []
    assert open_results(undisturbed).experiments() == ["kill.one", "kill.two"] and len(stored(undisturbed)) == RUNS
    for jobs in kills:
        finish(program, tmp_path / str(jobs))
        assert_equal(tmp_path / str(jobs), undisturbed)


@pytest.mark.kills
def test_a_papers_experiments_killed_fifty_times_give_what_an_undisturbed_run_gives(tmp_path: Path) -> None:
    program = tmp_path / "real.py"
    program.write_text(REAL, encoding="utf-8")
    calm = tmp_path / "calm"
    assert start(program, calm, jobs=2).wait() == 0
    total = len(stored(calm))
    with ThreadPoolExecutor(2) as both:
        chains = [
            both.submit(kill_often, program, tmp_path / str(jobs), seed=2026 + jobs, kills=25, jobs=jobs, total=total) for jobs in (1, 2)
        ]
        hit = [kill for chain in chains for kill in chain.result()]
    counted = {name: sum(one == name for one, _ in hit) for name, _ in hit}
    print(f"killed {len(hit)} times while", counted)
    assert len(hit) == 50 and len(counted) >= 4
    for jobs in (1, 2):
        assert start(program, tmp_path / str(jobs), jobs=2).wait() == 0
        assert_equal(tmp_path / str(jobs), calm)


def is_deaf(pid: int) -> bool:
    """Return whether Ctrl-C does nothing to a process: blocked or ignored."""
    try:
        fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    except OSError:
        return True
    return bool((int(fields["SigBlk"], 16) | int(fields["SigIgn"], 16)) & 1 << signal.SIGINT - 1)


def interrupt(program: Path, folder: Path, is_reached: Moment, after_s: float, *, whole_group: bool) -> None:
    process = start(program, folder, jobs=2, output=subprocess.PIPE)
    # The folder may be there before the first worker is.
    wait_for(process, lambda folder: is_reached(folder) and bool(descendants(process.pid)), folder)
    time.sleep(after_s)
    children = descendants(process.pid)
    # A traceback of a worker would be more than one line, however young it is.
    assert children and [pid for pid in children if not is_deaf(pid)] == []
    began = time.monotonic()
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - began < 2.0  # A tenth of a second is usual; a busy machine gets room.
    assert process.returncode == 130, err
    assert err == "interrupted: finished runs are kept, the same command goes on where it was\n" and out == ""
    assert time_to_go_s(children) < SOON_S
    assert hidden(folder) == set()


def test_ctrl_c_stops_at_once_in_one_line_and_the_run_can_be_continued(program: Path, undisturbed: Path, tmp_path: Path) -> None:
    for attempt in range(4):
        folder = tmp_path / f"results-{attempt}"
        # As a terminal does it, to all processes, while the workers are starting; then to the parent alone, in the middle of the runs.
        interrupt(program, folder, lambda folder: (folder / "runs").is_dir(), 0.15, whole_group=True)
        interrupt(program, folder, lambda folder: len(stored(folder)) >= 2, 0.0, whole_group=False)
        finished = stored(folder)
        if len(finished) < RUNS:  # A busy machine may have made them all before this process saw the second.
            break
    assert 2 <= len(finished) < RUNS
    finish(program, folder)
    assert set(finished) <= set(stored(folder))
    assert_equal(folder, undisturbed)
