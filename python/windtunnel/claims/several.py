"""Metrics of several points that no run gives: means over sites, ratios between points, distances between distributions.

Each is computed from another metric at all points along some dimensions, those that the rest of a selection leaves open. By its definition
either from the values of one repeat at a time (the same seed at every point), or from the means of the points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from windtunnel.claims.model import PointValue, Registered
from windtunnel.stats import ks_distance

JAIN_SHOWN = 0.98


@dataclass(frozen=True)
class Part:
    """One value that a metric of several points is made of.

    Parameters
    ----------
    point : mapping of str to float or str
        Where it is, along every dimension.
    value : float
        The value.
    state : str, optional
        Which variant of the condition, or which level of a distribution.
    reference : bool
        Whether it is of the experiment to compare with.
    """

    point: Mapping[str, PointValue]
    value: float
    state: str | None = None
    reference: bool = False


Function = Callable[[Sequence[Part], Registered], float]


@dataclass(frozen=True)
class Several:
    """How a metric of several points is made.

    Parameters
    ----------
    of : str
        The metric it is made of.
    over : tuple of str
        The dimensions it runs over.
    function : callable
        From the parts and the experiment to the value; NaN when the parts do not suffice.
    at : mapping of str to tuple of str
        Of a dimension it runs over, the points it needs; all when absent.
    each_repeat : bool
        One repeat at a time, in place of the means of the points.
    states : bool
        Whether every measured state of a point is a part of its own.
    reference : bool
        Whether the same points of the experiment that its own is `compared_with` are parts too.
    """

    of: str
    over: tuple[str, ...]
    function: Function
    at: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    each_repeat: bool = False
    states: bool = False
    reference: bool = False

    def needs(self, experiment: Registered, point: Mapping[str, PointValue]) -> bool:
        """Return whether a point is a part: one that exists, among those asked for."""
        return experiment.offers(point) and all(point[name] in wanted for name, wanted in self.at.items())


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _size(part: Part, experiment: Registered) -> int:
    """Return which of its site's window limits a part is at, from 1 for the smallest; 0 for none of them."""
    offered = experiment.by_site.get("win", {}).get(str(part.point["site"]), ())
    win = str(part.point["win"])
    return offered.index(win) + 1 if win in offered else 0


def _at_sizes(*sizes: int) -> Function:
    return lambda parts, experiment: _mean([part.value for part in parts if _size(part, experiment) in sizes])


def _at_size_selected(parts: Sequence[Part], experiment: Registered) -> float:
    return _mean([part.value for part in parts if _size(part, experiment) == part.point["size"]])


def _spread(parts: Sequence[Part], experiment: Registered) -> float:
    by_protocol: dict[PointValue, list[float]] = {}
    for part in parts:
        if _size(part, experiment) in (2, 3):
            by_protocol.setdefault(part.point["alg"], []).append(part.value)
    means = [_mean(values) for values in by_protocol.values()]
    return (max(means) - min(means)) / _mean(means) if means and _mean(means) else math.nan


def _share_98(parts: Sequence[Part], _experiment: Registered) -> float:
    return _mean([float(round(part.value, 2) >= JAIN_SHOWN) for part in parts])


def _gain(parts: Sequence[Part], _experiment: Registered) -> float:
    before = {_place(part): part.value for part in parts if part.reference}
    pairs = [(part.value, before[_place(part)]) for part in parts if not part.reference]
    return _mean([value / reference if reference else math.nan for value, reference in pairs]) - 1


def _place(part: Part) -> tuple[PointValue, ...]:
    return tuple(part.point[name] for name in ("alg", "site", "win"))


def _ratio(name: str, over: str, under: str) -> Function:
    """Return the value at one point of a dimension over that at another."""

    def function(parts: Sequence[Part], _experiment: Registered) -> float:
        found = {part.point[name]: part.value for part in parts}
        return found[over] / found[under] if found[under] else math.nan

    return function


def _effect(parts: Sequence[Part], experiment: Registered) -> float:
    return abs(_ratio("alg", "cubic", "htcp")(parts, experiment) - 1)


def _distance(parts: Sequence[Part], _experiment: Registered) -> float:
    levels: dict[PointValue, list[float]] = {}
    for part in parts:
        levels.setdefault(part.point["alg"], []).append(part.value)
    first, second = levels.values()
    return ks_distance(first, second)


_SITES = ("site", "win")
_CASES = ("with_reverse", "without_reverse")

SEVERAL: dict[str, Several] = {
    "thr_avg23_mbps": Several("thr_mbps", _SITES, _at_sizes(2, 3)),
    "thr_size1_mbps": Several("thr_mbps", _SITES, _at_sizes(1)),
    "stability_avg23": Several("stability", _SITES, _at_sizes(2, 3)),
    "stability_size": Several("stability", ("alg", *_SITES), _at_size_selected),
    "spread_alg": Several("thr_mbps", ("alg", "win"), _spread),
    "thr_gain_udp": Several("thr_mbps", ("alg", *_SITES), _gain, reference=True),
    "jain_avg": Several("jain", (), lambda parts, _: _mean([part.value for part in parts])),
    "frac_F98": Several("jain", ("alg", *_SITES), _share_98),
    "rev_ratio": Several("thr_mbps", ("case",), _ratio("case", *_CASES), at={"case": _CASES}, each_repeat=True),
    "alg_effect": Several("completion_s", ("alg",), _effect, at={"alg": ("cubic", "htcp")}),
    "ks": Several("cwnd_level_pkts", ("alg",), _distance, at={"alg": ("convex", "concave-convex")}, each_repeat=True, states=True),
    "ks_cubic_htcp08": Several("cwnd_level_pkts", ("alg",), _distance, at={"alg": ("cubic", "htcp:beta08")}, each_repeat=True, states=True),
}
"""Metric: how it is made. One that a study measured itself is taken as measured."""

OF_POINTS: dict[str, tuple[str, str]] = {
    "knee_q": (
        "BDP",
        "largest queue of at most 0.2 BDP at which utilisation still rises by 0.15 per unit of ln q (li07, Fig. 7)",
    ),
    "rf_slope": (
        "1",
        "slope of log throughput over log loss probability, below 97 % of the link's rate (li07, Fig. 10)",
    ),
    "thr_avg23_mbps": ("Mbit/s", "mean throughput over the sites and their second and third window limits (slac03, Table 1)"),
    "thr_size1_mbps": ("Mbit/s", "mean throughput over the sites at their first window limit (slac03, Table 1)"),
    "stability_avg23": ("1", "mean stability over the sites and their second and third window limits (slac03, Fig. 3)"),
    "stability_size": ("1", "mean stability over protocols and sites at the window limit number `size` of each site (slac03, Fig. 3)"),
    "spread_alg": (
        "1",
        "(max - min)/mean of the protocols' means over a site's second and third window limit (slac03, Table 1)",
    ),
    "thr_gain_udp": ("1", "mean over points of TCP throughput with the UDP over that without, less 1 (slac03, 5.4)"),
    "jain_avg": ("1", "mean of jain over the points left open (slac03, Table 2)"),
    "frac_F98": ("fraction", "share of points whose jain is 0.98 or more in two decimals (slac03, Table 2)"),
    "rev_ratio": ("1", "throughput with reverse traffic over that without, repeats paired by seed (slac03, Table 4)"),
    "alg_effect": ("1", "distance from 1 of the mean completion time with cubic over that with htcp (open08, III)"),
    "ks": ("1", "Kolmogorov-Smirnov distance of the windows before back-offs of the two synthetic laws (open08, Figs 4 and 5)"),
    "ks_cubic_htcp08": ("1", "Kolmogorov-Smirnov distance of the windows of cubic and of htcp:beta08 (open08, Fig. 6)"),
}
"""Unit and meaning of the metrics of several points, those along a sweep included."""
