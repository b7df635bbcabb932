"""What is measured, and in which order: every configuration as often as asked, drawn in an order of the seed's."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.backends.linux.modules import MODULES
from windtunnel.scenario import ScenarioError

REVERSE_STREAMS = 16
"""From the other side, as in section 5.3 of the study of 2003."""
SINE_LEAST, SINE_MOST, SINE_PERIOD_S = 0.05, 0.2, 60.0
"""Parts of the path's rate between which datagrams swing, and one swing (section 4.5 there)."""
PACKET_BYTES = 1500
GB = 1e9
MOST_STREAMS = 256


@dataclass(frozen=True)
class Asked:
    """What is asked for.

    Parameters
    ----------
    algorithms : sequence of str
        Our names of the kernel's algorithms.
    windows : sequence of int or None
        Window limits, bytes; None is the kernel's own.
    streams : sequence of int
        How many at once.
    repeats : int
        Of each configuration.
    seconds : float
        How long a run sends.
    sine, reverse, pairs, pings : bool
        Also beside datagrams that swing; beside streams from the other side; two transfers at once; with requests for an echo.
    seed : int
        Of the order.
    """

    algorithms: Sequence[str]
    windows: Sequence[int | None]
    streams: Sequence[int]
    repeats: int
    seconds: float
    sine: bool = False
    reverse: bool = False
    pairs: bool = False
    pings: bool = False
    seed: int = 1

    def check(self) -> None:
        """Refuse what cannot be measured.

        Raises
        ------
        ScenarioError
            The option, its value, what is allowed.
        """
        for name in self.algorithms:
            if name not in MODULES:
                raise ScenarioError("alg", f"no Linux kernel has {name!r}; allowed: {', '.join(sorted(MODULES))}")
        for count in self.streams:
            if not 1 <= count <= MOST_STREAMS:
                raise ScenarioError("streams", f"{count}; allowed: 1 to {MOST_STREAMS}")
        for window in self.windows:
            if window is not None and not 4096 <= window <= 1 << 30:
                raise ScenarioError("window", f"{window} bytes; allowed: 4kB to 1GiB, or auto")
        if not 1 <= self.seconds <= 3600:
            raise ScenarioError("duration", f"{self.seconds:g} s; allowed: 1s to 1h")
        if not 1 <= self.repeats <= 100:
            raise ScenarioError("repeat", f"{self.repeats}; allowed: 1 to 100")


@dataclass(frozen=True)
class Configuration:
    """One thing that is measured.

    Parameters
    ----------
    algorithms : tuple of str
        Of the transfers from here: one, or two of a pair.
    window_bytes : int, optional
        Their window limit; None is the kernel's own.
    streams : int
        Of each algorithm.
    beside : str
        ``alone``, ``sine`` (datagrams), ``reverse`` (streams from the other side), ``pair``.
    """

    algorithms: tuple[str, ...]
    window_bytes: int | None
    streams: int
    beside: str = "alone"

    @property
    def window(self) -> str:
        """Its window limit in words."""
        return "auto" if self.window_bytes is None else size_words(self.window_bytes)

    @property
    def name(self) -> str:
        """Its name in a folder's."""
        return "-".join([*self.algorithms, self.window, f"{self.streams}x", *([] if self.beside == "alone" else [self.beside])])

    def orders(self) -> list[dict[str, Any]]:
        """Return its streams, as `windtunnel.wire.caller.Caller.run` takes them."""
        own = [(name, "client") for name in self.algorithms for _ in range(self.streams)]
        others = [("reno", "listener")] * REVERSE_STREAMS if self.beside == "reverse" else []
        return [{"algorithm": MODULES[name].name, "window_bytes": self.window_bytes, "side": side} for name, side in [*own, *others]]


@dataclass(frozen=True)
class Planned:
    """A run: its configuration, and which repeat of it."""

    configuration: Configuration
    repeat: int


def size_words(size: int) -> str:
    """Return bytes in words: 1MiB, 512KiB, 64000B."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB"), (1_000_000, "MB"), (1000, "kB")):
        if size % unit == 0:
            return f"{size // unit}{name}"
    return f"{size}B"


def configurations(asked: Asked) -> list[Configuration]:
    """Return what is measured, each once."""
    found = [Configuration((name,), window, count) for name in asked.algorithms for window in asked.windows for count in asked.streams]
    for wanted, beside in ((asked.sine, "sine"), (asked.reverse, "reverse")):
        if wanted:
            found += [Configuration((name,), window, 1, beside) for name in asked.algorithms for window in asked.windows]
    if asked.pairs:
        names = list(asked.algorithms)
        both = [(first, second) for place, first in enumerate(names) for second in names[place:]]
        found += [Configuration(pair, window, 1, "pair") for pair in both for window in asked.windows]
    return list(dict.fromkeys(found))


def plan(asked: Asked) -> list[Planned]:
    """Return every run, in an order drawn by the seed: what the path does at one time of the day falls on no configuration alone."""
    runs = [Planned(one, repeat) for repeat in range(1, asked.repeats + 1) for one in configurations(asked)]
    random.Random(asked.seed).shuffle(runs)
    return runs
