"""A run without polars and Matplotlib: the same numbers on numpy's columns, and one line where a package is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import windtunnel as wt
from windtunnel.frames import small
from windtunnel.records import names, qlog
from windtunnel.scenario import parse

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
LINK = {"rate": "20Mbit", "queue": "100%bdp"}
SCENARIOS: dict[str, dict[str, Any]] = {
    "flows": {"flows": ["reno,bytes=1MB", "cubic,start=2s", "bbr"], "duration": "8s", "warmup": "1s"},
    "applications": {"flows": ["cubic,count=3,application=1", "reno"]},
    "datagrams": {"flows": ["cubic"], "traffic": ["udp,rate=3Mbit,start=1s"], "record_drops": True},
    "arrivals": {"arrivals": ["cubic,load=0.5,mean=50kB"], "duration": "20s", "warmup": "2s"},
    "sessions": {"sessions": ["cubic,count=5"], "duration": "20s"},
    "exchanges": {"flows": ["cubic,response=50kB,think=100ms"], "duration": "10s"},
    "acks": {"flows": ["cubic", "reno,direction=reverse"], "per_ack": True},
    "unsampled": {"flows": ["bbr"], "sample": "0s"},
    "host": {"flows": ["cubic"], "host": "nic=10Mbit,txqueuelen=100"},
    "marks": {"flows": ["prague"], "bottleneck": LINK | {"discipline": "dualpi2"}, "record_marks": True},
}
_WITHOUT = "import sys\nfor name in ('polars', 'matplotlib', 'jinja2'):\n    sys.modules[name] = None\n"
_ALL = """
import json
import windtunnel as wt
from windtunnel.scenario import parse
print(json.dumps({name: wt.run(parse(document)).summary for name, document in json.load(sys.stdin).items()}))
"""
_QLOG = """
import json
import windtunnel as wt
from windtunnel.scenario import parse
wt.run(parse(json.load(sys.stdin))).write_qlog(sys.argv[1])
"""


def _document(name: str) -> dict[str, Any]:
    return {"rtt": "40ms", "bottleneck": LINK, "duration": "5s"} | SCENARIOS[name]


def _without(program: str, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program in a process where polars and Matplotlib cannot be imported."""
    return subprocess.run([sys.executable, "-c", _WITHOUT + program, *arguments], input=given, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def summaries() -> dict[str, dict[str, Any]]:
    ran = _without(_ALL, given=json.dumps({name: _document(name) for name in SCENARIOS}))
    assert ran.returncode == 0, ran.stderr
    found: dict[str, dict[str, Any]] = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_without_polars_says_the_same(name: str, summaries: dict[str, dict[str, Any]]) -> None:
    expected, found = json.loads(json.dumps(wt.run(parse(_document(name))).summary)), summaries[name]
    assert found["records_digest"] == expected["records_digest"]  # Every column of every frame, to the bit.
    for part in expected.keys() - {"engine"}:
        assert _rounded(found[part]) == _rounded(expected[part]), part


def _rounded(value: Any) -> Any:
    """Twelve digits: the two add up a mean in different orders."""
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


COLUMNS: dict[str, tuple[list[Any], str]] = {
    "flow": ([3, 1, 3, 2, 1], "UInt32"),
    "bytes": ([1500, 0, 2**40, 7, None], "UInt64"),
    "t_s": ([0.5, None, 2.5, 0.25, 1.0], "Float64"),
    "kind": (["drop", "mark", None, "drop", "timeout"], "String"),
}
EXPRESSIONS: dict[str, Callable[[Any], list[Any]]] = {
    "arithmetic": lambda pl: [
        ((pl.col("bytes") + 1447) // 1448).alias("segments"),
        (pl.col("t_s") - pl.col("bytes") / 10.0).alias("d"),
        (pl.col("t_s") * 2).alias("twice"),
    ],
    "comparisons": lambda pl: [
        (pl.col("t_s") >= 0.5).alias("late"),
        ((pl.col("kind") == "drop") & ~pl.col("flow").is_in([1, 2])).alias("both"),
        ((pl.col("kind") != "drop") | (pl.col("flow") < 2)).alias("either"),
        pl.col("t_s").is_between(0.25, 1.0).alias("between"),
        pl.col("t_s").is_not_null().alias("known"),
    ],
    "null": lambda pl: [pl.col("t_s", "bytes").fill_null(0), pl.lit(None, pl.Float64).alias("nothing")],
    "choice": lambda pl: [
        pl.when(pl.col("t_s") > 0.4).then(pl.col("bytes")).alias("then"),
        pl.when(pl.col("flow").is_in([3])).then(pl.col("t_s")).otherwise(0.0).alias("or"),
    ],
    "casts": lambda pl: [pl.col("bytes").cast(pl.Float64), pl.col("flow").cast(pl.Int64()).alias("wide")],
}
SUMS: dict[str, Callable[[Any], list[Any]]] = {
    "counts": lambda pl: [
        pl.len().cast(pl.UInt64).alias("rows"),
        pl.col("t_s").count(),
        (~pl.col("t_s").is_not_null()).sum().alias("open"),
    ],
    "sums": lambda pl: [pl.col("bytes").sum(), pl.col("t_s").mean(), pl.col("flow").first().alias("first"), pl.col("kind").first()],
    "parts": lambda pl: [pl.col("bytes").filter(pl.col("kind") == "drop").sum(), pl.col("t_s").quantile(0.9, "linear").alias("late")],
    "extremes": lambda pl: [pl.col("t_s").max(), pl.col("bytes").min()],
    "unknown": lambda pl: [pl.when(pl.col("t_s").count() > 1).then(pl.col("t_s").sum()).alias("some")],
}


def _both() -> Iterator[Any]:
    for pl in (polars, small):
        yield pl, pl.DataFrame([pl.Series(name, values, dtype=getattr(pl, kind)) for name, (values, kind) in COLUMNS.items()])


def _same(frames: list[Any]) -> None:
    expected, found = frames
    assert {name: str(kind) for name, kind in found.schema.items()} == {name: str(kind) for name, kind in expected.schema.items()}
    assert _rounded(found.to_dicts()) == _rounded(expected.to_dicts())


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_columns_computed_from_columns_are_those_of_polars(name: str) -> None:
    _same([frame.with_columns(*EXPRESSIONS[name](pl)) for pl, frame in _both()])
    _same([frame.clear().with_columns(*EXPRESSIONS[name](pl)) for pl, frame in _both()])


@pytest.mark.parametrize("name", SUMS)
def test_groups_are_those_of_polars(name: str) -> None:
    _same([frame.group_by("flow", maintain_order=True).agg(*SUMS[name](pl)) for pl, frame in _both()])
    _same([frame.clear().group_by("flow", maintain_order=True).agg(*SUMS[name](pl)) for pl, frame in _both()])
    _same([frame.select(*SUMS[name](pl)) for pl, frame in _both()])


def test_rows_are_chosen_sorted_joined_and_added_as_in_polars() -> None:
    _same([frame.filter((pl.col("kind") == "drop") & (pl.col("t_s") > 0.3)) for pl, frame in _both()])
    _same([frame.filter(frame["kind"] != "drop").drop("bytes").sort("flow") for _, frame in _both()])
    others = [pl.DataFrame({"flow": [3, 2], "name": ["c", "b"]}, schema={"flow": pl.UInt32(), "name": pl.String()}) for pl, _ in _both()]
    _same([frame.join(other, on="flow", how="left") for (_, frame), other in zip(_both(), others, strict=True)])
    _same([pl.concat([frame, frame.head(2)]) for pl, frame in _both()])
    _same([pl.concat([frame.select("flow", "t_s"), frame.select("flow", "kind")], how="diagonal") for pl, frame in _both()])
    _same([pl.concat([frame.select("bytes"), frame.select(pl.col("t_s").alias("bytes"))], how="vertical_relaxed") for pl, frame in _both()])
    parts = [{key: rows.to_dicts() for key, rows in frame.partition_by("flow", as_dict=True).items()} for _, frame in _both()]
    assert parts[0] == parts[1]
    rows = [(frame.row(1), frame.row(by_predicate=pl.col("kind") == "mark", named=True), frame.height) for pl, frame in _both()]
    assert rows[0] == rows[1]


def test_arrays_of_columns_are_those_of_polars() -> None:
    for name in COLUMNS:
        expected, found = (frame[name].to_numpy() for _, frame in _both())
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    counted = [(frame["t_s"].null_count(), frame["t_s"].drop_nulls().to_list(), frame["flow"].sum()) for _, frame in _both()]
    assert counted[0] == counted[1]
    nulls = [pl.Series("x", np.array([1.0, np.nan]), nan_to_null=True).to_list() for pl, _ in _both()]
    assert nulls[0] == nulls[1]


def test_flows_are_written_as_qlog_without_polars(tmp_path: Path) -> None:
    ran = _without(_QLOG, str(tmp_path / "without.qlog"), given=json.dumps(_document("flows")))
    assert ran.returncode == 0, ran.stderr
    run = wt.run(parse(_document("flows")))
    for number in range(len(names.written(run.records.facts.scenario))):
        written = [one for one in sorted(tmp_path.glob("without*.qlog"))][number]
        expected = qlog.write(run.records, tmp_path / "with.qlog")[number]
        assert written.read_text() == Path(expected).read_text()


RUN = "run --rate 10Mbit --rtt 10ms --duration 1s --flow reno"
REPORT = "which the extra `report` brings: pip install 'windtunnel[report]'"


REFUSED = {
    f"{RUN} --plot figure.svg": f"error: figures need polars, {REPORT}\n",
    f"{RUN} --out folder": f"error: folders of runs need polars, {REPORT}\n",
    "suite run li07.tab --quick": f"error: this command needs polars, {REPORT}\n",
    "report results": f"error: this command needs polars, {REPORT}\n",
    "advise --rate 10Mbit --rtt 10ms": f"error: this command needs polars, {REPORT}\n",
}
_COMMANDS = """
import contextlib, io, json
from windtunnel.cli import main
said = {}
for command in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(command.split())
    said[command] = [code, out.getvalue(), err.getvalue()]
print(json.dumps(said))
"""


def test_what_lacks_a_package_says_in_one_line_what_to_install(tmp_path: Path) -> None:
    ran = _without(f"import os\nos.chdir({str(tmp_path)!r})\n{_COMMANDS}", given=json.dumps(list(REFUSED)))
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {command: [2, "", line] for command, line in REFUSED.items()}
    assert list(tmp_path.iterdir()) == []


_IN_PYTHON = """
import windtunnel as wt
run = wt.run(wt.Scenario(bottleneck=wt.Bottleneck(rate_bps=10e6, queue_bdp=1.0), flows=["reno"], rtt_s=0.01, duration_s=1))
for ask in (lambda: run.plot, lambda: run.save("folder"), lambda: wt.sweep, lambda: wt.load_run("folder")):
    try:
        ask()
    except ImportError as error:
        print(error)
print(run._repr_html_(), run.flows)
"""


def test_python_says_what_to_install_and_shows_a_run_in_words() -> None:
    ran = _without(_IN_PYTHON)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    needs = ("figures need", "folders of runs need", "windtunnel.sweep needs", "folders of runs need")
    assert lines[:4] == [f"{what} polars, {REPORT}" for what in needs]
    assert lines[4].startswith("None shape: (1, ") and "reno" in ran.stdout


def test_a_plain_installation_brings_neither_polars_nor_matplotlib() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    heavy = ("polars", "matplotlib", "jinja2")
    assert not [one for one in project["dependencies"] if one.startswith(heavy)]
    assert sorted(one.split(">")[0] for one in project["optional-dependencies"]["report"]) == sorted(heavy)
