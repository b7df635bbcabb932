"""The pages of runs: what was sampled, what was counted, and how to run it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from windtunnel.foreign import is_made
from windtunnel.plots.live import both
from windtunnel.records import FolderError, Records
from windtunnel.report.environment import environment
from windtunnel.report.model import StoredRun
from windtunnel.report.names import Use, file_name, run_href
from windtunnel.report.runfiles import give
from windtunnel.report.scripts import data_block, data_script
from windtunnel.report.series import MOST_FLOWS, chart_json, charts_of, flows_drawn
from windtunnel.report.text import number
from windtunnel.store import read_several

MOST_ROWS = 64
"""Flows in a run page's table; the others are in the Parquet file."""


@dataclass(frozen=True)
class Frame:
    """What every page's header and footer show."""

    suite: str
    made: str
    docs: str = ""


@dataclass(frozen=True)
class Task:
    """A run on its way to its page."""

    key: str
    stored: StoredRun
    uses: Sequence[Use]


def write_runs(tasks: Sequence[Task], folder: Path, frame: Frame) -> None:
    """Write the pages of runs, their data and their files.

    Parameters
    ----------
    tasks : sequence of Task
        The runs.
    folder : Path
        The report's folder; ``runs``, ``data`` and ``files`` exist.
    frame : Frame
        Header and footer.

    Raises
    ------
    windtunnel.records.FolderError
        When a run is damaged.
    """
    template = environment().get_template("run.html")
    for task, run in zip(tasks, _read(tasks), strict=True):
        charts = charts_of(run, kept=task.stored.kept)
        name = file_name(task.key)
        data = {chart.id: chart_json(chart) for chart in charts}
        # What figures of experiments draw too is in files of its own; there are thousands of the other runs, and theirs is little.
        apart = task.stored.kept == "all"
        for id, value in data.items() if apart else ():
            (folder / "data" / f"{name}-{file_name(id)}.js").write_text(data_script(f"{task.key}-{id}", value), encoding="ascii")
        html = template.render(
            root="../",
            report=frame,
            task=task,
            name=name,
            charts=charts,
            blocks=[] if apart else [data_block(f"{task.key}-{id}", value) for id, value in data.items()],
            title=_title(run),
            facts=_facts(run),
            flows=_flows(run),
            flows_left_out=max(run.flows.height - MOST_ROWS, 0),
            lines_left_out=max(run.flows.height - MOST_FLOWS, 0),
            legend=[(label, both(colour)) for _, colour, label in flows_drawn(run)],
            links=_links(run),
            notes=run.facts.notes,
            files=give(task.stored, run, name, folder),
            command=_command(run, name),
            from_files=_from_files(run),
        )
        (folder / run_href(task.key)).write_text(html, encoding="utf-8")


def _read(tasks: Sequence[Task]) -> Iterator[Records]:
    try:
        yield from read_several([task.stored.folder for task in tasks])
    except FolderError as error:
        raise FolderError(error.path, f"{error.problem}; remove the run's folder and run the suite again") from None


def _command(run: Records, name: str) -> str:
    backend = "" if run.facts.backend == "sim" else f" --backend {run.facts.backend}"
    sample = "" if run.facts.scenario.get("sample_s") else " --sample 100ms"
    return f"windtunnel run {name}.json{backend}{sample} --out {name[:12]} --plot {name[:12]}.svg"


def _from_files(run: Records) -> list[tuple[str, str]]:
    """Return the controllers from files that the scenario names, as file and name: they must be in the cache before it is run again."""
    scenario: Mapping[str, Any] = run.facts.scenario
    named = (one.get("algorithm") for key in ("flows", "arrivals", "sessions") for one in scenario.get(key) or ())
    made = [name for name in dict.fromkeys(named) if isinstance(name, str) and is_made(name)]
    return [(name.partition(":")[0], name) for name in made]


def _title(run: Records) -> str:
    counts: dict[str, int] = {}
    for algorithm in run.flows["algorithm"].to_list():
        counts[algorithm] = counts.get(algorithm, 0) + 1
    flows = " and ".join(algorithm if count == 1 else f"{count} {algorithm}" for algorithm, count in list(counts.items())[:4])
    more = "" if len(counts) <= 4 else f" and {len(counts) - 4} more"
    return f"{flows}{more}, {number(run.facts.scenario['bottleneck']['rate_bps'] / 1e6)} Mbit/s"


def _facts(run: Records) -> list[tuple[str, str]]:
    scenario: Mapping[str, Any] = run.facts.scenario
    bottleneck = scenario["bottleneck"]
    rtts = sorted({flow.get("rtt_s") for flow in scenario["flows"]} - {None})
    shown = [f"{number(rtt * 1e3)}" for rtt in ([rtts[0], rtts[-1]] if len(rtts) > 1 else rtts)]
    sizes = (("queue_packets", "packets", 1.0), ("queue_bytes", "bytes", 1.0), ("queue_s", "ms", 1e3), ("queue_bdp", "BDP", 1.0))
    queue = [f"{number(bottleneck[name] * factor)} {unit}" for name, unit, factor in sizes if bottleneck.get(name) is not None]
    facts = [
        ("Rate", f"{number(bottleneck['rate_bps'] / 1e6)} Mbit/s"),
        ("Base RTT", f"{' to '.join(shown)} ms" if shown else ""),
        ("Queue", " ".join(filter(None, [*queue, str(bottleneck.get("discipline") or "")]))),
        ("Duration", f"{number(scenario['duration_s'])} s, measured from {number(scenario['warmup_s'])} s"),
        ("Profile", str(scenario.get("profile", ""))),
        ("Backend", f"{run.facts.backend}, version {run.facts.engine_version}"),
        ("Seed", str(scenario.get("seed"))),
        ("Scenario", run.facts.digest[:16]),
    ]
    loss = bottleneck.get("loss_probability")
    if loss:
        facts.insert(3, ("Random loss", number(loss)))
    return [(name, value) for name, value in facts if value]


_Column = tuple[str, str, float]
_FLOW_COLUMNS: tuple[_Column, ...] = (
    ("sent_packets", "sent", 1.0),
    ("retransmitted_packets", "retransmitted", 1.0),
    ("loss_episodes", "loss episodes", 1.0),
    ("timeouts", "timeouts", 1.0),
    ("mean_cwnd_packets", "mean cwnd (packets)", 1.0),
    ("mean_rtt_s", "mean RTT (ms)", 1e3),
)
_LINK_COLUMNS: tuple[_Column, ...] = (
    ("utilisation", "utilisation", 1.0),
    ("mean_queue_packets", "mean queue (packets)", 1.0),
    ("max_queue_packets", "largest queue (packets)", 1.0),
    ("dropped_packets", "dropped", 1.0),
    ("marked_packets", "marked", 1.0),
)


def _flows(run: Records) -> dict[str, Any]:
    flows = run.flows.head(MOST_ROWS)
    measured = [one for one in _FLOW_COLUMNS if flows[one[0]].null_count() < flows.height]
    goodput = flows.select((pl.col("window_goodput_bytes") * 8 / pl.col("window_s") / 1e6).alias("goodput"))["goodput"].to_list()
    styles = flows_drawn(run)
    names = {flow: (label, both(colour)) for flow, colour, label in styles}
    rows = []
    for order, (row, rate) in enumerate(zip(flows.iter_rows(named=True), goodput, strict=True), start=1):
        label, colour = names.get(row["flow"], (f"flow {order} ({row['algorithm']})", ["", ""]))
        cells = [_scaled(row[name], factor) for name, _, factor in measured]
        rows.append({"label": label, "colour": colour, "cells": [rate, *cells]})
    return {"columns": ["goodput (Mbit/s)", *(heading for _, heading, _ in measured)], "rows": rows}


def _links(run: Records) -> dict[str, Any]:
    measured = [one for one in _LINK_COLUMNS if run.links.height and run.links[one[0]].null_count() < run.links.height]
    rows = [
        {"label": row["name"] or f"link {row['link']}", "cells": [_scaled(row[name], factor) for name, _, factor in measured]}
        for row in run.links.iter_rows(named=True)
    ]
    return {"columns": [heading for _, heading, _ in measured], "rows": rows}


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
