"""Verdicts: what the measures say about each claim of a register, by the register's rules."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import polars as pl

from windtunnel.claims.evaluate import Truth, evaluate
from windtunnel.claims.functions import percentile_interval
from windtunnel.claims.lookup import Measurements
from windtunnel.claims.model import Claim, Outcome, PredicateError, Register, Verdict
from windtunnel.claims.tables import MeasuresTable, Repeats

ENOUGH = 0.95
"""Share of the resamples that must agree with the estimates."""

_NOT_ATTEMPTED = {
    "needs-host-model": "it can be judged only with a model of the sending and receiving hosts, which was not run",
    "wan-only": "it can be judged only through an emulation calibrated to the wide-area path, which was not run",
}


def judge(
    register: Register, tables: Mapping[str, pl.DataFrame], *, backend: str = "sim", emulations: Mapping[str, str] | None = None
) -> list[Verdict]:
    """Judge every claim of a register.

    Parameters
    ----------
    register : Register
        The register.
    tables : mapping of str to polars.DataFrame
        Table of measures by id of experiment: one row per repeat and metric, with the columns that `MeasuresTable` names. An experiment
        that is absent was not run.
    backend : str
        What made the runs.
    emulations : mapping of str to str, optional
        What an experiment emulates, and how, by id: its claims that only an emulation can judge are judged on that. All others of that kind
        are not run.

    Returns
    -------
    list of Verdict
        One per claim, in the register's order. The same register and tables give the same verdicts.

    Raises
    ------
    ValueError
        When a table has no column ``seed``, ``metric`` or ``value``.
    """
    measured = {name: MeasuresTable(register.experiments[name], frame) for name, frame in tables.items() if name in register.experiments}
    on = emulations or {}
    return [replace(_judge_claim(register, claim, measured, on.get(claim.experiment, "")), backend=backend) for claim in register.claims]


def _judge_claim(register: Register, claim: Claim, tables: Mapping[str, MeasuresTable], emulation: str) -> Verdict:
    unjudged = Verdict(
        id=claim.id,
        experiment=claim.experiment,
        claim=claim.claim,
        predicate=claim.predicate,
        published=claim.published,
        strength=claim.strength,
        section=claim.section,
        judge=claim.judge,
        verdict="not_run",
        by_construction=claim.by_construction,
        tolerance=claim.tolerance,
        caveat=claim.caveat,
        why=claim.why,
    )
    if claim.judge in _NOT_ATTEMPTED and not emulation:
        return replace(unjudged, reason=_NOT_ATTEMPTED[claim.judge])
    plain = Measurements(register, tables, claim=claim.id, experiment=claim.experiment)
    verdict = _evaluated(unjudged, claim, plain)
    if verdict.verdict == "not_run":
        return verdict
    if claim.judge in _NOT_ATTEMPTED:
        verdict = replace(verdict, judged_on=f"an emulation: {emulation}")
    sensitivity = _sensitivity(register, claim, tables, plain, unjudged)
    changed = [f"{found} under {variant}" for variant, found in sensitivity.items() if found != verdict.verdict]
    reason = _sentences(verdict.reason, f"the verdict changes: {', '.join(changed)}" if changed else "")
    return replace(verdict, sensitivity=sensitivity, reason=reason)


def _sensitivity(
    register: Register, claim: Claim, tables: Mapping[str, MeasuresTable], plain: Measurements, unjudged: Verdict
) -> dict[str, Outcome]:
    """Return the verdict under each variant of the metrics that a predicate touched, the variant read everywhere in place of its metric."""
    variants: dict[str, set[str]] = {}
    for metric, experiments in plain.metrics.items():
        for experiment in experiments:
            for variant in tables[experiment].variants(metric):
                variants.setdefault(variant, set()).add(metric)
    found: dict[str, Outcome] = {}
    for variant, metrics in sorted(variants.items()):
        varied = Measurements(
            register, tables, claim=claim.id, experiment=claim.experiment, variant=variant, substituted=frozenset(metrics)
        )
        found[variant] = _evaluated(unjudged, claim, varied).verdict
    return found


def _evaluated(unjudged: Verdict, claim: Claim, measurements: Measurements) -> Verdict:
    try:
        truth = evaluate(claim.tree, measurements)
    except PredicateError as error:
        return replace(unjudged, runs=_runs(measurements.touched), reason=str(error))
    points = measurements.touched
    outcome, reason = _outcome(truth, points)
    # With one repeat at every point each resample is the estimate itself, and says nothing of its spread.
    spread = any(len(point.seeds) > 1 for point in points)
    operands = truth.operands
    return replace(
        unjudged,
        verdict=outcome,
        estimate=[float(operand[0]) for operand in operands] or None,
        interval=[percentile_interval(operand[1:]) for operand in operands] if operands and spread else None,
        labels=truth.labels,
        runs=_runs(points),
        run_keys=_keys(points),
        reason=_sentences(reason, _gaps(points)),
    )


def _outcome(truth: Truth, points: Sequence[Repeats]) -> tuple[Outcome, str]:
    holds = bool(truth.holds[0])
    share = float(np.mean(truth.holds[1:]))
    if not holds and truth.possible:
        return "inconclusive", "it is false only because a value is undefined (nan)"
    for point in points:
        if point.too_few:
            asked = point.experiment.repeats
            return "inconclusive", f"{len(point.seeds)} of {asked} repeats at {point.place}; at least {min(3, asked)} are needed"
    if holds and share >= ENOUGH:
        return "holds", ""
    if not holds and share <= 1 - ENOUGH + 1e-12:
        return "fails", ""
    said = "holds" if holds else "fails"
    return "inconclusive", f"it {said} on the estimates, and holds in {share:.1%} of the resamples"


def _runs(points: Sequence[Repeats]) -> int:
    return len(_keys(points))


def _keys(points: Sequence[Repeats]) -> frozenset[str]:
    return frozenset[str]().union(*(point.runs for point in points))


def _gaps(points: Sequence[Repeats]) -> str:
    gaps = [point for point in points if point.absent]
    if not gaps:
        return ""
    first = gaps[0]
    more = f", and {len(gaps) - 1} more points" if len(gaps) > 1 else ""
    return f"{first.absent} of {first.absent + len(first.seeds)} repeats have no value at {first.place}{more}"


def _sentences(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def claims_json(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return verdicts as plain data that JSON can hold.

    Parameters
    ----------
    verdicts : sequence of Verdict
        What `judge` returned.

    Returns
    -------
    list of dict
        Keys id, verdict, estimate, interval, labels, runs, experiment, claim, published, reason, sensitivity, backend, judged_on,
        by_construction, predicate, tolerance, caveat, and why with kind, about and text, None where it is not known.
        Infinite and undefined numbers are the texts ``inf``, ``-inf`` and ``nan``.
    """
    return [
        {
            "id": verdict.id,
            "verdict": verdict.verdict,
            "estimate": None if verdict.estimate is None else [_plain(value) for value in verdict.estimate],
            "interval": None if verdict.interval is None else [[_plain(bound) for bound in bounds] for bounds in verdict.interval],
            "labels": list(verdict.labels),
            "runs": verdict.runs,
            "experiment": verdict.experiment,
            "claim": verdict.claim,
            "published": verdict.published,
            "reason": verdict.reason,
            "sensitivity": dict(verdict.sensitivity),
            "backend": verdict.backend,
            "judged_on": verdict.judged_on,
            "by_construction": verdict.by_construction,
            "predicate": verdict.predicate,
            "tolerance": verdict.tolerance,
            "caveat": verdict.caveat,
            "why": None if verdict.why is None else asdict(verdict.why),
        }
        for verdict in verdicts
    ]


def _plain(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
