"""Criteria of standards: from rows with a place for an algorithm to a register, to verdicts, and to the first page of a report."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from windtunnel.claims import build
from windtunnel.cli import main
from windtunnel.experiment import Scale, plan
from windtunnel.starters import create_suite
from windtunnel.store import open_results
from windtunnel.suites import default_suites, suite
from windtunnel.suites.criteria import Criterion, Expectation, Followed

RFC = suite("rfc9743")


def test_a_criterion_is_evaluated_or_says_why_not() -> None:
    with pytest.raises(ValueError, match="does not say why"):
        Criterion("01", "Nothing", "5", "MUST")


def test_expectations_become_claims_of_each_algorithm_that_they_are_about() -> None:
    expectation = Expectation("x", "rfc9743.wired", "ALG fills", "M('util', alg=ALG) >= 0.9", "nine tenths", but=("reno",))
    followed = Followed("text", (), (Criterion("07", "Title", "5.2", "MUST", (expectation,)),))
    document = followed.register("rfc9743", ["cubic", "reno", "mine.c:0123456789abcdef"])
    assert [one["id"] for one in document["claims"]] == ["rfc9743.c07.x.cubic", "rfc9743.c07.x.mine.c"]
    assert document["claims"][0]["check"] == {"predicate": "M('util', alg='cubic') >= 0.9", "tolerance": "Threshold, ours: nine tenths"}
    assert build(document, file="t", declared=RFC.declarations()).claims[1].claim == "mine.c fills"
    row = followed.facts("rfc9743", ["cubic"])["rows"][0]
    assert row["whose"] == {"rfc9743.c07.x.cubic": "ours"} and row["level"] == "MUST"


def test_rfc9743_has_every_criterion_of_its_sections_once_and_reads_only_what_it_measures() -> None:
    followed = RFC.followed
    assert followed is not None and [one.key for one in followed.criteria] == [f"{number:02}" for number in range(1, 27)]
    # Sections 5.1.1 to 5.3.2, 6.1 to 6.4 and 7.1 to 7.9 of the text, each named by some row.
    named = " ".join(one.section for one in followed.criteria)
    wanted = [*(f"5.1.{n}" for n in range(1, 6)), "5.2.1", "5.2.2", "5.2.3", "5.3.1", "5.3.2", *(f"6.{n}" for n in range(1, 5))]
    assert all(section in named for section in (*wanted, *(f"7.{n}" for n in range(1, 10)), "7.1.1", "7.7.1"))
    register = RFC.register_for(["cubic", "bbr3"])
    assert register is not None and {one.experiment for one in register.claims} == {one.id for one in RFC.experiments}
    assert all(one.tolerance.startswith(("Threshold, ours: ", "Threshold, the text's: ")) for one in register.claims)


def test_only_who_names_it_gets_it_and_one_algorithm_is_judged() -> None:
    assert "rfc9743" not in default_suites()
    asked = {point["alg"] for one in RFC.experiments for point, _ in Scale(quick=True).grid(one)}
    assert asked == {"cubic"}
    assert {point["alg"] for point, _ in Scale(algorithms=["bbr", "vegas"]).grid(RFC.experiments[0])} == {"bbr", "vegas"}


def test_every_scenario_is_one_that_the_simulator_takes() -> None:
    whole = plan(RFC.experiments, Scale(algorithms=["bbr3"], repeats=1))
    assert set(whole.cells) == {one.id for one in RFC.experiments} and not any(whole.left_out.values())


def test_a_suite_of_one_s_own_has_criteria(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    create_suite("owncriteria", tmp_path / "project")
    folder = tmp_path / "project" / "owncriteria"
    (folder / "register.yaml").unlink()
    with (folder / "__init__.py").open("a") as file:
        file.write(OWN)
    out = str(tmp_path / "results")
    assert main(["suite", "run", str(folder), "--quick", "--alg", "reno,cubic", "--out", out, "--json"]) == 0
    claims = {one["id"]: one["verdict"] for one in json.loads(capsys.readouterr().out)["claims"]}
    assert claims == {"owncriteria.c01.used.reno": "holds", "owncriteria.c01.used.cubic": "holds"}


OWN = """
from windtunnel.suites.criteria import Criterion, Expectation, Followed

USED = Expectation("used", "owncriteria.buffers", "ALG has a window", "M('peak_packets', alg=ALG, q=1.0) >= 2", "2")
FOLLOWED = Followed("my text", (), (Criterion("01", "Use", "1", "MUST", (USED,)),))
"""
MINE = """from windtunnel.controllers import Controller


class Stubborn(Controller):
    def ssthresh(self, w, c):
        return w.cwnd

    def on_acked(self, w, c, acked):
        w.cwnd = 40
"""


def test_a_controller_from_a_file_is_judged_and_the_first_page_says_by_which_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "stubborn.py").write_text(MINE)
    out = tmp_path / "results"
    names = ["rfc9743.feedback", "rfc9743.policer"]
    assert main(["suite", "run", *names, "--alg", f"{tmp_path}/stubborn.py,reno", "--quick", "--out", str(out), "--json"]) == 0
    claims = {one["id"]: one for one in json.loads(capsys.readouterr().out)["claims"]}
    # A window of forty packets that nothing reduces asks for 12 Mbit/s, of which the policer lets 5 pass.
    assert claims["rfc9743.c18.policer.stubborn.py"]["verdict"] == "fails"
    assert claims["rfc9743.c18.policer.reno"]["verdict"] == "holds"
    # RFC 6298, 5.5: the timeout doubles, which is the stack's and not the law's.
    assert claims["rfc9743.c01.spacing.reno"]["verdict"] == "holds"
    assert claims["rfc9743.c01.spacing.reno"]["estimate"][0] == pytest.approx(2.0, abs=0.1)
    assert [row["key"] for row in open_results(out).facts["followed"]["rfc9743"]["rows"]][-1] == "26"
    assert main(["report", str(out)]) == 0
    page = (out / "report" / "index.html").read_text()
    assert "draft-ietf-ccwg-rfc5033bis" in page and "no transport with several paths" in page and "stubborn.py sends" in page
