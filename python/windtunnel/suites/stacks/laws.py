"""What a law makes of a back-off: the share it keeps, the pace of its growth, what it remembers. Functions from a run to a number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from windtunnel.metrics import View
from windtunnel.suites.stacks.epochs import Epoch, epochs, median
from windtunnel.suites.stacks.subjects import kind

_SEEN_PACKETS = 3.0
"""An epoch in which less than this was grown says nothing of a slope."""
_SEEN_ROUNDS = 4.0
_SEEN_SAMPLES = 300
"""Three seconds: half of the shortest K of these paths."""
_UNDONE_ROUNDS = 8.0


@dataclass(frozen=True)
class Cubic:
    """The cubic nearest to an epoch's window: C (packets/s^3), and its window at the turning point over the one before the back-off."""

    c: float
    plateau: float


def _epochs(view: View) -> list[Epoch]:
    """Return the epochs after the warm-up; none of a BBR, whose window answers its model of the path and not a loss."""
    if kind(view.point["alg"]) == "bbr":
        return []
    return epochs(view, float(view.scenario["warmup_s"]))


def kept_share(view: View) -> float | None:
    """Return cwnd after over cwnd before a back-off, median of those after the warm-up."""
    return median([one.kept for one in _epochs(view)])


def undone(view: View) -> float | None:
    """Return the share of back-offs after which the window is back within eight round trips: no law of RFC 9438 or RFC 9002 grows so fast.

    RFC 9438's K is 50 and more round trips on the paths of this study, and Reno takes one for each packet that it gave up.
    """
    back = [float(_is_undone(one)) for one in _epochs(view)]
    return sum(back) / len(back) if back else None


def _is_undone(one: Epoch) -> bool:
    return bool(one.cwnd[one.rounds <= _UNDONE_ROUNDS].max() >= 0.98 * one.before)


def reductions(view: View) -> float | None:
    """Return the number of back-offs after the warm-up."""
    return float(len(_epochs(view))) or None


def _cubics(view: View) -> list[Cubic]:
    """Return the least-squares cubic of each epoch that has both sides of its turning point: one side alone does not determine it.

    RFC 9438, 4.2, equation 1: W_cubic(t) = C (t - K)^3 + W_max, whose turning point is at K, where it is W_max.
    """
    found = []
    for one in _epochs(view):
        if one.t_s.size < _SEEN_SAMPLES or _is_undone(one):
            continue
        fit = np.polyfit(one.t_s, one.cwnd, 3)
        turn_s = -fit[1] / (3 * fit[0]) if fit[0] > 0 else -1.0
        if 0 < turn_s < 0.9 * one.t_s[-1]:
            found.append(Cubic(float(fit[0]), float(np.polyval(fit, turn_s)) / one.before))
    return found


def cubic_c(view: View) -> float | None:
    """Return C of those cubics, packets/s^3, median."""
    return median([one.c for one in _cubics(view)])


def plateau(view: View) -> float | None:
    """Return the window at their turning point over the one before the back-off, median.

    1 without fast convergence; (1 + beta)/2 = 0.85 with it (RFC 9438, 4.7), where a loss came below the last one's window.
    """
    return median([one.plateau for one in _cubics(view)])


def per_round(view: View) -> float | None:
    """Return growth between back-offs, packets per round trip, median over epochs: least squares over each."""
    slopes = [
        float(np.polyfit(one.rounds, one.cwnd, 1)[0])
        for one in _epochs(view)
        if one.t_s.size > 3 and one.rounds[-1] > _SEEN_ROUNDS and one.cwnd[-1] - one.cwnd[0] >= _SEEN_PACKETS
    ]
    return median(slopes)
