"""The battery carried out: histories, then traits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.battery.histories import HISTORIES, LEAST_ACKS, MOST_RUNS, History
from windtunnel.battery.invariants import INVARIANTS
from windtunnel.battery.traits import TRAITS, Trait
from windtunnel.foreign import ForeignError
from windtunnel.run import run


@dataclass(frozen=True)
class Answer:
    """What one history showed.

    Parameters
    ----------
    history : str
        Its name.
    what : str
        One line.
    acks : int
        ACKs that the controller saw.
    happened : int
        How often the trouble came up.
    broken : tuple of str
        What was broken, a line each, with the seed; empty when nothing was.
    """

    history: str
    what: str
    acks: int
    happened: int
    broken: tuple[str, ...]


@dataclass(frozen=True)
class Measured:
    """A trait's values, one per seed; NaN where there is none.

    Parameters
    ----------
    trait : Trait
        What was asked.
    values : tuple of float
        By seed.
    """

    trait: Trait
    values: tuple[float, ...]

    @property
    def known(self) -> list[float]:
        """The values that are known, in ascending order."""
        return sorted(value for value in self.values if not math.isnan(value))

    @property
    def mean(self) -> float | None:
        """Their mean; None without any."""
        return sum(self.known) / len(self.known) if self.known else None


@dataclass(frozen=True)
class Battery:
    """What a controller did.

    Parameters
    ----------
    algorithm : str
        The controller, as the user calls it.
    answers : tuple of Answer
        By history.
    traits : tuple of Measured
        In the order of the registry; empty when only invariants were looked at, or one was broken.
    beside : mapping of str to tuple of Measured
        The same of controllers to compare with.
    """

    algorithm: str
    answers: tuple[Answer, ...]
    traits: tuple[Measured, ...]
    beside: Mapping[str, tuple[Measured, ...]]

    @property
    def holds(self) -> bool:
        """Whether nothing was broken."""
        return not any(answer.broken for answer in self.answers)

    def as_data(self) -> dict[str, Any]:
        """Return it for JSON: None where a value is not known."""

        def traits(measured: Sequence[Measured]) -> list[dict[str, Any]]:
            return [
                {
                    "name": one.trait.name,
                    "path": one.trait.path,
                    "unit": one.trait.unit,
                    "mean": one.mean,
                    "values": [None if math.isnan(value) else value for value in one.values],
                }
                for one in measured
            ]

        return {
            "algorithm": self.algorithm,
            "holds": self.holds,
            "histories": [vars(answer) | {"broken": list(answer.broken)} for answer in self.answers],
            "traits": traits(self.traits),
            "beside": {name: traits(measured) for name, measured in self.beside.items()},
        }


def carry_out(
    algorithm: str,
    *,
    called: str,
    seeds: int = 3,
    traits: Sequence[Trait] = TRAITS,
    beside: Sequence[str] = (),
    on_step: Callable[[str, int, int], None] = lambda what, done, of: None,
) -> Battery:
    """Put a controller through the battery.

    Parameters
    ----------
    algorithm : str
        A name, or that of a file's controller, as scenarios know it.
    called : str
        What the user calls it.
    seeds : int
        Runs of each trait.
    traits : sequence of Trait, optional
        What is measured.
    beside : sequence of str, optional
        Built-in controllers whose traits are measured too.
    on_step : callable of (str, int, int), optional
        Told what begins, how many steps are done, of how many.

    Returns
    -------
    Battery
        Traits are left out where a history broke something: a controller that does not survive has none.
    """
    steps = len(HISTORIES) + len(traits) * (1 + len(beside))
    answers = []
    for number, history in enumerate(HISTORIES):
        on_step(f"survives {history.name}", number, steps)
        answers.append(_survived(history, algorithm))
    done = len(HISTORIES)
    measured: dict[str, tuple[Measured, ...]] = {}
    if not any(answer.broken for answer in answers):
        for one in (algorithm, *beside):
            found = []
            for trait in traits:
                on_step(trait.name, done, steps)
                found.append(Measured(trait, tuple(trait.measure(one, seed) for seed in range(1, seeds + 1))))
                done += 1
            measured[one] = tuple(found)
    own = measured.pop(algorithm, ())
    return Battery(called, tuple(answers), own, measured)


def _survived(history: History, algorithm: str) -> Answer:
    acks = happened = 0
    broken: dict[str, str] = {}
    for seed in range(1, MOST_RUNS + 1):
        try:
            ran = run(history.make(algorithm, seed))
        except ForeignError as error:
            broken.setdefault("survives", f"seed {seed}: {error}")
            break
        assert ran.acks is not None
        acks, happened = acks + ran.acks.height, happened + history.happened(ran)
        for invariant in INVARIANTS:
            where = invariant.broken(ran)
            if where:
                broken.setdefault(invariant.name, f"{invariant.name}: {invariant.what}; seed {seed}, {where}")
        if seed == 1 and run(history.make(algorithm, seed)).records.digest() != ran.records.digest():
            broken["same bits"] = f"the same bits twice: two runs of seed {seed} differ; it draws from somewhere else than its seed"
        if acks >= LEAST_ACKS:
            break
    return Answer(history.name, history.what, acks, happened, tuple(broken.values()))
