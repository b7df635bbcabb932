"""Figures of what only some controllers have: drawn of those, and left out with a note where none has it."""

from __future__ import annotations

from pathlib import Path

import windtunnel as wt
from windtunnel import report
from windtunnel.experiment import Draws, Experiment, Measure, Point, Scale, execute, plan
from windtunnel.plots.declared import Histories
from windtunnel.store import open_results, writing_results

FIGURES = (
    Histories("cwnd", "Windows", quantity="cwnd_packets", panels="alg", y_label="cwnd (packets)"),
    Histories("increase", "Increase", quantity="a", panels="alg", y_label="Increase (packets per RTT)"),
)


def alone(point: Point, _: Draws) -> wt.Scenario:
    link = wt.Bottleneck(rate_bps=10e6, queue_packets=20)
    return wt.Scenario(bottleneck=link, flows=(wt.Flow(algorithm=point["alg"], rtt_s=0.02),), duration_s=3.0)


def assembled(folder: Path, *algorithms: str) -> report.Report:
    experiment = Experiment(
        id="t.increase",
        title="Increase",
        question="How much more?",
        source="Fig. 0",
        points={"alg": algorithms},
        scenario=alone,
        measures=(Measure("drops_pkts"),),
        figures=FIGURES,
        repeats=1,
        kept="all",
    )
    with writing_results(folder) as results:
        execute(plan([experiment], Scale()), results, jobs=1, command="windtunnel suite run {id}", on_step=lambda _: None)
    return report.assemble(open_results(folder))


def test_a_panel_of_a_protocol_that_lacks_the_quantity_is_left_out(tmp_path: Path) -> None:
    (section,) = assembled(tmp_path / "results", "hstcp", "reno").sections
    assert [figure.declaration.name for figure in section.figures] == ["cwnd", "increase"]
    report.write(assembled(tmp_path / "results", "hstcp", "reno"), tmp_path / "pages", jobs=1)
    drawn = (tmp_path / "pages/figures/t.increase-increase.svg").read_text(encoding="utf-8")
    assert "hstcp" in drawn and "reno" not in drawn


def test_a_figure_of_what_no_run_has_is_left_out_and_the_page_says_so(tmp_path: Path) -> None:
    (section,) = assembled(tmp_path / "results", "reno").sections
    assert [figure.declaration.name for figure in section.figures] == ["cwnd"]
    assert list(section.notes)[-1] == "Not drawn: figure 'increase': flow_samples have no column 'a'."
