"""What a search looks for: a metric beyond a bound, by name or as ``util < 0.5``."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from windtunnel.experiment import Measure
from windtunnel.metrics import MEASURES, View, measured
from windtunnel.scenario import ScenarioError
from windtunnel.scenario.errors import shown, unknown

_PREDICATE = re.compile(r"\s*([A-Za-z_][\w@]*)\s*(<|>)\s*([-+.\deE]+)\s*")
_DISTURBED = ("refill_s", "onset_delay_s", "ai_eff")


@dataclass(frozen=True)
class Property:
    """A property of an algorithm that a case breaks.

    Parameters
    ----------
    name : str
        What it is called in files.
    metric : str
        What is measured.
    is_below : bool
        Whether a value below the bound breaks it; one above otherwise.
    bound : float
        In the metric's unit.
    flows : int
        How many flows it needs.
    about : str
        In a sentence.
    function : callable, optional
        Measures it in place of the metric of that name.
    """

    name: str
    metric: str
    is_below: bool
    bound: float
    flows: int = 1
    about: str = ""
    function: Callable[[View], float | None] | None = None

    @property
    def text(self) -> str:
        """The predicate that a broken one fulfils."""
        return f"{self.metric} {'<' if self.is_below else '>'} {self.bound:g}"

    def distance(self, value: float | None) -> float:
        """Return how far a value is from breaking it, in bounds; negative when it does, infinite where there is none."""
        if value is None or math.isnan(value):
            return math.inf
        off = value - self.bound if self.is_below else self.bound - value
        return max(min(off / (abs(self.bound) or 1.0), 1e3), -1e3)  # A time that was not reached is infinite: far, and comparable.

    def measure(self) -> Measure:
        """Return it as an experiment takes it: since the warm-up, where the metric has a window."""
        return Measure(self.metric, function=self.function or functools.partial(_since_warmup, self.metric))


def _since_warmup(metric: str, view: View) -> float | None:
    windowed = MEASURES[metric].windowed and metric not in _DISTURBED
    value = measured(metric, view, t0=float(view.scenario["warmup_s"]), t1=view.duration_s) if windowed else measured(metric, view)
    return None if isinstance(value, str) else value


def _standing_bdp(view: View) -> float | None:
    """Return the shortest queue among the samples since the warm-up, over the bandwidth-delay product: it never drains below this."""
    samples = view.records.link_samples
    own = samples.filter((pl.col("link") == 0) & (pl.col("t_s") >= float(view.scenario["warmup_s"])))["queue_packets"]
    least, bdp = own.min(), measured("bdp_pkts", view)
    return float(least) / bdp if isinstance(least, (int, float)) and isinstance(bdp, float) and bdp > 0 else None


def _needless_timeouts(view: View) -> float | None:
    """Return the timeouts of a run in which no packet was lost."""
    lost = [int(view.records.links[name].sum() or 0) for name in ("dropped_packets", "lost_packets")]
    return float(int(view.records.flows["timeouts"].sum() or 0)) if lost == [0, 0] else 0.0


PROPERTIES: Mapping[str, Property] = {
    one.name: one
    for one in (
        Property("starvation", "fair_minmax", True, 0.1, 2, "one of two flows gets less than a tenth of the other"),
        Property("standing-queue", "standing_bdp", False, 0.5, 1, "the queue never drains below half a BDP", _standing_bdp),
        Property("utilisation", "util", True, 0.5, 1, "the link is used by less than half"),
        Property("loss", "loss_ovh", False, 0.05, 1, "more than one packet in twenty is sent again"),
        Property("rtt-unfairness", "rtt_unfair", False, 10.0, 2, "the flow of the shorter RTT gets more than ten times the other"),
        Property("no-convergence", "conv80_s@fair_share", False, 30.0, 2, "the second flow takes more than 30 s to 80 % of its fair share"),
        Property("spurious-timeouts", "needless_timeouts", False, 0.5, 1, "a timeout though no packet was lost", _needless_timeouts),
    )
}
"""The properties that come with Windtunnel, by name."""


def read_property(text: str) -> Property:
    """Read what is looked for.

    Parameters
    ----------
    text : str
        A name of `PROPERTIES`, or a metric with a bound, as ``"util < 0.5"``.

    Raises
    ------
    ScenarioError
        When it is neither.
    """
    if text in PROPERTIES:
        return PROPERTIES[text]
    found = _PREDICATE.fullmatch(text)
    if found is None:
        raise ScenarioError("property", f"{shown(text)} is none; allowed: {', '.join(PROPERTIES)}, or METRIC < NUMBER, METRIC > NUMBER")
    metric, sign, bound = found.groups()
    own = {one.metric: one for one in PROPERTIES.values() if one.function is not None}
    if metric not in MEASURES and metric not in own:
        raise ScenarioError("property", unknown("metric", metric, [*MEASURES, *own]))
    try:
        number = float(bound)
    except ValueError:
        raise ScenarioError("property", f"{shown(bound)} is no number; allowed: as util < 0.5") from None
    known = own.get(metric)
    pair = next((one.flows for one in PROPERTIES.values() if one.metric == metric), 1)
    name = f"{re.sub(r'[^a-z0-9]+', '-', metric.lower()).strip('-')}-{'below' if sign == '<' else 'above'}-{number:g}"
    return Property(name, metric, sign == "<", number, pair, function=known.function if known else None)
