"""The paths that episodes run on: fixed numbers, or ranges that each episode draws from."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from windtunnel.scenario import Scenario, ScenarioError

Range = float | tuple[float, float]
"""A number, or the ends of a range, evenly drawn in its logarithm (in its values where it begins at zero)."""


@dataclass(frozen=True, kw_only=True)
class Paths:
    """A dumbbell: flows that are acted for, others beside them, one bottleneck.

    Parameters
    ----------
    rate_bps : float or (float, float)
        Rate of the bottleneck, IP bits per second.
    rtt_s : float or (float, float)
        Base round-trip time, seconds.
    queue_bdp : float or (float, float)
        Queue of the bottleneck, bandwidth-delay products.
    loss_probability : float or (float, float)
        Independent loss of each packet, in [0, 1).
    discipline : str
        How the queue decides, as ``codel`` or ``red``.
    beside : tuple of str
        Algorithms of flows beside them, as ``("cubic", "cubic")``.
    duration_s : float
        Length of an episode, simulated seconds.
    scenario : callable, optional
        Makes the scenario of an episode of the generator it is given, in place of all that is above; its first flows are those that are
        acted for. Their own algorithms count where nothing is acted (`windtunnel.learn.baseline`).
    """

    rate_bps: Range = 100e6
    rtt_s: Range = 0.04
    queue_bdp: Range = 1.0
    loss_probability: Range = 0.0
    discipline: str = "drop-tail"
    beside: tuple[str, ...] = ()
    duration_s: float = 10.0
    scenario: Callable[[np.random.Generator], Scenario] | None = None

    def draw(self, generator: np.random.Generator, flows: int, algorithm: str = "reno") -> str:
        """Return the scenario of one episode as JSON.

        Parameters
        ----------
        generator : numpy.random.Generator
            What all of it is drawn from, the scenario's seed included.
        flows : int
            How many flows are acted for.
        algorithm : str
            Whose law they have where nothing is acted.
        """
        seed = int(generator.integers(1 << 31))
        if self.scenario is not None:
            made = self.scenario(generator)
            if sum(flow.count for flow in made.flows) < flows:
                raise ScenarioError("scenario", f"it has fewer flows than the {flows} that are acted for")
            return json.dumps({**json.loads(made.model_dump_json(exclude_unset=True)), "seed": seed})
        link = {
            "rate_bps": _drawn(generator, "rate_bps", self.rate_bps),
            "queue_bdp": _drawn(generator, "queue_bdp", self.queue_bdp),
            "loss_probability": _drawn(generator, "loss_probability", self.loss_probability),
            "discipline": self.discipline,
        }
        rtt_s = _drawn(generator, "rtt_s", self.rtt_s)
        beside = [{"algorithm": name} for name in (*[algorithm] * flows, *self.beside)]
        return json.dumps({"bottleneck": link, "rtt_s": rtt_s, "duration_s": self.duration_s, "flows": beside, "seed": seed, "sample_s": 0})


def _drawn(generator: np.random.Generator, name: str, given: Range) -> float:
    if not isinstance(given, (tuple, list)):
        return float(given)
    low, high = map(float, given)
    if not 0 <= low <= high:
        raise ScenarioError(name, f"{given} is no range; give two numbers, the smaller first")
    share = generator.random()
    return low + share * (high - low) if low == 0 else low * math.exp(share * math.log(high / low))
