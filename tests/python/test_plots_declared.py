"""Declared figures: what is drawn where, what is said to be missing, and that the files are the same every time."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

import windtunnel as wt
from windtunnel import plots
from windtunnel.plots.decimate import thin
from windtunnel.plots.histories import flow_styles
from windtunnel.plots.points import points_of
from windtunnel.plots.saving import adapt
from windtunnel.plots.style import LOOK

# The names of the design, one per protocol.
NAMES = (
    *("reno", "ptcp", "scalable", "hstcp", "hstcp-lp", "lp", "bic", "cubic", "htcp", "fast", "fast-bqd", "illinois", "ctcp", "vegas"),
    *("westwood", "yeah", "areno", "veno", "hybla", "ledbat", "dctcp", "bbr", "bbr3", "copa", "prague", "convex", "concave-convex"),
)


def measures(rows: list[tuple[Any, ...]], *, metric: str = "conv80_s") -> pl.DataFrame:
    """Rows of (alg, rate, rtt, seed, value)."""
    table = pl.DataFrame(
        rows, schema={"alg": pl.String, "rate": pl.Float64, "rtt": pl.Float64, "seed": pl.Int64, "value": pl.Float64}, orient="row"
    )
    nothing = {"flow": pl.String, "state": pl.String, "t0": pl.Float64, "t1": pl.Float64}
    return table.with_columns(pl.lit(metric).alias("metric"), *(pl.lit(None, dtype=kind).alias(name) for name, kind in nothing.items()))


def curves(**more: Any) -> plots.Curves:
    fields: dict[str, Any] = {
        "metric": "conv80_s",
        "x": "rtt",
        "panels": "rate",
        "x_label": "base RTT (ms)",
        "x_log": True,
        "censored_at": 600.0,
    }
    return plots.Curves(**{"name": "f", "title": "t", **fields, **more})


def point(alg: str, rtt: float, values: list[float | None], rate: float = 10.0) -> list[tuple[Any, ...]]:
    return [(alg, rate, rtt, seed, value) for seed, value in enumerate(values, start=1)]


def labels(axis: Any) -> list[str]:
    return [tick.get_text() for tick in axis.get_xticklabels()]


def test_every_protocol_has_a_look_of_its_own() -> None:
    looks = [plots.look(name) for name in NAMES]
    assert set(NAMES) <= set(LOOK)
    assert len(set(looks)) == len(NAMES)
    assert plots.look("htcp:beta08") == plots.look("htcp")


def test_a_point_is_the_mean_of_the_repeats_with_its_standard_error() -> None:
    # Mean of 1, 2, 3 is 2; sample standard deviation 1; standard error 1/sqrt(3).
    (found,) = points_of(curves(), measures(point("reno", 42, [1.0, 2.0, 3.0])))
    assert (found.mean, found.n, found.kind) == (2.0, 3, "value")
    assert found.sem == pytest.approx(0.57735, abs=1e-5)


def test_missing_points_are_counted_by_their_reason() -> None:
    rows = point("reno", 16, [1.0, 2.0]) + point("reno", 22, [math.inf, math.inf, 3.0]) + point("reno", 42, [math.inf, 2.0, 4.0])
    rows += point("htcp", 16, [None, None]) + point("htcp", 42, [1.0])
    table = measures(rows)
    kinds = {(found.series, found.x): found.kind for found in points_of(curves(), table)}
    # htcp has no run at 22 ms at all, and no value at 16 ms.
    expected = {("reno", 16.0): "value", ("reno", 22.0): "unreached", ("reno", 42.0): "partly"}
    assert kinds == expected | {("htcp", 16.0): "absent", ("htcp", 22.0): "absent", ("htcp", 42.0): "value"}
    said = " ".join(plots.remarks(curves(), measures=table))
    assert "One point not converged within the run in most repeats" in said
    assert "One point not converged in some repeats, counted as 600" in said
    assert "2 points without a value" in said


def test_a_zero_has_no_place_on_a_logarithmic_axis_and_is_drawn_at_its_edge() -> None:
    table = measures(point("fast", 16, [0.0, 0.0]) + point("fast", 22, [1e-3, 2e-3]), metric="loss_ovh")
    declared = curves(metric="loss_ovh", y_log=True)
    assert [found.kind for found in points_of(declared, table)] == ["below", "value"]
    assert "One point zero" in " ".join(plots.remarks(declared, measures=table))
    (axis,) = plots.draw(declared, measures=table).axes
    hollow = [line for line in axis.lines if line.get_marker() == "X" and list(line.get_ydata()) == [0.0]]
    assert [list(line.get_xdata()) for line in hollow] == [[16.0]]


def test_a_point_at_the_least_that_can_be_measured_is_hollow_and_called_an_upper_bound() -> None:
    # FAST sends nothing again at 42 ms in one repeat of two: that one is 1 / packets sent, whatever the other is.
    shares = point("fast", 16, [1e-3, 2e-3]) + point("fast", 42, [1e-8, 3e-8]) + point("reno", 42, [2e-8, 4e-8])
    sent = point("fast", 16, [1e-8, 1e-8]) + point("fast", 42, [1e-8, 1e-8]) + point("reno", 42, [1e-8, 1e-8])
    table = pl.concat([measures(shares, metric="loss_ovh"), measures(sent, metric="loss_least")])
    declared = curves(metric="loss_ovh", y_log=True, least="loss_least")
    kinds = {(found.series, found.x): found.kind for found in points_of(declared, table)}
    assert kinds == {("fast", 16.0): "value", ("fast", 42.0): "bound", ("reno", 16.0): "absent", ("reno", 42.0): "value"}
    assert "One point at the least that can be measured in some repeats: hollow, an upper bound." in plots.remarks(declared, measures=table)
    figure = plots.draw(declared, measures=table)
    (axis,) = figure.axes
    hollow = [line for line in axis.lines if line.get_markerfacecolor() == "#ffffff" and line.get_linestyle() == "None"]
    assert [(list(line.get_xdata()), list(line.get_ydata())) for line in hollow] == [([42.0], [2e-8])]
    assert "upper bound" in [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert {found.kind for found in points_of(curves(metric="loss_ovh", y_log=True), table)} == {"value", "absent"}


def test_an_unreached_point_is_hollow_at_the_top_edge_and_breaks_the_line() -> None:
    rows = point("reno", 16, [1.0, 2.0]) + point("reno", 22, [math.inf, math.inf]) + point("reno", 42, [5.0, 6.0])
    (axis,) = plots.draw(curves(y_log=True), measures=measures(rows)).axes
    (line,) = [line for line in axis.lines if line.get_linestyle() == "-" and len(line.get_xdata()) == 3]
    assert np.isnan(np.asarray(line.get_ydata(), dtype=float)).tolist() == [False, True, False]
    hollow = [line for line in axis.lines if line.get_marker() == "o" and list(line.get_xdata()) == [22.0]]
    assert [(list(line.get_ydata()), line.get_markerfacecolor()) for line in hollow] == [([1.0], "#ffffff")]
    assert axis.get_ylim()[1] > 6.0


def test_rows_of_single_flows_and_other_windows_do_not_enter_a_mean_unless_asked_for() -> None:
    table = measures(point("reno", 16, [1.0, 3.0]))
    single = table.with_columns(pl.lit("1").alias("flow"), pl.lit(100.0).alias("value"))
    both = pl.concat([table, single])
    assert [found.mean for found in points_of(curves(), both)] == [2.0]
    assert [found.mean for found in points_of(curves(fixed={"flow": "1"}), both)] == [100.0]


def test_the_rtt_axis_is_labelled_with_the_measured_rtts() -> None:
    rows = [row for rtt in (16, 22, 42, 82, 162, 324) for rate in (10.0, 250.0) for row in point("reno", rtt, [1.0, 2.0], rate)]
    axes = plots.draw(curves(), measures=measures(rows)).axes
    assert [axis.get_title(loc="left") for axis in axes] == ["10 Mbit/s", "250 Mbit/s"]
    assert labels(axes[0]) == ["16", "22", "42", "82", "162", "324"]


def test_a_linear_axis_drops_labels_that_would_touch_but_keeps_their_ticks() -> None:
    rows = [row for rtt in (16, 22, 42, 82, 162, 324) for rate in (10.0, 250.0) for row in point("reno", rtt, [1.0, 2.0], rate)]
    axis = plots.draw(curves(x_log=False), measures=measures(rows)).axes[0]
    shown = labels(axis)
    assert shown[-1] == "324"
    assert len(shown) < 6
    assert {*map(float, shown), *axis.get_xticks(minor=True)} == {16, 22, 42, 82, 162, 324}


def test_a_point_outside_the_declared_limits_stretches_them() -> None:
    (axis,) = plots.draw(curves(y_limits=(0.0, 1.0)), measures=measures(point("reno", 16, [1.5, 1.5]))).axes
    assert axis.get_ylim() == (0.0, 1.5)


def test_variants_of_one_protocol_differ_by_their_line() -> None:
    rows = [row for alg in ("htcp", "htcp:beta08") for rtt in (16, 22) for row in point(alg, rtt, [1.0, 2.0])]
    figure = plots.draw(curves(), measures=measures(rows))
    handles = [handle for legend in figure.legends for handle in legend.legend_handles]
    assert [(handle.get_label(), handle.get_color(), handle.get_linestyle()) for handle in handles] == [
        ("htcp", "#D55E00", "-"),
        ("htcp:beta08", "#D55E00", "--"),
    ]


def test_error_bars_of_several_series_at_one_rtt_do_not_cover_each_other() -> None:
    """The bars of seven protocols lie beside each other, in the order of the legend, around their RTT."""
    rows = [row for alg in NAMES[:7] for row in point(alg, 40.0, [1.0, 2.0, 4.0])]
    figure = plots.draw(curves(), measures=measures(rows))
    (axis,) = figure.axes
    figure.canvas.draw()
    at = [one.get_transform().transform(one.get_segments()[0])[0, 0] for one in axis.collections]
    assert len(at) == 7 and at == sorted(at)
    apart = np.diff(at) * 72 / figure.dpi
    assert apart.min() > 1.2, "points; a bar is 0.8 wide"
    middle = axis.transData.transform((40.0, 1.0))[0]
    assert np.mean(at) == pytest.approx(middle, abs=0.5)
    alone = plots.draw(curves(), measures=measures(point("reno", 40.0, [1.0, 2.0]))).axes[0]
    assert alone.collections[0].get_transform().transform((40.0, 1.0))[0] == pytest.approx(alone.transData.transform((40.0, 1.0))[0])


def test_a_measured_prediction_is_drawn_dashed_in_the_protocols_colour(synthetic: ModuleType) -> None:
    axis = plots.draw(synthetic.UNFAIRNESS, measures=synthetic.unfairness()).axes[0]
    (line,) = [line for line in axis.lines if line.is_dashed()]
    assert line.get_color() == plots.look("reno")[0]
    # The table's prediction at 16 ms: ((162 + 15) / (16 + 15)) ^ 2 = 32.60.
    assert float(np.asarray(line.get_ydata())[0]) == pytest.approx(32.60, abs=0.01)


@pytest.mark.parametrize("name", ["FAIRNESS", "UNFAIRNESS", "CONVERGENCE", "OVERHEAD", "RESPONSE", "HISTORIES"])
def test_a_declaration_survives_json(synthetic: ModuleType, name: str) -> None:
    declared = getattr(synthetic, name)
    assert plots.from_json(json.loads(json.dumps(plots.to_json(declared)))) == declared


@pytest.mark.parametrize(
    ("stored", "problem"),
    [
        ({"kind": "pie", "name": "f"}, "kind 'pie' is unknown"),
        ({"kind": "curves", "name": "f", "colour": "red"}, "colour"),
        ({"kind": "histories", "name": "f", "title": "t"}, "quantity"),
    ],
)
def test_a_stored_declaration_that_is_not_one_is_refused(stored: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        plots.from_json(stored)


def test_an_overlay_needs_one_source() -> None:
    with pytest.raises(ValueError, match="exactly one"):
        plots.Overlay("law", function="response_mbps", metric="thr_mbps")


@pytest.mark.parametrize(("field", "value"), [("metric", "jain"), ("fixed", {"q": 0.2}), ("x", "p")])
def test_a_figure_with_nothing_to_draw_says_so(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match="figure 'f': the table has no"):
        plots.draw(curves(**{field: value}), measures=measures(point("reno", 16, [1.0])))


def test_thinning_keeps_every_peak_and_the_ends() -> None:
    t_s = np.arange(6000) / 10
    values = np.sin(t_s)
    values[1234], values[4321] = 50.0, -50.0
    kept_t_s, kept = thin(t_s, values, buckets=100)
    assert kept.size <= 202
    assert (kept.max(), kept.min()) == (50.0, -50.0)
    assert (kept_t_s[0], kept_t_s[-1]) == (t_s[0], t_s[-1])
    assert (np.diff(kept_t_s) > 0).all()
    assert kept_t_s[kept.argmax()] == 123.4


def test_thinning_leaves_gaps_as_gaps() -> None:
    values = np.ones(1000)
    values[300:700] = math.nan
    _, kept = thin(np.arange(1000.0), values, buckets=50)
    assert np.isnan(kept).any()
    assert np.nanmax(kept) == 1.0


def test_a_long_history_stays_small_and_keeps_its_scale(synthetic: ModuleType, tmp_path: Path) -> None:
    runs = [synthetic.history("scalable", rtt) for rtt in (42.0, 162.0, 324.0)]
    plots.render(synthetic.HISTORIES, tmp_path / "cwnd", histories=runs, suffixes=(".svg",))
    assert (tmp_path / "cwnd.svg").stat().st_size < 300_000
    figure = plots.draw(synthetic.HISTORIES, histories=runs)
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["RTT 42 ms", "RTT 162 ms", "RTT 324 ms"]
    drawn = max(float(np.nanmax(np.asarray(line.get_ydata()))) for line in figure.axes[2].lines)
    assert drawn == runs[2].flow_samples["cwnd_packets"].max()


def test_of_several_seeds_the_smallest_is_drawn(synthetic: ModuleType) -> None:
    runs = [synthetic.history("scalable", 42.0, seed=seed, samples=50) for seed in (3, 2)]
    (axis,) = plots.draw(synthetic.HISTORIES, histories=runs).axes
    drawn = next(line for line in axis.lines if len(line.get_xdata()) == 50)
    first = runs[1].flow_samples.filter(pl.col("flow") == 0)["cwnd_packets"].to_list()
    assert list(drawn.get_ydata()) == first


def test_histories_convert_to_the_units_of_figures(synthetic: ModuleType) -> None:
    run = synthetic.history("reno", 42.0, samples=50)
    (axis,) = plots.draw(plots.Histories("rtt", "RTT", "srtt_s", y_label="srtt (ms)"), histories=[run]).axes
    # The samples run from 42 ms to 1.2 times that.
    assert 42.0 <= float(np.min(axis.lines[0].get_ydata())) < float(np.max(axis.lines[0].get_ydata())) <= 50.4


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        (plots.Histories("h", "t", "cwnd_packets", alg="bic"), "no run with samples fits"),
        (plots.Histories("h", "t", "alpha"), "no column 'alpha'"),
    ],
)
def test_histories_that_do_not_exist_are_refused(synthetic: ModuleType, declared: plots.Histories, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        plots.draw(declared, histories=[synthetic.history("reno", 42.0, samples=50)])


def test_the_same_figure_is_the_same_file(synthetic: ModuleType, tmp_path: Path) -> None:
    for name in ("one", "two"):
        plots.render(synthetic.CONVERGENCE, tmp_path / name, measures=synthetic.convergence())
    for suffix in (".svg", ".pdf"):
        assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()
    assert "<dc:date>" not in (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert b"/CreationDate" not in (tmp_path / "one.pdf").read_bytes()


def test_in_a_dark_scheme_no_two_protocols_fall_together() -> None:
    drawn = [f'<path style="stroke: {plots.look(name)[0].lower()}"/>' for name in NAMES]
    rules = dict(re.findall(r"stroke: (#[0-9a-f]{6})\"\]\{stroke:(#[0-9a-f]{6})", adapt(f"<svg>{''.join(drawn)}</svg>")))
    assert len(rules) == len({plots.look(name)[0] for name in NAMES})
    assert len(set(rules.values())) == len(rules)


def test_a_real_run_draws_its_flows_and_variables() -> None:
    flows = (wt.Flow(algorithm="hstcp", rtt_s=0.02), wt.Flow(algorithm="hstcp", rtt_s=0.02, start_s=1.0))
    link = wt.Bottleneck(rate_bps=20e6, queue_packets=20)
    run = wt.run(wt.Scenario(bottleneck=link, flows=flows, duration_s=4.0, sample_s=0.01))
    history = plots.History({"alg": "hstcp", "rtt": 20.0}, 1, run.flow_samples, run.flows)
    for quantity in ("cwnd_packets", "goodput_mbps"):
        figure = plots.draw(plots.Histories("h", "t", quantity, y_label=quantity), histories=[history])
        drawn = [handle.get_label() for legend in figure.legends for handle in legend.legend_handles]
        assert drawn == ["flow 1 (hstcp)", "flow 2 (hstcp, from 1 s)"]
    # Two flows cannot carry more than the link: 20 Mbit/s of IP is 19.3 Mbit/s of payload (1448 of 1500 bytes).
    (axis,) = figure.axes
    assert 5.0 < max(float(np.max(line.get_ydata())) for line in axis.lines) < 19.4


def test_flows_with_different_round_trip_times_are_told_by_them() -> None:
    """As in figure 18 of 2007: which of two BIC flows starves is what it shows."""
    table = pl.DataFrame({"flow": [0, 1], "algorithm": ["bic", "bic"], "start_s": [0.0, 100.0]})
    labels = [label for _, _, label in flow_styles(table, (0.162, 0.022))]
    assert labels == ["flow 1 (bic, 162 ms)", "flow 2 (bic, 22 ms, from 100 s)"]
    # Suites move base RTTs by some microseconds from repeat to repeat, which is nothing to read in a legend.
    assert [label for _, _, label in flow_styles(table, (0.162004, 0.022004))] == labels
    assert [label for _, _, label in flow_styles(table, (0.022, 0.022001))] == ["flow 1 (bic)", "flow 2 (bic, from 100 s)"]


def test_a_closed_form_is_drawn_in_its_panel_only() -> None:
    rows = [row for rate in (10.0, 250.0) for rtt in (16, 162) for row in point("reno", rtt, [1.0, 2.0], rate)]
    arguments = {"fixed_ms": 162.0, "rate_mbps": 250.0, "q": 0.2}
    theory = (plots.Overlay("eq. (4)", function="eq4_printed", arguments=arguments, alg="reno", panel=250.0),)
    left, right = plots.draw(curves(y_log=True, theory=theory), measures=measures(rows)).axes
    assert not any(line.is_dashed() for line in left.lines)
    (line,) = [line for line in right.lines if line.is_dashed()]
    # Equal round-trip times share equally.
    assert float(line.get_ydata()[-1]) == pytest.approx(1.0)
