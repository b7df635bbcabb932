"""Figures 4 and 5: the windows of two increase functions of the same aggressiveness and different shape, under losses by the clock."""

from __future__ import annotations

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point
from windtunnel.metrics import View, measure
from windtunnel.plots.declared import Curves, Overlay
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.stats import ks_distance
from windtunnel.suites.open08.common import PROFILE, levels
from windtunnel.theory.synthetic import SHAPES, mean_peak_convex, peaks

UNIT_S = 0.1
"""The paper's losses come in steps without a unit."""
RTT_S = 0.005
EPOCHS, SETTLING_EPOCHS = 1500, 1000
MOST_S = 14_400.0
MEAN_WINDOW = 300.0
"""Packets at a back-off, of the convex function. The paper's windows reach millions; c scales them all alike, and both functions'."""
ITERATED = 100_000


def law(point: Point) -> tuple[float, float, float]:
    """Return c, the share kept and the probability of a loss per unit: c = beta = 1/2 in Fig. 4, c = 1 - beta and p = 0.05 in Fig. 5."""
    return (1 - point["beta"], point["beta"], 0.05) if "beta" in point else (0.5, 0.5, point["p"])


def scale(point: Point) -> float:
    """Return by what the paper's c, and so every window, is divided."""
    c, keep, p = law(point)
    return float(mean_peak_convex(p, keep=keep, c=c)) / MEAN_WINDOW


def by_the_clock(point: Point, _draws: Draws) -> Scenario:
    """Return one flow on a path it does not fill, which loses a packet with the point's probability in every unit of time."""
    c, keep, p = law(point)
    return Scenario(
        bottleneck=Bottleneck(rate_bps=1e12, queue_bdp=1.0, losses=(f"timed,interval={UNIT_S}s,probability={p},among=data",)),
        flows=(Flow(algorithm=point["alg"], rtt_s=RTT_S, parameters={"c": c / scale(point), "beta": keep, "unit": UNIT_S}),),
        duration_s=min(MOST_S, (EPOCHS + SETTLING_EPOCHS) * UNIT_S / p),
        sample_s=0.0,
        jitter_s=0.0,
        profile=PROFILE,
    )


def iterated(shape: str, point: Point, *, seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the windows at back-offs of a law iterated without a network, in the paper's packets."""
    c, keep, p = law(point)
    intervals = np.random.default_rng(seed).geometric(p, ITERATED + SETTLING_EPOCHS)
    return peaks(shape, intervals, keep=keep, c=c)[SETTLING_EPOCHS:]


def _measured(view: View) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the run's windows at back-offs, in the paper's packets."""
    return view.backoffs(0).before_packets[SETTLING_EPOCHS:] * scale(view.point)


def distance_iterated(view: View) -> float:
    """Return how far apart the two laws are when both are iterated, with losses of their own."""
    first, second = (iterated(shape, view.point, seed=number) for number, shape in enumerate(SHAPES))
    return ks_distance(first, second)


def distance_to_own_law(view: View) -> float | None:
    """Return how far the run's distribution is from its own law iterated."""
    own = _measured(view)
    return ks_distance(own, iterated(view.point["alg"], view.point, seed=2)) if own.size else None


def variation_iterated(view: View) -> float:
    """Return the coefficient of variation of the point's law, iterated."""
    windows = iterated(view.point["alg"], view.point, seed=2)
    return float(windows.std() / windows.mean())


def median(view: View) -> float | None:
    """Return the run's median window at back-offs, in the paper's packets."""
    value = measure("median", view)
    return None if value is None else value * scale(view.point)


def _experiment(figure: str, title: str, question: str, dimension: str, values: tuple[float, ...], label: str, settings: str) -> Experiment:
    return Experiment(
        id=f"open08.{figure}",
        title=title,
        question=question,
        source=f"Fig. {figure.removeprefix('fig')}; II.B",
        duration_s=0.0,
        points={"alg": SHAPES, dimension: values},
        scenario=by_the_clock,
        measures=(
            *levels(),
            Measure("ks_iterated", function=distance_iterated),
            Measure("cov"),
            Measure("cov@iterated", function=variation_iterated),
            Measure("median", function=median),
            Measure("ks_own_law", function=distance_to_own_law),
        ),
        figures=tuple(
            Curves(
                metric,
                heading,
                metric=metric,
                x=dimension,
                x_label=label,
                y_label=y_label,
                x_log=dimension == "p",
                y_log=metric == "median",
                theory=theory,
            )
            for metric, heading, y_label, theory in (
                ("cov", "Spread of the window at back-offs", "Coefficient of variation", tuple(map(_iterated, SHAPES))),
                ("median", "Median window at back-offs, in the paper's packets", "Median (packets)", ()),
            )
        ),
        parameters=(
            ("flows", "1, on a path it does not fill; 5 ms"),
            ("loss", f"one packet with probability p in every {UNIT_S:g} s since the last loss"),
            ("settings", settings),
            ("windows", f"c is scaled so that the convex function's mean window at a back-off is {MEAN_WINDOW:g} packets"),
            ("duration", f"{EPOCHS + SETTLING_EPOCHS} losses, at most four hours; the first {SETTLING_EPOCHS} are left out"),
        ),
        repeats=1,
        kept="totals",
        quick=None,
        notes=(
            "The paper iterated the functions; here a flow runs them, packet by packet. Both are measured, and verdicts given for both: "
            "`iterated` is the functions alone, a hundred thousand losses.",
        ),
    )


def _iterated(shape: str) -> Overlay:
    return Overlay(f"{shape}, iterated", metric="cov@iterated", alg=shape)


EXPERIMENTS = (
    _experiment(
        "fig4",
        "Two shapes of increase, by loss rate",
        "Do two increase functions that regain a window in the same time have the same distribution of windows?",
        "p",
        (0.2, 0.05, 0.02),
        "Probability of a loss per unit of time",
        "beta = 1/2, c = 1/2",
    ),
    _experiment(
        "fig5",
        "Two shapes of increase, by back-off factor",
        "How does the share of the window that is kept change the distribution of windows?",
        "beta",
        (0.25, 0.8),
        "Share of the window kept",
        "p = 0.05, c = 1 - beta",
    ),
)
