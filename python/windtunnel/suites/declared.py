"""What a register of claims takes from its suite: the grid, the repeats and the measures of each experiment, as plain data.

A suite is the one place where these are written. Registers hold claims. Papers' suites are read out into one file of the package, which
``make declarations`` writes, so that stored results can be judged without importing a suite; a test compares the two.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from windtunnel.experiment import Experiment, Measure
from windtunnel.metrics import MEASURES


def entry(experiment: Experiment) -> dict[str, Any]:
    """Return an experiment as a register writes it down.

    Parameters
    ----------
    experiment : Experiment
        As its suite declares it.

    Returns
    -------
    dict
        Its points are those of the source: what is run beside them is left out, what every run holds whole is added.
    """
    points = {
        name: [value for value in values if value not in experiment.beside.get(name, ())] for name, values in experiment.points.items()
    }
    source = experiment.source_repeats
    found: dict[str, Any] = {
        "id": experiment.id,
        "paper": experiment.id.partition(".")[0],
        "title": experiment.title,
        "duration_s": experiment.duration_s,
        "repeats": experiment.repeats if source is None else min(source, experiment.repeats),
        "points": {**points, **{name: list(values) for name, values in experiment.along.items()}},
        "measures": list(dict.fromkeys(one.metric.partition("@")[0] for one in experiment.measures)),
    }
    if experiment.by_site:
        found["by_site"] = {name: {site: list(values) for site, values in own.items()} for name, own in experiment.by_site.items()}
    if experiment.compared_with:
        found["compared_with"] = experiment.compared_with
    if experiment.rate_mbps is not None:
        found["rate_mbps"] = experiment.rate_mbps
    return found


def declared(experiments: Iterable[Experiment], metrics: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Return what a suite's register takes from it.

    Parameters
    ----------
    experiments : iterable of Experiment
        The suite's.
    metrics : mapping of str to (str, str)
        Unit and meaning of the measures that are the suite's own; of one that is not among them, what its function says of itself.

    Returns
    -------
    dict
        ``experiments`` and ``metrics``, as a register has them.
    """
    listed = list(experiments)
    measures = [one for experiment in listed for one in experiment.measures if one.function is not None]
    own = {one.metric.partition("@")[0]: {"unit": "as it says", "definition": _doc(one)} for one in measures}
    own = {name: text for name, text in own.items() if name not in MEASURES}
    own |= {name: {"unit": unit, "definition": meaning} for name, (unit, meaning) in metrics.items()}
    return {"metrics": own, "experiments": [entry(one) for one in listed]}


def _doc(measure: Measure) -> str:
    """Return the first line of what a measure's function says of itself."""
    function = measure.function
    while isinstance(function, functools.partial):
        function = function.func
    return (inspect.getdoc(function) or measure.metric).splitlines()[0]
