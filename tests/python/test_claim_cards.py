"""What a claim says of itself, on its card in the report and in the list of `windtunnel claims`: nothing is left to be guessed."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from stored import DECLARATION

from windtunnel import report
from windtunnel.claims import packaged_register
from windtunnel.claims.words import words
from windtunnel.report.names import made_of
from windtunnel.report.serving import Pages
from windtunnel.report.text import prose
from windtunnel.store import open_results, writing_results
from windtunnel.suites import facts, finding

RTTS = (16.0, 22.0, 42.0, 82.0, 162.0, 324.0)
LI07 = "windtunnel.claims"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Figure 4 with Reno alone: fair but at 250 Mbit/s and 324 ms, so that li07.c06 fails."""
    path = tmp_path_factory.mktemp("cards") / "results"
    rows = [
        ("reno", rate, rtt, 0.2, seed, "fair_minmax", 0.7 if (rate, rtt) == (250.0, 324.0) else 0.99, f"r{rate:g}x{rtt:g}x{seed}")
        for rate in (10.0, 250.0)
        for rtt in RTTS
        for seed in range(1, 6)
    ]
    schema = ["alg", "rate", "rtt", "q", "seed", "metric", "value", "run"]
    points = {"alg": ["reno"], "rate": [10.0, 250.0], "rtt": list(RTTS), "q": [0.2]}
    with writing_results(path) as results:
        measures = pl.DataFrame(rows, schema=schema, orient="row")
        results.store_experiment("li07.fig4", DECLARATION | {"points": points, "repeats": 5}, measures)
        told = ["Reno is fair.", "Nobody knows where."]
        about = {"Reno is fair.": "li07.fig4", "Nobody knows where.": "li07.fig99"}
        results.store_facts({"suites": ["li07"], "order": ["li07.fig4"], "facts": [], "findings": told, "findings_about": about})
    return path


@pytest.fixture(scope="module")
def card(folder: Path) -> str:
    index = report.write(report.assemble(open_results(folder)), folder.parent / "report")
    text = (index.parent / "experiments" / "li07.fig4.html").read_text(encoding="utf-8")
    (found,) = re.findall(r'<article class="claim[^>]*id="claim-li07.c06".*?</article>', text, flags=re.DOTALL)
    return html.unescape(str(found))


def test_claims_about_experiments_that_were_not_run_are_counted_beside_the_others(folder: Path, card: str, tmp_path: Path) -> None:
    """The paper's register has 53 claims, six of them about figure 4; a reader who adds up finds all."""
    index = (folder.parent / "report" / "index.html").read_text(encoding="utf-8")
    counted = len([claim for claim in packaged_register("li07").claims if claim.experiment == "li07.fig4"])
    assert f">{counted} published claims<" in index
    said = re.search(r"(\d+) more claims are about (\d+) experiments, which were not run", index)
    assert said is not None and counted + int(said[1]) == len(packaged_register("li07").claims) == 53
    pages = Pages(open_results(folder), tmp_path)
    first, counts = pages.file(""), pages.file("counts.html")
    assert first is not None and counts is not None
    assert 'data-part="counts.html"' in first.read_text(encoding="utf-8")
    served = counts.read_text(encoding="utf-8")
    assert said[0] in served and re.findall(r'class="count">(\d+)', served) == re.findall(r'class="count">(\d+)', index)


def test_a_failing_claims_card_says_what_is_known_of_it(card: str) -> None:
    assert "<b>ambiguity: the metric, and chance.</b>" in card and "The mean of flow 2 / flow 1 over repeats" in card


def test_an_estimate_says_what_it_is(card: str) -> None:
    label = "smallest of fair_minmax over rtt (reno, rate 10, q 0.2) and fair_minmax over rtt (reno, rate 250, q 0.2)"
    assert re.search(r'class="value">0\.700</span>.*?class="what">' + re.escape(label), card, flags=re.DOTALL)


def test_a_tolerance_is_said(card: str) -> None:
    assert "<dt>Tolerance</dt><dd>the paper's own 5% band; allow +1 SE" in card and "<dt>Keep in mind</dt><dd>600 s is too short" in card


def test_a_claim_leads_to_the_points_it_is_made_of(card: str, folder: Path) -> None:
    made_of = card.partition("<dt>Made of</dt>")[2]
    links = re.findall(r'href="\.\./(points/[^"]+)"', made_of)
    assert len(links) == 12 and all((folder.parent / "report" / link).is_file() for link in links)


def test_a_claim_leads_to_a_run_once_though_several_experiments_have_it() -> None:
    """Figures 4, 9 and 11 of 2007 are measured on the same runs: a claim of figure 11 listed each of its points three times."""

    def places(id: str, **points: list[str]) -> Any:
        pages = [SimpleNamespace(title=f"{id} {name}", point=SimpleNamespace(repeats=[SimpleNamespace(run=run) for run in runs]))
                 for name, runs in points.items()]  # fmt: skip
        return SimpleNamespace(section=SimpleNamespace(id=id), pages=pages)

    every = {"a": places("a", x=["1", "2"], y=["3"], z=["5"]), "b": places("b", x=["1", "2"], more=["4"]), "c": places("c", x=["1", "9"])}
    said = [page.title for page in made_of(every, ["1", "2", "3", "4"], experiment="b")]
    assert said == ["b x", "b more", "a y"]


def test_a_finding_leads_to_the_experiment_it_was_made_in(card: str, folder: Path) -> None:
    index = (folder.parent / "report" / "index.html").read_text(encoding="utf-8")
    assert '<li>Reno is fair. <a class="id" href="experiments/li07.fig4.html">li07.fig4</a></li>' in index
    assert "<li>Nobody knows where.</li>" in index, "an experiment that is not in the report has no link"


def test_suites_say_where_a_finding_was_made(tmp_path: Path) -> None:
    rows = [(alg, 250.0, 42.0, 1, None, "new_over_reno", value, f"r{alg}") for alg, value in (("bic", 9.0), ("htcp", 2.0))]
    schema = {"alg": pl.String, "rate": pl.Float64, "rtt": pl.Float64, "seed": pl.Int64, "flow": pl.Int64, "metric": pl.String}
    with writing_results(tmp_path / "results") as results:
        measures = pl.DataFrame(rows, schema=[*schema.items(), ("value", pl.Float64), ("run", pl.String)], orient="row")
        results.store_experiment("li07.fig6", DECLARATION | {"backend": "sim"}, measures)
        suite = finding.suite("li07")
        scale = facts.Scale()
        facts.store_facts(results, [(suite, suite.experiments)], scale=scale, command="")
        (text,) = results.facts["findings"]
        assert results.facts["findings_about"] == {text: "li07.fig6"}


def test_claims_lists_what_was_judged_and_counts_the_rest(cli: Callable[..., Any], folder: Path) -> None:
    short, long = cli("claims", str(folder)), cli("claims", str(folder), "--all")
    assert "li07.c06" in short.out and "li07.c42" not in short.out and "li07.c42" in long.out
    last = short.out.strip().splitlines()[-1]
    assert re.fullmatch(r"\d+ not run, .*; --all lists them", last) and "--all" not in long.out
    assert "known from a full run: ambiguity: the metric, and chance" in " ".join(short.out.split())


def test_a_report_judges_a_given_register(cli: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    with resources.as_file(resources.files("windtunnel.claims") / "data" / "li07.yaml") as path:
        text = path.read_text(encoding="utf-8").replace("the paper's own 5% band; allow +1 SE", "MY OWN BAND")
    own = tmp_path / "own.yaml"
    own.write_text(text, encoding="utf-8")
    ran = cli("report", str(folder), "--register", str(own), "--out", str(tmp_path / "r"), "--jobs", "1")
    assert ran.code == 0 and "MY OWN BAND" in (tmp_path / "r" / "experiments" / "li07.fig4.html").read_text(encoding="utf-8")
    refused = cli("report", str(folder), "--register", str(tmp_path / "none.yaml"), "--out", str(tmp_path / "s"))
    assert refused.code == 2 and "none.yaml" in refused.err and not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("predicate", "said"),
    [
        ("M('thr_mbps',alg='reno',t0=0,t1=1200)", "thr_mbps (reno, t0 0, t1 1200)"),
        ("V('rtt_unfair',over='rtt',hi=82,alg=a)", "rtt_unfair over rtt to 82 (bic)"),
        ("50*M('loss_ovh',alg='reno')", "50 * loss_ovh (reno)"),
        ("(M('x')-M('y'))/M('x')", "(x - y) / x"),
        ("max(M('x',rtt=r) for r in [16,22])", "largest of x (rtt r) for each r of 16, 22"),
    ],
)
def test_operands_are_said_in_words(predicate: str, said: str) -> None:
    assert words(ast.parse(predicate, mode="eval").body, {"a": "bic"}) == said


def test_each_claim_that_differs_from_its_words_has_a_tolerance_and_each_reason_a_kind() -> None:
    claims = packaged_register("li07").claims
    assert {claim.id for claim in claims if claim.tolerance} >= {"li07.c06", "li07.c32"}
    assert all(claim.why is None or claim.why.text.strip() for claim in claims)


def test_reasons_are_shown_as_text_and_never_as_markup() -> None:
    assert prose("See [c05](x.md#a) for `a<b` and *this*:") == "See c05 for <code>a&lt;b</code> and <em>this</em>."
    assert "<script>" not in prose("<script>alert(1)</script>")
