"""Steps of the learning environment per second: one environment, and many on one and on two threads. Run by `make bench`.

A step is one RTT at 100 Mbit/s and 40 ms with the link full: 333 packets. The smallest of five rounds in turns, so that what else the machine
does weighs less; what is asked for is 50,000 a second on one core, and twice that on two.
"""

import time
from collections.abc import Callable

import numpy as np

from windtunnel.learn import DumbbellEnv, DumbbellVectorEnv

PATH = {"rate_bps": 100e6, "rtt_s": 0.04, "queue_bdp": 1.0, "duration_s": 400.0, "action": "window", "window_max_packets": 1024.0}
ENVS = 64
FULL = 2 * np.log2(350) / 10 - 1
"""The action that sets 350 packets: the path's 333 and a few in the queue."""


def single(steps: int) -> Callable[[], float]:
    """Return what steps one environment and says how many seconds a step takes."""
    env = DumbbellEnv(**PATH)
    env.reset(seed=0)
    action = np.array([FULL], dtype=np.float32)

    def go() -> float:
        begun = time.perf_counter()
        for _ in range(steps):
            if env.step(action)[3]:
                env.reset()
        return (time.perf_counter() - begun) / steps

    return go


def many(threads: int, steps: int) -> Callable[[], float]:
    """Return what steps many environments and says how many seconds a step of one takes."""
    envs = DumbbellVectorEnv(ENVS, threads=threads, **PATH)
    envs.reset(seed=0)
    action = np.full((ENVS, 1), FULL, dtype=np.float32)

    def go() -> float:
        begun = time.perf_counter()
        for _ in range(steps):
            envs.step(action)
        return (time.perf_counter() - begun) / steps / ENVS

    return go


def main() -> None:
    """Print steps per second."""
    rounds = {"one environment": single(5000), f"{ENVS}, one thread": many(1, 80), f"{ENVS}, two threads": many(2, 160)}
    taken = {name: [] for name in rounds}
    for _ in range(5):
        for name, go in rounds.items():
            taken[name].append(go())
    for name, seconds in taken.items():
        print(f"environment steps, {name:<18} {1 / min(seconds):>9,.0f} a second")


if __name__ == "__main__":
    main()
