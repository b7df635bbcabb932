"""How an environment steps, what it shows and what an action does: the same for one environment, for many and for several agents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windtunnel import native
from windtunnel.learn.rewards import Reading, Reward, required
from windtunnel.scenario import ScenarioError

BOUNDS: dict[str, tuple[float, float]] = {
    "latency_gradient": (-10.0, 10.0),
    "loss": (0.0, 1.0),
    "marks": (0.0, 1.0),
    "rate_ratio": (0.0, 1.0),
    "latency_ratio": (0.0, 10.0),
    "window_ratio": (0.0, 10.0),
    "log_window": (0.0, 32.0),
}
"""Ranges of what has one; the others are 0 and above."""

OBSERVED = ("latency_ratio", "latency_gradient", "loss", "rate_ratio", "window_ratio")
"""What is observed unless another choice is made: ratios, which mean the same on every path."""


@dataclass(frozen=True, kw_only=True)
class Acting:
    """Steps, actions, observations and the reward.

    Parameters
    ----------
    by : {"rtt", "time"}
        Whether a step is so many smallest RTTs of the flow (of several agents, of the one with the largest), or seconds.
    step : float
        How many.
    action : {"factor", "window"}
        What the first number of an action, -1 to 1, does to the window: it is multiplied by 2 to the power of `octaves` times the number,
        or it becomes `window_max_packets` to the power of ``(number + 1) / 2``.
    octaves : float
        Doublings of the window in a step at most.
    window_max_packets : float
        No window is larger, segments; none is below one.
    paced : bool
        An action has a second number p, -1 to 1: segments leave at 4 to the power of p windows per smoothed RTT. Without it they leave as
        ACKs come.
    observations : tuple of str
        What is observed: attributes of `windtunnel.learn.Reading`.
    history : int
        How many steps are shown, the latest last.
    reward : str or callable
        ``remy``, ``aurora``, ``vivace``, or a function of a `Reading`.
    """

    by: str = "rtt"
    step: float = 1.0
    action: str = "factor"
    octaves: float = 1.0
    window_max_packets: float = 10_000.0
    paced: bool = False
    observations: tuple[str, ...] = OBSERVED
    history: int = 1
    reward: str | Reward = "remy"

    def checked(self) -> Acting:
        """Return it, or say what of it is not allowed.

        Raises
        ------
        ScenarioError
            With the field and what is allowed.
        """
        allowed = {"by": ("rtt", "time"), "action": ("factor", "window")}
        for name, values in allowed.items():
            if getattr(self, name) not in values:
                raise ScenarioError(name, f"{getattr(self, name)!r} is not known; give {' or '.join(values)}")
        unknown = [name for name in self.observations if name not in Reading._fields]
        if unknown or not self.observations:
            what = repr(unknown[0]) if unknown else "nothing"
            raise ScenarioError("observations", f"{what} cannot be observed; give some of {', '.join(Reading._fields)}")
        for name, low, high in (("step", 1e-6, 1e4), ("octaves", 1e-6, 10), ("window_max_packets", 2, 1 << 22), ("history", 1, 1000)):
            if not low <= getattr(self, name) <= high:
                raise ScenarioError(name, f"{getattr(self, name)} is not allowed; give {low} to {high}")
        required(self.reward)
        return self

    @property
    def numbers(self) -> int:
        """How many numbers an action has."""
        return 2 if self.paced else 1

    @property
    def columns(self) -> NDArray[np.intp]:
        """Which columns of a reading are observed."""
        return np.array([Reading._fields.index(name) for name in self.observations])

    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the smallest and the largest observation."""
        ends = [BOUNDS.get(name, (0.0, np.inf)) for name in self.observations] * self.history
        low, high = np.array(ends, dtype=np.float32).T
        return low.copy(), high.copy()

    def episodes(self, count: int, flows: int, threads: int, *, acted: bool = True) -> native.Episodes:
        """Return so many runs in steps, with so many flows each that are acted for, or only read."""
        how = (self.action, float(self.octaves), float(self.window_max_packets), self.paced) if acted else None
        seconds = float(self.step) if self.by == "time" else None
        return native.Episodes(count, list(range(flows)), how, float(self.step), seconds, threads)


class Shown:
    """Observations with their history, a row per flow.

    Parameters
    ----------
    acting : Acting
        What is observed.
    rows : int
        How many flows.
    """

    def __init__(self, acting: Acting, rows: int) -> None:
        self._columns = acting.columns
        self._width = len(self._columns)
        self._kept: NDArray[np.float32] = np.zeros((rows, self._width * acting.history), dtype=np.float32)

    def begin(self, row: int, reading: NDArray[np.float64]) -> None:
        """Let a flow begin anew: its history is its first observation."""
        self._kept[row] = np.tile(reading[self._columns], self._kept.shape[1] // self._width)

    def after(self, readings: NDArray[np.float64]) -> NDArray[np.float32]:
        """Add a step; return the observations, rows of float32."""
        self.add(readings)
        return self.now()

    def add(self, readings: NDArray[np.float64]) -> None:
        """Add a step."""
        kept, width = self._kept, self._width
        if kept.shape[1] > width:
            kept[:, :-width] = kept[:, width:]
        kept[:, -width:] = readings.take(self._columns, axis=1)

    def now(self) -> NDArray[np.float32]:
        """Return the observations as they are."""
        return np.array(self._kept)
