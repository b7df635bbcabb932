"""``windtunnel fit``: from a measurement to a scenario."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windtunnel.cli.output import stoppable

if TYPE_CHECKING:
    from windtunnel.fit import Compared, Estimate, PathEstimate


def fit_command(
    measurement: Annotated[
        Path,
        typer.Argument(
            metavar="CAPTURE|DIR", help="A capture (pcap, pcapng), a run's folder with samples, or a folder of `windtunnel measure`."
        ),
    ],
    alg: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Algorithms of its flows in order of start, or one for all; the run's, or cubic.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE.toml", help="Write the scenario there.")] = None,
    seeds: Annotated[int, typer.Option(min=2, max=100, help="Repeats of the prediction.")] = 5,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Estimate a path from a measurement: rate, base RTT, buffer, loss, with intervals; and what the simulator predicts there.

    One bottleneck with a drop-tail queue is assumed, which the flows of the measurement fill.
    """
    with stoppable():
        from windtunnel import fit
        from windtunnel.cli.grids import algorithms
        from windtunnel.cli.output import note, print_json
        from windtunnel.scenario import ScenarioError
        from windtunnel.scenario.textfiles import put

        if out is not None and out.suffix != ".toml":
            raise ScenarioError("out", f"{out} is no scenario file's name; allowed: a file that ends in .toml")
        if fit.is_measured(measurement):
            if alg is not None:
                raise ScenarioError("alg", f"{alg!r}, and {measurement} names its algorithms; allowed: without --alg")
            runs = fit.seen_runs(measurement)
            path = fit.estimate(fit.together(runs, str(measurement)))
            compared = fit.predictions(runs, path, seeds=seeds)
            seen, on = runs[0][1], fit.scenario(runs[0][1], path, None)
        else:
            seen = fit.seen(measurement)
            path = fit.estimate(seen)
            on = fit.scenario(seen, path, algorithms(alg))
            compared = fit.predicted(seen, on, seeds=seeds)
        if out is not None:
            put(fit.written(on, path, str(measurement)), out, "out")
    if json:
        print_json(_as_data(path, compared))
        return
    _print(path, compared)
    for line in path.notes:
        note(line)
    if out is not None:
        print(f"scenario: {out}")


_FIGURES = (("rate_mbps", "rate", "Mbit/s"), ("rtt_ms", "base RTT", "ms"), ("queue_packets", "queue", "packets"), ("loss", "loss", ""))


def _print(path: PathEstimate, compared: list[Compared]) -> None:
    from windtunnel.cli.output import print_table
    from windtunnel.report import text

    rows = []
    for name, title, unit in _FIGURES:
        one: Estimate = getattr(path, name)
        rows.append((title, unit, text.number(one.value, digits=4), text.interval(one.low, one.high), one.how))
    print_table("The path", ("figure", "unit", "estimate", "95 %", "how"), rows, ends_in_prose=True)
    table = [(one.flow, one.figure, one.unit, one.measured, text.mean_and_error(one.predicted.mean, one.predicted.sem)) for one in compared]
    print_table("Measured, and predicted by the simulator", ("flow", "figure", "unit", "measured", "predicted"), table)


def _as_data(path: PathEstimate, compared: list[Compared]) -> dict[str, Any]:
    return {
        "path": {name: _number(getattr(path, name)) for name, _, _ in _FIGURES},
        "notes": list(path.notes),
        "compared": [
            {
                "flow": one.flow,
                "figure": one.figure,
                "unit": one.unit,
                "measured": one.measured,
                "predicted": one.predicted.mean,
                "sem": one.predicted.sem,
            }
            for one in compared
        ],
    }


def _number(one: Estimate) -> dict[str, Any]:
    ends = {name: value if math.isfinite(value) else None for name, value in (("low", one.low), ("high", one.high))}
    return {"value": one.value, **ends, "how": one.how}
