"""Results in an object store, on a real server that stops and starts: nothing is lost or counted twice, and all damage is named."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from s3server import Server

from windtunnel.cli import main
from windtunnel.experiment import runner
from windtunnel.store import Results, ResultsError, open_results, results, settling
from windtunnel.store.objects import Objects
from windtunnel.store.sql import query

ADDRESS = "s3://bucket/a/study"
STUDY = """
seeds = {seeds}
measures = ["util", "qdelay_p95_ms"]
kept = "all"
[over]
alg = ["reno", "fast"]
queue = [25, 100]
[scenario]
duration = "2s"
rtt = "20ms"
flows = ["{{alg}}"]
bottleneck = {{ rate = "5Mbit", queue = "{{queue}}%bdp" }}
"""


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make runs in this process: starting workers would take longer than the runs."""

    @contextlib.contextmanager
    def pool(_: int) -> Iterator[ThreadPoolExecutor]:
        with ThreadPoolExecutor(1) as threads:
            yield threads

    monkeypatch.setattr(runner, "workers", pool)


def sweep(tmp_path: Path, out: object, *, seeds: int = 3, name: str = "study") -> int:
    path = tmp_path / f"{name}.toml"
    path.write_text(STUDY.format(seeds=seeds), encoding="utf-8")
    return main(["sweep", str(path), "--out", str(out), "--jobs", "1", "--json"])


def contents(found: Results) -> dict[str, Any]:
    """All that a folder holds: tables, digests of records, and each run once."""
    tables = {id: found.measures(id).rows() for id in found.experiments()}
    runs = {key: found.runs.read(path).digest() for key, path in found.runs.stored().items()}
    frames = {name: sorted(query(found, f"SELECT run, count(*) FROM {name} GROUP BY run")[1]) for name in ("flows", "flow_samples", "runs")}
    return {"tables": tables, "runs": runs, "frames": frames}


def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str = "other") -> None:
    """Go to a machine whose cache is empty."""
    shutil.rmtree(tmp_path / name, ignore_errors=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))


def test_a_study_in_a_bucket_is_the_study_in_a_folder_on_every_machine(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sweep(tmp_path, tmp_path / "local") == sweep(tmp_path, ADDRESS) == 0
    expected = contents(open_results(tmp_path / "local"))
    assert contents(open_results(ADDRESS)) == expected
    elsewhere(monkeypatch, tmp_path)
    assert contents(open_results(ADDRESS)) == expected
    assert len(expected["runs"]) == 12
    # A later repeat finds what is there.
    before = set(server.objects.rglob("packs/*/pack.json"))
    assert sweep(tmp_path, ADDRESS, seeds=4) == 0
    assert sweep(tmp_path, tmp_path / "local", seeds=4) == 0
    assert contents(open_results(ADDRESS)) == contents(open_results(tmp_path / "local"))
    [fresh] = set(server.objects.rglob("packs/*/pack.json")) - before
    assert '"runs": 4' in fresh.read_text()


def test_only_what_a_question_names_is_fetched(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sweep(tmp_path, ADDRESS) == 0
    elsewhere(monkeypatch, tmp_path)
    assert query(open_results(ADDRESS), "SELECT count(*) FROM runs")[1] == [(12,)]

    def fetched() -> set[str]:
        return {path.name for path in (tmp_path / "other").rglob("runs/packs/*/*") if path.is_file()}

    assert fetched() == {"pack.json", "index.parquet"}
    assert query(open_results(ADDRESS), "SELECT count(*) FROM flows")[1] == [(12,)]
    assert fetched() == {"pack.json", "index.parquet", "flows.parquet"}


@pytest.mark.parametrize("seed", range(2))
def test_a_server_that_stops_and_starts_in_the_middle_loses_nothing_and_counts_nothing_twice(
    seed: int, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = random.Random(seed)
    assert sweep(tmp_path, tmp_path / "calm", seeds=10) == 0
    moments = sorted(draw.sample(range(2, 38), 5))
    last = moments.pop()
    count = 0
    whole = settling.Settling.has_one_more
    monkeypatch.setattr(settling, "SEND_EVERY_S", 0.0)
    capsys.readouterr()

    def counted(self: settling.Settling) -> None:
        nonlocal count
        count += 1
        if count in moments:
            (server.stop if moments.index(count) % 2 == 0 else server.start)()
        if count == last:  # Away until after the last run, while the command waits for it.
            server.stop()
            threading.Timer(6.0, server.start).start()
        if count % 4 == 0 or count in moments:  # While it is away, each time that it is asked takes seconds.
            whole(self)

    monkeypatch.setattr(settling.Settling, "has_one_more", counted)
    assert sweep(tmp_path, ADDRESS, seeds=10) == 0
    assert count == 40
    told = [line for line in capsys.readouterr().err.splitlines() if "cannot be reached" in line]
    assert 2 <= len(told) <= 4, told  # Once each time that it is away, and that the command waits.
    expected = contents(open_results(tmp_path / "calm"))
    assert contents(open_results(ADDRESS)) == expected
    elsewhere(monkeypatch, tmp_path)
    assert contents(open_results(ADDRESS)) == expected


def test_a_server_that_stays_away_ends_the_command_with_one_line_and_the_next_one_makes_no_run_again(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(results, "PATIENCE_S", 0.5)
    whole = settling.Settling.settle

    def away(self: settling.Settling) -> None:
        server.stop()
        whole(self)

    with monkeypatch.context() as patched:
        patched.setattr(settling.Settling, "settle", away)
        assert sweep(tmp_path, ADDRESS) == 2
    told = capsys.readouterr().err.splitlines()
    assert "cannot be reached" in told[-1] and "all that was made is kept in" in told[-1], told
    server.start()
    with pytest.raises(ResultsError, match="holds no results"), monkeypatch.context() as patched:
        elsewhere(patched, tmp_path)
        open_results(ADDRESS)
    monkeypatch.setattr(runner, "_make", lambda task: pytest.fail("a run was made again"))
    assert sweep(tmp_path, ADDRESS) == 0
    elsewhere(monkeypatch, tmp_path)
    assert len(open_results(ADDRESS).runs.stored()) == 12


def test_of_damaged_objects_none_changes_an_answer_without_a_word_and_all_are_made_again(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sweep(tmp_path, ADDRESS) == 0
    expected = contents(open_results(ADDRESS))
    draw = random.Random(21)
    study = server.objects / "a" / "study"

    def listed() -> list[Path]:
        last = max(study.glob("lists/*.json"))
        return [study / "documents" / mark for mark in json.loads(last.read_text())["documents"].values()]

    kinds = [f"packs/*/{name}.parquet" for name in ("flows", "flow_samples", "documents")]
    for number, name in enumerate((*kinds, "lists/*.json", "packs/*/pack.json", "packs/*/index.parquet", "documents", "documents")):
        path = draw.choice(listed()) if name == "documents" else max(study.glob(name))
        content = path.read_bytes()
        at = draw.randrange(len(content))
        kind = ["flipped", "truncated", "emptied"][number % 3]
        damaged = {"flipped": content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :], "truncated": content[:at], "emptied": b""}[kind]
        # On the server's disk, which its own checksum tells, or by a client, which ours alone can tell.
        put = path.write_bytes if number % 2 else partial(Objects(ADDRESS).write, str(path.relative_to(study)))
        put(damaged)
        elsewhere(monkeypatch, tmp_path)
        with pytest.raises(ResultsError) as caught:
            assert contents(open_results(ADDRESS)) == expected
        assert path.name in str(caught.value) and "\n" not in str(caught.value), (path, kind, caught.value)
        if name not in kinds:
            elsewhere(monkeypatch, tmp_path)
            capsys.readouterr()
            assert sweep(tmp_path, ADDRESS) == 0
            assert path.name in capsys.readouterr().err, (path, kind)
            elsewhere(monkeypatch, tmp_path)
            assert contents(open_results(ADDRESS)) == expected, (path, kind)
        if path.is_file():
            put(content)


def test_two_writers_on_two_machines_lose_nothing(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    whole = settling.Settling.settle

    def other_in_between(self: settling.Settling) -> None:
        whole(self)
        if not begun:
            begun.append("other")
            with monkeypatch.context() as patched:
                elsewhere(patched, tmp_path)
                assert sweep(tmp_path, ADDRESS, name="second") == 0

    monkeypatch.setattr(settling.Settling, "settle", other_in_between)
    assert sweep(tmp_path, ADDRESS, name="first") == 0
    elsewhere(monkeypatch, tmp_path, "third")
    found = open_results(ADDRESS)
    assert found.experiments() == ["first", "second"]
    assert set(found.facts["order"]) == {"first", "second"}
    assert query(found, "SELECT count(*), count(DISTINCT run) FROM runs")[1] == [(12, 12)]
    assert query(found, "SELECT count(*) FROM flows")[1] == [(12,)]


def test_what_cannot_be_used_is_one_line(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(results, "PATIENCE_S", 0.0)

    def refused(address: str, *parts: str) -> None:
        for command in (["sql", address, "SELECT 1"], ["sweep", str(tmp_path / "study.toml"), "--out", address, "--json"]):
            assert main(command) == 2
            line = capsys.readouterr().err
            assert line.count("\n") == 1 and line.startswith("error: s3://") and all(part in line for part in parts), line

    (tmp_path / "study.toml").write_text(STUDY.format(seeds=1), encoding="utf-8")
    refused("s3://nobucket/x", "s3://nobucket/x", "does not exist")
    with monkeypatch.context() as patched:
        patched.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
        patched.setattr(sys.modules["windtunnel.store.objects"], "_files", fresh)
        refused("s3://bucket/x", "cannot be used")
    assert main(["sql", "s3://bucket/x", "SELECT 1"]) == 2
    assert "s3://bucket/x: holds no results" in capsys.readouterr().err
    server.stop()
    began = time.monotonic()
    refused("s3://bucket/x", "cannot be reached")
    assert time.monotonic() - began < 60
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "s3fs", None)
        sys.modules["windtunnel.store.objects"]._imported.cache_clear()
        refused("s3://bucket/x", "pip install 'windtunnel[s3]'")
    server.start()


def fresh() -> Any:
    """A client that reads the environment anew: fsspec keeps one for each address and settings."""
    import s3fs

    return s3fs.S3FileSystem(use_listings_cache=False, skip_instance_cache=True)
