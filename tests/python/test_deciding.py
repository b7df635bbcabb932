"""Claims in the cheapest form that decides them, without a kernel: the simulator stands in for it."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path
from typing import Any

import pytest

from windtunnel import experiment
from windtunnel.claims.references import surely_lacks
from windtunnel.experiment.elsewhere import LeftOut
from windtunnel.scenario import Scenario
from windtunnel.store import RunStore, writing_results
from windtunnel.suites import chosen, deciding
from windtunnel.suites.deciding import carry_out, claimed, opened, run_cost_s


def todo(*names: str) -> list[deciding.Open]:
    return opened(claimed(chosen(names)), "sim")


def test_only_experiments_with_claims_are_run_and_their_forms_grow() -> None:
    known = {one.experiment.id: one for one in todo("li07.fig12", "li07.fig14", "open08.fig9")}
    assert set(known) == {"li07.fig12", "li07.fig14", "open08.fig9"}
    for one in known.values():
        runs = [len(form.plan.jobs) for form in one.forms]
        assert runs == sorted(runs) and len(set(runs)) == len(runs)
        assert (one.forms[-1].scale.name == "paper" and one.forms[-1].scale.repeats is None) or len(runs) == 1
    # 2 repeats at one point and 40 runs: a quick form, one of three repeats, and the whole.
    assert len(known["open08.fig9"].forms) >= 2


def test_what_no_claim_can_be_judged_by_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    # The claim about figure 15 is of the kernels of 2007: it needs a model of the hosts.
    assert todo("li07.fig15") == []
    # Those about figure 14 of 2004 are of its wide-area path.
    assert [one.experiment.id for one in todo("open08.fig8", "fast04.fig14")] == ["open08.fig8"]
    planned = experiment.plan

    def without_fast(*args: Any, **kwargs: Any) -> experiment.Plan:
        plan = planned(*args, **kwargs)
        lacking: dict[str, tuple[LeftOut, ...]] = {one.id: (LeftOut({"alg": ("fast",)}, "no fast"),) for one in args[0]}
        return dataclasses.replace(plan, left_out=lacking)

    monkeypatch.setattr(experiment, "plan", without_fast)
    # Figure 7's claims: two of FAST alone, others of Reno.
    (seven,) = todo("li07.fig7")
    reached = {one.id for one in deciding.within_reach(seven)}
    assert "li07.c27" in reached and not {"li07.c25", "li07.c26"} & reached


@pytest.mark.parametrize(
    ("predicate", "lacks"),
    [
        ("M('x', alg='bic') > 1", False),
        ("M('x', alg='bic') > 1 and M('x', alg='fast') > 2", False),
        ("M('x', alg='bic') > M('x', alg='fast')", True),
        ("all(M('x', alg=a) > 1 for a in ['bic', 'fast'])", False),
        ("all(M('x', alg=a) > 1 for a in ['fast', 'bic'])", True),
        ("min(M('x', alg=a) for a in ['bic', 'fast']) > 1", True),
        # A mean over all algorithms, and the values of each of them.
        ("M('x', rate=10) > 1", True),
        ("min(V('x', over='alg', rate=10)) > 1", True),
        # What another experiment has is not known here.
        ("M('x', exp='other') > 1", False),
    ],
)
def test_a_claim_that_reads_a_missing_algorithm_whatever_was_measured_cannot_be_judged(predicate: str, lacks: bool) -> None:
    assert surely_lacks(ast.parse(predicate, mode="eval"), {"alg": {"fast"}}) is lacks


def test_a_quick_scale_that_asks_something_else_is_no_form() -> None:
    (short,), (window,) = (chosen([id])[0][1] for id in ("li07.fig4", "li07.fig12"))
    assert short.quick is not None and short.quick.scenario is not None
    assert {form.scale.quick for form in todo("li07.fig4")[0].forms} == {False}
    assert window.quick is not None and window.quick.scenario is None
    assert todo("li07.fig12")[0].forms[0].scale.quick


def test_the_cost_is_that_of_packets_seconds_and_flows() -> None:
    made = Scenario(bottleneck={"rate": "12Mbit", "queue": 10}, flows=["reno", "reno"], rtt="40ms", duration="100s")
    # A thousand packets a second, 7 us each; 10 ms a second, and 3 ms for each flow.
    assert run_cost_s(made) == pytest.approx(100 * (1000 * 7e-6 + 0.01 + 2 * 0.003))


def test_the_cheapest_comes_first_and_nothing_is_run_twice(tmp_path: Path) -> None:
    def run(most_s: float = 1e9) -> list[Any]:
        with writing_results(tmp_path / "out") as results:
            steps = carry_out(results, todo("open08.fig1", "open08.fig8"), most_s=most_s, jobs=1, command="test", on_step=lambda _: None)
            return [(one.id, one.form.name, len(one.verdicts), one.undecided) for one in steps]

    stored = RunStore(tmp_path / "out" / "runs")
    costs = [one.forms[0].cost_s(stored) for one in todo("open08.fig1", "open08.fig8")]
    assert run(most_s=min(costs) / 2) == []
    first = run()
    assert [one[0] for one in first][:1] == ["open08.fig1"] and {one[0] for one in first} == {"open08.fig1", "open08.fig8"}
    assert all(verdicts > 0 for _, _, verdicts, _ in first)
    assert sum(form.cost_s(stored) for one in todo("open08.fig1", "open08.fig8") for form in one.forms[:1]) == 0
    # What is stored costs nothing, so no budget is too small.
    assert run(most_s=0) == first


def test_without_a_kernel_the_command_says_how_to_build_one(cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    outcome = cli("suite", "kernel", "--out", str(tmp_path / "out"))
    assert outcome.code == 2 and "windtunnel kernel build" in outcome.err
    assert cli("suite", "kernel", "--hours", "0", "--out", str(tmp_path / "out")).code == 2
    assert not (tmp_path / "out").exists()
