"""Claims in the cheapest form that decides them, without a kernel: the simulator stands in for it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from windtunnel import experiment
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


def test_a_claim_that_reads_what_the_backend_lacks_is_not_within_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    planned = experiment.plan

    def without_fast(*args: Any, **kwargs: Any) -> experiment.Plan:
        plan = planned(*args, **kwargs)
        cells = {id: tuple(cell for cell in own if "fast" not in cell.point.values()) for id, own in plan.cells.items()}
        return dataclasses.replace(plan, cells=cells)

    monkeypatch.setattr(experiment, "plan", without_fast)
    # Figure 7's claims: of FAST, of all protocols, one that averages over them, and one of Reno at four queues.
    (seven,) = todo("li07.fig7")
    assert list(seven.claims) == ["li07.c27"]
    assert {(cell.point["alg"], cell.point["q"]) for cell in seven.forms[0].plan.cells["li07.fig7"]} == {
        ("reno", 0.1),
        ("reno", 0.2),
        ("reno", 0.5),
        ("reno", 1.0),
    }
    # Figure 6 compares all with FAST, and in one claim four with Reno at one path.
    (six,) = todo("li07.fig6")
    assert list(six.claims) == ["li07.c21"] and len(six.forms[0].plan.cells["li07.fig6"]) == 4 * deciding.FEW


def test_what_a_claim_reads_is_run_before_it_is_told_and_grows_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The claim compares queues of one experiment with the utilisation of another.
    read = {"fast04.fig2", "fast04.fig3"}
    asked = [one for one in todo(*read) if one.claims.get("fast04.c08") == read]
    assert {one.experiment.id for one in asked} == read
    short = [dataclasses.replace(one, claims={"fast04.c08": frozenset(read)}, forms=one.forms[:2]) for one in asked]
    verdicts = iter(["not_run", "inconclusive", "holds", "holds"])

    def told(*_: Any) -> list[Any]:
        return [SimpleNamespace(id="fast04.c08", verdict=next(verdicts))]

    ran: list[str] = []
    monkeypatch.setattr(deciding, "registers_of", lambda _: [None])
    monkeypatch.setattr(deciding, "verdicts_of", told)
    monkeypatch.setattr(deciding, "store_facts", lambda *_, **__: None)
    monkeypatch.setattr(experiment, "execute", lambda plan, *_, **__: ran.append(plan.experiments[0].id))
    with writing_results(tmp_path / "out") as results:
        monkeypatch.setattr(type(results), "experiments", lambda *_: sorted(set(ran)))
        steps = carry_out(results, short, most_s=1e9, jobs=1, command="test", on_step=lambda _: None)
        outcomes = [(one.id, one.form.name, len(one.verdicts), len(one.undecided)) for one in steps]
    first, second = (form.name for form in short[0].forms)
    assert [one[1:] for one in outcomes] == [(first, 0, 0), (first, 1, 1), (second, 1, 0), (second, 1, 0)]
    assert [{one[0] for one in outcomes[at : at + 2]} for at in (0, 2)] == [read, read]


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
            return [(one.id, one.form.name, len(one.verdicts), len(one.undecided)) for one in steps]

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
