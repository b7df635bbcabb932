"""Each fault of a campaign, again and again while it goes on: every time it is said in a line, and what is stored at the end is what an
undisturbed run stores. A few times here, fifty by `make test-kills`, where workers and schedulers are forked from a process that has loaded
everything."""

from __future__ import annotations

import contextlib
import random
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from clusters import OTHER_ENGINE, WITHOUT_CORE, Cluster, Process, assert_same_results, cluster, wait_for
from forked import Forks

import windtunnel as wt
from windtunnel.backends.sim import engine_version
from windtunnel.campaign import Campaign, CampaignError, crew
from windtunnel.campaign.cluster import ANSWER_S
from windtunnel.campaign.link import opened
from windtunnel.store import ResultsError
from windtunnel.sweeps import carry_out, checked

OVER = {"alg": ["reno", "cubic", "htcp"], "rtt_s": [0.02, 0.04]}
SEEDS = 5
RUNS = 30
FEW, OFTEN = 2, 50
LONG_S = 300.0


def pair(alg: str, rtt_s: float, draws: Any) -> wt.Scenario:
    start_s = round(draws.uniform("start of flow 2"), 3)
    flows = tuple(wt.Flow(algorithm=alg, start_s=start) for start in (0.0, start_s))
    return wt.Scenario(bottleneck=wt.Bottleneck(rate_bps=200e6, queue_bdp=0.5), flows=flows, rtt_s=rtt_s, duration_s=20.0, warmup_s=5.0)


def swept(folder: Path, campaign: Campaign | None) -> None:
    asked = checked(pair, over=OVER, seeds=SEEDS, measures=["util", "drops_pkts"], name="pairs")
    carry_out(asked, asked.plan(), folder, jobs=1, command="test", on_step=lambda step: None, campaign=campaign)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed") / "results"
    swept(folder, None)
    return folder


def assert_equal(folder: Path, expected: Path) -> None:
    assert_same_results(folder, expected, runs=RUNS)


def stored(folder: Path) -> list[Path]:
    return sorted(folder.glob("runs/[!.]*"))


class Going:
    """A campaign that is carried out again and again, with some of its runs taken away in between, until it is told to stop."""

    def __init__(self, made: Cluster, folder: Path, expected: Path, draw: random.Random) -> None:
        self.made, self.folder, self.expected, self.draw = made, folder, expected, draw
        self.between = threading.Lock()
        """Who holds it keeps the next one from beginning."""
        self.said: list[str] = []
        self.rounds, self.is_going, self.is_over = 0, False, threading.Event()
        self.failed: BaseException | None = None
        self._thread = threading.Thread(target=self._repeat)
        self._thread.start()

    def campaign(self) -> Campaign:
        return Campaign(opened(self.made.address, timeout_s=ANSWER_S), self.said.append, LONG_S)

    def _once(self) -> None:
        with self.between:
            for path in self.draw.sample(stored(self.folder), len(stored(self.folder)) * 2 // 3):
                shutil.rmtree(path)  # So that there is always something to do.
            campaign = self.campaign()
            self.rounds, self.is_going = self.rounds + 1, True
        try:
            swept(self.folder, campaign)
        except ResultsError as error:
            self.said.append(str(error))
        finally:
            self.is_going = False
            with contextlib.suppress(OSError, TimeoutError):
                campaign.client.close(timeout=2)

    def _repeat(self) -> None:
        try:
            while not self.is_over.is_set():
                self._once()
            swept(self.folder, self.campaign())
            assert_equal(self.folder, self.expected)
        except BaseException as error:
            self.failed = error

    @contextlib.contextmanager
    def in_the_middle(self) -> Iterator[int]:
        """Hold it where runs are being made; give how much has been said so far."""
        while True:
            some = self.draw.randint(1, 6)
            wait_for(lambda: self.failed or self.is_going, "none begins", LONG_S)
            kept = len(stored(self.folder))
            wait_for(lambda: not self.is_going or len(stored(self.folder)) >= kept + some, "it neither ends nor goes on", LONG_S)  # noqa: B023
            time.sleep(self.draw.uniform(0.0, 0.1))
            with self.between:
                if self.failed:
                    raise self.failed
                if self.is_going and (self.folder / "results.json").is_file():
                    yield len(self.said)
                    return

    def has_said(self, line: str, since: int) -> bool:
        return any(re.fullmatch(line, text) for text in self.said[since:])

    def is_said(self, line: str, since: int) -> bool:
        """Wait until a line is said, or what goes on has ended without it."""
        wait_for(lambda: self.has_said(line, since) or not self.is_going, f"nothing is said of it: {self.said[since:]}", LONG_S)
        return self.has_said(line, since)

    def finish(self) -> None:
        self.is_over.set()
        self._thread.join(600)
        if self.failed:
            raise self.failed


GONE = r".* is gone, or another folder is in its place; what was stored is kept there, run it again when it is back"
WORKERS: list[Process] = []


def a_worker_is_killed(going: Going) -> bool:
    with going.in_the_middle() as since:
        WORKERS.pop(0).kill()
        found = going.is_said(r"worker \S+ is gone, \d+ are left; what it was making is made by another", since)
    WORKERS.append(going.made.start_worker())
    return found


def an_unfit_worker_comes(before: str, line: str) -> Callable[[Going], bool]:
    def comes(going: Going) -> bool:
        with going.in_the_middle() as since:
            worker = going.made.start_worker(before)
        # It takes longer to start than a short campaign lasts: this one meets it, or a later one.
        said = rf"worker \S+ is left out: {line}"
        is_over = lambda: going.failed or going.has_said(said, since) or worker.poll() is not None  # noqa: E731
        wait_for(is_over, f"nothing is said of it: {going.said[since:]}", LONG_S)
        found = going.has_said(said, since)
        worker.kill()  # It may have ended: Dask closes a worker that is handed what it cannot load while it joins.
        worker.wait()
        return found

    return comes


def the_scheduler_is_restarted(going: Going) -> bool:
    with going.in_the_middle() as since:
        made = going.made
        made.scheduler.kill()
        made.scheduler.wait()
        made.scheduler = made.start_scheduler()
        WORKERS[:] = [made.start_worker(), made.start_worker()]
        return going.is_said(r"scheduler \S+ (is back|was restarted); what it had is handed over again", since)


def the_share_vanishes(going: Going) -> bool:
    share = going.folder.parent
    away = share.with_name("away")
    with going.in_the_middle() as since:
        share.rename(away)
        share.mkdir()
        found = going.is_said(GONE, since)
        wait_for(lambda: not going.is_going, "it does not end", LONG_S)
        assert list(share.iterdir()) == [], "something was written where the share is not"
        share.rmdir()
        away.rename(share)
    return found


def a_second_campaign_begins(going: Going) -> bool:
    with going.in_the_middle():
        try:
            swept(going.folder, going.campaign())
        except ResultsError as error:
            assert "is being written by another process; wait for it, or choose another --out" in str(error)
            return True
        assert not going.is_going, "two campaigns write to one folder"
        return False


FAULTS = {
    "worker killed": a_worker_is_killed,
    "worker without the core": an_unfit_worker_comes(WITHOUT_CORE, r"has no windtunnel that can make them .*"),
    "worker with another engine": an_unfit_worker_comes(OTHER_ENGINE, f"engine version of sim is 1, {engine_version()} is needed"),
    "scheduler restarted": the_scheduler_is_restarted,
    "share vanished": the_share_vanishes,
    "two campaigns on one folder": a_second_campaign_begins,
}
ASKED = [(fault, FEW) for fault in FAULTS] + [pytest.param(fault, OFTEN, marks=pytest.mark.kills) for fault in FAULTS]


@pytest.mark.parametrize(("fault", "times"), ASKED)
def test_a_fault_again_and_again(fault: str, times: int, undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "LOOK_S", 0.2)  # A sweep of seconds would end before the workers are looked at again.
    share = tmp_path / "share"
    share.mkdir()
    with contextlib.ExitStack() as opened_ones:
        forks = opened_ones.enter_context(contextlib.closing(Forks())) if times == OFTEN else None
        made = opened_ones.enter_context(cluster(forks))
        WORKERS[:] = [made.start_worker(), made.start_worker()]
        going = Going(made, share / "results", undisturbed, random.Random(f"{fault} {times}"))
        counted, tried = 0, 0
        try:
            while counted < times:
                tried += 1
                assert tried < 6 * times + 20, f"only {counted} of {tried} faults met a campaign"
                counted += FAULTS[fault](going)
        finally:
            going.finish()
        print(f"{fault}: {counted} times in {going.rounds} rounds, each said in a line")
    assert_equal(share / "results", undisturbed)


def test_a_campaign_whose_scheduler_never_was_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(CampaignError, match="cannot be used") as caught:
        opened("tcp://127.0.0.1:1", timeout_s=1.0)
    assert "\n" not in str(caught.value)
