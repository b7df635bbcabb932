"""Whether a verdict depends on what a paper leaves open: the same claims, judged with each plausible value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from windtunnel.claims import Register, Verdict, judge
from windtunnel.store import CHOICES, CHOSEN, SIMULATOR, Results


@dataclass(frozen=True)
class Depending:
    """A claim, judged with every value of an open choice.

    Parameters
    ----------
    verdicts : sequence of Verdict
        In the order of the values, the chosen one first.
    """

    verdicts: Sequence[Verdict]

    @property
    def id(self) -> str:
        """The claim's."""
        return self.verdicts[0].id

    @property
    def is_unjudged(self) -> bool:
        """Whether no value could judge it."""
        return all(one.verdict == "not_run" for one in self.verdicts)

    @property
    def depends(self) -> bool:
        """Whether another value gives another verdict."""
        return len({one.verdict for one in self.verdicts}) > 1


@dataclass(frozen=True)
class OpenChoice:
    """What an experiment's paper leaves open, and what became of its claims with other values.

    Parameters
    ----------
    name, question, value, reason : str
        As the suite declares them: what is open, what was chosen and why.
    alternatives : sequence of str
        The other plausible values.
    run : sequence of str
        Those of them that were run, in that order.
    claims : sequence of Depending
        The claims of the experiments that were run with these values; empty when none were.
    unjudged : sequence of str
        Further claims of these experiments that no value could judge: at a quick scale points may be missing.
    facts : str
        At which scale they were run, with how many repeats and on what.
    command : str
        What reruns them.
    experiments : sequence of str
        Which were run with them.
    """

    name: str
    question: str
    value: str
    reason: str
    alternatives: Sequence[str]
    run: Sequence[str] = ()
    claims: Sequence[Depending] = ()
    unjudged: Sequence[str] = ()
    facts: str = ""
    command: str = ""
    experiments: Sequence[str] = ()

    @property
    def values(self) -> list[str]:
        """The chosen value and those that were run."""
        return [self.value, *self.run]


def choices_of(results: Results, registers: Sequence[Register]) -> dict[str, list[OpenChoice]]:
    """Judge the claims of a folder with every value of what the papers leave open.

    Parameters
    ----------
    results : Results
        The folder.
    registers : sequence of Register
        The claims.

    Returns
    -------
    dict
        By experiment, what its declaration leaves open; with the verdicts of its own claims where the alternatives were run.

    Raises
    ------
    ResultsError
        When something stored is damaged.
    """
    judged = {choice.name: choice for choice in run_choices(results, registers)}
    found: dict[str, list[OpenChoice]] = {}
    for id in results.experiments():
        for declared in _declared(results.declaration(id)):
            name = f"{id.partition('.')[0]}.{declared['name']}"
            known = judged.get(name)
            if known is None or id not in known.experiments:
                found.setdefault(id, []).append(_open(name, declared))
            else:
                own = [claim for claim in known.claims if claim.verdicts[0].experiment == id]
                found.setdefault(id, []).append(replace(known, claims=own, unjudged=_of(registers, id, known.unjudged)))
    return found


def _of(registers: Sequence[Register], experiment: str, claims: Sequence[str]) -> list[str]:
    return [claim.id for register in registers for claim in register.claims if claim.id in claims and claim.experiment == experiment]


def run_choices(results: Results, registers: Sequence[Register], backend: str = SIMULATOR) -> list[OpenChoice]:
    """Judge the claims that the alternatives of open choices, as far as they were run, have a bearing on.

    Parameters
    ----------
    results : Results
        The folder.
    registers : sequence of Register
        The claims.
    backend : str
        What ran them.

    Returns
    -------
    list of OpenChoice
        By name; those whose alternatives were run.

    Raises
    ------
    ResultsError
        When something stored is damaged.
    """
    names = sorted(path.name for path in (results.folder / CHOICES).glob("[!.]*") if path.is_dir())
    return [choice for name in names if (choice := _judged(results, registers, name, backend)) is not None]


def _judged(results: Results, registers: Sequence[Register], name: str, backend: str) -> OpenChoice | None:
    chosen = results.under(name, CHOSEN)
    ids = chosen.experiments(backend)
    declared = [(chosen.declaration(id, backend), one) for id in ids for one in _declared(chosen.declaration(id, backend))]
    declared = [(stored, one) for stored, one in declared if f"{ids[0].partition('.')[0]}.{one['name']}" == name]
    if not declared:
        return None
    stored, first = declared[0]
    run = [value for value in first["alternatives"] if results.under(name, value).experiments(backend)]
    paper = ids[0].partition(".")[0]
    own = [_about(register, ids) for register in registers if any(id in register.experiments for id in ids)]
    sides = [chosen, *(results.under(name, value) for value in run)]
    columns = [[verdict for register in own for verdict in _verdicts(results, register, side, backend)] for side in sides]
    lines = [Depending(line) for line in zip(*columns, strict=True)]
    repeats = ", ".join(dict.fromkeys(str(chosen.declaration(id, backend)["repeats"]) for id in ids))
    return replace(
        _open(f"{paper}.{first['name']}", first),
        run=run,
        claims=[line for line in lines if not line.is_unjudged],
        unjudged=[line.id for line in lines if line.is_unjudged and line.verdicts[0].judge == "sim"],
        facts=f"{stored.get('backend_title', backend)}, {stored['scale']} scale, {repeats} repeats",
        command=str(stored["command"]),
        experiments=ids,
    )


def _about(register: Register, ids: Sequence[str]) -> Register:
    """Return the claims that read one of these experiments."""
    claims = [claim for claim in register.claims if claim.experiment in ids or any(f"'{id}'" in claim.predicate for id in ids)]
    return replace(register, claims=tuple(claims))


def _verdicts(results: Results, register: Register, side: Results, backend: str) -> list[Verdict]:
    """Judge by one value: what was not run with it is taken from the results as they are."""
    wanted = {id for claim in register.claims for id in register.experiments if id == claim.experiment or f"'{id}'" in claim.predicate}
    where = {id: side if id in side.experiments(backend) else results for id in wanted}
    there = {id: place for id, place in where.items() if id in place.experiments(backend)}
    emulations = {id: str(place.declaration(id, backend).get("emulates", "")) for id, place in there.items()}
    return judge(register, {id: place.measures(id, backend) for id, place in there.items()}, backend=backend, emulations=emulations)


def _declared(stored: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(stored.get("choices", []))


def _open(name: str, declared: Mapping[str, Any]) -> OpenChoice:
    return OpenChoice(name, declared["question"], declared["value"], declared["reason"], declared["alternatives"])
