"""A plan on a Dask cluster gives what it gives on one machine, whatever happens to workers and scheduler."""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dask
import polars as pl
import pytest
from clusters import OTHER_ENGINE, WITHOUT_CORE, assert_same_results, cluster, wait_for
from forked import Forked, Forks

import windtunnel as wt
from windtunnel.backends.sim import engine_version
from windtunnel.campaign import Campaign, CampaignError, Needs, local
from windtunnel.campaign.cluster import ANSWER_S
from windtunnel.campaign.link import opened
from windtunnel.cli import main
from windtunnel.experiment import away, runner
from windtunnel.pool import WorkerLost
from windtunnel.store import ResultsError, open_results
from windtunnel.sweeps import carry_out, checked

OVER = {"alg": ["reno", "cubic", "htcp"], "rtt_s": [0.02, 0.04]}
SEEDS = 4
RUNS = 24


def pair(alg: str, rtt_s: float, draws: Any) -> wt.Scenario:
    start_s = round(draws.uniform("start of flow 2"), 3)
    flows = tuple(wt.Flow(algorithm=alg, start_s=start) for start in (0.0, start_s))
    return wt.Scenario(bottleneck=wt.Bottleneck(rate_bps=100e6, queue_bdp=0.5), flows=flows, rtt_s=rtt_s, duration_s=20.0, warmup_s=5.0)


def peak(run: wt.Run) -> float:
    return float(run.flow_samples["cwnd_packets"].max())  # type: ignore[arg-type]


def swept(folder: Path, client: Any = None) -> pl.DataFrame:
    return wt.sweep(pair, over=OVER, seeds=SEEDS, measures=["util", peak], out=folder, name="pairs", jobs=1, client=client)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed") / "results"
    assert swept(folder).height == RUNS
    return folder


def assert_equal(folder: Path, expected: Path) -> None:
    assert_same_results(folder, expected, runs=RUNS)


def stored(folder: Path) -> int:
    with contextlib.suppress(FileNotFoundError):
        return sum(not name.startswith(".") for name in os.listdir(folder / "runs"))
    return 0


class Notes(list[str]):
    def __call__(self, text: str) -> None:
        self.append(text)


def campaign(address: str, notes: Notes, *, patience_s: float = 60.0) -> Campaign:
    return Campaign(opened(address, timeout_s=ANSWER_S), notes, patience_s)


def carried_out(folder: Path, where: Campaign) -> None:
    """Make the sweep on a cluster."""
    asked = checked(pair, over=OVER, seeds=SEEDS, measures=["util", peak], name="pairs")
    carry_out(asked, asked.plan(), folder, jobs=1, command="test", on_step=lambda step: None, campaign=where)


@contextlib.contextmanager
def meanwhile(act: Callable[[], None]) -> Iterator[None]:
    """Do something beside the body, and fail with it."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            act()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    yield
    thread.join()
    assert failed == []


def test_a_local_cluster_gives_the_bits_of_one_machine_and_names_what_it_runs(undisturbed: Path, tmp_path: Path) -> None:
    with local(2, note=Notes()) as here:
        frame = swept(tmp_path / "results", here.client)
        prefixes = here.client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes))
    assert_equal(tmp_path / "results", undisturbed)
    assert frame.equals(wt.load_sweep(undisturbed, "pairs"))
    assert prefixes == ["pairs"]


def test_what_workers_pack_has_the_bits_of_one_machine(undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "PACK_AT", RUNS)
    folder = tmp_path / "results"
    asked = checked(pair, over=OVER, seeds=SEEDS, measures=["util"], name="pairs")  # Of what is measured here none is packed there.
    with local(2, note=Notes()) as here:
        carry_out(asked, asked.plan(), folder, jobs=1, command="test", on_step=lambda step: None, campaign=here)
    ours, theirs = open_results(folder), open_results(undisturbed)
    assert ours.runs.loose() == {} and len(list((folder / "runs/packs").iterdir())) == 12  # Two runs of a task.
    digests = [{key: results.runs.read(path).digest() for key, path in results.runs.stored().items()} for results in (ours, theirs)]
    assert digests[0] == digests[1] and len(digests[0]) == RUNS
    assert ours.measures("pairs").equals(theirs.measures("pairs").filter(pl.col("metric") == "util"))


def test_a_worker_killed_and_a_scheduler_restarted_lose_nothing_and_are_said_in_one_line_each(undisturbed: Path, tmp_path: Path) -> None:
    folder, notes = tmp_path / "results", Notes()

    def said(end: str) -> int:
        return len([text for text in notes if text.endswith(end)])

    with cluster() as made:
        first = made.start_worker()

        def disturb() -> None:
            wait_for(lambda: stored(folder) >= 3, "no run is made")
            first.kill()
            wait_for(lambda: said("are left; what it was making is made by another"), "nothing is said of a worker's end")
            made.start_worker()
            wait_for(lambda: stored(folder) >= 9, "no run is made after a worker's end")
            made.scheduler.kill()
            made.scheduler.wait()
            made.start_scheduler()
            made.start_worker()

        with meanwhile(disturb):
            carried_out(folder, campaign(made.address, notes))
    assert_equal(folder, undisturbed)
    assert said("what it had is handed over again") == 1


def test_a_scheduler_that_stays_away_ends_it_and_what_was_made_is_used_again(undisturbed: Path, tmp_path: Path) -> None:
    folder, notes = tmp_path / "results", Notes()
    with cluster() as made:
        made.start_worker()

        def kill() -> None:
            wait_for(lambda: stored(folder) >= 3, "no run is made")
            made.scheduler.kill()

        with meanwhile(kill), pytest.raises(CampaignError, match="did not come back in 1 s; finished runs are kept, run it again"):
            carried_out(folder, campaign(made.address, notes, patience_s=1.0))
    kept = stored(folder)
    assert 3 <= kept < RUNS
    swept(folder)
    assert_equal(folder, undisturbed)


@contextlib.contextmanager
def vanished(share: Path) -> Iterator[None]:
    """A share that is not there for a while: an empty folder is in its place, as where a mount was."""
    away = share.with_name("away")
    share.rename(away)
    share.mkdir()
    yield
    assert list(share.iterdir()) == [], "something was written where the share is not"
    share.rmdir()
    away.rename(share)


GONE = r"is gone, or another folder is in its place; what was stored is kept there, run it again when it is back"


def test_a_share_that_vanishes_ends_it_in_one_line_and_what_was_made_is_used_again(undisturbed: Path, tmp_path: Path) -> None:
    share = tmp_path / "share"
    folder, notes = share / "results", Notes()
    shown = contextlib.ExitStack()
    with cluster() as made:
        made.start_worker()

        def vanish() -> None:
            wait_for(lambda: stored(folder) >= 3, "no run is made")
            shown.enter_context(vanished(share))

        with meanwhile(vanish), pytest.raises(ResultsError, match=GONE) as caught:
            carried_out(folder, campaign(made.address, notes))
    assert "\n" not in str(caught.value)
    shown.close()
    assert 3 <= stored(folder) < RUNS
    swept(folder)
    assert_equal(folder, undisturbed)


def test_workers_without_the_core_or_with_another_engine_get_nothing(undisturbed: Path, tmp_path: Path) -> None:
    folder, notes = tmp_path / "results", Notes()
    with cluster() as made:
        for before in (WITHOUT_CORE, OTHER_ENGINE):
            made.start_worker(before)
        client = opened(made.address, timeout_s=ANSWER_S)
        client.wait_for_workers(2)
        refusal = r"none of 2 workers can make the runs: .*has no windtunnel|engine version of sim is 1"
        with pytest.raises(CampaignError, match=refusal):
            carried_out(tmp_path / "none", Campaign(client, notes))
        assert stored(tmp_path / "none") == 0
        fit = made.start_worker(name="fit")
        client.wait_for_workers(3)
        notes.clear()
        carried_out(folder, Campaign(client, notes))
        fit.kill()
    assert_equal(folder, undisturbed)
    lines = sorted(text.partition(" is left out: ")[2] for text in notes)
    assert lines == [
        f"engine version of sim is 1, {engine_version()} is needed",
        "has no windtunnel that can make them (No module named 'windtunnel')",
    ]


def test_two_campaigns_on_one_folder_or_one_scheduler(undisturbed: Path, tmp_path: Path) -> None:
    with cluster() as made:
        made.start_worker()

        def beside() -> None:
            wait_for(lambda: stored(tmp_path / "one") >= 1, "no run is made")
            with pytest.raises(ResultsError, match="is being written by another process; wait for it, or choose another --out"):
                swept(tmp_path / "one", made.address)
            swept(tmp_path / "two", made.address)

        with meanwhile(beside):
            carried_out(tmp_path / "one", campaign(made.address, Notes()))
    for name in ("one", "two"):
        assert_equal(tmp_path / name, undisturbed)


# Runs of "reno" end the process that makes them.
DEADLY = """
import os
from dataclasses import dataclass

@dataclass(frozen=True)
class Job:
    key: str
    kept: str = "all"
    weight: float = 1e6

@dataclass(frozen=True)
class Task:
    job: Job
    store: object = None

def make(task):
    if task.job.key == "reno":
        os._exit(1)
    folder = task.store.folder / f"{task.job.key}.{task.job.kept}"
    folder.mkdir()
    (folder / "run.json").write_text("{}")
    return f"made {task.job.key}"
"""


def test_a_run_that_ends_every_worker_is_found_and_the_others_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deadly.py").write_text(DEADLY, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    deadly = importlib.import_module("deadly")
    tasks = [deadly.Task(deadly.Job(name)) for name in ("cubic", "reno", "htcp", "bic")]  # All four go together at first.
    found: list[str] = []
    # Dask suspects a task when it ended four workers; here after one, for starting them takes long.
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), local(2, note=Notes()) as here:
        here.client.upload_file(str(tmp_path / "deadly.py"))
        needs = Needs("sim", engine_version())
        with pytest.raises(WorkerLost, match=r"1 of 4 runs \(of the reno\) ended every worker that made them"):
            for batch, answer in away.made(here, deadly.make, tasks, needs=needs, experiment_of=lambda task: f"the {task.job.key}"):
                keys = [task.job.key for task in batch]
                answers, places = [f"made {key}" for key in keys], {f"{key}.all": {"run.json": b"{}"} for key in sorted(keys)}
                assert answer == away.Away(answers, places)
                found += keys
    assert sorted(found) == ["bic", "cubic", "htcp"]


def test_small_runs_go_together_and_large_ones_alone() -> None:
    tasks = [SimpleNamespace(job=SimpleNamespace(weight=weight)) for weight in (3e7, 1.5e7, 6e6, 4e6, 1e6, *[1e3] * 150)]
    batches = away._batches(tasks, 1)
    assert [len(batch) for batch in batches] == [1, 1, 2, 100, 51]
    assert [task for batch in batches for task in batch] == tasks
    # And 24 alike on three threads are eight for each, in four batches.
    assert [len(batch) for batch in away._batches([SimpleNamespace(job=SimpleNamespace(weight=1e3))] * 24, 3)] == [2] * 12
    # A thousand threads take twenty runs of a second at a time: the command has 50 tasks in each.
    second = [SimpleNamespace(job=SimpleNamespace(weight=2e7))] * 100_000
    assert {len(batch) for batch in away._batches(second, 1000)} == {20}


def test_a_scheduler_that_is_none_is_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text('measures = ["util"]\n[over]\nalg = ["reno"]\n[scenario]\nflows = ["{alg}"]\nrtt = "20ms"\nduration = "1s"\n'
                     'bottleneck = { rate = "10Mbit", queue = "1bdp" }\n', encoding="utf-8")  # fmt: skip
    for given, line in (
        (["--scheduler", "nonsense"], "error: scheduler nonsense cannot be used: "),
        (
            ["--scheduler", "tcp://127.0.0.1:1", "--workers", "2"],
            "error: workers: 2 beside a scheduler, which has its own; allowed",
        ),
        (["--workers", "0"], "error: workers: 0 is out of range; allowed: 1 to 256"),
    ):
        assert main(["sweep", str(study), "--out", str(tmp_path / "out"), *given]) == 2
        err = capfd.readouterr().err
        assert err.startswith(line) and err.count("\n") == 1
    assert not (tmp_path / "out").exists()


FAULTS = ("worker", "worker", "scheduler", "campaign", "unfit", "share", "second")


@pytest.mark.kills
def test_fifty_faults_of_every_kind_give_what_an_undisturbed_run_gives(undisturbed: Path, tmp_path: Path) -> None:
    draw = random.Random(21)
    counted: dict[str, int] = {}
    share = tmp_path / "share"
    folder = share / "results"
    with contextlib.closing(Forks()) as forks, cluster(forks) as made:

        def started() -> Forked:
            """The sweep on the cluster, in a process of its own."""
            return forks.start(PROGRAM, [__file__, made.address, str(folder)])

        workers = [made.start_worker(), made.start_worker()]
        process, at_start = started(), stored(folder)
        while sum(counted.values()) < 50:
            if process.poll() is not None:
                assert process.returncode in (0, -signal.SIGKILL)
                for path in draw.sample(sorted(folder.glob("runs/[!.]*")), stored(folder) // 2):
                    shutil.rmtree(path)  # So that there is always something to do.
                process, at_start = started(), stored(folder)
            before, some = stored(folder), draw.randint(0, 4)
            wait_for(lambda: process.poll() is not None or stored(folder) >= before + some, "it neither ends nor goes on")  # noqa: B023
            time.sleep(draw.uniform(0.0, 0.2))
            if process.poll() is not None:
                continue
            fault = draw.choice(FAULTS)
            if fault in ("share", "second") and stored(folder) <= at_start:
                continue  # It has not begun to write: a folder that is not there yet is a new one.
            counted[fault] = counted.get(fault, 0) + 1
            if fault == "worker":
                workers.pop(0).kill()
                workers.append(made.start_worker())
            elif fault == "scheduler":
                made.scheduler.kill()
                made.scheduler.wait()
                made.scheduler = made.start_scheduler()
                workers = [made.start_worker(), made.start_worker()]
            elif fault == "unfit":
                made.start_worker(draw.choice((WITHOUT_CORE, OTHER_ENGINE)))
            elif fault == "second":
                ended_of_its_own(started(), process)
            elif fault == "share":
                with vanished(share):
                    assert process.wait(300) in (0, SAID)  # 0: all was stored before.
                process, at_start = started(), stored(folder)
            else:
                process.kill()
                process.wait()
        assert process.wait(300) in (0, -signal.SIGKILL)
        assert started().wait(300) == 0
    print("faults", counted)
    assert set(counted) == set(FAULTS)
    assert_equal(folder, undisturbed)


PROGRAM = 'import runpy, sys; runpy.run_path(sys.argv[0], run_name="__main__")'
"""This file as a program."""
SAID = 2
"""Exit code of a campaign that ends with a line of ours."""


def ended_of_its_own(second: Forked, first: Forked) -> None:
    """The second campaign on a folder is refused, unless the first has ended."""
    code = second.wait(300)
    assert code == SAID or (code == 0 and first.poll() is not None)


if __name__ == "__main__":
    try:
        carried_out(Path(sys.argv[2]), campaign(sys.argv[1], Notes()))
    except (ResultsError, CampaignError):
        sys.exit(SAID)
