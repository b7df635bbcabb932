"""Figures as data: what an experiment declares, and what is stored beside its results; `windtunnel.plots.drawing` draws it.

A declaration holds no measurement and no colour. It names a metric, the dimension along the x axis, the dimension that makes the
panels and the one that makes the curves; the drawing follows from it and from the stored tables, so a report is rebuilt without
running anything.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import polars as pl

Value: TypeAlias = str | float | int


@dataclass(frozen=True)
class Overlay:
    """A theoretical curve, drawn thin and dashed: a closed form, or a measured metric that states a prediction.

    Parameters
    ----------
    label : str
        Its name in the legend.
    function : str, optional
        Name of an overlay of `windtunnel.theory`; x and y are in the figure's units. Exactly one of `function` and `metric` is given.
    arguments : mapping
        Keyword arguments of that function.
    metric : str, optional
        A metric of the measures table, averaged over the repeats at each x.
    alg : str, optional
        The protocol whose colour it takes; with `metric` also the one whose rows are used.
    panel : str or float, optional
        The only panel to draw it in; all when absent.

    Raises
    ------
    ValueError
        When not exactly one of `function` and `metric` is given.
    """

    label: str
    function: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    metric: str | None = None
    alg: str | None = None
    panel: Value | None = None

    def __post_init__(self) -> None:
        """Refuse an overlay that names no source, or two."""
        if (self.function is None) == (self.metric is None):
            raise ValueError(f"overlay {self.label!r}: exactly one of function and metric is needed")


@dataclass(frozen=True)
class Curves:
    """Means and standard errors of one metric against one dimension.

    Parameters
    ----------
    name : str
        The figure's name within its experiment; part of its file's name.
    title : str
        What it shows, one line.
    metric : str
        A metric of the measures table.
    x : str
        The dimension along the x axis.
    panels : str, optional
        The dimension that makes the panels; one panel when absent.
    series : str
        The dimension that makes the curves.
    x_label, y_label : str
        Axis labels with units.
    x_log, y_log : bool
        Logarithmic axes.
    y_limits : tuple of (float, float), optional
        Limits of the y axis, stretched where a point lies outside; chosen from the data when absent.
    baseline : tuple of float
        Values marked by a thin horizontal line, such as 1 for equal shares.
    fixed : mapping
        Values of further columns (dimensions, flow, state, t0, t1) that a row must have. Rows with a flow, state or window of their own
        are left out unless it is named here.
    theory : tuple of Overlay
        Curves drawn under the points.
    caption : str
        Text below the figure.
    censored_at : float, optional
        What an infinite repeat counts as while at most half of a point's repeats are infinite: the duration of the runs, seconds.
    algs : tuple of str
        Only these protocols, in this order; all when empty.
    least : str, optional
        A metric that says, run by run, the smallest value that `metric` can take. A point of which a repeat is no larger is an upper
        bound, drawn hollow.
    """

    name: str
    title: str
    metric: str
    x: str
    panels: str | None = None
    series: str = "alg"
    x_label: str = ""
    y_label: str = ""
    x_log: bool = False
    y_log: bool = False
    y_limits: tuple[float, float] | None = None
    baseline: tuple[float, ...] = ()
    fixed: Mapping[str, Value] = field(default_factory=dict)
    theory: tuple[Overlay, ...] = ()
    caption: str = ""
    censored_at: float | None = None
    algs: tuple[str, ...] = ()
    least: str | None = None


@dataclass(frozen=True)
class Published:
    """A printed number.

    Parameters
    ----------
    at : mapping of str to str or float
        The point it belongs to: dimension to value.
    value : float
        In the figure's unit.
    sd : float, optional
        Its printed standard deviation.
    """

    at: Mapping[str, Value]
    value: float
    sd: float | None = None


@dataclass(frozen=True)
class Compared:
    """Means and standard errors of one metric by name, such as the protocol's, and printed numbers beside them.

    Parameters
    ----------
    name, title, metric, panels, x_label, y_label, y_log, y_limits, baseline, fixed, caption, censored_at, algs
        As in `Curves`; `x_label` is for the text beside the figure.
    x : str
        The dimension of names along the x axis.
    series : str
        The dimension whose values stand side by side at each name; `x` itself gives every name its own colour.
    published : tuple of Published
        Printed numbers, drawn hollow beside the measured ones.
    """

    name: str
    title: str
    metric: str
    x: str = "alg"
    panels: str | None = None
    series: str = "alg"
    x_label: str = "protocol"
    y_label: str = ""
    y_log: bool = False
    y_limits: tuple[float, float] | None = None
    baseline: tuple[float, ...] = ()
    fixed: Mapping[str, Value] = field(default_factory=dict)
    published: tuple[Published, ...] = ()
    caption: str = ""
    censored_at: float | None = None
    algs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Histories:
    """One sampled quantity of every flow against time, a panel for each value of a dimension.

    Parameters
    ----------
    name, title : str
        As in `Curves`.
    quantity : str
        A column of flow_samples, or ``goodput_mbps``, which is the slope of delivered_bytes over a second.
    panels : str, optional
        The dimension that makes the panels; one panel when absent.
    alg : str, optional
        Only the runs of this protocol.
    algs : tuple of str
        Only the runs of these protocols, in this order; all when empty.
    y_label : str
        Label of the y axis; times are drawn in ms, rates in Mbit/s, bytes in MB.
    caption : str
        Text below the figure.
    steps : tuple of (float, float)
        A thin dashed line in every panel: from a time on, seconds, a value in the figure's unit, such as the link's capacity.
    """

    name: str
    title: str
    quantity: str
    panels: str | None = None
    alg: str | None = None
    algs: tuple[str, ...] = ()
    y_label: str = ""
    caption: str = ""
    steps: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Matrix:
    """Means of one metric by two names, as numbers in tinted cells.

    Parameters
    ----------
    name, title, metric, y_limits, fixed, caption
        As in `Curves`; cells at the limits have the strongest tint.
    x, y : str
        The dimensions of names of columns and rows.
    centre : float
        The value without a tint; above it cells are blue, below it orange.
    mirrored : float, optional
        What a cell and the one across the diagonal add up to: a pair that was run in one order is then shown in both.
    """

    name: str
    title: str
    metric: str
    x: str
    y: str
    centre: float
    y_limits: tuple[float, float]
    mirrored: float | None = None
    fixed: Mapping[str, Value] = field(default_factory=dict)
    caption: str = ""


@dataclass(frozen=True)
class Ellipses:
    """Runs in the plane of two metrics: a dot for each, its series' ellipse of one standard deviation, and its median as a circle.

    The ellipse is the contour at which the density of the two-dimensional Gaussian of greatest likelihood has fallen to exp(-1/2) of its
    peak (K. Winstein and H. Balakrishnan, SIGCOMM 2013, and RFC 7928, 2.7, which draw it so). Three repeats at least make one.

    Parameters
    ----------
    name, title, x_label, y_label, panels, series, fixed, caption, algs
        As in `Curves`.
    x, y : str
        The metrics along the axes.
    """

    name: str
    title: str
    x: str
    y: str
    panels: str | None = None
    series: str = "alg"
    x_label: str = ""
    y_label: str = ""
    fixed: Mapping[str, Value] = field(default_factory=dict)
    caption: str = ""
    algs: tuple[str, ...] = ()


Declaration: TypeAlias = Curves | Compared | Histories | Matrix | Ellipses


@dataclass(frozen=True)
class History:
    """The samples of one run, with the point and the seed it belongs to.

    Parameters
    ----------
    point : mapping of str to str or float
        Dimension to value, in the units of the measures table.
    seed : int
        The repeat.
    flow_samples, flows : polars.DataFrame
        Frames of the records.
    run : str
        The key it is stored under; empty when it is not.
    rtts_s : tuple of float
        The flows' base RTTs, seconds, by which those that differ are told; empty when not known.
    """

    point: Mapping[str, Value]
    seed: int
    flow_samples: pl.DataFrame
    flows: pl.DataFrame
    run: str = ""
    rtts_s: tuple[float, ...] = ()


_KINDS: dict[str, type[Curves] | type[Compared] | type[Histories] | type[Matrix] | type[Ellipses]] = {
    "curves": Curves,
    "compared": Compared,
    "histories": Histories,
    "matrix": Matrix,
    "ellipses": Ellipses,
}


def to_json(declaration: Declaration) -> dict[str, Any]:
    """Return a declaration as an object of JSON types.

    Parameters
    ----------
    declaration : Curves, Compared, Histories, Matrix or Ellipses
        What to store.

    Returns
    -------
    dict
        With its ``kind`` and every field.
    """
    kind = next(name for name, known in _KINDS.items() if type(declaration) is known)
    return {"kind": kind, **_plain(dataclasses.asdict(declaration))}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def from_json(stored: Mapping[str, Any]) -> Declaration:
    """Return the declaration that `to_json` stored.

    Parameters
    ----------
    stored : mapping
        The object.

    Returns
    -------
    Curves, Compared, Histories, Matrix or Ellipses
        Equal to the one stored.

    Raises
    ------
    ValueError
        When its kind or a field is unknown, or a needed field is missing.
    """
    fields = dict(stored)
    kind = fields.pop("kind", None)
    if kind not in _KINDS:
        raise ValueError(f"figure: kind {kind!r} is unknown; allowed: {', '.join(_KINDS)}")
    try:
        if fields.get("y_limits") is not None:
            low, high = fields["y_limits"]
            fields["y_limits"] = (low, high)
        if kind != "matrix":
            fields["algs"] = tuple(fields.get("algs", ()))
        if kind in ("curves", "compared"):
            fields["baseline"] = tuple(fields.get("baseline", ()))
        if kind == "compared":
            fields["published"] = tuple(Published(**mark) for mark in fields.get("published", ()))
        if kind == "histories":
            fields["steps"] = tuple((float(at), float(value)) for at, value in fields.get("steps", ()))
        if kind == "curves":
            fields["theory"] = tuple(Overlay(**overlay) for overlay in fields.get("theory", ()))
        return _KINDS[kind](**fields)
    except TypeError as error:
        raise ValueError(f"figure {fields.get('name')!r}: {error}") from None
