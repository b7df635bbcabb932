"""Finding a case, shrinking it to the simplest that still breaks the property, and confirming it on fresh seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windtunnel.scenario import ScenarioError
from windtunnel.search.cases import Case
from windtunnel.search.dimensions import Dimension
from windtunnel.search.trials import Trials, Values

if TYPE_CHECKING:
    import optuna

BATCH = 8
"""Trials that are asked for at a time, whatever makes them: so that a search finds the same with any number of workers."""
SHRINK_SEEDS = 3
"""A smaller case has to break the property with each of these, seeds 1 to 3."""
FIRM_SEEDS = 8
"""The smallest case lies where some seeds break the property and others do not: it goes back until it does with each of these."""
FRESH_SEEDS = 5
"""Seeds that nothing before has seen, 9 to 13."""
FRESH = tuple(range(FIRM_SEEDS + 1, FIRM_SEEDS + FRESH_SEEDS + 1))
BACK = (0.0, 0.05, 0.1, 0.2, 0.4, 1.0)
"""How far back, in parts of the way to the case that was found."""
HALVINGS = 5
"""How often the way from a case to a simpler one is halved."""
MOST_ROUNDS = 3
_NEEDED = "a search needs Optuna, which the extra `search` brings: pip install 'windtunnel[search]'"


@dataclass(frozen=True)
class Found:
    """What a search gives.

    Parameters
    ----------
    trials : int
        How many points were tried before shrinking.
    breaking : int
        How many of them broke the property.
    nearest : float, optional
        The value nearest to breaking it, or farthest beyond; None when no trial had one.
    case : Case, optional
        The shrunk case; None when no trial broke the property.
    """

    trials: int
    breaking: int
    nearest: float | None
    case: Case | None


def search(trials: Trials, over: Sequence[Dimension], *, most: int, seed: int, say: Callable[[str], None] = lambda text: None) -> Found:
    """Look for a case that breaks a property.

    Parameters
    ----------
    trials : Trials
        What makes runs.
    over : sequence of Dimension
        What is varied, at least one, each once.
    most : int
        Trials at most; it ends with the first batch that has a case.
    seed : int
        Of the optimiser. The same seed tries the same points.
    say : callable
        Told what is being done.

    Returns
    -------
    Found
        With the case of the batch that breaks the property most, shrunk.

    Raises
    ------
    ScenarioError
        When Optuna is not installed, or a case cannot be run.
    """
    study = _study(seed)
    shares: list[tuple[float, ...]] = []
    values: list[float | None] = []
    while len(shares) < most:
        asked = [study.ask() for _ in range(min(BATCH, most - len(shares)))]
        batch = [tuple(trial.suggest_float(one.name, 0.0, 1.0) for one in over) for trial in asked]
        measured = [one[0] for one in trials.measured([_values(over, point) for point in batch], 1)]
        for trial, value in zip(asked, measured, strict=True):
            study.tell(trial, trials.sought.distance(value) if value is not None else 1e3)
        shares += batch
        values += measured
        broken = [number for number in range(len(shares)) if trials.sought.distance(values[number]) < 0]
        if broken:
            worst = min(broken, key=lambda number: trials.sought.distance(values[number]))
            say(f"trial {worst + 1} of {len(shares)} has {trials.sought.metric} = {values[worst]:.4g}; shrinking it")
            small = _firm(trials, over, _shrunk(trials, over, shares[worst]), shares[worst])
            case = _confirmed(trials, over, small)
            _store_all(trials, over, shares)
            return Found(len(shares), len(broken), values[worst], case)
    _store_all(trials, over, shares)
    known = [value for value in values if value is not None]
    return Found(len(shares), 0, min(known, key=trials.sought.distance, default=None), None)


def _study(seed: int) -> optuna.Study:
    try:
        import optuna
    except ModuleNotFoundError:
        raise ScenarioError("search", _NEEDED) from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    # Startup draws cover the ranges; then batches are asked for with nothing told of their other members.
    return optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=2 * BATCH, constant_liar=True))


def _values(over: Sequence[Dimension], shares: Sequence[float]) -> Values:
    return {one.name: one.value(share) for one, share in zip(over, shares, strict=True)}


def _breaks(trials: Trials, over: Sequence[Dimension], point: tuple[float, ...], seeds: int) -> bool:
    """Return whether a point breaks the property with every seed up to a number."""
    [measured] = trials.measured([_values(over, point)], seeds)
    return all(trials.sought.distance(value) < 0 for value in measured)


def _shrunk(trials: Trials, over: Sequence[Dimension], shares: tuple[float, ...]) -> tuple[float, ...]:
    """Move one dimension after the other towards its first end, as far as the property stays broken."""
    for _ in range(MOST_ROUNDS):
        before = shares
        for at in range(len(over)):
            shares = _towards_first(trials, over, shares, at)
        if shares == before:
            break
    return shares


def _towards_first(trials: Trials, over: Sequence[Dimension], shares: tuple[float, ...], at: int) -> tuple[float, ...]:
    if shares[at] == 0.0:
        return shares

    def moved(share: float) -> tuple[float, ...]:
        return (*shares[:at], share, *shares[at + 1 :])

    if _breaks(trials, over, moved(0.0), SHRINK_SEEDS):
        return moved(0.0)
    simple, broken = 0.0, shares[at]
    for _ in range(HALVINGS):
        middle = (simple + broken) / 2
        if _breaks(trials, over, moved(middle), SHRINK_SEEDS):
            broken = middle
        else:
            simple = middle
    return moved(broken)


def _firm(trials: Trials, over: Sequence[Dimension], small: tuple[float, ...], found: tuple[float, ...]) -> tuple[float, ...]:
    """Return the first point from the smallest case back to the one found that breaks the property with more seeds."""
    for part in BACK:
        point = tuple(one + part * (other - one) for one, other in zip(small, found, strict=True))
        if _breaks(trials, over, point, FIRM_SEEDS):
            return point
    return small


def _confirmed(trials: Trials, over: Sequence[Dimension], shares: tuple[float, ...]) -> Case:
    values = _values(over, shares)
    [measured] = trials.measured([values], FIRM_SEEDS + FRESH_SEEDS)
    return Case(trials.sought, trials.scenario(values), values, tuple(measured[FIRM_SEEDS:]))


def _store_all(trials: Trials, over: Sequence[Dimension], shares: Sequence[tuple[float, ...]]) -> None:
    """Leave every trial in the folder's table, in place of the last batch."""
    trials.measured([_values(over, point) for point in shares], 1)
