"""What a register holds, as frozen data, and the errors of this package."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from windtunnel.claims.notebook import verdict_html
from windtunnel.scenario.errors import one_line

Judge = Literal["sim", "needs-host-model", "wan-only"]
JUDGES: tuple[Judge, ...] = ("sim", "needs-host-model", "wan-only")
"""How a claim can be judged, easiest first."""

Outcome = Literal["holds", "fails", "inconclusive", "not_run"]
Counted = Literal["holds", "by_construction", "fails", "inconclusive", "not_run"]
"""What a claim counts as: one that holds because of how its experiment or its algorithm is defined is no evidence, and counts apart."""

PointValue = float | str
"""A value along a dimension: a number in the register's unit, or a name."""


class RegisterError(ValueError):
    """A register that cannot be accepted; its text is one line.

    Parameters
    ----------
    file : str
        The file's name.
    item : str
        Where in the file: an id, or a key.
    problem : str
        What is wrong.
    """

    def __init__(self, file: str, item: str, problem: str) -> None:
        self.file = file
        self.item = item
        self.problem = one_line(problem)
        super().__init__(one_line(": ".join(part for part in (file, item, self.problem) if part)))


class PredicateError(ValueError):
    """A predicate that is not of the grammar, or that cannot be evaluated; its text is one line."""

    def __init__(self, problem: str) -> None:
        super().__init__(one_line(problem))


class MissingPoint(PredicateError):
    """A predicate touched a point that has no value."""


@dataclass(frozen=True)
class Metric:
    """One measured quantity.

    Parameters
    ----------
    name, unit, definition : str
        Of the metric.
    inf : bool
        Whether its value can be infinite: a time that is not reached within the run.
    """

    name: str
    unit: str
    definition: str
    inf: bool = False


@dataclass(frozen=True)
class PublishedCell:
    """One cell of a published table: where it was measured, its value and its standard deviation (None: not given)."""

    selectors: Mapping[str, PointValue]
    value: float
    sd: float | None


@dataclass(frozen=True)
class PublishedTable:
    """A published table that predicates can compare with: its metric and the cells that are given."""

    metric: str
    cells: tuple[PublishedCell, ...]


@dataclass(frozen=True)
class Registered:
    """One experiment as a register knows it: its grid, and what was printed of it.

    Parameters
    ----------
    id, paper, title : str
        As its suite has them.
    duration_s : float
        Length of a run, s; what an infinite time counts as in a mean.
    repeats : int
        Independent repeats asked for; 0 for a closed form or unit check.
    points : mapping of str to tuple
        Points along each dimension, in the suite's order and units.
    measures : tuple of str
        Metrics of this experiment, those that follow from several of its points included.
    by_site : mapping of str to mapping of str to tuple of str
        Of a dimension whose values differ by site: by site, those that there are, in order.
    compared_with : str
        The experiment whose same points some metrics compare with; empty for none.
    rate_mbps : float, optional
        The link's rate, Mbit/s, where no dimension is the rate.
    data : mapping
        Published numbers.
    tables : mapping of str to PublishedTable
        Published tables by their path in `data`.
    """

    id: str
    paper: str
    title: str
    duration_s: float
    repeats: int
    points: Mapping[str, tuple[PointValue, ...]]
    measures: tuple[str, ...]
    by_site: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    compared_with: str = ""
    rate_mbps: float | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, PublishedTable] = field(default_factory=dict)

    def offers(self, point: Mapping[str, PointValue]) -> bool:
        """Return whether a point exists, as far as its dimensions say: its values are of its site, and no protocol is its own opponent."""
        site, opponent = point.get("site"), point.get("opponent")
        if opponent is not None and opponent == point.get("alg"):
            return False
        if site is None:
            return True
        return all(point[name] in own[str(site)] for name, own in self.by_site.items() if name in point and str(site) in own)


REASONS = ("ambiguity", "artefact", "emulation", "ours", "open", "headline")
"""Why a claim comes out as it does: what the paper leaves open, what its hosts did, what our emulation of a path does, our error, not
known; and a claim of the first rank that holds."""


@dataclass(frozen=True)
class Reason:
    """Why a claim comes out as it does, found out once from a full run.

    Parameters
    ----------
    kind : str
        One of `REASONS`.
    about : str
        What it is about, in a few words; empty where there is nothing to add.
    text : str
        The reason, in Markdown.
    """

    kind: str
    about: str
    text: str


@dataclass(frozen=True)
class Claim:
    """One claim of a paper with the predicate that decides it.

    Parameters
    ----------
    id, experiment, paper, claim, published, strength, section : str
        As the register has them.
    predicate : str
        The predicate's text.
    tree : ast.expr
        The predicate, parsed and found to be of the grammar.
    judge : str
        How it can be judged, one of `JUDGES`.
    by_construction : str
        Why the outcome follows from how the experiment or the algorithm is defined; empty where it does not.
    tolerance : str
        How far the predicate is from the words of the claim, and why; empty where it is the claim as it stands.
    caveat : str
        What else must be kept in mind.
    why : Reason, optional
        Why it comes out as it does, where it is known.
    """

    id: str
    experiment: str
    paper: str
    claim: str
    predicate: str
    tree: ast.expr = field(repr=False, compare=False)
    judge: Judge
    published: str = ""
    strength: str = ""
    section: str = ""
    by_construction: str = ""
    tolerance: str = ""
    caveat: str = ""
    why: Reason | None = None


@dataclass(frozen=True)
class Register:
    """A register that was read: papers by id, metrics by name, experiments by id, and the claims in the file's order."""

    file: str
    papers: Mapping[str, str]
    metrics: Mapping[str, Metric]
    experiments: Mapping[str, Registered]
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Verdict:
    """What became of one claim.

    Parameters
    ----------
    id, experiment, claim, predicate, published, strength, section : str
        As the register has them.
    judge : str
        How the claim can be judged.
    verdict : str
        ``holds``, ``fails``, ``inconclusive`` or ``not_run``.
    estimate : list of float or None
        Value of each comparison operand that was measured, from left to right; None when nothing was compared.
    interval : list of [float, float] or None
        Bootstrap 95 % interval of each estimate; None when the repeats allow none.
    runs : int
        Number of distinct runs behind the touched points.
    reason : str
        Why it was not run, why it is inconclusive, and what else must be said beside the verdict.
    sensitivity : mapping of str to str
        The verdict under each variant of a metric that the tables hold.
    backend : str
        What made the runs it was judged by.
    judged_on : str
        Of a claim that only an emulation can judge: what was emulated, and how. Empty for all others.
    by_construction, tolerance, caveat, why
        As the register has them.
    labels : tuple of str
        What each estimate is, in words.
    run_keys : frozenset of str
        Keys of the runs behind the touched points.
    """

    id: str
    experiment: str
    claim: str
    predicate: str
    published: str
    strength: str
    section: str
    judge: Judge
    verdict: Outcome
    estimate: list[float] | None = None
    interval: list[list[float]] | None = None
    runs: int = 0
    reason: str = ""
    sensitivity: Mapping[str, Outcome] = field(default_factory=dict)
    backend: str = "sim"
    judged_on: str = ""
    by_construction: str = ""
    tolerance: str = ""
    caveat: str = ""
    why: Reason | None = None
    labels: tuple[str, ...] = ()
    run_keys: frozenset[str] = frozenset()

    def _repr_html_(self) -> str:
        return verdict_html(self)

    @property
    def counted(self) -> Counted:
        """What the claim counts as, wherever verdicts are counted."""
        return "by_construction" if self.verdict == "holds" and self.by_construction else self.verdict
