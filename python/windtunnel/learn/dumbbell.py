"""``windtunnel/Dumbbell-v0``: one flow that is acted for."""

from __future__ import annotations

import inspect
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from windtunnel.learn.acting import Acting, Shown
from windtunnel.learn.paths import Paths
from windtunnel.learn.rewards import Reading, required
from windtunnel.scenario import ScenarioError

_OF_PATHS = frozenset(inspect.signature(Paths).parameters)
_OF_ACTING = frozenset(inspect.signature(Acting).parameters)


def chosen(options: dict[str, Any]) -> tuple[Paths, Acting]:
    """Return what keyword arguments say of paths and of steps.

    Raises
    ------
    ScenarioError
        When one is not known, or a value is not allowed.
    """
    for name in options:
        if name not in _OF_PATHS | _OF_ACTING:
            raise ScenarioError(name, f"is not known; an environment has {', '.join(sorted(_OF_PATHS | _OF_ACTING))}")
    paths = Paths(**{name: value for name, value in options.items() if name in _OF_PATHS})
    given: dict[str, Any] = {
        name: tuple(value) if name == "observations" else value for name, value in options.items() if name in _OF_ACTING
    }
    return paths, Acting(**given).checked()


def begun(episodes: Any, index: int, text: str) -> NDArray[np.float64]:
    """Begin an episode anew; return its first readings, a row per flow.

    Raises
    ------
    ScenarioError
        When the core refuses the scenario.
    """
    try:
        return episodes.reset(index, text)  # type: ignore[no-any-return]
    except ValueError as error:
        raise ScenarioError(*error.args[:2]) from None


def spaces(acting: Acting) -> tuple[Any, Any]:
    """Return the spaces of observations and of actions."""
    low, high = acting.bounds()
    return gymnasium.spaces.Box(low, high, dtype=np.float32), gymnasium.spaces.Box(-1.0, 1.0, (acting.numbers,), dtype=np.float32)


class DumbbellEnv(gymnasium.Env[NDArray[np.float32], NDArray[np.float32]]):
    """One flow over one bottleneck; an action sets its window, and its pacing rate if it is paced.

    Parameters
    ----------
    **options
        Those of `windtunnel.learn.Paths` and of `windtunnel.learn.Acting`.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(self, *, render_mode: None = None, **options: Any) -> None:
        self.render_mode = render_mode
        self.paths, self.acting = chosen(options)
        observed, acted = spaces(self.acting)
        self.observation_space: gymnasium.spaces.Space[NDArray[np.float32]] = observed
        self.action_space: gymnasium.spaces.Space[NDArray[np.float32]] = acted
        self._reward = required(self.acting.reward)
        self._episodes = self.acting.episodes(1, 1, 1)
        self._shown = Shown(self.acting, 1)
        self._given = np.zeros((1, 2))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode, a smallest RTT (or a step) after the first ACK.

        Parameters
        ----------
        seed : int, optional
            From which path and scenario are drawn, of this episode and of those that follow without one.
        options : dict, optional
            Nothing is known here.
        """
        super().reset(seed=seed)
        rows = begun(self._episodes, 0, self.paths.draw(self.np_random, 1))
        self._shown.begin(0, rows[0])
        return self._shown.now()[0], {"reading": Reading(*rows[0].tolist())}

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Set the window and go on by a step; an episode ends by its time, which is a truncation."""
        self._given[0, : self.acting.numbers] = action
        rows = self._episodes.step(self._given)
        reading = Reading._make(rows[0].tolist())
        return self._shown.after(rows)[0], float(self._reward(reading)), False, self._episodes.over()[0], {"reading": reading}
