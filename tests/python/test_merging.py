"""Small packs from elsewhere, made into larger ones: every answer stays, at any moment of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from stored import DECLARATION, MEASURES

from windtunnel.backends import backend
from windtunnel.records import Records
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.store import Results, RunStore, merging, open_results, writing_results
from windtunnel.store.sql import query

PACKS, EACH = 6, 2


@pytest.fixture(scope="module")
def runs() -> list[Records]:
    """Runs that differ in what they hold: variables of several algorithms."""

    def made(algorithm: str) -> Records:
        bottleneck = Bottleneck(rate_bps=10e6, queue_packets=10)
        return backend("sim").run(
            Scenario(bottleneck=bottleneck, flows=(Flow(algorithm=algorithm, rtt_s=0.02),), duration_s=1.0, sample_s=0.1)
        )

    return [made(name) for name in ("fast", "htcp", "bbr", "illinois", "cubic")]


def key(number: int) -> str:
    # Those of one pack are not neighbours in the order of keys.
    return f"{number * 7 % (PACKS * EACH):032x}"


@pytest.fixture
def folder(tmp_path: Path, runs: list[Records], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A results folder with packs of two runs each, as workers send them."""
    monkeypatch.setattr(merging, "MERGE_AT", PACKS - 1)
    with writing_results(tmp_path / "results") as results:
        for pack in range(PACKS):
            there = RunStore(tmp_path / f"worker{pack}")
            for number in range(pack * EACH, (pack + 1) * EACH):
                there.keep(key(number), runs[number % len(runs)], "all")
            assert len(there.pack(lasting=False)) == 1
            for place, files in there.contents().items():
                results.runs.take(place, files)
        results.store_experiment("t.one", DECLARATION, MEASURES)
    return tmp_path / "results"


def packs(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "runs/packs").iterdir())


def merged(folder: Path) -> Results:
    with writing_results(folder) as results:
        assert results.runs.is_to_pack()
        results.runs.pack()
        assert not results.runs.is_to_pack()
    return open_results(folder)


def answers(results: Results) -> dict[str, Any]:
    digests = {key: results.runs.read(path).digest() for key, path in results.runs.stored().items()}
    return {
        name: sorted(map(repr, query(results, f"SELECT * FROM {name}")[1])) for name in ("flows", "flow_samples", "links", "events")
    } | {"digests": digests}


def test_merged_packs_give_every_answer_as_before_and_have_the_name_of_their_content(
    folder: Path, tmp_path: Path, runs: list[Records]
) -> None:
    before = answers(open_results(folder))
    assert len(before["digests"]) == PACKS * EACH and len(packs(folder)) == PACKS
    assert answers(merged(folder)) == before
    with writing_results(tmp_path / "whole") as results:
        for number in range(PACKS * EACH):
            results.runs.keep(key(number), runs[number % len(runs)], "all")
        results.runs.pack()
    assert packs(folder) == packs(tmp_path / "whole")
    ours, theirs = (next((one / "runs/packs").iterdir()) for one in (folder, tmp_path / "whole"))
    for path in sorted(theirs.glob("*.parquet")):
        rows, wanted = pl.read_parquet(ours / path.name), pl.read_parquet(path)
        assert rows.select(sorted(rows.columns)).equals(wanted.select(sorted(wanted.columns))), path.name


def test_a_kill_before_small_packs_are_removed_leaves_runs_that_are_counted_once(folder: Path, tmp_path: Path) -> None:
    before = answers(open_results(folder))
    small = Path(shutil.copytree(folder / "runs/packs", tmp_path / "small"))
    merged(folder)
    [large] = packs(folder)
    shutil.copytree(small, folder / "runs/packs", dirs_exist_ok=True)
    assert answers(open_results(folder)) == before
    assert query(open_results(folder), "SELECT count(*), count(DISTINCT run) FROM runs")[1] == [(PACKS * EACH, PACKS * EACH)]
    assert answers(merged(folder)) == before
    assert packs(folder) == [large]


def test_a_damaged_small_pack_stays_where_it_is(folder: Path) -> None:
    name = packs(folder)[2]
    damaged = folder / "runs/packs" / name / "flows.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    merged(folder)
    assert name in packs(folder) and len(packs(folder)) == 2
