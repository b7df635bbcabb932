"""The suite's traffic in place of its traces: people who load pages, in a closed loop, and the long transfers that a steady state holds.

The draft replays connection vectors of a campus (Tmix), whose files are gone. What stands for them has the marginals that were published
of the web: think times with the mean of a Pareto law of shape 1.5 and smallest 1 s, objects of a page by Pareto's law of shape 2.43 and
smallest 1 (P. Barford, M. Crovella, SIGMETRICS 1998, from memory), sizes by Pareto's law of shape 1.2 (M. Crovella, A. Bestavros, ToN 5(6),
1997). The mean size is ours. Thoughts are drawn from an exponential law with that mean: those of the Pareto law become stationary so slowly
that in a minute many more pages are asked for than their mean says.
"""

from __future__ import annotations

import functools
import math
import random
from typing import Any

from windtunnel.experiment import Draws

THINK_SHAPE, OBJECTS_SHAPE, SIZE_SHAPE = 1.5, 2.43, 1.2
SMALLEST_THINK_S = 1.0
SIZE_BYTES, MOST_BYTES = 25_000, 10_000_000
"""Mean before the cut, and the cut."""
PAYLOAD, PACKET_BITS = 1448, 12_000
CONNECTIONS = 6
ROUNDS = 3.0
"""Round trips of an ideal page: a handshake, and two of slow start for what most objects have."""
LIGHTER = 0.2
"""The lighter direction's sessions over the heavier one's; ours."""
EDGES_MS = ((0, 12, 25), (2, 37, 75))
"""One-way delays of nodes 1 to 3 and 4 to 6 (4.3 of the draft)."""


def pareto_mean(shape: float, smallest: float = 1.0) -> float:
    """Return the mean of Pareto's law."""
    return smallest * shape / (shape - 1)


THINK_S = pareto_mean(THINK_SHAPE, SMALLEST_THINK_S)
"""3 s."""


def objects_mean() -> float:
    """Return the mean number of objects of a page, which are rounded up: the sum over k from 0 of P(X > k)."""
    return 2.0 + math.fsum(k**-OBJECTS_SHAPE for k in range(2, 100_000))


def cut_mean(mean: float, shape: float, most: float) -> float:
    """Return the mean of Pareto's law, of this mean, cut at `most`: the mean less the integral of its tail."""
    smallest = mean * (shape - 1) / shape
    return mean - math.pow(smallest, shape) * math.pow(most, 1 - shape) / (shape - 1)


def base_rtts_s(central_s: float, edges_ms: tuple[tuple[float, ...], tuple[float, ...]] = EDGES_MS) -> list[float]:
    """Return the nine base RTTs of the dumbbell, seconds: twice the ways of both edges and the centre."""
    return [round(2 * (near + far) * 1e-3 + 2 * central_s, 9) for near in edges_ms[0] for far in edges_ms[1]]


@functools.cache
def page_bits() -> float:
    """Return the mean bits of a page on the link: whole packets of its objects, half a packet more than its bytes on average."""
    packets = cut_mean(SIZE_BYTES, SIZE_SHAPE, MOST_BYTES) / PAYLOAD + 0.5
    return objects_mean() * packets * PACKET_BITS


def sessions_for(load: float, rate_bps: float, rtt_s: float, think_s: float = THINK_S) -> int:
    """Return how many sessions offer this load if the network takes three round trips for a page and no more."""
    cycle_s = think_s + ROUNDS * rtt_s
    return max(1, round(load * rate_bps * cycle_s / page_bits()))


def sessions(
    algorithm: str, load: float, rate_bps: float, rtts_s: list[float], *, think_s: float = THINK_S, **given: Any
) -> dict[str, Any]:
    """Return the sessions of one direction; `think_s` is their mean thought, `given` are further fields of the source."""
    return {
        "algorithm": algorithm,
        "count": sessions_for(load, rate_bps, sum(rtts_s) / len(rtts_s), think_s),
        "think": {"law": "exponential", "mean": think_s},
        "objects": {"law": "pareto", "mean": pareto_mean(OBJECTS_SHAPE), "shape": OBJECTS_SHAPE},
        "sizes": {"law": "pareto", "mean": SIZE_BYTES, "shape": SIZE_SHAPE},
        "max_bytes": MOST_BYTES,
        "connections": CONNECTIONS,
        "rtts": rtts_s,
        **given,
    }


def prefill(algorithm: str, load: float, rate_bps: float, rtts_s: list[float], draws: Draws, span_s: float) -> list[dict[str, Any]]:
    """Return what is under way in a steady state: transfers chosen with a bias to long ones, as much as the load brings in `span_s`.

    A transfer seen at a moment has a size drawn in proportion to the size (inspection paradox), and any part of it is still to come. They
    start within `span_s` (the draft's prefill_si = bits / (C TL)).
    """
    stream = random.Random(f"prefill/{draws.seed}")
    smallest, power = SIZE_BYTES * (SIZE_SHAPE - 1) / SIZE_SHAPE, 1 - SIZE_SHAPE
    low, high = smallest**power, MOST_BYTES**power
    left = load * rate_bps * span_s / 8
    found: list[dict[str, Any]] = []
    while left > 0:
        size = (low + stream.random() * (high - low)) ** (1 / power)
        rest = max(1, math.ceil(size * stream.random()))
        start = round(span_s * stream.random(), 4)
        found.append({"algorithm": algorithm, "bytes": rest, "start_s": start, "rtt_s": rtts_s[len(found) % len(rtts_s)]})
        left -= rest
    return found
