"""Which points a predicate may read, as far as its text says."""

from __future__ import annotations

import dataclasses
import itertools
import random

import polars as pl
import pytest

from windtunnel.claims import judge, packaged_register
from windtunnel.claims.model import Claim, Register, Verdict
from windtunnel.claims.places import experiments_asked, places_read
from windtunnel.claims.references import metrics_read

PAPERS = ("fast04", "leith08", "li07", "open08", "slac03")


def invented(register: Register, claim: Claim, id: str, *, seeds: int) -> pl.DataFrame:
    """Return a table of what a claim asks of an experiment: a value at every point, each of a run of its own."""
    draw = random.Random(id)
    one = register.experiments[id]
    names = [name for name in one.points if name != "flow"]
    rows = []
    for values in itertools.product(*(one.points[name] for name in names)):
        point = dict(zip(names, values, strict=True))
        if one.offers(point):
            for seed in range(1, seeds + 1):
                run = f"{id} {values} {seed}"
                rows += [
                    {**point, "seed": seed, "metric": metric, "value": draw.uniform(0.5, 1.0), "run": run}
                    for metric in sorted(metrics_read([claim], id))
                ]
    return pl.DataFrame(rows, infer_schema_length=None)


def judged(register: Register, claim: Claim, tables: dict[str, pl.DataFrame]) -> Verdict:
    alone = dataclasses.replace(register, claims=(dataclasses.replace(claim, judge="sim"),))
    return judge(alone, tables)[0]


@pytest.mark.parametrize("paper", PAPERS)
def test_where_only_the_points_are_that_a_claim_may_read_it_is_judged_as_where_all_are(paper: str) -> None:
    register = packaged_register(paper)
    evaluated, exact = 0, 0
    for claim in register.claims:
        asked = experiments_asked(claim, register.experiments)
        whole = {id: invented(register, claim, id, seeds=3) for id in asked}
        whole = {id: frame for id, frame in whole.items() if frame.height}
        known = judged(register, claim, whole)
        if known.verdict == "not_run":
            continue
        few = {id: read(frame, claim, register, id) for id, frame in whole.items()}
        again = judged(register, claim, few)
        assert (again.verdict, again.estimate, again.run_keys) == (known.verdict, known.estimate, known.run_keys), claim.id
        evaluated += 1
        exact += frozenset(run for frame in few.values() for run in frame["run"]) == known.run_keys
    # The others ask for a flow or a state, which nothing is invented for.
    assert evaluated >= 0.75 * len(register.claims), (evaluated, len(register.claims))
    # One claim names sites and windows in pairs: all windows at all sites are more.
    assert exact >= evaluated - (paper == "slac03"), (exact, evaluated)


def read(frame: pl.DataFrame, claim: Claim, register: Register, id: str) -> pl.DataFrame:
    places = places_read([claim], id, register.experiments)
    return frame.filter(pl.Series([places(row) for row in frame.iter_rows(named=True)], dtype=pl.Boolean))


def test_what_the_text_leaves_open_is_all_of_a_dimension() -> None:
    register = packaged_register("li07")
    known = {claim.id: claim for claim in register.claims}

    def reads(id: str, **point: float | str) -> bool:
        claim = known[id]
        return places_read([claim], claim.experiment, register.experiments)(point)

    # c21: 1.0 < M(new_over_reno, alg=a, rate=250, rtt=162) for four protocols.
    assert reads("li07.c21", alg="bic", rate=250, rtt=162, q=0.2)
    assert not reads("li07.c21", alg="bic", rate=250, rtt=82, q=0.2)
    assert not reads("li07.c21", alg="fast", rate=250, rtt=162, q=0.2)
    # c19 goes over round trips up to 82 ms, c38 over losses from 1e-5 to 1e-3.
    assert reads("li07.c19", alg="reno", rate=250, rtt=82, q=1.0) and not reads("li07.c19", alg="reno", rate=250, rtt=162, q=1.0)
    assert reads("li07.c38", alg="reno", p=1e-4) and not reads("li07.c38", alg="reno", p=1e-2)
    # c28 names nothing: it is a mean over all points.
    assert reads("li07.c28", alg="fast", q=0.03)
    # c34 of 2008 reads another experiment too.
    other = packaged_register("leith08")
    (both,) = (claim for claim in other.claims if claim.id == "leith08.c34")
    assert experiments_asked(both, other.experiments) == {"leith08.fig9b", "leith08.fig8b"}
