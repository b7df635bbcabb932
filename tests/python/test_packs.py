"""Packs: many runs in few files, with every answer as before."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from stored import DECLARATION, MEASURES, one_line

from windtunnel.backends import backend
from windtunnel.records import FRAMES, Records
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.store import KEPT, Results, ResultsError, open_results, packing, writing_results
from windtunnel.store.sql import query


def made(algorithm: str, **more: Any) -> Records:
    flows = (Flow(algorithm=algorithm, rtt_s=0.02), Flow(algorithm="reno", rtt_s=0.02, start_s=0.2))
    bottleneck = Bottleneck(rate_bps=10e6, queue_packets=10)
    return backend("sim").run(Scenario(bottleneck=bottleneck, flows=flows, duration_s=1.0, sample_s=0.1, **more))


@pytest.fixture(scope="module")
def runs() -> list[Records]:
    """Runs that differ in what they hold: variables of two algorithms, ACKs."""
    return [made("fast"), made("htcp"), made("bbr"), made("illinois"), made("cubic", per_ack=True)]


def key(number: int) -> str:
    return f"{number:032x}"


@pytest.fixture
def folder(tmp_path: Path, runs: list[Records]) -> Path:
    with writing_results(tmp_path / "results") as results:
        for number, run in enumerate(runs * len(KEPT)):
            results.runs.write(key(number), run, list(KEPT)[number % len(KEPT)])
        results.store_experiment("t.one", DECLARATION, MEASURES)
    return tmp_path / "results"


def packed(folder: Path) -> Results:
    with writing_results(folder) as results:
        results.runs.pack()
        return results


def answers(results: Results) -> dict[str, Any]:
    names = (*FRAMES, "measures")
    return {name: sorted(map(repr, query(results, f"SELECT * FROM {name}")[1])) for name in names} | {
        "runs": query(results, "SELECT * EXCLUDE (place) FROM runs ORDER BY run")[1]
    }


def test_a_packed_run_is_read_back_to_the_bit_and_every_answer_stays(folder: Path) -> None:
    results = open_results(folder)
    before = {key: results.runs.read(path) for key, path in results.runs.stored().items()}
    said, names = answers(results), {key: path.name for key, path in results.runs.stored().items()}
    [pack] = folder_of_packs(packed(folder))
    assert not results.runs.loose()
    assert {key: path.name for key, path in results.runs.stored().items()} == names
    after = {key: results.runs.read(path) for key, path in results.runs.stored().items()}
    assert {key: run.facts for key, run in before.items()} == {key: run.facts for key, run in after.items()}
    for name, run in before.items():
        assert run.digest() == after[name].digest()
        assert all(frame.equals(after[name].frames()[part]) for part, frame in run.frames().items())
    assert answers(results) == said
    assert query(results, "SELECT DISTINCT place FROM runs")[1] == [(f"runs/packs/{pack.name}",)]


def folder_of_packs(results: Results) -> list[Path]:
    return sorted((results.runs.folder / "packs").iterdir())


def test_own_variables_keep_their_order_and_their_nulls_beside_runs_that_have_others(tmp_path: Path) -> None:
    # The digest covers the names of columns in their order; the columns of a pack are those of all its runs.
    # bbr and bbr3 share some variables, each with others of its own between them.
    path = {"bottleneck": Bottleneck(rate_bps=10e6, queue_packets=10), "duration_s": 0.5}
    runs = [backend("sim").run(Scenario(**path, flows=(Flow(algorithm=name, rtt_s=0.02),))) for name in ("bbr", "bbr3")]
    unmeasured = runs[0].flow_samples.with_columns(pl.lit(None, pl.Float64()).alias("never"))
    runs.append(replace(runs[0], flow_samples=unmeasured))
    with writing_results(tmp_path / "results") as results:
        for number, run in enumerate(runs):
            results.runs.write(key(number), run, "all")
    read = packed(tmp_path / "results").runs
    for number, run in enumerate(runs):
        again = read.read(read.stored()[key(number)])
        assert again.flow_samples.columns == run.flow_samples.columns
        assert again.digest() == run.digest()


def test_a_run_in_several_places_is_counted_once_and_read_where_most_is_kept(folder: Path, runs: list[Records], tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder / "runs", tmp_path / "copy"))
    said = answers(packed(folder))
    shutil.copytree(copy, folder / "runs", dirs_exist_ok=True)  # As after a kill between a pack and the removal of what is in it.
    results = open_results(folder)
    assert answers(results) == said
    with writing_results(folder) as results:
        results.runs.write(key(3), runs[3], "all")  # There with totals.
        results.runs.pack()
    assert results.runs.loose() == {}
    assert len(folder_of_packs(results)) == 2
    assert results.runs.stored()[key(3)].name == f"{key(3)}.all"
    samples = "SELECT count(*) FROM flow_samples WHERE run = '{}'"
    assert query(results, samples.format(key(3)))[1] == [(runs[3].flow_samples.height,)]
    assert query(results, f"SELECT count(*) FROM flows WHERE run = '{key(3)}'")[1] == [(2,)]
    assert query(results, "SELECT count(*), count(DISTINCT run) FROM runs")[1] == [(20, 20)]


def test_packs_are_cut_by_their_bytes_and_large_or_damaged_runs_stay(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {path.name: sum(file.stat().st_size for file in path.glob("*.parquet")) for path in (folder / "runs").iterdir()}
    monkeypatch.setattr(packing, "LARGE_BYTES", sorted(sizes.values())[-2])
    monkeypatch.setattr(packing, "MOST_BYTES", sum(sizes.values()) / 4)
    damaged = folder / "runs" / f"{key(3)}.totals" / "flows.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    results = packed(folder)
    largest = max(sizes, key=lambda name: sizes[name])
    assert set(results.runs.loose()) == {largest, f"{key(3)}.totals"}
    assert len(folder_of_packs(results)) >= 4
    with pytest.raises(ResultsError) as caught:
        query(results, "SELECT count(*) FROM flows")
    one_line(caught, damaged, "its checksum differs")
