"""What a second backend measured stands beside the first: in figures, on data points, with pages of its runs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import polars as pl
import pytest
import walked

from windtunnel import plots
from windtunnel.plots.live import live_curves
from windtunnel.plots.points import others_of
from windtunnel.report import assemble, write
from windtunnel.store import open_results, writing_results

EXTRA = 80.0
"""A round-trip time that the kernel alone has measured."""


def kernel_key(rtt: float, seed: int) -> str:
    return f"{int(rtt)}{seed}".ljust(32, "e")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small walk; of H-TCP a kernel has measured two points beside and one more, one repeat each."""
    path = tmp_path_factory.mktemp("two") / "results"
    runs = walked.write(path)
    with writing_results(path) as results:
        rows = []
        for rtt in (*walked.RTTS, EXTRA):
            results.runs.write(kernel_key(rtt, 1), runs[walked.key("htcp", 20.0, 1)], "totals")
            point = {"alg": "htcp", "rtt": rtt, "seed": 1, "run": kernel_key(rtt, 1)}
            rows.append({**point, "metric": "thr_mbps", "value": 7.0 + rtt / 100})
        declared = results.declaration("walk.one") | {"backend": "linux", "repeats": 1}
        results.store_experiment("walk.one", declared, pl.DataFrame(rows), backend="linux")
    return path


@pytest.fixture(scope="module")
def pages(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(assemble(open_results(folder)), tmp_path_factory.mktemp("report") / "report").parent


def point(pages: Path, name: str) -> str:
    return (pages / "points" / "walk.one" / f"{name}.html").read_text(encoding="utf-8")


def test_a_data_point_lists_the_repeats_of_both_and_leads_to_their_runs(pages: Path) -> None:
    page = point(pages, "htcp-20")
    assert page.index("Simulator: 2 repeats") < page.index("Linux kernel: 1 repeat<")
    for key in (walked.key("htcp", 20.0, 1), walked.key("htcp", 20.0, 2), kernel_key(20.0, 1)):
        assert f'href="../../runs/{key}.html"' in page and (pages / "runs" / f"{key}.html").is_file()
    of_kernel = page[page.index("Linux kernel: 1 repeat<") :]
    assert "7.2" in of_kernel and walked.key("htcp", 20.0, 1) not in of_kernel
    assert "Linux kernel" not in point(pages, "reno-20") and '<h2 id="runs">2 repeats</h2>' in point(pages, "reno-20")


def test_a_point_that_only_the_kernel_measured_has_a_page_too(pages: Path) -> None:
    page = point(pages, "htcp-80")
    assert "Linux kernel: 1 repeat<" in page and "Simulator:" not in page and kernel_key(EXTRA, 1) in page


def test_every_repeat_of_both_is_in_the_csv_with_its_backend(pages: Path) -> None:
    with (pages / "tables" / "walk.one-runs.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    counted = {name: sum(row["backend"] == name for row in rows) for name in ("Simulator", "Linux kernel")}
    assert counted == {"Simulator": 8, "Linux kernel": 3} and len(rows) == 11
    assert {row["run"] for row in rows if row["backend"] == "Linux kernel"} == {kernel_key(rtt, 1) for rtt in (*walked.RTTS, EXTRA)}


def test_the_figure_draws_the_kernels_points_half_filled_and_says_so(pages: Path) -> None:
    text = (pages / "data" / "walk.one-share.js").read_text(encoding="ascii")
    live = json.loads(text[text.index("{", text.index("(")) : text.rindex("}") + 1])
    kernels = [one for one in live["points"] if one.get("b") == 1]
    assert live["others"] == ["Linux kernel"]
    assert [(one["x"], round(one["y"], 6)) for one in kernels] == [(20.0, 7.2), (40.0, 7.4), (80.0, 7.8)]
    assert all(one["t"].endswith("Linux kernel") and one["h"].startswith("points/") for one in kernels)
    assert len([one for one in live["points"] if "b" not in one]) == 4
    page = (pages / "experiments" / "walk.one.html").read_text(encoding="utf-8")
    assert "Half-filled: Linux kernel, 1 repeat." in page
    assert "Linux kernel" in (pages / "figures" / "walk.one-share.svg").read_text(encoding="utf-8")


def test_scales_reach_the_kernels_points(folder: Path) -> None:
    results = open_results(folder)
    beside = {"Linux kernel": results.measures("walk.one", "linux")}
    alone, both = (live_curves(walked.CURVES, results.measures("walk.one"), lambda *_: {}, other) for other in (None, beside))
    assert alone["panels"][0]["x"] == [20.0, 40.0] and both["panels"][0]["x"] == [20.0, 40.0, 80.0]
    assert both["panels"][0]["y"][1] > 7.8 > alone["panels"][0]["y"][1] and "others" not in alone


def test_a_backend_that_has_not_measured_a_figures_metric_is_left_out_of_it(folder: Path) -> None:
    frame = open_results(folder).measures("walk.one", "linux").with_columns(metric=pl.lit("jain"))
    assert others_of(walked.CURVES, {"Linux kernel": frame}) == []
    measures = open_results(folder).measures("walk.one")
    said = plots.remarks(walked.CURVES, measures=measures)
    assert plots.remarks(walked.CURVES, measures=measures, beside={"Linux kernel": frame}) == said != []


def test_names_carry_the_kernels_numbers_too(folder: Path) -> None:
    results = open_results(folder)
    bars = plots.Compared("bars", "Bars", metric="thr_mbps", series="rtt", y_label="Mbit/s")
    figure = plots.draw(bars, measures=results.measures("walk.one"), beside={"Linux kernel": results.measures("walk.one", "linux")})
    labels = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    half = [line for axis in figure.axes for line in axis.get_lines() if line.get_fillstyle() == "left"]
    assert "Linux kernel" in labels and sorted(round(float(line.get_ydata()[0]), 6) for line in half) == [7.2, 7.4, 7.8]
