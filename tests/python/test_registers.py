"""The registers that come with the project: every quantity that a claim reads can be had."""

from __future__ import annotations

import ast
import json
from importlib import resources

import polars as pl
import pytest

from windtunnel.claims import judge, packaged_declarations, packaged_register
from windtunnel.claims.derived import DERIVED
from windtunnel.claims.loading import build
from windtunnel.claims.reading import read_document
from windtunnel.claims.several import OF_POINTS, SEVERAL
from windtunnel.metrics import MEASURES
from windtunnel.suites import finding

PAPERS = sorted(file.name[:-5] for file in (resources.files("windtunnel.claims") / "data").iterdir() if file.name.endswith(".yaml"))


@pytest.mark.parametrize("paper", PAPERS)
def test_every_metric_of_a_claim_that_can_be_simulated_is_known(paper: str) -> None:
    register = packaged_register(paper)
    known = set(packaged_declarations()[paper]["metrics"]) | set(MEASURES) | set(DERIVED) | set(SEVERAL)
    read = {
        node.args[0].value
        for claim in register.claims
        if claim.judge == "sim"
        for node in ast.walk(claim.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in "MVR"
        and isinstance(node.args[0], ast.Constant)
    }
    assert read
    assert read <= known


@pytest.mark.parametrize("paper", PAPERS)
def test_a_register_holds_claims_and_what_was_printed_and_nothing_of_the_grid(paper: str) -> None:
    with resources.as_file(resources.files("windtunnel.claims") / "data" / f"{paper}.yaml") as path:
        document = read_document(path)
    assert set(document) <= {"version", "papers", "claims", "published", "setups"}
    assert all(set(own) <= {"data", "tables"} for own in document.get("published", {}).values())


def test_what_registers_take_from_the_suites_is_what_the_suites_declare() -> None:
    # After an edit of a suite: make declarations.
    assert packaged_declarations() == json.loads(json.dumps(finding.packaged_declarations()))


def test_every_measure_that_a_suite_makes_itself_has_a_unit_and_a_meaning() -> None:
    for paper, own in packaged_declarations().items():
        for name, metric in own["metrics"].items():
            assert metric["unit"] != "as it says", (paper, name)
    assert set(OF_POINTS) == set(DERIVED) | set(SEVERAL)


def test_an_experiment_has_the_points_of_its_paper_and_the_repeats_that_a_verdict_needs() -> None:
    register = packaged_register("li07")
    # II: six protocols. CUBIC is run beside them, and is no point of the paper's.
    assert register.experiments["li07.fig4"].points["alg"] == ("reno", "scalable", "hstcp", "bic", "fast", "htcp")
    # slac03, 4.3: three windows a path, and one run of each.
    table = packaged_register("slac03").experiments["slac03.tab1"]
    assert table.by_site["win"]["UFL"] == ("1MB", "4MB", "8MB")
    assert table.repeats == 1
    assert not table.offers({"site": "UFL", "win": "12MB", "alg": "reno"})


def test_a_claim_may_name_what_was_run_beside_the_points_and_no_mean_holds_it() -> None:
    rows = [("reno", 0.8), ("htcp", 0.6), ("cubic", 0.1), ("mine.c:0123456789abcdef", 0.2)]
    frame = pl.DataFrame(
        [{"alg": alg, "seed": seed, "metric": "util", "value": value} for alg, value in rows for seed in (1, 2, 3)],
    )
    claim = {"experiment": "lab.x", "paper": "lab", "claim": "x", "judge": "sim"}
    named = ("M('util', alg='cubic') == 0.1", "M('util', alg='mine.c') == 0.2")
    predicates = (*named, "abs(M('util') - 0.7) < 1e-9", "M('util', alg='bbr') > 0")
    document = {
        "version": 1,
        "papers": {"lab": "a laboratory"},
        "claims": [{**claim, "id": f"lab.{n}", "check": {"predicate": text}} for n, text in enumerate(predicates)],
    }
    lab = {"id": "lab.x", "paper": "lab", "title": "x", "duration_s": 60, "repeats": 3, "points": {"alg": ["reno", "htcp"]}}
    declared = {"metrics": {}, "experiments": [{**lab, "measures": ["util"]}]}
    verdicts = judge(build(document, file="some.yaml", declared=declared), {"lab.x": frame})
    assert [one.verdict for one in verdicts] == ["holds", "holds", "holds", "not_run"]
