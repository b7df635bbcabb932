"""Several flows that are acted for, each by an agent of its own: PettingZoo's parallel interface."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from windtunnel.learn.acting import Shown
from windtunnel.learn.dumbbell import begun, chosen, spaces
from windtunnel.learn.rewards import Reading, required


class DumbbellParallelEnv(ParallelEnv[str, NDArray[np.float32], NDArray[np.float32]]):
    """Flows ``flow_1`` to ``flow_n`` over one bottleneck. All of them act at the same instants: by RTT, of the flow with the largest.

    Parameters
    ----------
    agents : int
        How many flows are acted for.
    **options
        Those of `DumbbellEnv`.
    """

    metadata: dict[str, Any] = {"name": "windtunnel/Dumbbell-v0", "render_modes": [], "is_parallelizable": True}  # noqa: RUF012

    def __init__(self, agents: int = 2, *, render_mode: None = None, **options: Any) -> None:
        self.render_mode = render_mode
        self.paths, self.acting = chosen(options)
        self.possible_agents = [f"flow_{number + 1}" for number in range(agents)]
        self.agents: list[str] = []
        both = {name: spaces(self.acting) for name in self.possible_agents}
        self.observation_spaces: dict[str, gymnasium.spaces.Space[NDArray[np.float32]]] = {name: seen for name, (seen, _) in both.items()}
        self.action_spaces: dict[str, gymnasium.spaces.Space[NDArray[np.float32]]] = {name: done for name, (_, done) in both.items()}
        self._reward = required(self.acting.reward)
        self._episodes = self.acting.episodes(1, agents, 1)
        self._shown = Shown(self.acting, agents)
        self._given = np.zeros((agents, 2))
        self._generator = np.random.default_rng()

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[NDArray[np.float32]]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[NDArray[np.float32]]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Begin an episode, a smallest RTT (or a step) after the last flow's first ACK.

        Parameters
        ----------
        seed : int, optional
            As of `DumbbellEnv.reset`.
        options : dict, optional
            Nothing is known here.
        """
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        rows = begun(self._episodes, 0, self.paths.draw(self._generator, len(self.possible_agents)))
        for index, row in enumerate(rows):
            self._shown.begin(index, row)
        self.agents = list(self.possible_agents)
        return self._named(self._shown.now()), {
            name: {"reading": Reading(*row)} for name, row in zip(self.agents, rows.tolist(), strict=True)
        }

    def _named(self, rows: Any) -> dict[str, Any]:
        return dict(zip(self.possible_agents, rows, strict=True))

    def step(
        self, actions: dict[str, NDArray[np.float32]]
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Set every window and go on by a step; all agents end with the episode's time."""
        for index, name in enumerate(self.possible_agents):
            self._given[index, : self.acting.numbers] = actions[name]
        rows = self._episodes.step(self._given)
        readings = [Reading(*row) for row in rows.tolist()]
        over = self._episodes.over()[0]
        if over:
            self.agents = []
        return (
            self._named(self._shown.after(rows)),
            self._named([float(self._reward(reading)) for reading in readings]),
            dict.fromkeys(self.possible_agents, False),
            dict.fromkeys(self.possible_agents, over),
            self._named([{"reading": reading} for reading in readings]),
        )
