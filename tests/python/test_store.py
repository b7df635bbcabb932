"""The store: a run is there whole or not at all, a results folder is written by one and read strictly."""

from __future__ import annotations

import errno
import json
import os
import pickle
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from stored import DECLARATION, KEY, MEASURES, one_line, tree

from windtunnel import records
from windtunnel.records import Records
from windtunnel.store import KEPT, Results, ResultsError, RunStore, open_results, packing, run_key, writing_results

NO_DOCUMENTS = pl.DataFrame(schema={"run": pl.String(), "document": pl.String()})


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "runs")


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.rglob("*")) if path.exists() else []


# Runs.


def test_the_key_of_a_run_changes_with_scenario_backend_and_version() -> None:
    keys = {run_key("a", "sim", 1), run_key("b", "sim", 1), run_key("a", "linux", 1), run_key("a", "sim", 2)}
    assert len(keys) == 4
    assert all(len(key) == 32 and set(key) <= set("0123456789abcdef") for key in keys)


@pytest.mark.parametrize("kept", list(KEPT))
def test_a_stored_run_reads_back_equal(store: RunStore, run: Records, kept: str) -> None:
    path = store.write(KEY, run, kept)
    back = store.read(path)
    assert back.digest() == run.thinned(KEPT[kept]).digest()
    for name in ("flows", "links", "events"):
        assert getattr(back, name).equals(getattr(run, name))
    assert back.facts.scenario == run.facts.scenario


@pytest.mark.parametrize("what", ["run", "files", "packs", "experiment"])
def test_nothing_is_made_where_a_share_was(tmp_path: Path, run: Records, what: str) -> None:
    results = Results(tmp_path / "share" / "results")
    results.runs.folder.mkdir(parents=True)
    results.runs.keep(KEY, run, "all")
    contents = results.runs.contents()
    tasks: dict[str, Callable[[], Any]] = {
        "run": lambda: results.runs.keep(KEY, run, "all"),
        "files": lambda: [results.runs.take(place, files) for place, files in contents.items()],
        "packs": lambda: packing.write(results.runs.folder / "packs", NO_DOCUMENTS, lambda name: None, pl.DataFrame),
        "experiment": lambda: results.store_experiment("li07.fig4", DECLARATION, MEASURES),
    }
    (tmp_path / "share").rename(tmp_path / "away")
    (tmp_path / "share").mkdir()
    with pytest.raises(ResultsError, match="cannot be written: No such file or directory"):
        tasks[what]()
    assert list((tmp_path / "share").iterdir()) == []


def test_each_level_keeps_less_than_the_one_before(store: RunStore, run: Records) -> None:
    kept = {name: store.read(store.write(KEY, run, name)) for name in KEPT}
    assert kept["all"].digest() == run.digest()
    assert kept["rates"].flow_samples["delivered_bytes"].equals(run.flow_samples["delivered_bytes"])
    assert kept["rates"].flow_samples["cwnd_packets"].null_count() == run.flow_samples.height > 0
    assert kept["totals"].flow_samples.height == kept["totals"].link_samples.height == 0
    assert kept["queues"].link_samples.equals(run.link_samples)
    assert len({one.digest() for one in kept.values()}) == len(KEPT)


@pytest.mark.parametrize(
    ("stored", "served"),
    [
        ("all", ["all", "queues", "rates", "totals"]),
        ("queues", ["queues", "rates", "totals"]),
        ("rates", ["rates", "totals"]),
        ("totals", ["totals"]),
    ],
    ids=list(KEPT),
)
def test_a_level_serves_itself_and_the_lesser_ones(store: RunStore, run: Records, stored: str, served: list[str]) -> None:
    path = store.write(KEY, run, stored)
    assert {kept: store.find(KEY, kept) for kept in KEPT} == {kept: path if kept in served else None for kept in KEPT}
    assert store.find("1" * 32, "totals") is None


def test_a_run_stored_twice_counts_once_with_the_most_that_was_kept(store: RunStore, run: Records) -> None:
    store.write(KEY, run, "all")
    store.write(KEY, run, "totals")
    store.write("1" * 32, run, "totals")
    (store.folder / f".{'2' * 32}.all.x.partial").mkdir()
    assert {key: path.name for key, path in store.stored().items()} == {KEY: f"{KEY}.all", "1" * 32: f"{'1' * 32}.totals"}


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), pl.exceptions.ComputeError("parquet: No space left on device (os error 28)")],
    ids=["system", "polars"],
)
def test_a_full_disk_leaves_no_run_and_says_so(store: RunStore, run: Records, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    written = []

    def full(self: pl.DataFrame, path: Path, **_: Any) -> None:
        written.append(path)
        Path(path).write_bytes(b"PAR1")
        if len(written) == 3:
            raise error

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(ResultsError) as caught:
        store.write(KEY, run, "all")
    one_line(caught, f"{KEY}.all", "cannot be written", "No space left on device", "allowed")
    assert len(written) == 3
    assert names(store.folder) == []


@pytest.mark.parametrize("error", [RuntimeError("broken"), KeyboardInterrupt()], ids=["fault", "Ctrl-C"])
def test_whatever_stops_a_writer_leaves_nothing(
    store: RunStore, run: Records, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    store.write("1" * 32, run, "totals")
    before = names(store.folder)

    def stopped(_: Records, folder: Path) -> None:
        (folder / "flows.parquet").write_bytes(b"PAR1")
        raise error

    monkeypatch.setattr(records, "write", stopped)
    with pytest.raises(type(error)):
        store.write(KEY, run, "all")
    assert names(store.folder) == before


DAMAGES: dict[str, Callable[[Path], object]] = {
    "gone": lambda path: (path / "flows.parquet").unlink(),
    "cut": lambda path: os.truncate(path / "flows.parquet", 40),
    "empty": lambda path: (path / "links.parquet").write_bytes(b""),
    "text": lambda path: (path / "events.parquet").write_text("not parquet at all, but longer than a footer"),
    "other": lambda path: pl.DataFrame({"x": [1]}).write_parquet(path / "flows.parquet"),
    "no facts": lambda path: (path / "run.json").unlink(),
    "cut facts": lambda path: os.truncate(path / "run.json", 100),
    "list": lambda path: (path / "run.json").write_text("[]"),
}


@pytest.mark.parametrize("damage", list(DAMAGES))
def test_a_damaged_run_is_named(store: RunStore, run: Records, damage: str) -> None:
    path = store.write(KEY, run, "all")
    DAMAGES[damage](path)
    with pytest.raises(ResultsError) as caught:
        store.read(path)
    one_line(caught, path, "remove the folder to have it computed again")


def test_changed_values_are_noticed(store: RunStore, run: Records) -> None:
    path = store.write(KEY, run, "all")
    pl.read_parquet(path / "flows.parquet").with_columns(pl.col("start_s") + 1.0).write_parquet(path / "flows.parquet")
    with pytest.raises(ResultsError) as caught:
        store.read(path)
    one_line(caught, path, "flows.parquet", "its checksum differs")


def test_an_error_crosses_processes_unchanged() -> None:
    error = pickle.loads(pickle.dumps(ResultsError(Path("folder"), "cannot be\nwritten")))
    assert isinstance(error, ResultsError)
    assert (str(error), error.path) == ("folder: cannot be written", Path("folder"))


# The results folder.


def test_what_was_stored_is_read_back(folder: Path) -> None:
    results = open_results(folder)
    assert results.experiments() == ["t.one"]
    assert results.measures("t.one").equals(MEASURES)
    assert results.declaration("t.one") == DECLARATION
    assert results.facts == {"format": 1, "suites": ["t"], "order": ["t.one"], "facts": [["version", "1"]], "findings": []}


def test_infinite_and_missing_values_survive(folder: Path) -> None:
    table = MEASURES.with_columns(value=pl.Series([float("inf"), None]))
    with writing_results(folder) as results:
        results.store_experiment("t.one", DECLARATION, table)
    assert open_results(folder).measures("t.one")["value"].to_list() == [float("inf"), None]


@pytest.mark.parametrize("name", ["thesis.txt", "runs", "experiments", ".hidden"])
def test_a_folder_with_other_things_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("years of work")
    with pytest.raises(ResultsError) as caught, writing_results(tmp_path):
        pass
    one_line(caught, tmp_path, name, "results.json", "allowed")
    assert names(tmp_path) == [name]


def test_a_file_is_no_results_folder(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    for use in (path, path / "below"):
        with pytest.raises(ResultsError) as caught, writing_results(use):
            pass
        one_line(caught, use, "allowed")
        with pytest.raises(ResultsError) as caught:
            open_results(use)
        one_line(caught, use, "allowed")
    assert path.read_text() == "x"


def test_a_name_the_system_refuses_is_refused(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)
    with pytest.raises(ResultsError), writing_results(path):
        pass
    with pytest.raises(ResultsError) as caught:
        open_results(path)
    assert "name too long" in str(caught.value)


def test_a_second_writer_is_refused_while_the_first_writes(folder: Path) -> None:
    with writing_results(folder) as results:
        with pytest.raises(ResultsError) as caught, writing_results(folder):
            pass
        one_line(caught, folder, "another process")
        results.store_facts({"suites": ["u"]})
    with writing_results(folder) as results:
        assert results.facts["suites"] == ["u"]


def test_a_writer_keeps_what_is_there(folder: Path) -> None:
    before = tree(folder)
    with writing_results(folder):
        pass
    assert tree(folder) == before


def test_what_killed_writers_left_is_swept_and_nothing_else(folder: Path) -> None:
    before = names(folder)
    for place in ("runs", "experiments"):
        for left in (f".{KEY}.all.abc.partial", f".{KEY}.all.abc.replaced"):
            (folder / place / left).mkdir()
            (folder / place / left / "measures.parquet").write_bytes(b"PAR1")
    (folder / ".results.json.partial").write_text("{")
    assert open_results(folder).experiments() == ["t.one"]
    with writing_results(folder):
        assert names(folder) == before


def test_what_a_failing_writer_left_is_swept_at_once(folder: Path) -> None:
    before = names(folder)
    with pytest.raises(RuntimeError), writing_results(folder) as results:
        (results.runs.folder / f".{KEY}.all.abc.partial").mkdir()
        raise RuntimeError
    assert names(folder) == before


@pytest.mark.parametrize("found", ["2", "0", "null", '"1"', "true", "[1]"])
def test_a_folder_of_another_format_is_neither_read_nor_written(folder: Path, found: str) -> None:
    (folder / "results.json").write_text(f'{{"format": {found}, "suites": ["t"]}}')
    before = tree(folder)
    with pytest.raises(ResultsError) as caught:
        open_results(folder)
    one_line(caught, "results.json", "format", "allowed: 1")
    with pytest.raises(ResultsError) as caught, writing_results(folder):
        pass
    one_line(caught, "results.json", "format", "allowed: 1")
    assert tree(folder) == before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1, "suites": 5}', '{"format": 1, "facts": [["version"]]}', "\0\xff"])
def test_damaged_facts_are_refused_when_reading_and_made_again_when_writing(folder: Path, text: str) -> None:
    (folder / "results.json").write_text(text, encoding="latin-1")
    with pytest.raises(ResultsError) as caught:
        open_results(folder)
    one_line(caught, folder / "results.json", "run the suite again")
    with writing_results(folder) as results:
        assert results.facts == {"format": 1}
    assert open_results(folder).measures("t.one").equals(MEASURES)


def test_a_damaged_file_of_that_name_in_another_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text("score: 3")
    with pytest.raises(ResultsError), writing_results(tmp_path):
        pass
    assert tree(tmp_path) == {"results.json": b"score: 3"}


def test_missing_and_empty_folders_hold_no_results(tmp_path: Path) -> None:
    with pytest.raises(ResultsError) as caught:
        open_results(tmp_path / "none")
    one_line(caught, tmp_path / "none", "is not a folder", "allowed")
    with pytest.raises(ResultsError) as caught:
        open_results(tmp_path)
    one_line(caught, tmp_path, "holds no results.json", "allowed")
    with writing_results(tmp_path):
        pass
    with pytest.raises(ResultsError) as caught:
        open_results(tmp_path)
    one_line(caught, tmp_path, "no finished experiment")


TABLES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: os.truncate(path, 60),
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("not parquet at all, but longer than a footer"),
    "no value": lambda path: MEASURES.drop("value").write_parquet(path),
    "text value": lambda path: MEASURES.with_columns(pl.col("value").cast(pl.String)).write_parquet(path),
    "float seed": lambda path: MEASURES.with_columns(pl.col("seed").cast(pl.Float64)).write_parquet(path),
}


@pytest.mark.parametrize("damage", list(TABLES))
def test_a_damaged_table_is_named(folder: Path, damage: str) -> None:
    path = folder / "experiments" / "t.one" / "measures.parquet"
    TABLES[damage](path)
    with pytest.raises(ResultsError) as caught:
        open_results(folder).measures("t.one")
    one_line(caught, path, "run the suite again")


@pytest.mark.parametrize("key", [*DECLARATION, ""])
def test_a_damaged_declaration_is_named(folder: Path, key: str) -> None:
    path = folder / "experiments" / "t.one" / "experiment.json"
    for damaged in ({name: value for name, value in DECLARATION.items() if name != key}, {**DECLARATION, key: {"x": 1}}) if key else ("",):
        path.write_text(json.dumps(damaged) if damaged else "")
        with pytest.raises(ResultsError) as caught:
            open_results(folder).declaration("t.one")
        one_line(caught, path, key, "run the suite again")


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), pl.exceptions.ComputeError("parquet: No space left on device (os error 28)")],
    ids=["system", "polars"],
)
def test_a_full_disk_leaves_the_experiment_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def full(_: pl.DataFrame, path: Path, **__: Any) -> None:
        Path(path).write_bytes(b"PAR1")
        raise error

    before = tree(folder)
    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    for id in ("t.one", "t.two"):
        with pytest.raises(ResultsError) as caught, writing_results(folder) as results:
            results.store_experiment(id, {**DECLARATION, "title": "new"}, MEASURES)
        one_line(caught, id, "No space left on device", "allowed")
    assert tree(folder) == before


def test_a_declaration_is_never_stored_without_its_measures(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = tree(folder)
    monkeypatch.setattr("windtunnel.store.results.write_json", full)
    with pytest.raises(ResultsError), writing_results(folder) as results:
        results.store_experiment("t.one", DECLARATION, MEASURES.head(1))
    with pytest.raises(ResultsError), writing_results(folder) as results:
        results.store_facts({})
    assert tree(folder) == before


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB; needs the right to mount one."""
    path = tmp_path / "disk"
    path.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(path)], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("a file system cannot be mounted here")
    yield path
    subprocess.run(["umount", "--lazy", str(path)], check=True)


def test_a_disk_that_really_is_full_leaves_whole_runs_only(full_disk: Path, run: Records) -> None:
    with pytest.raises(ResultsError) as caught, writing_results(full_disk / "results") as results:
        for number in range(20):
            results.runs.write(f"{number:032x}", run, "all")
    one_line(caught, "No space left on device", "allowed: a writable folder with room")
    stored = sorted(entry.name for entry in results.runs.folder.iterdir())
    assert 0 < len(stored) < 20 and not any(name.startswith(".") for name in stored)
    assert {results.runs.read(results.runs.folder / name).digest() for name in stored} == {run.digest()}


def test_a_folder_without_the_right_to_write_is_refused(tmp_path: Path, folder: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    folder.chmod(0o555)
    try:
        if os.access(locked, os.W_OK):
            pytest.skip("rights do not bind this user")
        for path in (locked / "results", locked, folder):
            with pytest.raises(ResultsError) as caught, writing_results(path) as results:
                results.store_facts({})
            one_line(caught, path, "cannot be written", "allowed")
        assert open_results(folder).experiments() == ["t.one"]
    finally:
        folder.chmod(0o755)
        locked.chmod(0o755)


def test_results_hold_no_experiment_of_a_hidden_folder(folder: Path) -> None:
    (folder / "experiments" / "t.one").rename(folder / "experiments" / ".t.one.x.replaced")
    assert Results(folder).experiments() == []
