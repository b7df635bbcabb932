"""Many environments in one: a step of all of them is one call of the core, on several threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from windtunnel.learn.acting import Shown
from windtunnel.learn.dumbbell import begun, chosen, spaces
from windtunnel.learn.rewards import Reading, required


class DumbbellVectorEnv(gymnasium.vector.VectorEnv[NDArray[np.float32], NDArray[np.float32], NDArray[Any]]):
    """So many environments like `DumbbellEnv`; one that is over begins anew with the next step (gymnasium's ``NEXT_STEP``).

    Parameters
    ----------
    num_envs : int
        How many.
    threads : int
        Threads that the core runs them on.
    **options
        Those of `DumbbellEnv`.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(self, num_envs: int = 1, *, threads: int = 1, render_mode: None = None, **options: Any) -> None:
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.paths, self.acting = chosen(options)
        self.single_observation_space, self.single_action_space = spaces(self.acting)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._reward = required(self.acting.reward)
        self._episodes = self.acting.episodes(num_envs, 1, threads)
        self._shown = Shown(self.acting, num_envs)
        self._given = np.zeros((num_envs, 2))
        self._over = np.zeros(num_envs, dtype=np.bool_)
        self._generators = [np.random.default_rng() for _ in range(num_envs)]

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin all anew.

        Parameters
        ----------
        seed : int or sequence of int, optional
            Of each environment; of a number, the first has it and each other one more than that before it.
        options : dict, optional
            Nothing is known here.
        """
        seeds = [None if seed is None else seed + index for index in range(self.num_envs)] if not isinstance(seed, Sequence) else seed
        for index, one in enumerate(seeds):
            if one is not None:
                self._generators[index] = np.random.default_rng(one)
            self._begin(index)
        self._over[:] = False
        return self._shown.now(), {}

    def _begin(self, index: int) -> None:
        rows = begun(self._episodes, index, self.paths.draw(self._generators[index], 1))
        self._shown.begin(index, rows[0])

    def step(
        self, actions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Set every window and go on by a step; those that were over begin anew, with a reward of zero."""
        self._given[:, : self.acting.numbers] = actions
        rows = self._episodes.step(self._given)
        again = np.flatnonzero(self._over)
        rows[again, 1:] = 1.0
        self._shown.add(rows)
        reading = Reading._make(rows.T)
        rewards = np.asarray(self._reward(reading), dtype=np.float64)
        for index in again:
            self._begin(int(index))
        rewards[again] = 0.0
        self._over = np.array(self._episodes.over())
        return self._shown.now(), rewards, np.zeros(self.num_envs, dtype=np.bool_), self._over.copy(), {}
