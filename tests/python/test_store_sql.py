"""SQL over a results folder: every stored row answers, and nothing outside is read or written."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from stored import DECLARATION, KEY, MEASURES, one_line, tree

import windtunnel.store.sql
from windtunnel import records
from windtunnel.records import FRAMES, Records
from windtunnel.store import KEPT, QueryError, ResultsError, open_results, writing_results
from windtunnel.store.parts import Named
from windtunnel.store.scans import Scan
from windtunnel.store.sql import query


def ask(folder: Path, statement: str) -> list[tuple[Any, ...]]:
    return query(open_results(folder), statement)[1]


def test_views_answer_with_the_key_of_their_run(folder: Path, run: Records) -> None:
    answer = ask(folder, "SELECT experiment, alg, seed, value, run FROM measures ORDER BY seed")
    assert answer == [("t.one", "reno", 1, 0.5, KEY), ("t.one", "reno", 2, None, "1" * 32)]
    for name, frame in run.thinned(KEPT["rates"]).frames().items():
        assert ask(folder, f"SELECT run, count(*) FROM {name} GROUP BY run") == ([(KEY, frame.height)] if frame.height else [])
    joined = "SELECT f.delivered_packets FROM measures m JOIN Flows f ON m.run = f.run WHERE f.flow = 1"
    assert ask(folder, joined) == [(run.flows["delivered_packets"][1],)]


def test_without_duckdb_one_line_says_how_to_get_it(folder: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    outcome = cli("sql", str(folder), "SELECT 1")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "error: queries need DuckDB, which the extra `sql` brings: pip install 'windtunnel[sql]'\n"


def test_what_no_run_measured_is_null_and_not_unknown(tmp_path: Path, run: Records) -> None:
    little = records.build({name: {next(iter(columns)): [0]} for name, columns in FRAMES.items()}, run.facts)
    with writing_results(tmp_path) as results:
        results.runs.write(KEY, little, "all")
        results.store_experiment("t.one", DECLARATION, MEASURES)
    for name, frame in little.frames().items():
        columns, rows = query(open_results(tmp_path), f"SELECT * FROM {name}")
        assert set(columns) == {"run", *FRAMES[name]}
        assert [dict(zip(columns, row, strict=True)) for row in rows] == [{"run": KEY, **frame.row(0, named=True)}]
        # A type of its own, not that of a bare NULL: text and numbers are not to be mixed up in a union of two folders' answers.
        types = dict(ask(tmp_path, f"SELECT column_name, column_type FROM (DESCRIBE {name})"))
        assert {types[column] for column, dtype in FRAMES[name].items() if dtype == pl.String} <= {"VARCHAR"}


def test_a_run_stored_at_two_levels_has_its_rows_once(folder: Path, run: Records) -> None:
    with writing_results(folder) as results:
        results.runs.write(KEY, run, "all")
        results.runs.write(KEY, run, "totals")
    assert ask(folder, "SELECT count(*) FROM flows") == [(2,)]
    assert ask(folder, "SELECT count(cwnd_packets) FROM flow_samples") == [(run.flow_samples.height,)]


def test_what_is_being_written_is_not_seen(folder: Path) -> None:
    for place in ("runs/.x.all.y.partial", "experiments/.t.two.y.partial"):
        (folder / place).mkdir()
        for name in (*FRAMES, "measures"):
            (folder / place / f"{name}.parquet").write_bytes(b"PAR1")
    assert ask(folder, "SELECT count(*) FROM flows") == ask(folder, "SELECT count(*) FROM measures") == [(2,)]


READING = [
    "SHOW TABLES",
    "DESCRIBE measures",
    "SUMMARIZE flows",
    "FROM measures",
    "WITH a AS (SELECT 1 AS x) SELECT * FROM a UNION ALL FROM range(2)",
    "WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t",
    "PIVOT measures ON metric IN ('util') USING avg(value) GROUP BY alg",
    "SELECT unnest([1, 2])",
]


@pytest.mark.parametrize("statement", READING)
def test_queries_that_read_are_answered(folder: Path, statement: str) -> None:
    assert ask(folder, statement)


# Each takes columns without naming them, or by another name: reading what is named alone would answer otherwise.
TAKING = [
    "SELECT f FROM flows f WHERE f.flow = 1",
    "SELECT flows FROM flows",
    "SELECT count(a) FROM flows AS f(z, a) WHERE a IS NOT NULL",
    "SELECT count(*) FROM flows a NATURAL JOIN flows b",
    "SELECT COLUMNS('window.*') FROM flows",
    "SELECT sum(s) FROM (SELECT sent_packets AS s FROM flows)",
    "SELECT a.SENT_packets, b.t_s FROM flows a JOIN events b USING (run, flow) ORDER BY ALL",
    "SELECT algorithm, (SELECT max(queue_packets) FROM link_samples) FROM flows WHERE EXISTS (SELECT 1 FROM links WHERE link = 0)",
    "SELECT count(*), count(run), min(start_s) FROM flows ORDER BY max(window_s)",
    "SELECT flow, max(cwnd_packets) FROM flow_samples GROUP BY flow HAVING max(alpha) IS NOT NULL OR flow = 0 ORDER BY ALL",
    "SELECT flow FROM flows WINDOW w AS (ORDER BY start_s) QUALIFY row_number() OVER w = 1",
    "SUMMARIZE SELECT flow, algorithm FROM flows",
]


@pytest.mark.parametrize("statement", TAKING)
def test_reading_less_answers_the_same(folder: Path, run: Records, statement: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with writing_results(folder) as results:
        results.runs.write(KEY, run, "all")
    answer = ask(folder, statement)
    monkeypatch.setattr("windtunnel.store.parts._columns", lambda parts, tables: None)
    assert answer == ask(folder, statement) != []


def test_what_is_not_named_is_not_read(folder: Path) -> None:
    asked: list[list[str]] = []
    scan = windtunnel.store.sql.scan

    def noted(name: str, files: list[Path], named: Named, packed: list[Any]) -> Scan:
        made = scan(name, files, named, packed)
        asked.append([name, *made.columns])
        return made

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(windtunnel.store.sql, "scan", noted)
        ask(folder, "SELECT run, sum(sent_packets) FROM flows GROUP BY run")
        ask(folder, "SELECT count(*) FROM links")
    assert asked == [["flows", "run", "sent_packets"], ["links", "link"]]


def test_the_algorithms_own_variables_are_columns_where_some_run_has_them(folder: Path, run: Records) -> None:
    unknown = "SELECT max(alpha) FROM flow_samples"
    with pytest.raises(QueryError):
        ask(folder, unknown)
    with writing_results(folder) as results:
        results.runs.write(KEY, run, "all")
        results.runs.write("1" * 32, run, "totals")
    assert ask(folder, unknown) == [(run.flow_samples["alpha"].max(),)]


# {outside}: a file beside the folder; {inside}: a new file in it; {stored}: a file that is there.
HOSTILE = [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('{outside}')",
    "SELECT * FROM '{outside}'",
    "SELECT * FROM '{folder}/../secret.csv'",
    "SELECT * FROM glob('/etc/*')",
    "SELECT (SELECT content FROM read_text('{outside}'))",
    "SELECT * FROM sniff_csv('{outside}')",
    "SELECT * FROM query('SELECT * FROM read_text(''{outside}'')')",
    "WITH x AS (SELECT * FROM read_blob('{outside}')) FROM x",
    "ATTACH '{outside}' AS x",
    "SELECT getenv('HOME')",
    "SELECT * FROM duckdb_settings()",
    "COPY (SELECT 1) TO '{outside}'",
    "COPY (SELECT 1) TO '{inside}'",
    "COPY (SELECT 1) TO '{stored}'",
    "COPY (PIVOT measures ON metric USING avg(value)) TO '{inside}'",
    "WITH x AS (COPY (SELECT 1) TO '{inside}') SELECT 1",
    "WITH x AS MATERIALIZED (COPY (SELECT 1) TO '{stored}') SELECT 1",
    "SELECT (WITH x AS (COPY (SELECT 1) TO '{inside}') SELECT 1)",
    "SELECT * FROM query('WITH x AS (COPY (SELECT 1) TO ''{inside}'') SELECT 1')",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{inside}'",
    "EXPORT DATABASE '{inside}'",
    "ATTACH '{inside}' AS x",
    "SELECT 1; COPY (SELECT 1) TO '{inside}'",
    "SET enable_external_access = true",
    "RESET enable_external_access",
    "SET allowed_directories = ['/']",
    "INSTALL httpfs",
    "LOAD httpfs",
    "CREATE TABLE t AS SELECT 1",
    "DROP VIEW measures",
    "PRAGMA version",
    "CALL pragma_version()",
]


@pytest.mark.parametrize("statement", HOSTILE)
def test_no_query_reads_outside_or_writes_anywhere(folder: Path, statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outside = tmp_path / "secret.csv"
    outside.write_text("password\nhunter2\n")
    before = tree(tmp_path)
    places = {"outside": outside, "inside": folder / "new", "stored": folder / "runs" / f"{KEY}.rates" / "flows.parquet", "folder": folder}
    with pytest.raises(QueryError) as caught:
        ask(folder, statement.format(**places))
    one_line(caught)
    assert "hunter2" not in str(caught.value)
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    ("statement", "part"),
    [
        ("selec 1", "syntax error"),
        ("SELECT nothing FROM measures", "nothing"),
        ("SELECT * FROM acks", "acks"),
        ("SELECT 1 / 'x'", "x"),
        ("", "not a query"),
        (" \n", "not a query"),
        ("-- a remark", "not a query"),
        ("SELECT 1; SELECT 2", "one query"),
        ("SELECT " + "-" * 5000 + "1", ""),
        ("SELECT " + "(" * 5000 + "1" + ")" * 5000, ""),
        ("SELECT " + "1+" * 5000 + "1", "depth"),
    ],
)
def test_a_query_that_is_none_gets_one_line(folder: Path, statement: str, part: str) -> None:
    with pytest.raises(QueryError) as caught:
        ask(folder, statement)
    one_line(caught, part)


@pytest.mark.parametrize("file", ["runs/*/flows.parquet", "experiments/*/measures.parquet"])
@pytest.mark.parametrize("content", [b"", b"not parquet at all, but longer than a footer"], ids=["empty", "text"])
def test_a_damaged_file_is_one_line_in_sql_too(folder: Path, file: str, content: bytes) -> None:
    next(folder.glob(file)).write_bytes(content)
    with pytest.raises(ResultsError) as caught:
        ask(folder, f"SELECT count(*) FROM {Path(file).stem}")
    one_line(caught, folder, "is damaged: its checksum differs", Path(file).name)


HOSTILE_NAMES = [
    "it's",
    'quo"te',
    "r[1]",
    "r*",
    "r?",
    "{a,b}",
    "back\\slash",
    "new\nline",
    "semi; DROP VIEW measures; --",
    "a=1",
    "é ü",
    "'; --",
]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_folder_of_any_name_is_queried_and_no_other(folder: Path, name: str) -> None:
    # A sibling that the name, taken for a pattern, would match.
    sibling = folder.with_name({"r[1]": "r1", "r*": "rx", "r?": "ry", "{a,b}": "a"}.get(name, "sibling"))
    named = folder.rename(folder.with_name(name))
    shutil.copytree(named, sibling)
    assert ask(named, "SELECT count(*) FROM measures") == [(2,)]
    assert ask(named, "SELECT count(*) FROM flows") == [(2,)]
