"""Trains a policy of a handful of numbers by an evolution strategy, compares it with Reno, and writes it as a controller's file.

    python examples/learning/train.py --seconds 60 --out learned.py

The policy sees how far the RTT is above the smallest, how it changes, losses, its rate and what its window is worth, and multiplies its
window once per RTT. Paths differ from episode to episode; those of the comparison are others than those of the training.
"""

import argparse
import os
import time

import cma
import numpy as np

from windtunnel.learn import Acting, DumbbellVectorEnv, Policy, baseline, evaluate, export, together

WINDOW_MAX = 1000.0
PATHS = {
    "rate_bps": (5e6, 50e6),
    "rtt_s": (0.02, 0.08),
    "queue_bdp": (0.5, 2.0),
    "duration_s": 6.0,
    "window_max_packets": WINDOW_MAX,
    "reward": "remy",
}
SIZES = (5, 1)
EACH = 4
"""Episodes that each policy of a generation is tried on."""
FRESH = range(1000, 1020)
"""Seeds of the comparison."""


def worth(envs: DumbbellVectorEnv, policies: list[Policy], seeds: list[int]) -> np.ndarray:
    """Return the mean reward of a step of each policy, over the same episodes."""
    seen, _ = envs.reset(seed=seeds * len(policies))
    count = len(policies) * len(seeds)
    total, steps, running = np.zeros(count), np.zeros(count), np.ones(count, dtype=bool)
    while running.any():
        actions = together(policies, seen.reshape(len(policies), len(seeds), -1))
        seen, rewards, _, over, _ = envs.step(actions.reshape(count, -1))
        total += np.where(running, rewards, 0.0)
        steps += running
        running &= ~over
    return (total / steps).reshape(len(policies), len(seeds)).mean(axis=1)


def train(seconds: float, seed: int, threads: int) -> Policy:
    """Return the mean policy of the strategy when its time is over."""
    strategy = cma.CMAEvolutionStrategy(np.zeros(Policy.count(SIZES)), 0.3, {"seed": seed + 1, "verbose": -9, "popsize": 16})
    envs = DumbbellVectorEnv(16 * EACH, threads=threads, **PATHS)
    begun, generation = time.monotonic(), 0
    while time.monotonic() - begun < seconds and not strategy.stop():
        vectors = strategy.ask()
        rewards = worth(envs, [Policy(SIZES, vector) for vector in vectors], [seed + EACH * generation + one for one in range(EACH)])
        strategy.tell(vectors, -rewards)
        generation += 1
        print(f"generation {generation}: best {rewards.max():.3f}, mean {rewards.mean():.3f}", flush=True)
    return Policy(SIZES, strategy.result.xfavorite)


def main() -> None:
    """Train, compare, write."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--out", default="learned.py")
    given = options.parse_args()
    threads = len(os.sched_getaffinity(0))
    policy = train(given.seconds, given.seed, threads)
    learned = evaluate(policy, seeds=FRESH, threads=threads, **PATHS)
    for name in ("reno", "cubic", "vegas"):
        other = baseline(name, seeds=FRESH, **PATHS)
        wins = (learned > other).sum()
        print(f"{name}: {other.mean():.3f} a step; the policy's {learned.mean():.3f} is larger on {wins} of {len(FRESH)} paths")
    export(policy, given.out, Acting(window_max_packets=WINDOW_MAX), doc="Trained by examples/learning/train.py: rate against delay.")
    print(f"wrote {given.out}")


if __name__ == "__main__":
    main()
