"""The tables of the live kernel's page: ``python -m windtunnel.agreement.live_page PAGE FOLDER [RESULTS...]`` renews them.

``FOLDER`` is a comparison of ``agree --live``; each of ``RESULTS`` is a results folder of ``suite run``, of the simulator or of the live
backend, over parts of experiments of the papers. The page is docs/validation/live.md; its blocks are those of the other pages of agreement
(`windtunnel.agreement.tables`), and what is between them is written by hand.
"""

from __future__ import annotations

import json
import platform
import statistics
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from windtunnel.agreement.judging import AGREES, DIFFERS, INCONCLUSIVE, NOT_MEASURED
from windtunnel.agreement.quantities import QUANTITIES
from windtunnel.agreement.tables import replaced
from windtunnel.report.text import MISSING, markdown, number
from windtunnel.stats import summarise
from windtunnel.store import Results, open_results
from windtunnel.version import __version__

Comparison = Mapping[str, Any]
"""A row of the report's ``rows.json``."""
Values = Mapping[tuple[str, ...], Sequence[float]]
"""Of one side: repeats by experiment, point and what the experiment's figures show."""

SIDES = ("sim", "linux", "live")
NOISE = "noise"
"""A word of the note of a row whose repeats are further apart than the two sides are."""
_DIGITS = 3
OF_HISTORIES = {"fair_minmax": "Smaller / larger throughput", "fair_final": "The same in the last 60 s"}
"""What is shown of an experiment whose figures are windows over time and draw no metric."""


def blocks(rows: Sequence[Comparison], live: Sequence[Mapping[str, Any]], papers: tuple[Values, Values], facts: str) -> dict[str, str]:
    """Return the page's blocks by their names.

    Parameters
    ----------
    rows : sequence of Comparison
        The comparison.
    live : sequence of mapping
        ``run.json`` of each live run.
    papers : (Values, Values)
        What the simulator and the live kernel gave of the papers' experiments.
    facts : str
        What ran, and when.
    """
    return {
        "machine": _machine(live),
        "summary": f"{facts}\n\n{_summary(rows)}",
        "quantities": "\n\n".join(_quantity(name, rows) for name in QUANTITIES if any(row["quantity"] == name for row in rows)),
        "papers": _papers(*papers),
    }


def _machine(live: Sequence[Mapping[str, Any]]) -> str:
    """Return what the machine did to the runs, by rate."""
    rates = sorted({run["scenario"]["bottleneck"]["rate_bps"] for run in live})
    columns = [[run["host"]["live"] for run in live if run["scenario"]["bottleneck"]["rate_bps"] == rate] for rate in rates]

    def line(title: str, name: str, scale: float, unit: str) -> list[str]:
        found = [[scale * one[name] for one in own] for own in columns]
        return [title, *(f"{number(statistics.median(one))}{unit} ({number(max(one))}{unit})" for one in found)]

    def counted(title: str, name: str) -> list[str]:
        return [title, *(str(sum(one[name] for one in own)) for own in columns)]

    head = ["median (largest) of runs", *(f"{rate / 1e6:g} Mbit/s" for rate in rates)]
    return markdown(
        head,
        [
            ["runs", *(str(len(own)) for own in columns)],
            ["valid at the first try", *(str(sum(one["tries"] == 1 for one in own)) for own in columns)],
            line("the network's clock stood", "paused", 100.0, " %"),
            line("longest pause", "longest_s", 1e3, " ms"),
            line("steal", "steal", 100.0, " %"),
            line("packets late, median", "late_us_p50", 1.0, " us"),
            line("packets late, 99 %", "late_us_p99", 1.0, " us"),
            counted("retransmissions, all runs", "retransmitted"),
            counted("drops, all runs", "dropped"),
        ],
    )


def _summary(rows: Sequence[Comparison]) -> str:
    def line(name: str, own: Sequence[Comparison]) -> list[str]:
        counts = Counter(row["verdict"] for row in own)
        noisy = sum(row["verdict"] == INCONCLUSIVE and NOISE in row["note"] for row in own)
        shown = [counts[AGREES], counts[DIFFERS], noisy, counts[INCONCLUSIVE] - noisy, counts[NOT_MEASURED]]
        return [name, *(str(count) for count in shown)]

    groups = [(_name(one), [row for row in rows if row["algorithm"] == one]) for one in dict.fromkeys(row["algorithm"] for row in rows)]
    rates = sorted({row["scenario"]["rate_mbps"] for row in rows})
    groups += [(f"{rate:g} Mbit/s", [row for row in rows if row["scenario"]["rate_mbps"] == rate]) for rate in rates]
    head = ["", "agree", "differ", "noise is larger than the difference", "otherwise inconclusive", "on neither side"]
    return markdown(head, [line(*group) for group in (*groups, ("all", rows))])


def _quantity(name: str, rows: Sequence[Comparison]) -> str:
    about = QUANTITIES[name]
    own = sorted((row for row in rows if row["quantity"] == name), key=lambda row: row["scenario"]["rate_mbps"])
    lines = [
        [
            f"{row['scenario']['rate_mbps']:g}",
            _name(row["algorithm"]),
            *(_side(row.get(side)) for side in SIDES),
            _apart(row),
            f"**{row['verdict']}**" if row["verdict"] == DIFFERS else NOISE if NOISE in row["note"] else row["verdict"].replace("_", " "),
        ]
        for row in own
    ]
    tolerated = f"{number(100 * about.tolerance)} %" if about.relative else number(about.tolerance)
    unit = f" ({about.unit})" if about.unit else ""
    head = ["Mbit/s", "", "simulator", "Linux in virtual time", "live", f"simulator - live (tolerated: {tolerated})", ""]
    return f"**{about.title}**{unit}\n\n{markdown(head, lines)}"


def _side(side: Mapping[str, Any] | None) -> str:
    if side is None:
        return MISSING
    if side["mean"] is None:
        return "never"
    if side["low"] is None:
        return number(side["mean"], digits=_DIGITS)
    return f"{number(side['mean'], digits=_DIGITS)} [{number(side['low'], digits=_DIGITS)}, {number(side['high'], digits=_DIGITS)}]"


def _apart(row: Comparison) -> str:
    if row["difference"] is None:
        return MISSING
    scale, unit = (100.0, " %") if row["relative"] else (1.0, "")
    found = number(scale * row["difference"], digits=2) + unit
    if row["low"] is None or row["high"] is None:
        return found
    return f"{found} [{number(scale * row['low'], digits=2)}, {number(scale * row['high'], digits=2)}]"


def _name(algorithm: str) -> str:
    """Return what a page calls an algorithm: a file's name without its folder and the key of its content."""
    return algorithm.rpartition("/")[2].partition("#")[0].partition(":")[0] if ".c" in algorithm else algorithm


def _papers(sim: Values, live: Values) -> str:
    def cell(values: Sequence[float] | None) -> str:
        if not values:
            return MISSING
        found = summarise(list(values))
        spread = f" ({number(min(values))} to {number(max(values))})" if len(values) > 1 else ""
        return f"{number(found.mean)}{spread}"

    lines = [
        [experiment, point, metric, cell(sim.get((experiment, point, metric))), cell(values)]
        for (experiment, point, metric), values in sorted(live.items(), key=lambda one: one[0][0])
    ]
    return markdown(["experiment", "point", "", "simulator", "live"], lines) if lines else "Nothing was run."


def _values(folder: Results) -> dict[tuple[str, ...], list[float]]:
    """Return the repeats of a results folder that the page shows."""
    found: dict[tuple[str, ...], list[float]] = {}
    for experiment in dict.fromkeys(name.partition("@")[0] for name in folder.experiments()):
        measures = folder.measures(experiment)
        dimensions = measures.columns[: measures.columns.index("seed")]
        drawn = {one["metric"]: one["y_label"] for one in folder.declaration(experiment)["figures"] if one.get("metric")}
        for metric, title in (drawn or OF_HISTORIES).items():
            for row in measures.filter(measures["metric"] == metric).sort("seed", maintain_order=True).iter_rows(named=True):
                if row["value"] is None or (row["flow"] is not None and row["flow"] not in ("", "all")):
                    continue
                others = [
                    f"{name} {row[name]:g}" if isinstance(row[name], float) else str(row[name]) for name in dimensions if name != "alg"
                ]
                point = ", ".join([_name(str(row["alg"])), *others])
                found.setdefault((experiment, point, title), []).append(float(row["value"]))
    return found


def main(page: str, comparison: str, *results: str) -> None:
    """Renew the page from a comparison's folder and results folders.

    Raises
    ------
    KeyError, OSError, ResultsError
        When the page has a block that is unknown, or one of them cannot be read.
    """
    folder = Path(comparison)
    rows = json.loads((folder / "report" / "rows.json").read_text(encoding="utf-8"))
    live = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((folder / "live" / "runs").glob("*/run.json"))]
    titles = [json.loads((folder / side / "results.json").read_text(encoding="utf-8"))["subtitle"] for side in ("linux", "live")]
    sides: tuple[dict[tuple[str, ...], list[float]], ...] = ({}, {})
    for one in results:
        stored = open_results(Path(one))
        sides["live" in stored.backends()].update(_values(stored))
    where = f"on {platform.machine()} with {live[0]['host']['cores']} processors"
    facts = f"{date.today().isoformat()}, version {__version__}, {where}: {titles[1]}; {titles[0]} in virtual time; {len(rows)} rows."
    path = Path(page)
    path.write_text(replaced(path.read_text(encoding="utf-8"), blocks(rows, live, (sides[0], sides[1]), facts)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
