"""Steps of the learning environment per second: one environment, and many on one and on two threads. Run by `make bench`.

A step is one RTT at 100 Mbit/s and 40 ms with the link full: 333 packets. The smallest of five rounds in turns, by the clock and by the
processors' time, which says the same where the machine has nothing else to do. Asked for: 50,000 a second on one core, twice that on two.
"""

import time
from collections.abc import Callable

import numpy as np

from windtunnel.learn import DumbbellEnv, DumbbellVectorEnv

PATH = {"rate_bps": 100e6, "rtt_s": 0.04, "queue_bdp": 1.0, "duration_s": 400.0, "action": "window", "window_max_packets": 1024.0}
ENVS = 64
FULL = 2 * np.log2(350) / 10 - 1
"""The action that sets 350 packets: the path's 333 and a few in the queue."""


def single(steps: int) -> Callable[[], tuple[float, float]]:
    """Return what steps one environment and says how many seconds a step takes, and of the processors."""
    env = DumbbellEnv(**PATH)
    env.reset(seed=0)
    action = np.array([FULL], dtype=np.float32)

    def go() -> tuple[float, float]:
        begun, worked = time.perf_counter(), time.process_time()
        for _ in range(steps):
            _, _, _, over, info = env.step(action)
            if over:
                env.reset()
        assert info["reading"].delivered_packets > 300, "the link is not full"
        return (time.perf_counter() - begun) / steps, (time.process_time() - worked) / steps

    return go


def many(threads: int, steps: int) -> Callable[[], tuple[float, float]]:
    """Return what steps many environments and says how many seconds a step of one takes, and of the processors."""
    envs = DumbbellVectorEnv(ENVS, threads=threads, **PATH)
    envs.reset(seed=0)
    action = np.full((ENVS, 1), FULL, dtype=np.float32)

    def go() -> tuple[float, float]:
        begun, worked = time.perf_counter(), time.process_time()
        for _ in range(steps):
            envs.step(action)
        return (time.perf_counter() - begun) / steps / ENVS, (time.process_time() - worked) / steps / ENVS

    return go


def main() -> None:
    """Print steps per second."""
    rounds = {"one environment": single(5000), f"{ENVS}, one thread": many(1, 80), f"{ENVS}, two threads": many(2, 160)}
    taken = {name: [] for name in rounds}
    for _ in range(5):
        for name, go in rounds.items():
            taken[name].append(go())
    for name, rounds_taken in taken.items():
        clock, worked = (min(each) for each in zip(*rounds_taken, strict=True))
        print(f"environment steps, {name:<18} {1 / clock:>9,.0f} a second, {1 / worked:>9,.0f} per second of a processor")


if __name__ == "__main__":
    main()
