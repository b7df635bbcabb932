"""The commands around a results folder: answers that parse, refusals of one line with exit code 2, never a traceback."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from windtunnel.claims import packaged_register
from windtunnel.cli import main
from windtunnel.experiment import Scale, runner
from windtunnel.store import open_results, writing_results
from windtunnel.suites import suite, suites

VERDICTS = {"holds", "fails", "inconclusive", "not_run"}
RUN = ("suite", "run", "li07.fig18", "--seeds", "1", "--jobs", "1")
TABLE = Path("experiments/li07.fig18/measures.parquet")
DECLARATION = Path("experiments/li07.fig18/experiment.json")


@contextlib.contextmanager
def here(_: int) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def strictly(text: str) -> Any:
    """JSON as the standard has it, without NaN and Infinity."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def refused(outcome: Any, *parts: object) -> None:
    lines = outcome.err.splitlines()
    assert outcome.code == 2, outcome
    assert len(lines) == 1 and lines[0].startswith("error: ") and len(lines[0]) < 1000, outcome.err
    assert outcome.out == ""
    for part in parts:
        assert str(part) in lines[0], lines[0]


def tree(path: Path) -> dict[str, bytes]:
    return {str(entry.relative_to(path)): entry.read_bytes() for entry in sorted(path.rglob("*")) if entry.is_file()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shortest experiment of li07: one run of two BIC flows."""
    path = tmp_path_factory.mktemp("made") / "results"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(runner, "workers", here)
        assert main([*RUN, "--out", str(path)]) == 0
    return path


@pytest.fixture
def folder(tmp_path: Path, made: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "results"))


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment with a claim; two runs, of one repeat."""
    path = tmp_path_factory.mktemp("judged") / "results"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(runner, "workers", here)
        assert main(["suite", "run", "li07.fig12", "--jobs", "1", "--out", str(path)]) == 0
    return path


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "workers", here)


@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """For commands that are refused: nothing may run and nothing may be written below this folder."""

    def execute(*_: Any, **__: Any) -> None:
        raise AssertionError("it runs")

    monkeypatch.setattr("windtunnel.experiment.execute", execute)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert list(tmp_path.iterdir()) == []


# suite list


@pytest.mark.parametrize("scale", ["paper", "quick"])
def test_list_names_every_experiment_with_its_runs(cli: Callable[..., Any], scale: str) -> None:
    options = ["--quick"] if scale == "quick" else []
    outcome = cli("suite", "list", "--json", *options)
    assert outcome.code == 0 and outcome.err == ""
    rows = strictly(outcome.out)
    asked = [one for name in suites() for one in suite(name).experiments if scale == "paper" or one.quick is not None]
    assert [row["id"] for row in rows] == [one.id for one in asked]
    for row, one in zip(rows, asked, strict=True):
        assert set(row) == {"id", "title", "source", "runs", "question"}
        grid = Scale(quick=scale == "quick").points(one)
        points = 1
        for values in grid.values():
            points *= len(values)
        repeats = one.quick.repeats if scale == "quick" and one.quick is not None else one.repeats
        most = points if one.repeats == 0 else points * repeats
        only = (scale == "quick" and one.quick is not None and one.quick.only) or one.only
        assert row["runs"] == most if only is None else 0 < row["runs"] < most
    table = cli("suite", "list", *options)
    assert table.code == 0 and all(row["id"] in table.out for row in rows)


def test_the_papers_grid_has_its_size(cli: Callable[..., Any]) -> None:
    runs = {row["id"]: row["runs"] for row in strictly(cli("suite", "list", "--json").out)}
    # Figure 4: six protocols and CUBIC, two rates, six round-trip times, five repeats; figure 6 leaves out reno.
    assert runs["li07.fig4"] == 7 * 2 * 6 * 5 and runs["li07.fig6"] == 6 * 2 * 6 * 5


@pytest.mark.parametrize("command", [["suite"], ["suite", "list"], ["suite", "run"], ["report"], ["claims"], ["sql"]])
def test_every_command_has_help(cli: Callable[..., Any], command: list[str]) -> None:
    outcome = cli(*command, "--help")
    assert outcome.code == 0 and "Usage" in outcome.out and outcome.err == ""


# suite run


@pytest.mark.usefixtures("in_process")
def test_run_writes_measures_declaration_and_facts(cli: Callable[..., Any], made: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "results"
    outcome = cli(*RUN, "--out", str(out), "--json")
    assert outcome.code == 0 and outcome.err == "", outcome.err
    answer = strictly(outcome.out)
    assert answer["folder"] == str(out) and answer["experiments"] == {"li07.fig18": 1} and answer["runs"] == 1
    assert answer["claims"] == []  # The register's claims on this figure's text are judged on figure 5.
    results = open_results(out)
    assert results.experiments() == ["li07.fig18"] and results.facts["suites"] == ["li07"]
    assert results.facts["command"] == f"windtunnel suite run li07.fig18 --seeds 1 --out {out}"
    # The same command gives the same measures, elsewhere and again.
    table = results.measures("li07.fig18")
    assert table.equals(open_results(made).measures("li07.fig18"))
    again = cli(*RUN, "--out", str(out))
    assert again.code == 0 and "li07.fig18" in again.out and "windtunnel report" in again.err
    assert results.measures("li07.fig18").equals(table)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["li08"], ["li08", "did you mean 'li07'", "allowed"]),
        (["li07.fig44"], ["li07.fig44", "did you mean 'li07.fig4'", "li07.fig18"]),
        (["li07", "li07.nope"], ["li07.nope", "allowed"]),
        (["li07."], ["li07.", "allowed"]),
        (["li07.fig4.rtt"], ["li07.fig4.rtt", "allowed"]),
        ([""], ["suite", "allowed: ", "li07"]),
        (["../li07"], ["suite", "allowed: ", "li07"]),
        (["os"], ["'os'", "allowed: ", "li07"]),
        ([], ["NAME"]),
        (["li07.fig18", "--alg", "bicc"], ["alg", "bicc", "did you mean 'bic'"]),
        (["li07.fig18", "--alg", ""], ["alg", "allowed"]),
        (["li07.fig18", "--alg", "bic,,reno"], ["alg", "allowed"]),
        (["li07.fig18", "--alg", "reno"], ["alg", "'reno'", "leaves nothing to run"]),
        (["li07.fig6", "--alg", "reno"], ["leaves nothing to run"]),
        (["li07.fig18", "--seeds", "0"], ["seeds", "0", "allowed: 1 to 1000"]),
        (["li07.fig18", "--seeds", "-3"], ["seeds", "-3", "allowed: 1 to 1000"]),
        (["li07.fig18", "--seeds", "1001"], ["seeds", "1001", "allowed: 1 to 1000"]),
        (["li07.fig18", "--seeds", "x"], ["seeds", "integer"]),
        (["li07.fig18", "--seeds", "1.5"], ["seeds", "integer"]),
        (["li07.fig18", "--jobs", "0"], ["jobs", "0", "allowed: 1 to 256"]),
        (["li07.fig18", "--jobs", "257"], ["jobs", "257", "allowed: 1 to 256"]),
        (["li07.fig18", "--backend", "real"], ["backend", "'real'", "allowed: sim"]),
        (["li07.fig4", "--at", "rtt"], ["at", "'rtt'", "allowed: as rtt=42,82"]),
        (["li07.fig4", "--at", "delay=42"], ["at", "'delay'", "no dimension", "rtt"]),
        (["li07.fig4", "--at", "rtt=42,43"], ["at", "'43'", "no rtt", "42; 82"]),
        (["bbr-draft.cases-01-03-05-08-10", "--at", "path=10M"], ["at", "'10M'", "128k, 200 ms; 10M, 40 ms"]),
        (["li07.fig18", "--quik"], ["--quik"]),
    ],
)
def test_a_bad_request_is_refused_before_anything_runs(
    cli: Callable[..., Any], nothing_runs: Path, arguments: list[str], parts: list[str]
) -> None:
    refused(cli("suite", "run", *arguments), *parts)
    assert list(nothing_runs.iterdir()) == []


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a command would run; it is interrupted then."""
    plans: list[Any] = []

    def execute(plan: Any, *_: Any, **__: Any) -> None:
        plans.append(plan)
        raise KeyboardInterrupt

    monkeypatch.setattr("windtunnel.experiment.execute", execute)
    return plans


def test_parts_of_a_grid_are_chosen_by_values_that_may_have_commas(cli: Callable[..., Any], planned: list[Any], tmp_path: Path) -> None:
    cli("suite", "run", "li07.fig4", "--at", "rtt=42, 82", "--at", "rate=10", "--out", str(tmp_path / "r"))
    assert {(cell.point["rate"], cell.point["rtt"]) for cell in planned[0].cells["li07.fig4"]} == {(10, 42), (10, 82)}
    cases = "bbr-draft.cases-01-03-05-08-10"
    cli("suite", "run", cases, "--at", "path=10M, 40 ms,1G,2 ms", "--out", str(tmp_path / "r"))
    assert {cell.point["path"] for cell in planned[1].cells[cases]} == {"10M, 40 ms", "1G, 2 ms"}


def test_a_protocol_may_be_named_as_the_kernel_does(cli: Callable[..., Any], planned: list[Any], tmp_path: Path) -> None:
    outcome = cli("suite", "run", "li07.fig4", "--alg", "highspeed, reno", "--seeds", "1", "--out", str(tmp_path / "r"))
    assert {cell.point["alg"] for cell in planned[0].cells["li07.fig4"]} == {"hstcp", "reno"}
    assert outcome.code == 130 and outcome.out == ""
    assert outcome.err.startswith("interrupted") and outcome.err.count("\n") == 1


@pytest.mark.usefixtures("in_process")
def test_a_place_that_cannot_hold_results_is_refused_and_left_alone(cli: Callable[..., Any], tmp_path: Path) -> None:
    file, foreign, other = tmp_path / "file", tmp_path / "foreign", tmp_path / "other"
    file.write_text("x")
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("years of work")
    other.mkdir()
    (other / "results.json").write_text('{"format": 2}')
    before = tree(tmp_path)
    refused(cli(*RUN, "--out", str(file)), file, "is not a folder", "allowed")
    refused(cli(*RUN, "--out", str(file / "below")), file, "cannot be written", "allowed")
    refused(cli(*RUN, "--out", str(foreign)), foreign, "thesis.txt", "allowed")
    refused(cli(*RUN, "--out", str(other)), other, "format 2", "allowed: 1")
    refused(cli(*RUN, "--out", str(tmp_path / ("x" * 300))), "cannot be written")
    assert tree(tmp_path) == before


def test_a_folder_another_process_writes_is_refused(cli: Callable[..., Any], folder: Path) -> None:
    with writing_results(folder):
        refused(cli(*RUN, "--out", str(folder)), folder, "another process")


@pytest.mark.usefixtures("in_process")
def test_a_full_disk_is_one_line_and_nothing_is_half_written(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: pl.DataFrame, path: Path, **__: Any) -> None:
        Path(path).write_bytes(b"PAR1")
        raise pl.exceptions.ComputeError("parquet: No space left on device (os error 28)")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    refused(cli(*RUN, "--out", str(tmp_path / "r")), "cannot be written", "No space left on device", "allowed")
    assert sorted(tree(tmp_path / "r")) == [".lock", "results.json"]
    assert list((tmp_path / "r" / "runs").iterdir()) == []


@pytest.mark.usefixtures("in_process")
def test_a_damaged_run_is_made_again(cli: Callable[..., Any], folder: Path) -> None:
    run = next((folder / "runs").iterdir())
    (run / "events.parquet").write_bytes(b"damaged")
    (folder / TABLE).unlink()
    assert cli(*RUN, "--out", str(folder)).code == 0
    assert (run / "events.parquet").read_bytes() != b"damaged"
    assert open_results(folder).measures("li07.fig18").height == 4


# claims


def test_claims_list_every_claim_with_a_verdict(cli: Callable[..., Any], judged: Path) -> None:
    before = tree(judged)
    outcome = cli("claims", str(judged), "--json")
    assert outcome.code == 0 and outcome.err == ""
    rows = strictly(outcome.out)
    register = packaged_register("li07")
    assert [row["id"] for row in rows] == [claim.id for claim in register.claims]
    for row in rows:
        assert {"id", "verdict", "estimate", "interval", "runs"} <= set(row)
        assert row["verdict"] in VERDICTS and isinstance(row["runs"], int)
        assert (row["verdict"] == "not_run") <= (row["reason"] != "" and row["estimate"] is row["interval"] is None)
    done = [row for row in rows if row["verdict"] != "not_run"]
    assert {row["experiment"] for row in done} == {"li07.fig12"}
    assert all(1 <= row["runs"] <= 2 and all(isinstance(one, float) for one in row["estimate"]) for row in done)
    table = cli("claims", str(judged))
    assert table.code == 0 and f"{len(rows) - len(done)} not run" in table.out
    assert tree(judged) == before


@pytest.mark.usefixtures("in_process")
def test_a_suite_run_prints_the_verdicts_of_what_it_ran(cli: Callable[..., Any], judged: Path) -> None:
    answer = strictly(cli("suite", "run", "li07.fig12", "--jobs", "1", "--out", str(judged), "--json").out)
    listed = [row for row in strictly(cli("claims", str(judged), "--json").out) if row["experiment"] == "li07.fig12"]
    assert answer["claims"] == listed != []


def test_claims_of_a_given_register_are_judged(cli: Callable[..., Any], judged: Path) -> None:
    with resources.as_file(resources.files("windtunnel.claims") / "data" / "li07.yaml") as path:
        given = cli("claims", str(judged), "--register", str(path), "--json")
    assert given.code == 0 and strictly(given.out) == strictly(cli("claims", str(judged), "--json").out)


REGISTERS = {
    "binary": b"\x00\xff\xfe\x80PAR1",
    "list": b"- a\n- b\n",
    "text": b"just words",
    "empty": b"",
    "no version": b"papers: {}\n",
    "other version": b"version: 99\n",
    "broken": b"version: [1\n",
    "tag": b"!!python/object/apply:os.system ['true']\n",
}


@pytest.mark.parametrize("kind", list(REGISTERS))
def test_a_register_that_is_none_is_refused(cli: Callable[..., Any], folder: Path, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "claims.yaml"
    path.write_bytes(REGISTERS[kind])
    refused(cli("claims", str(folder), "--register", str(path)), path.name)


def test_a_register_that_is_missing_or_a_folder_is_refused(cli: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        refused(cli("claims", str(folder), "--register", str(path)), path)


# report, claims and sql on folders that hold no results, or damaged ones

READERS = [["report"], ["claims"], ["claims", "--json"], ["sql"], ["sql", "--json"]]


def read(cli: Callable[..., Any], command: list[str], folder: Path) -> Any:
    query = ["SELECT count(*) AS n FROM measures JOIN flows USING (run)"] if command[0] == "sql" else []
    return cli(command[0], str(folder), *query, *command[1:])


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_a_folder_without_results_is_refused(cli: Callable[..., Any], tmp_path: Path, command: list[str]) -> None:
    empty, file, foreign, begun = tmp_path / "empty", tmp_path / "file", tmp_path / "foreign", tmp_path / "begun"
    empty.mkdir()
    file.write_text("x")
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("years of work")
    with writing_results(begun):
        pass
    before = tree(tmp_path)
    refused(read(cli, command, tmp_path / "none"), tmp_path / "none", "is not a folder", "allowed")
    refused(read(cli, command, file), file, "is not a folder", "allowed")
    refused(read(cli, command, empty), empty, "holds no results.json", "allowed")
    refused(read(cli, command, foreign), foreign, "holds no results.json", "allowed")
    refused(read(cli, command, begun), begun, "no finished experiment")
    refused(read(cli, command, tmp_path / ("x" * 300)), "cannot be read")
    assert tree(tmp_path) == before


DAMAGED_FACTS = ["", "[]", "{", '{"format": 99}', '{"format": 1, "facts": 7}', '{"format": 1, "suites": "li07", "order": 3}']


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_damaged_facts_are_one_line(cli: Callable[..., Any], folder: Path, command: list[str]) -> None:
    for text in DAMAGED_FACTS:
        (folder / "results.json").write_text(text)
        refused(read(cli, command, folder), folder / "results.json")


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_a_damaged_table_is_one_line(cli: Callable[..., Any], folder: Path, command: list[str]) -> None:
    for content in (b"", b"not parquet at all, but longer than a footer", (folder / TABLE).read_bytes()[:-20]):
        (folder / TABLE).write_bytes(content)
        refused(read(cli, command, folder), folder)
    pl.DataFrame({"x": [1]}).write_parquet(folder / TABLE)
    if command[0] != "sql":
        refused(read(cli, command, folder), folder / TABLE, "its checksum differs")
    shutil.rmtree(folder / TABLE.parent)
    refused(read(cli, command, folder), folder, "no finished experiment")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"title": "x"}'])
def test_a_damaged_declaration_is_one_line_in_a_report(cli: Callable[..., Any], folder: Path, text: str) -> None:
    (folder / DECLARATION).write_text(text)
    refused(cli("report", str(folder)), folder / DECLARATION)
    (folder / DECLARATION).unlink()
    refused(cli("report", str(folder)), folder / DECLARATION)
    assert not (folder / "report").exists()
    # It also has the checksum of the measures, so that claims say what is damaged instead of a verdict.
    refused(cli("claims", str(folder)), folder / DECLARATION)


def test_a_run_that_has_gone_is_one_line_in_a_report(cli: Callable[..., Any], folder: Path) -> None:
    run = next((folder / "runs").iterdir())
    (run / "flow_samples.parquet").write_bytes(b"damaged")
    refused(cli("report", str(folder)), run)
    shutil.rmtree(run)
    refused(cli("report", str(folder)), "runs", "run the suite again")
    assert not (folder / "report").exists()


def test_a_report_runs_nothing_and_says_where_it_is(cli: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windtunnel.backends.sim.Simulator.run", lambda *_: pytest.fail("it runs"))
    before = tree(folder)
    outcome = cli("report", str(folder))
    assert outcome.code == 0, outcome.err
    assert outcome.out.splitlines()[-1] == f"report: {folder / 'report' / 'index.html'}"
    after = tree(folder)
    assert {name: content for name, content in after.items() if not name.startswith("report/")} == before
    assert "starvation" in after["report/index.html"].decode().lower()


# sql


def test_sql_answers_in_a_table_and_in_json(cli: Callable[..., Any], folder: Path) -> None:
    statement = "SELECT alg, metric, flow, value FROM measures ORDER BY ALL"
    outcome = cli("sql", str(folder), statement, "--json")
    assert outcome.code == 0 and outcome.err == ""
    rows = strictly(outcome.out)
    table = open_results(folder).measures("li07.fig18")
    assert len(rows) == table.height == 4 and set(rows[0]) == {"alg", "metric", "flow", "value"}
    assert sorted(row["value"] for row in rows) == sorted(table["value"])
    plain = cli("sql", str(folder), statement)
    assert plain.code == 0 and "4 rows" in plain.out and "share_long" in plain.out


def test_sql_values_that_json_lacks_are_texts_and_numbers_stay_numbers(cli: Callable[..., Any], folder: Path) -> None:
    infinite = "'inf'::DOUBLE AS a, '-inf'::DOUBLE AS b, 'nan'::DOUBLE AS c"
    statement = f"SELECT {infinite}, NULL AS d, 1.5 AS e, true AS f, DATE '2007-10-01' AS g, [1] AS h"
    outcome = cli("sql", str(folder), statement, "--json")
    expected = {"a": "inf", "b": "-inf", "c": "nan", "d": None, "e": 1.5, "f": True, "g": "2007-10-01", "h": "[1]"}
    assert strictly(outcome.out) == [expected]
    assert cli("sql", str(folder), statement).code == 0


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("SELEC 1", "syntax error"),
        ("SELECT x FROM measures", "x"),
        ("", "not a query"),
        ("SELECT * FROM read_csv('/etc/passwd')", "read_csv is not allowed"),
        ("COPY measures TO 'x.csv'", "not a query"),
        ("SELECT now()", ""),
    ],
)
def test_a_query_that_cannot_be_answered_is_one_line(cli: Callable[..., Any], folder: Path, statement: str, part: str) -> None:
    for options in ([], ["--json"]):
        outcome = cli("sql", str(folder), statement, *options)
        if statement == "SELECT now()" and outcome.code == 0:
            continue  # Times with zones need a package that DuckDB does not bring.
        refused(outcome, part)
        assert "Traceback" not in outcome.err


def test_columns_of_one_name_are_not_lost_in_json(cli: Callable[..., Any], folder: Path) -> None:
    refused(cli("sql", str(folder), "SELECT 1 AS a, 2 AS a", "--json"), "'a' comes twice", "AS")
    assert cli("sql", str(folder), "SELECT 1 AS a, 2 AS a").code == 0


def test_a_folder_with_quotes_in_its_name_is_read(cli: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = folder.rename(folder.with_name('it\'s "quoted"; [1] * --'))
    assert strictly(read(cli, ["sql", "--json"], named).out) == [{"n": 8}]
    monkeypatch.chdir(named.parent)
    assert strictly(read(cli, ["sql", "--json"], Path(named.name)).out) == [{"n": 8}]
    assert cli("claims", str(named)).code == 0
    assert os.listdir(named.parent) == [named.name]
