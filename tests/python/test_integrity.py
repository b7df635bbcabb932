"""Damage to any file of a results folder is noticed, named and mended: no answer changes without a word."""

from __future__ import annotations

import contextlib
import importlib
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from stored import tree

from windtunnel.claims import RegisterError, claims_json
from windtunnel.cli import main
from windtunnel.experiment import runner
from windtunnel.records import FRAMES
from windtunnel.records.checksums import DAMAGED, Damaged, checksum, sealed, unsealed
from windtunnel.report import registers_of, verdicts_of
from windtunnel.starters import create_suite
from windtunnel.store import QueryError, ResultsError, open_results, writing_results
from windtunnel.store.sql import query
from windtunnel.suites import users

TRIALS = 250


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A suite with a measure and claims of its own, so that its folder has every kind of file."""
    before, modules = list(sys.path), set(sys.modules)
    folder = tmp_path_factory.mktemp("suite")
    create_suite("damaged", folder / "damaged")
    yield folder / "damaged"
    sys.path[:] = before
    for name in set(sys.modules) - modules:
        if name.partition(".")[0] == "damaged":
            del sys.modules[name]
    users._folders.clear()
    users.installed.cache_clear()
    importlib.invalidate_caches()


def made(suite: Path, folder: Path) -> None:
    """Run the suite in this process: a pool of processes would take longer than the runs."""

    @contextlib.contextmanager
    def here(_: int) -> Iterator[ThreadPoolExecutor]:
        with ThreadPoolExecutor(1) as pool:
            yield pool

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(runner, "workers", here)
        assert main(["suite", "run", str(suite), "--quick", "--json", "--out", str(folder)]) == 0


@pytest.fixture(scope="module")
def sound(suite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound") / "results"
    made(suite, folder)
    (folder / ".lock").unlink()
    return folder


@pytest.fixture(scope="module")
def packed(sound: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(shutil.copytree(sound, tmp_path_factory.mktemp("packed") / "results"))
    with writing_results(folder) as results:
        results.runs.pack()
    (folder / ".lock").unlink()
    return folder


def answers(folder: Path, frame: str) -> Any:
    """What `claims` says, what `sql` says of the measures, and of one frame of the runs."""
    results = open_results(folder)
    verdicts = [verdict for one in registers_of(results) for verdict in verdicts_of(results, one, "sim")]
    tables = [sorted(map(repr, query(results, f"select * from {name}")[1])) for name in ("measures", "runs", frame)]
    return claims_json(verdicts), tables


def flipped(content: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << draw.randrange(8)]) + content[at + 1 :]


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "flipped": flipped,
    "truncated": lambda content, draw: content[: draw.randrange(len(content))],
    "emptied": lambda content, draw: b"",
}


@pytest.mark.parametrize("form", ["sound", "packed"])
def test_of_many_files_flipped_truncated_or_emptied_none_changes_an_answer_without_a_word(
    form: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    draw = random.Random(250)
    folder = Path(shutil.copytree(request.getfixturevalue(form), tmp_path / "results"))
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    kinds = sorted({path.name for path in files})
    run = {"sound": {"run.json"}, "packed": {"pack.json", "index.parquet", "documents.parquet"}}[form]
    assert {"results.json", "experiment.json", "measures.parquet", *run, "flows.parquet", "damaged.yaml"} <= set(kinds)
    expected = {frame: answers(folder, frame) for frame in FRAMES if frame != "acks"}
    noticed, silent = 0, []
    for _ in range(TRIALS):
        # Each kind of file as often as any other, or the runs' would take almost all.
        kind = draw.choice(kinds)
        path = draw.choice([one for one in files if one.name == kind])
        name, damage = draw.choice(list(DAMAGES.items()))
        frame = path.stem if path.stem in expected else draw.choice(["flows", "links"])
        content = path.read_bytes()
        path.write_bytes(damage(content, draw))
        try:
            if answers(folder, frame) != expected[frame]:
                silent.append((str(path.relative_to(folder)), name))
        except (ResultsError, RegisterError, QueryError) as error:
            noticed += 1
            assert str(error).startswith(str(path.parent)) and path.name in str(error), (path, error)
            assert "\n" not in str(error)
        path.write_bytes(content)
    assert silent == []
    # What is left hit nothing that is read: a checksum's own digits are. No question here reads the documents of packed runs.
    assert noticed > (0.9 if form == "sound" else 0.8) * TRIALS


def test_damage_of_a_pack_that_no_question_of_many_runs_reads_is_noticed_where_a_run_is_read(packed: Path, tmp_path: Path) -> None:
    draw = random.Random(5)
    folder = Path(shutil.copytree(packed, tmp_path / "results"))
    [pack] = (folder / "runs" / "packs").iterdir()
    expected = {key: run.digest() for key, run in every_run(folder).items()}
    silent, noticed = [], 0
    for _ in range(TRIALS // 5):
        path = draw.choice(sorted(pack.iterdir()))
        content = path.read_bytes()
        path.write_bytes(draw.choice(list(DAMAGES.values()))(content, draw))
        try:
            if {key: run.digest() for key, run in every_run(folder).items()} != expected:
                silent.append(path.name)
        except ResultsError as error:
            noticed += 1
            assert str(error).startswith(str(pack)) and "\n" not in str(error), error
        path.write_bytes(content)
    assert silent == []
    assert noticed > 0.16 * TRIALS  # A flip in a Parquet file may hit what nobody reads: statistics, the name of its writer.


def every_run(folder: Path) -> dict[str, Any]:
    runs = open_results(folder).runs
    return {key: runs.read(path) for key, path in runs.stored().items()}


def test_a_damaged_pack_is_named_and_its_runs_are_made_again(
    suite: Path, packed: Path, sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(packed, tmp_path / "results"))
    [flows] = folder.glob("runs/packs/*/flows.parquet")
    flows.write_bytes(flipped(flows.read_bytes(), random.Random(4)))
    made(suite, folder)
    told = [line for line in capsys.readouterr().err.splitlines() if str(flows) in line]
    assert told == [f"note: {flows}: {DAMAGED}; what is in its pack is made again"]
    assert not flows.exists()
    assert {key: run.digest() for key, run in every_run(folder).items()} == {key: run.digest() for key, run in every_run(sound).items()}


@pytest.mark.parametrize("name", ["pack.json", "index.parquet"])
def test_a_pack_whose_list_of_runs_is_damaged_is_named_and_its_runs_are_made_again(
    name: str, suite: Path, packed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(packed, tmp_path / "results"))
    expected = answers(packed, "flows")
    [path] = folder.glob(f"runs/packs/*/{name}")
    path.write_bytes(b"")
    with pytest.raises(ResultsError, match=name):
        answers(folder, "flows")
    made(suite, folder)
    assert [line for line in capsys.readouterr().err.splitlines() if str(path) in line and line.endswith("made again")]
    found = answers(folder, "flows")
    assert found[0] == expected[0] and found[1][0] == expected[1][0] and found[1][2] == expected[1][2]


def test_what_is_damaged_is_named_and_made_again(suite: Path, sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw = random.Random(3)
    folder = Path(shutil.copytree(sound, tmp_path / "results"))
    before = {name: content for name, content in tree(folder).items() if not name.endswith((".json", ".lock"))}
    runs = sorted((folder / "runs").iterdir())
    damaged = [run / ("run.json" if number % 3 == 0 else "flows.parquet") for number, run in enumerate(runs[:6])]
    for number, path in enumerate([*damaged, *folder.glob("experiments/*/measures.parquet"), *folder.glob("registers/*.yaml")]):
        path.write_bytes(list(DAMAGES.values())[number % 3](path.read_bytes(), draw))
    made(suite, folder)
    told = capsys.readouterr().err.splitlines()
    for path in damaged:
        assert [line for line in told if str(path) in line and line.endswith("it is made again")], path
    after = {name: content for name, content in tree(folder).items() if not name.endswith((".json", ".lock"))}
    assert list(after) == list(before)
    assert [name for name in before if before[name] != after[name]] == []
    assert answers(folder, "flows") == answers(sound, "flows")


def test_a_file_of_another_run_is_noticed(sound: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(sound, tmp_path / "results"))
    one, other = sorted((folder / "runs").iterdir())[:2]
    shutil.copy(other / "flows.parquet", one / "flows.parquet")
    with pytest.raises(ResultsError, match=f"{one.name}/flows.parquet: {DAMAGED}"):
        query(open_results(folder), "select count(*) from flows")


def test_a_frame_that_is_gone_is_no_frame_without_rows(sound: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(sound, tmp_path / "results"))
    gone = next(iter(sorted((folder / "runs").iterdir()))) / "events.parquet"
    gone.unlink()
    with pytest.raises(ResultsError, match=r"events\.parquet: cannot be read: No such file"):
        query(open_results(folder), "select count(*) from events")


def test_a_document_is_checked_as_soon_as_either_mark_of_its_checksum_is_left() -> None:
    text = sealed({"b": 1.5, "a": ["x"]}, indent=1).encode()
    assert unsealed(text) == {"a": ["x"], "b": 1.5, "files": {}}
    assert checksum(b"") == "cae66941d9efbd404e4d88758ea67670"  # b2sum -l 128 of nothing.
    for changed in (text.replace(b"1.5", b"1.6"), text.replace(b"checksum", b"checksun"), text.replace(b"files", b"filfs")):
        with pytest.raises(Damaged, match=DAMAGED):
            unsealed(changed)
    assert unsealed(b'{"a": 1}') == {"a": 1}  # Written before there were checksums.
