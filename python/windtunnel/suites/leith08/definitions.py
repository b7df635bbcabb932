"""Section II: whether Illinois and Compound do what their definitions say."""

from __future__ import annotations

import itertools

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Histories
from windtunnel.scenario import Scenario
from windtunnel.suites.leith08.common import STACK, queue_packets, run

RATE, RTT, Q = 250, 100, 0.5
"""A halved window leaves a quarter of this path empty: fifty round trips without a queue."""
SLOW_START_S = 10.0
LAST_ROUNDS_S = 6.0
"""At the end of an epoch: forty round trips at full queue, in which Illinois fills 1 % of the buffer."""
MARGIN_S = 1.0
RANDOM_LOSS = 3e-6
"""One packet in sixteen seconds at 250 Mbit/s."""


def one_flow(point: Point, draws: Draws) -> Scenario:
    """Return one flow over 250 Mbit/s, 100 ms and a queue of half a BDP.

    Illinois passes through two whole epochs, the queue empty and full in turn. Compound loses packets at random, so that losses meet its
    delay window in use.
    """
    queue = queue_packets(RATE, RTT, Q)
    loss = RANDOM_LOSS if point["alg"] == "ctcp" else 0.0
    return run(draws, rate=RATE, rtt=RTT, queue=queue, algorithms=(point["alg"],), duration_s=700.0, warmup_s=SLOW_START_S, loss=loss)


def _protocol(view: View, name: str) -> bool:
    return bool(view.point["alg"] == name)


def _epochs(view: View) -> list[tuple[float, float]]:
    """Return the whole epochs after slow start, seconds."""
    times = [float(t) for t in view.backoffs(0).t_s if t > SLOW_START_S]
    return list(itertools.pairwise(times))


def _slope(view: View, name: str, begin: float, end: float) -> float | None:
    """Return the least-squares slope of a sampled window over round trips."""
    series = view.series(0)
    inside = (series.t_s >= begin) & (series.t_s <= end)
    if inside.sum() < 2:
        return None
    t_s, rtt_s = series.t_s[inside], series.srtt_s[inside]
    steps = np.diff(t_s) / (0.5 * (rtt_s[1:] + rtt_s[:-1]))
    rounds = np.concatenate(([0.0], np.cumsum(steps)))
    window = series.cwnd_packets[inside]
    if name == "wnd":
        window = window - view.variable(0, "dwnd_packets")[inside]
    return float(np.polyfit(rounds, window, 1)[0])


def largest_increase(view: View) -> float | None:
    """Return Illinois' increase in the three seconds after a back-off that emptied the queue, packets per round trip."""
    epochs = _epochs(view)
    if not _protocol(view, "illinois") or not epochs:
        return None
    begin = epochs[0][0] + MARGIN_S
    return _slope(view, "cwnd", begin, begin + 3.0)


def smallest_increase(view: View) -> float | None:
    """Return Illinois' increase in the last six seconds before a loss, packets per round trip."""
    epochs = _epochs(view)
    if not _protocol(view, "illinois") or not epochs:
        return None
    end = epochs[0][1] - MARGIN_S
    return _slope(view, "cwnd", end - LAST_ROUNDS_S, end)


def _decreases(view: View) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the decreases that Illinois held ready during the first whole epoch."""
    begin, end = _epochs(view)[0]
    t_s = view.series(0).t_s
    return np.asarray(view.variable(0, "beta")[(t_s > begin) & (t_s < end)])


def smallest_decrease(view: View) -> float | None:
    """Return the smallest part of the window that Illinois would have given up during an epoch."""
    return float(_decreases(view).min()) if _protocol(view, "illinois") and _epochs(view) else None


def largest_decrease(view: View) -> float | None:
    """Return the largest part of the window that Illinois gave up at the ends of epochs."""
    factors = view.backoffs(0).within(SLOW_START_S, view.duration_s).factors
    return float(1 - factors.min()) if _protocol(view, "illinois") and factors.size else None


def loss_window_increase(view: View) -> float | None:
    """Return the growth of Compound's loss window over its longest epoch, packets per round trip."""
    epochs = _epochs(view)
    if not _protocol(view, "ctcp") or not epochs:
        return None
    begin, end = max(epochs, key=lambda epoch: epoch[1] - epoch[0])
    return _slope(view, "wnd", begin + MARGIN_S, end - MARGIN_S)


def kept_of_loss_window(view: View) -> float | None:
    """Return Compound's loss window after over before a loss, median over the losses that met both windows in use."""
    return _kept(view, of_delay_window=False)


def kept_of_delay_window(view: View) -> float | None:
    """Return Compound's delay window after over before a loss, median over the same losses."""
    return _kept(view, of_delay_window=True)


def _kept(view: View, *, of_delay_window: bool) -> float | None:
    if not _protocol(view, "ctcp"):
        return None
    series, dwnd = view.series(0), view.variable(0, "dwnd_packets")
    component = dwnd if of_delay_window else series.cwnd_packets - dwnd
    found = []
    for loss_s in view.backoffs(0).within(SLOW_START_S, view.duration_s).t_s:
        before = np.flatnonzero(series.t_s < loss_s)[-1]
        after = np.flatnonzero((series.t_s > loss_s) & (series.state == 0))
        if after.size and dwnd[before] > 0:
            found.append(component[after[0]] / component[before])
    return float(np.median(found)) if found else None


EXPERIMENTS = (
    Experiment(
        id="leith08.algo",
        title="Illinois and Compound by definition",
        question="Do the two laws grow and back off as the paper defines them?",
        source="II",
        duration_s=0.0,
        points={"alg": ("illinois", "ctcp")},
        scenario=one_flow,
        measures=(
            Measure("ai_max", function=largest_increase),
            Measure("ai_min", function=smallest_increase),
            Measure("delta_min", function=smallest_decrease),
            Measure("delta_max", function=largest_decrease),
            Measure("wnd_ai", function=loss_window_increase),
            Measure("wnd_backoff", function=kept_of_loss_window),
            Measure("dwnd_backoff", function=kept_of_delay_window),
        ),
        figures=(
            Histories("cwnd", "One flow, 250 Mbit/s, 100 ms", quantity="cwnd_packets", panels="alg", y_label="cwnd (packets)"),
            Histories(
                "increase", "Illinois: increase per round trip", quantity="alpha", alg="illinois", y_label="Increase (packets per RTT)"
            ),
            Histories("delay-window", "Compound: delay window", quantity="dwnd_packets", alg="ctcp", y_label="dwnd (packets)"),
        ),
        parameters=(
            *STACK,
            ("flows", "1"),
            ("rate, RTT, queue", "250 Mbit/s, 100 ms, 0.5 BDP"),
            ("loss", "none for illinois, 3 in a million packets for ctcp"),
            ("duration", "700 s"),
        ),
        repeats=0,
        kept="all",
        quick=Quick(),
        notes=("The smallest decrease is what Illinois held ready while the queue was empty; no loss fell there.",),
    ),
)
