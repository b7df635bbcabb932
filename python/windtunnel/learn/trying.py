"""What an episode is worth: of a policy, and of an algorithm that decides for itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windtunnel.learn.dumbbell import begun, chosen
from windtunnel.learn.rewards import Reading, required
from windtunnel.learn.vectorised import DumbbellVectorEnv

Acts = Callable[[NDArray[np.float32]], Any]
"""A row of actions for each row of observations."""


def baseline(algorithm: str, *, seeds: Sequence[int], **options: Any) -> NDArray[np.float64]:
    """Return the mean reward of a step, per seed, where the flow has a law of its own.

    Parameters
    ----------
    algorithm : str
        A built-in algorithm, as ``reno``.
    seeds : sequence of int
        Seeds of the episodes; those of an environment that is reset with them have the same paths.
    **options
        Those of `DumbbellEnv`.
    """
    paths, acting = chosen(options)
    reward = required(acting.reward)
    means = []
    for seed in seeds:
        episodes = acting.episodes(1, 1, 1, acted=False)
        begun(episodes, 0, paths.draw(np.random.default_rng(seed), 1, algorithm))
        rewards = []
        while not episodes.over()[0]:
            rewards.append(float(reward(Reading(*episodes.step(np.zeros((1, 2)))[0].tolist()))))
        means.append(np.mean(rewards))
    return np.array(means)


def evaluate(
    policy: Callable[[NDArray[np.float32]], Any], *, seeds: Sequence[int], threads: int = 1, **options: Any
) -> NDArray[np.float64]:
    """Return the mean reward of a step, per seed, where a policy acts.

    Parameters
    ----------
    policy : callable
        An action for each row of observations, as `Policy`.
    seeds : sequence of int
        Seeds of the episodes.
    threads : int
        Threads that the core runs them on.
    **options
        Those of `DumbbellEnv`.
    """
    envs = DumbbellVectorEnv(len(seeds), threads=threads, **options)
    seen, _ = envs.reset(seed=list(seeds))
    total, steps, running = np.zeros(len(seeds)), np.zeros(len(seeds)), np.ones(len(seeds), dtype=bool)
    while running.any():
        seen, rewards, _, over, _ = envs.step(policy(seen))
        total += np.where(running, rewards, 0.0)
        steps += running
        running &= ~over
    envs.close()
    return total / steps
