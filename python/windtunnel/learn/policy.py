"""A small policy: a network whose layers end in tanh, of numbers in one vector, as evolution strategies want it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Layer = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class Policy:
    """Layers of weights and offsets; every layer's outputs are tanh of its sums, the last one's are the action.

    Parameters
    ----------
    sizes : tuple of int
        Numbers of the observation, of each hidden layer, of the action.
    vector : array of float
        Weights, row by row, then offsets, layer by layer; `count` of them.
    """

    sizes: tuple[int, ...]
    vector: NDArray[np.float64]

    @staticmethod
    def count(sizes: Sequence[int]) -> int:
        """Return how many numbers a policy of these sizes has."""
        return sum((before + 1) * after for before, after in itertools.pairwise(sizes))

    def layers(self) -> list[Layer]:
        """Return of each layer its weights, a row per output, and its offsets."""
        found, at = [], 0
        for before, after in itertools.pairwise(self.sizes):
            weights = self.vector[at : at + before * after].reshape(after, before)
            at += before * after
            found.append((weights, self.vector[at : at + after]))
            at += after
        return found

    def __call__(self, observation: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the action for an observation, or a row of actions for each row."""
        values = np.asarray(observation, dtype=np.float64)
        for weights, offsets in self.layers():
            values = np.tanh(values @ weights.T + offsets)
        return values


def together(policies: Sequence[Policy], observations: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the action of each policy for its own observations.

    Parameters
    ----------
    policies : sequence of Policy
        Of equal sizes.
    observations : array of shape (policies, environments of each, numbers)
        What each sees.

    Returns
    -------
    array of shape (policies, environments of each, numbers of an action)
        The actions.
    """
    values = np.asarray(observations, dtype=np.float64)
    for layer in zip(*(policy.layers() for policy in policies), strict=True):
        weights = np.stack([one for one, _ in layer])
        offsets = np.stack([one for _, one in layer])
        values = np.tanh(np.einsum("pei,poi->peo", values, weights) + offsets[:, None, :])
    return values
