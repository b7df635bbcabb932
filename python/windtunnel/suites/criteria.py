"""What a suite of a standard has beside experiments: its criteria, what is expected of an algorithm for each, and by whose threshold.

A paper's claims name the paper's protocols. A standard's criteria are about whichever algorithm is given, so that they are written
with `ALG` in its place, and become a register of claims for the algorithms that a results folder holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.foreign import shown

PLACE = "ALG"
"""Stands for the algorithm in a predicate, without quotes, and in a sentence."""
OURS, TEXT = "ours", "the text's"
"""Whose a threshold is."""


@dataclass(frozen=True)
class Expectation:
    """One thing that is measured for a criterion, and what decides it.

    Parameters
    ----------
    name : str
        A word, unique within the criterion.
    experiment : str
        Id of the experiment that answers it.
    says : str
        The expectation as a sentence with `PLACE` for the algorithm.
    predicate : str
        In the language of claims, with `PLACE` for the algorithm's name.
    threshold : str
        The number that decides, in words.
    whose : str
        `OURS` or `TEXT`.
    only : sequence of str
        Names of the algorithms that it is about; all when empty. One from a file is always judged.
    but : sequence of str
        Names of algorithms that it is not about.
    caveat : str
        What else must be kept in mind.
    """

    name: str
    experiment: str
    says: str
    predicate: str
    threshold: str
    whose: str = OURS
    only: Sequence[str] = ()
    but: Sequence[str] = ()
    caveat: str = ""


@dataclass(frozen=True)
class Criterion:
    """A row of a standard's criteria.

    Parameters
    ----------
    key : str
        Its number, two digits.
    title : str
        What it asks.
    section : str
        Where in the text.
    level : str
        The text's own word, such as MUST.
    expects : sequence of Expectation
        None where nothing is run for it.
    not_evaluated : str
        What of it is not evaluated, and why; needed where nothing is run.
    """

    key: str
    title: str
    section: str
    level: str
    expects: Sequence[Expectation] = ()
    not_evaluated: str = ""

    def __post_init__(self) -> None:
        """Refuse a criterion that neither is evaluated nor says why not."""
        if not self.expects and not self.not_evaluated:
            raise ValueError(f"criterion {self.key}: is not evaluated and does not say why")


@dataclass(frozen=True)
class Followed:
    """The text that a suite follows.

    Parameters
    ----------
    edition : str
        Which edition of which text.
    left_out : sequence of str
        What the suite leaves out of it, a sentence each.
    criteria : sequence of Criterion
        The text's own, in its order.
    dimension : str
        The dimension of experiments whose values the criteria are about: ``alg`` for algorithms, ``aqm`` for queue disciplines.
    """

    edition: str
    left_out: Sequence[str]
    criteria: Sequence[Criterion]
    dimension: str = "alg"

    def register(self, suite: str, algorithms: Sequence[str]) -> dict[str, Any]:
        """Return the register of claims for some algorithms, as a file holds one that takes its experiments from its suite.

        Parameters
        ----------
        suite : str
            The suite's name.
        algorithms : sequence of str
            As measures have them.
        """
        claims = [
            _claim(suite, one, each, name) for one in self.criteria for each in one.expects for name in algorithms if _about(each, name)
        ]
        named = [name for name in (written(one) for one in algorithms) if "." not in name and self.dimension == "alg"]
        return {"version": 1, "papers": {suite: self.edition}, "algorithms": named, "claims": claims}

    def facts(self, suite: str, algorithms: Sequence[str]) -> dict[str, Any]:
        """Return the same for a report, as plain data: the edition, what is left out, and a row for each criterion with its claims."""
        rows = []
        for one in self.criteria:
            claims = [_id(suite, one, each, name) for each in one.expects for name in algorithms if _about(each, name)]
            whose = {_id(suite, one, each, name): each.whose for each in one.expects for name in algorithms if _about(each, name)}
            row = {"key": one.key, "title": one.title, "section": one.section, "level": one.level}
            rows.append({**row, "claims": claims, "whose": whose, "not_evaluated": one.not_evaluated})
        return {
            "edition": self.edition,
            "left_out": list(self.left_out),
            "algorithms": [written(name) for name in algorithms],
            "rows": rows,
        }


def written(algorithm: str) -> str:
    """Return an algorithm's name as a claim writes it: of one from a file the file's name."""
    return shown(algorithm)


def _about(one: Expectation, algorithm: str) -> bool:
    if algorithm in one.but:
        return False
    return not one.only or algorithm in one.only or "." in algorithm.partition(":")[0]


def _id(suite: str, criterion: Criterion, one: Expectation, algorithm: str) -> str:
    return f"{suite}.c{criterion.key}.{one.name}.{written(algorithm)}"


def _claim(suite: str, criterion: Criterion, one: Expectation, algorithm: str) -> Mapping[str, Any]:
    name = written(algorithm)
    return {
        "id": _id(suite, criterion, one, algorithm),
        "experiment": one.experiment,
        "paper": suite,
        "claim": one.says.replace(PLACE, name),
        "check": {"predicate": one.predicate.replace(PLACE, repr(name)), "tolerance": f"Threshold, {one.whose}: {one.threshold}"},
        "section": f"{criterion.section} ({criterion.level})",
        "judge": "sim",
        **({"caveat": one.caveat} if one.caveat else {}),
    }
