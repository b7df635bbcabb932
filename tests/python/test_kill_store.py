"""A results folder whose writer is killed at fifty random moments holds whole runs and whole tables only, whichever backend writes.

`test_kill.py` kills the real command with its worker processes, most of whose time goes into starting them. Here a process that has loaded
everything forks the writers, so that a kill costs no more than what was written before it.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from windtunnel.store import Results, open_results

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the writers are forked")

KILLS = 50
RUNS = 12
BACKENDS = ("sim", "linux")

# Two experiments of 8 and 4 runs of a second at 5 Mbit/s. The second backend is the simulator under the kernel's name and version.
PROGRAM = """
import contextlib, os, sys
from concurrent.futures import ThreadPoolExecutor

from windtunnel import backends, suites
from windtunnel.backends.sim import Simulator
from windtunnel.cli import main
from windtunnel.cli import suite  # What the command loads when it runs is loaded once, before the forks.
from windtunnel.experiment import Experiment, Measure, plan, runner
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel import claims, report, store

class Kernel(Simulator):
    name, exact, title, stack = "linux", "linux:00ff", "Linux 6.1", "linux-6.1"

    def version(self):
        return 77

def backend(name):
    return Kernel() if name.partition(":")[0] == "linux" else backends.backend(name)

def pair(point, draws):
    start_s = round(draws.uniform("start of flow 2"), 3) / 2
    flows = tuple(Flow(algorithm=point["alg"], rtt_s=0.02, start_s=start) for start in (0.0, start_s))
    return Scenario(bottleneck=Bottleneck(rate_bps=5e6, queue_packets=10), flows=flows, duration_s=1.0, warmup_s=0.6, sample_s=0.05)

def made(id, algorithms, kept, measure):
    return Experiment(id=id, title="T", question="Q?", source="S", points={"alg": algorithms}, scenario=pair, measures=(measure,),
                      kept=kept, repeats=4)

def chosen(names):
    experiments = (
        made("kill.one", ("reno", "htcp"), "rates", Measure("thr_mbps", flow="2", t0=0.6, t1=1.0)),
        made("kill.two", ("bic",), "totals", Measure("drops_pkts")),
    )
    return [(suites.Suite("kill", "Kill", experiments, lambda tables: []), experiments)]

@contextlib.contextmanager
def here(jobs):
    with ThreadPoolExecutor(1) as pool:
        yield pool

sys.modules["windtunnel.experiment.plan"].backend_of = sys.modules["windtunnel.experiment.runner"].backend_of = backend
runner.workers = here
suites.chosen = chosen
print("loaded", flush=True)
for line in sys.stdin:
    name, folder = line.rstrip("\\n").split(" ", 1)
    child = os.fork()
    if child == 0:
        silent = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1):
            os.dup2(silent, descriptor)
        os._exit(main(["suite", "run", "kill", "--backend", name, "--jobs", "1", "--json", "--out", folder]))
    print(child, flush=True)
    sys.stdin.readline()  # Not waited for before it is asked for: its number stays its own.
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Writers:
    """Starts writers, one at a time."""

    def __init__(self, program: Path) -> None:
        # Threads of a numeric library do not survive a fork.
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen([sys.executable, str(program)], text=True, bufsize=1, env=environment, **pipes)  # type: ignore[call-overload]

    def write(self, backend: str, folder: Path, *, kill_after_s: float | None = None) -> int:
        """Let one write, to its end or until it is killed; return its exit code, minus nine when the kill found it alive."""
        print(backend, folder, file=self.process.stdin, flush=True)
        child = int(self.process.stdout.readline())
        if kill_after_s is not None:
            time.sleep(kill_after_s)
            os.kill(child, signal.SIGKILL)
        print(file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())


@pytest.fixture(scope="module")
def writers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Writers]:
    program = tmp_path_factory.mktemp("program") / "kill.py"
    program.write_text(PROGRAM, encoding="utf-8")
    found = Writers(program)
    assert found.process.stdout.readline() == "loaded\n"
    yield found
    found.process.stdin.close()
    assert found.process.wait(30) == 0
    found.process.stdout.close()


def assert_whole(results: Results) -> None:
    """Everything under a final name can be read, and an experiment has its declaration and its table."""
    for path in results.runs.stored().values():
        results.runs.read(path)
    for backend in results.backends():
        for experiment in results.experiments(backend):
            assert results.declaration(experiment, backend)["backend"] == backend
            assert results.measures(experiment, backend).height


def contents(folder: Path) -> dict[str, object]:
    """Tables by experiment and backend, digests by run, and names of all that is there."""
    results = open_results(folder)
    tables = {f"{id}@{name}": results.measures(id, name).rows() for name in results.backends() for id in results.experiments(name)}
    runs = {key: results.runs.read(path).digest() for key, path in results.runs.stored().items()}
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
    return {"tables": tables, "runs": runs, "names": names}


def test_fifty_kills_of_both_backends_leave_nothing_half_written(writers: Writers, tmp_path: Path) -> None:
    calm, folder = tmp_path / "calm", tmp_path / "killed"
    began = time.monotonic()
    assert [writers.write(backend, calm) for backend in BACKENDS] == [0, 0]
    usual_s = (time.monotonic() - began) / 2
    draw = random.Random(2007)
    hit: dict[str, list[int]] = {backend: [] for backend in BACKENDS}
    while sum(map(len, hit.values())) < KILLS:
        backend = draw.choice(BACKENDS)
        runs = sorted(folder.glob("runs/[!.]*"))
        removed = draw.sample(runs, draw.randint(0, len(runs)))
        for path in removed:
            shutil.rmtree(path)  # So that there is always something to do: all of it, or what follows the runs.
        left_s = usual_s * (0.3 + 0.7 * (1 if not runs else len(removed) / (2 * RUNS)))
        ended = writers.write(backend, folder, kill_after_s=draw.uniform(0.0, left_s))
        assert ended in (0, -signal.SIGKILL)
        if ended:
            hit[backend].append(len(list(folder.glob("runs/[!.]*"))))
        assert_whole(Results(folder))
        if ended == 0:
            shutil.rmtree(folder / "experiments")  # Measured to the end: there would be nothing left to interrupt.
    # Both were killed, at different stages.
    assert all(len(set(stages)) > 4 for stages in hit.values()), hit
    assert [writers.write(backend, folder) for backend in BACKENDS] == [0, 0]
    found, expected = contents(folder), contents(calm)
    assert found == expected
    assert len(expected["runs"]) == 2 * RUNS  # type: ignore[arg-type]
    assert set(expected["tables"]) == {f"{id}@{name}" for id in ("kill.one", "kill.two") for name in BACKENDS}  # type: ignore[call-overload]
