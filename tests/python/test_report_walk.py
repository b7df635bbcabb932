"""From an experiment to its points, their runs, their series and their files: every step is there, and says what was stored."""

from __future__ import annotations

import csv
import dataclasses
import html
import io
import json
import math
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest
import walked

from windtunnel import records, report
from windtunnel.plots.decimate import thin_together
from windtunnel.records import Records
from windtunnel.report.names import places_of
from windtunnel.report.scripts import data_block, data_script
from windtunnel.report.series import LARGEST_PAGE, chart_json, charts_of
from windtunnel.report.verdictgrid import grid_of, named_in
from windtunnel.scenario import digest, load
from windtunnel.store import open_results

LARGEST_BYTES = 3_000_000


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Records]]:
    folder = tmp_path_factory.mktemp("walk") / "results"
    return folder, walked.write(folder)


@pytest.fixture(scope="module")
def folder(results: tuple[Path, dict[str, Records]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report.write(report.assemble(open_results(results[0])), tmp_path_factory.mktemp("walk") / "report").parent


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def handed(path: Path) -> tuple[str, Any]:
    """What a data script hands to the page."""
    name, value = json.loads(f"[{text_of(path).removeprefix('windtunnel.data(').removesuffix(');' + chr(10))}]")
    return name, value


def targets(path: Path) -> list[Path]:
    found = re.findall(r'(?:href|src)="([^"#]+)', text_of(path))
    return [(path.parent / html.unescape(target)).resolve() for target in found if not target.startswith("data:")]


def test_every_link_of_every_page_leads_to_a_file_of_the_folder(folder: Path) -> None:
    pages = sorted(folder.rglob("*.html"))
    # The overview, the experiment, 2 x 2 points and as many runs for each of two repeats.
    assert len(pages) == 1 + 1 + 4 + 8
    for page in pages:
        for target in targets(page):
            assert target.is_relative_to(folder.resolve()) and target.is_file(), (page.name, target)


def test_the_chain_leads_from_the_experiment_to_the_parquet_of_a_run(folder: Path) -> None:
    experiment = folder / "experiments" / "walk.one.html"
    point = next(target for target in targets(experiment) if target.name == "htcp-40.html")
    run = next(target for target in targets(point) if target.stem == walked.key("htcp", 40.0, 1))
    samples = next(target for target in targets(run) if target.name == "flow_samples.parquet")
    assert pl.read_parquet(samples)["flow"].n_unique() == 2


def test_a_point_shows_the_mean_of_its_repeats_and_each_of_them(folder: Path) -> None:
    shown = text_of(folder / "points" / "walk.one" / "htcp-40.html")
    # 2.25 + 1/8 and 2.25 + 2/8: mean 2.4375, standard error half their difference.
    assert '<span class="value">2.438 ± 0.062</span>' in shown
    row = shown.partition('<th scope="row">thr_mbps')[2].partition("</tr>")[0]
    assert re.findall(r'<td class="number">([\d.]+)</td>', row) == ["2.38", "2.50"]
    # What no repeat has is no row.
    assert '<th scope="row">jain' in shown
    assert '<th scope="row">jain' not in text_of(folder / "points" / "walk.one" / "reno-40.html")


def test_a_mark_of_the_live_figure_is_where_the_printed_one_is_and_leads_to_its_point(folder: Path) -> None:
    name, figure = handed(folder / "data" / "walk.one-share.js")
    assert name == "walk.one-share"
    marks = {(figure["series"][mark["s"]]["label"], mark["x"]): mark for mark in figure["points"]}
    assert set(marks) == {(alg, rtt) for alg in walked.ALGORITHMS for rtt in walked.RTTS}
    mark = marks["htcp", 40.0]
    assert (mark["y"], mark["h"]) == (pytest.approx(2.4375), "points/walk.one/htcp-40.html")
    assert mark["e"] == pytest.approx(0.0625)
    low, high = figure["panels"][0]["y"]
    assert all(low <= mark["y"] + mark["e"] <= high for mark in figure["points"])


def test_the_windows_of_a_run_are_those_of_its_records_and_absent_before_a_flow_starts(
    folder: Path, results: tuple[Path, dict[str, Records]]
) -> None:
    name = walked.key("reno", 20.0, 1)
    _, chart = handed(folder / "data" / f"{name}-cwnd_packets.js")
    samples = results[1][name].flow_samples
    first = samples.filter(pl.col("flow") == samples["flow"].min()).sort("t_s")
    assert chart["t"]["count"] == samples["t_s"].n_unique() and chart["t"]["step"] == pytest.approx(0.05)
    # Four significant digits.
    assert chart["lines"][0]["v"] == pytest.approx(first["cwnd_packets"].to_list(), rel=6e-4)
    times = chart["t"]["start"] + chart["t"]["step"] * np.arange(chart["t"]["count"])
    second = chart["lines"][1]["v"]
    assert all(value is None for value, t_s in zip(second, times, strict=True) if t_s < 0.99)
    assert second[-1] is not None


def test_the_area_under_the_goodput_is_what_was_delivered(results: tuple[Path, dict[str, Records]]) -> None:
    run = results[1][walked.key("reno", 40.0, 1)]
    chart = next(chart for chart in charts_of(run, kept="all") if chart.id == "goodput_mbps")
    width_s = chart.t_s[1] - chart.t_s[0]
    for order, line in enumerate(chart.lines):
        carried = np.nansum(line.values) * width_s * 1e6 / 8
        delivered = run.flow_samples.filter(pl.col("flow") == order)["delivered_bytes"].max()
        # The last bin may be cut off, and a flow's first bin starts before it.
        assert carried == pytest.approx(delivered, rel=0.05)


def test_every_loss_episode_is_in_the_chart_of_back_offs(results: tuple[Path, dict[str, Records]]) -> None:
    run = results[1][walked.key("htcp", 20.0, 2)]
    chart = next(chart for chart in charts_of(run, kept="totals") if chart.id == "backoffs")
    episodes = run.events.filter(pl.col("kind") == "loss_episode")
    assert episodes.height > 3 and chart.dots
    assert sum(int(np.isfinite(line.values).sum()) for line in chart.lines) == episodes.height


def test_a_run_without_series_says_so_and_its_scenario_makes_them(
    folder: Path, results: tuple[Path, dict[str, Records]], tmp_path: Path
) -> None:
    name = walked.key("htcp", 40.0, 2)
    shown = text_of(folder / "runs" / f"{name}.html")
    assert "but no time series" in shown
    command = html.unescape(re.findall(r'<pre class="command"[^>]*><code>(.*?)</code>', shown)[0])
    assert command.split()[:3] == ["windtunnel", "run", f"{name}.json"]
    with zipfile.ZipFile(folder / "files" / f"{name}.zip") as archive:
        archive.extractall(tmp_path)
    assert digest(load(tmp_path / f"{name}.json")) == results[1][name].facts.digest
    assert "but no time series" not in text_of(folder / "runs" / f"{walked.key('htcp', 40.0, 1)}.html")
    assert not list((folder / "data").glob(f"{name}-cwnd*"))


def test_a_run_without_series_is_a_page_and_an_archive(folder: Path, results: tuple[Path, dict[str, Records]]) -> None:
    name = walked.key("htcp", 40.0, 2)
    own = [path.relative_to(folder).as_posix() for path in folder.rglob(f"{name}*")]
    assert sorted(own) == [f"files/{name}.zip", f"runs/{name}.html"]
    shown = text_of(folder / "runs" / f"{name}.html")
    stored = results[0] / "runs" / f"{name}.totals"
    with zipfile.ZipFile(folder / "files" / f"{name}.zip") as archive:
        listed = re.findall(r"<dt>([^<]+)</dt><dd>", shown.partition('id="files"')[2])
        assert listed == archive.namelist() == [f"{name}.json", "events.parquet", "flows.parquet", "links.parquet"]
        assert all(archive.read(file) == (stored / file).read_bytes() for file in listed[1:])
    [block] = re.findall(r'<script type="application/json" data-name="([^"]+)">(.*?)</script>', shown)
    [chart] = charts_of(records.read(stored), kept="totals")
    assert (block[0], json.loads(block[1])) == (f"{name}-backoffs", chart_json(chart))


def test_data_in_a_page_ends_no_block() -> None:
    value = {"label": "</script><b>&amp;<!--", "v": [1.5, None]}
    name, inside = re.fullmatch(r'<script type="application/json" data-name="(.*?)">([^<>&]*)</script>', data_block('a"<b', value)).groups()
    assert (html.unescape(name), json.loads(inside)) == ('a"<b', value)


def test_every_repeat_is_in_the_csv_in_full_precision(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(text_of(folder / "tables" / "walk.one-runs.csv"))))
    assert len(rows) == 8
    for row in rows:
        expected = walked.value(row["alg"], float(row["rtt"]), int(row["seed"]))
        assert float(row["thr_mbps (Mbit/s)"]) == expected
        assert (row["jain"] == "") == (row["alg"] == "reno")
    assert pl.read_parquet(folder / "tables" / "walk.one.parquet").height == 16


def test_the_same_results_are_the_same_report_on_any_number_of_processes(
    results: tuple[Path, dict[str, Records]], folder: Path, tmp_path: Path
) -> None:
    again = report.write(report.assemble(open_results(results[0])), tmp_path / "again", jobs=2).parent
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    assert [name for name in names if (folder / name).read_bytes() != (again / name).read_bytes()] == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_report_that_is_stopped_leaves_nothing_and_nobody(
    results: tuple[Path, dict[str, Records]], tmp_path: Path, number: signal.Signals, code: int
) -> None:
    command = [sys.executable, "-m", "windtunnel", "report", str(results[0]), "--jobs", "2", "--out", str(tmp_path / "report")]
    for _ in range(5):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not any(tmp_path.iterdir()):
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(0.2)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)  # Workers that lived on would hold its pipes open.
        if process.returncode != 0:
            break
        shutil.rmtree(tmp_path / "report")  # On a loaded machine it was ready before the signal came.
    assert (process.returncode, out) == (code, "")
    assert err == ("interrupted: nothing was written\n" if number == signal.SIGINT else "")
    assert list(tmp_path.iterdir()) == []


def test_a_report_asks_nothing_of_the_results_once_it_is_written(results: tuple[Path, dict[str, Records]], tmp_path: Path) -> None:
    copy = Path(shutil.copytree(results[0], tmp_path / "results"))
    index = report.write(report.assemble(open_results(copy)), tmp_path / "report")
    shutil.rmtree(copy)
    run = walked.key("reno", 20.0, 1)
    assert pl.read_parquet(index.parent / "files" / run / "flows.parquet").height == 2


def test_a_run_that_is_no_longer_stored_has_no_page_and_no_link(results: tuple[Path, dict[str, Records]], tmp_path: Path) -> None:
    copy = Path(shutil.copytree(results[0], tmp_path / "results"))
    lost = walked.key("reno", 40.0, 2)
    shutil.rmtree(copy / "runs" / f"{lost}.totals")
    index = report.write(report.assemble(open_results(copy)), tmp_path / "report")
    assert not (index.parent / "runs" / f"{lost}.html").exists()
    shown = text_of(index.parent / "points" / "walk.one" / "reno-40.html")
    assert "seed 2" in shown and lost not in shown


def test_a_pruned_report_has_pages_of_first_repeats_alone_and_the_numbers_of_all(
    results: tuple[Path, dict[str, Records]], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = report.assemble(open_results(results[0]))
    assert report.pruned(whole) is whole and report.pruned(whole, 1000) is whole
    monkeypatch.setattr("windtunnel.report.pruning.MANY_RUNS", len(whole.runs) - 1)
    made = report.write(report.pruned(whole), tmp_path / "pruned").parent
    first = {point.repeats[0].run for section in whole.sections for point in section.points if point.repeats}
    assert {path.stem for path in (made / "runs").glob("*.html")} == first & set(whole.runs) < set(whole.runs)
    assert f"{len(first & set(whole.runs))} of {len(whole.runs)}: the first repeat of every point" in text_of(made / "index.html")
    # Every repeat has its row and its numbers, and no link leads to a page that is not there.
    for path in (folder / "points").rglob("*.html"):
        ours = text_of(made / path.relative_to(folder))
        assert len(re.findall(r"seed \d", ours)) == len(re.findall(r"seed \d", text_of(path)))
        assert all(target.is_file() for target in targets(made / path.relative_to(folder)))
    for name in (path.name for path in (folder / "tables").iterdir()):
        assert (made / "tables" / name).read_bytes() == (folder / "tables" / name).read_bytes()


def test_points_whose_names_look_alike_as_files_have_pages_of_their_own() -> None:
    points = [report.DataPoint({"alg": name}, ()) for name in ("htcp:a", "htcp-a", "HTCP-a")]
    places = places_of(report.Section(id="s.one", title="", question="", source="", points=points))
    assert len({page.href.lower() for page in places.pages}) == 3
    assert places.href({"alg": "htcp-a"}) == "points/s.one/htcp-a-2.html"
    assert places.href({"alg": "reno"}) == "" and places.href(None) == ""


def test_thinning_together_keeps_every_peak_and_every_gap() -> None:
    t_s = np.arange(50_000) / 100
    values = np.zeros((3, t_s.size))
    values[0, 12_345], values[1, 40_001], values[2, :25_000] = 7.0, -3.0, np.nan
    times, thin = thin_together(t_s, values, numbers=6_000)
    assert thin.size <= 6_000 and times.size == thin.shape[1] and (np.diff(times) > 0).all()
    assert (thin[0].max(), thin[1].min()) == (7.0, -3.0)
    bucket_s = 500 / (times.size / 2)
    assert abs(times[thin[0].argmax()] - 123.45) <= bucket_s
    assert np.isnan(thin[2][times < 249]).all() and not np.isnan(thin[2][times > 251]).any()


def test_few_values_are_left_as_they_are() -> None:
    t_s, values = np.arange(10.0), np.ones((2, 10))
    assert thin_together(t_s, values, numbers=20)[1] is values


def long_run(run: Records, *, flows: int, samples: int) -> Records:
    """A run of many flows and samples, of plausible numbers."""
    t_s = np.arange(samples) * 0.01
    rng = np.random.default_rng(1)
    frames = [
        records.model.frame_of(
            "flow_samples",
            {
                "t_s": t_s,
                "flow": np.full(samples, flow),
                "cwnd_packets": 1000 + rng.normal(0, 100, samples),
                "srtt_s": 0.1 + rng.random(samples) / 100,
                "inflight_packets": 1000 + rng.normal(0, 100, samples),
                "ssthresh_packets": 800 + rng.normal(0, 100, samples),
                "delivered_bytes": np.arange(samples) * 14480,
            },
        )
        for flow in range(flows)
    ]
    table = pl.concat([run.flows.head(1)] * flows).with_columns(flow=pl.int_range(flows, dtype=pl.UInt32))
    return dataclasses.replace(run, flow_samples=pl.concat(frames), flows=table)


@pytest.mark.parametrize(("flows", "samples"), [(2, 100_000), (40, 5_000)])
def test_a_page_of_a_long_run_stays_below_three_megabytes(results: tuple[Path, dict[str, Records]], flows: int, samples: int) -> None:
    run = long_run(results[1][walked.key("reno", 20.0, 1)], flows=flows, samples=samples)
    charts = charts_of(run, kept="all")
    assert sum(line.values.size for chart in charts for line in chart.lines) <= LARGEST_PAGE
    assert max(len(chart.lines) for chart in charts) <= 12
    # The scripts and the sheet take less than the rest.
    assert sum(len(data_script(chart.id, chart_json(chart))) for chart in charts) < LARGEST_BYTES - 250_000


def test_no_page_weighs_more_than_three_megabytes_with_all_it_loads(folder: Path) -> None:
    for page in folder.rglob("*.html"):
        loaded = {target for target in re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="([^"]+)"', text_of(page)) if target != "data:,"}
        weight = page.stat().st_size + sum((page.parent / target).stat().st_size for target in loaded)
        assert weight < LARGEST_BYTES, page.name


def test_what_a_data_script_holds_cannot_leave_it() -> None:
    hostile = "</script><script>alert(1)//\u2028"
    script = data_script(hostile, {"label": hostile})
    # Not part of the page, ASCII, one line, and JSON on both sides of the comma.
    assert script.isascii() and script.count("\n") == 1
    with pytest.raises(ValueError, match="not JSON compliant"):
        data_script("n", math.nan)


def test_the_grid_counts_a_claim_for_every_protocol_it_names(synthetic: ModuleType) -> None:
    assert named_in("M('jain',alg='htcp:beta08') > min(V('jain',alg=a) for a in ['reno','bic','htcp'])") == ["htcp", "reno", "bic"]
    grid = grid_of(synthetic.study())
    ((paper, (row,)),) = grid.papers
    assert (paper.id, row.id) == ("made", "made.fairness")
    cells = {name: dict(cell) for name, cell in zip(grid.columns, row.cells, strict=True)}
    expected = {"reno": {"holds": 1, "inconclusive": 1}, "bic": {"inconclusive": 1}, "scalable": {"fails": 1}, "any": {"not_run": 1}}
    assert cells == expected
    assert dict(paper.total) == {"holds": 1, "fails": 1, "inconclusive": 1, "not_run": 1}
