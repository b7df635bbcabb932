"""Open choices: declared with a reason, run beside the chosen value, and judged claim by claim."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from windtunnel import report
from windtunnel.backends.sim import Simulator
from windtunnel.claims import packaged_register
from windtunnel.experiment import Alternative, Choice, Draws, Experiment, Measure, Point, Quick, Scale, execute_all, runner, varied
from windtunnel.records import Records
from windtunnel.scenario import Bottleneck, Flow, Scenario, ScenarioError
from windtunnel.store import CHOSEN, Results, writing_results
from windtunnel.suites import suite, suites
from windtunnel.suites.finding import Suite, SuiteError
from windtunnel.suites.varying import open_choices, parameters, scaled_queue, sensitivity_parts

OPEN = [(one, choice) for name in suites() for one in suite(name).experiments for choice in one.choices]
IDS = [f"{experiment.id} {choice.name}" for experiment, choice in OPEN]


def pair(point: Point, draws: Draws) -> Scenario:
    flows = tuple(Flow(algorithm=point["alg"], rtt_s=0.02, start_s=start) for start in (0.0, round(draws.uniform("start"), 3)))
    return Scenario(bottleneck=Bottleneck(rate_bps=10e6, queue_packets=16), flows=flows, duration_s=2.0, warmup_s=1.5, sample_s=0.1)


QUEUE = Choice(
    "queue", "the queue", "16 packets", "It is.", (Alternative("8 packets", scaled_queue(0.5)), Alternative("32", scaled_queue(2)))
)
SCALING = Choice("scaling", "H-TCP's scaling", "on", "It is.", (Alternative("off", parameters("htcp", rtt_scaling=0)),))


def made(**changed: Any) -> Experiment:
    default: dict[str, Any] = {"points": {"alg": ("reno", "htcp")}, "repeats": 2, "choices": (QUEUE, SCALING)}
    return Experiment(
        id="t.pair", title="T", question="Q?", source="S", scenario=pair, measures=(Measure("drops_pkts"),), **{**default, **changed}
    )


def asked(*experiments: Experiment) -> list[tuple[Suite, tuple[Experiment, ...]]]:
    return [(Suite("t", "T", experiments, lambda _: []), experiments)]


@contextlib.contextmanager
def here(_: int) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[Scenario]:
    found: list[Scenario] = []
    run = Simulator.run

    def counting(self: Simulator, scenario: Scenario) -> Records:
        found.append(scenario)
        return run(self, scenario)

    monkeypatch.setattr(Simulator, "run", counting)
    monkeypatch.setattr(runner, "workers", here)
    return found


def sensitivity(folder: Path, experiment: Experiment, scale: Scale | None = None) -> Results:
    with writing_results(folder) as results:
        choices = open_choices(asked(experiment), None)
        parts = sensitivity_parts(results, choices, scale or Scale(), backend="sim", command="run {id}", again="vary {id}")
        execute_all(parts, jobs=1, on_step=lambda _: None)
    return results


# What the suites declare.


@pytest.mark.parametrize(("experiment", "choice"), OPEN, ids=IDS)
def test_every_alternative_is_legal_and_changes_some_run(experiment: Experiment, choice: Choice) -> None:
    scale = Scale(quick=experiment.quick is not None)
    points = [point for point, seed in scale.grid(experiment) if seed <= 1]
    laid = [scale.scenario(experiment)(point, Draws(1)) for point in points]
    for alternative in choice.alternatives:
        other = varied(experiment, choice, alternative)
        changed = [scale.scenario(other)(point, Draws(1)) for point in points]
        assert any(one != another for one, another in zip(laid, changed, strict=True)), alternative.value
        Simulator().check(next(one for one, another in zip(changed, laid, strict=True) if one != another))


def test_a_choice_says_what_is_open_what_was_chosen_and_why() -> None:
    for experiment, choice in OPEN:
        assert choice.name == choice.name.lower() and " " not in choice.name
        assert choice.reason.endswith(".") and choice.question and not choice.question.endswith((".", "?")), choice
        assert choice.value not in [one.value for one in choice.alternatives] and choice.alternatives
        assert len({one.name for one in experiment.choices}) == len(experiment.choices)


def test_experiments_of_a_suite_that_share_a_choice_mean_the_same_one() -> None:
    for name in suites():
        declared: dict[str, Choice] = {}
        for one in suite(name).experiments:
            for choice in one.choices:
                assert declared.setdefault(choice.name, choice) is choice


# Another value.


def test_another_value_holds_at_every_scale_and_is_said() -> None:
    experiment = made(quick=Quick(scenario=lambda point, draws: pair(point, draws).model_copy(update={"duration_s": 1.8})))
    half = varied(experiment, QUEUE, QUEUE.alternatives[0])
    laid = [Scale(quick=quick).scenario(half)({"alg": "reno"}, Draws(1)) for quick in (False, True)]
    assert [one.bottleneck.queue_packets for one in laid] == [8, 8] and [one.duration_s for one in laid] == [2.0, 1.8]
    assert half.parameters == (("changed: the queue", "8 packets"),) and experiment.parameters == ()


def test_a_change_that_makes_no_scenario_is_refused_before_anything_runs(tmp_path: Path, ran: list[Scenario]) -> None:
    nothing = Choice("rate", "the rate", "2 s", "It is.", (Alternative("none", parameters("htcp", no_such=1.0)),))
    with pytest.raises((ScenarioError, ValueError), match="no_such"):
        sensitivity(tmp_path / "r", made(choices=(nothing,)))
    assert ran == []


# A sensitivity run.


def test_every_value_is_run_once_beside_the_chosen_one(tmp_path: Path, ran: list[Scenario]) -> None:
    results = sensitivity(tmp_path / "r", made())
    # Two protocols and two repeats; as declared, with half and twice the queue, and H-TCP alone without scaling.
    assert len(ran) == 4 + 8 + 2
    assert len(list((tmp_path / "r" / "runs").iterdir())) == 14
    tables = {value: results.under("t.queue", value).measures("t.pair") for value in (CHOSEN, "8 packets", "32")}
    assert tables[CHOSEN].equals(results.measures("t.pair"))
    assert len({table["value"].sum() for table in tables.values()}) == 3
    other = results.under("t.scaling", "off").measures("t.pair")
    same = pl.col("alg") == "reno"
    assert other.filter(same)["run"].to_list() == tables[CHOSEN].filter(same)["run"].to_list()
    assert set(other.filter(~same)["run"]).isdisjoint(tables[CHOSEN]["run"])
    ran.clear()
    sensitivity(tmp_path / "r", made())
    assert ran == []


def test_what_the_folder_holds_at_another_scale_stays(tmp_path: Path, ran: list[Scenario]) -> None:
    sensitivity(tmp_path / "r", made())
    ran.clear()
    results = sensitivity(tmp_path / "r", made(), Scale(repeats=1))
    assert results.measures("t.pair").height == 4 and results.under("t.queue", CHOSEN).measures("t.pair").height == 2
    assert results.declaration("t.pair")["command"] == "run t.pair"
    assert results.under("t.queue", "32").declaration("t.pair")["command"] == "vary t.pair" and ran == []


def test_only_the_choices_that_are_named_are_run() -> None:
    experiments = asked(made())
    assert list(open_choices(experiments, None)) == ["t.queue", "t.scaling"]
    assert list(open_choices(experiments, ["scaling"])) == list(open_choices(experiments, ["t.scaling"])) == ["t.scaling"]
    with pytest.raises(SuiteError, match=r"'rate' is not a known choice.*t\.queue"):
        open_choices(experiments, ["rate"])
    with pytest.raises(SuiteError, match="no open choice"):
        open_choices(asked(made(choices=())), None)


# Verdicts. Figure 17 claims that two H-TCP flows end within 10 % of each other at three round-trip times.


def store_figure_17(results: Results, fairness: float) -> None:
    experiment = next(one for one in suite("li07").experiments if one.id == "li07.fig17")
    rows = [
        {"alg": "htcp", "rtt": rtt, "seed": 1, "metric": "fair_final", "value": fairness, "run": f"{rtt:032.0f}"}
        for rtt in (42.0, 162.0, 324.0)
    ]
    declaration = {
        **dict.fromkeys(("title", "question", "source", "command"), "x"),
        **{"scale": "quick", "backend": "sim", "repeats": 1, "backend_version": 1, "parameters": [], "figures": [], "notes": []},
        "points": {"alg": ["htcp"], "rtt": [42, 162, 324]},
        "choices": [one.declared() for one in experiment.choices],
    }
    results.store_experiment("li07.fig17", declaration, pl.DataFrame(rows))


@pytest.fixture
def judged(tmp_path: Path) -> Results:
    with writing_results(tmp_path / "judged") as results:
        store_figure_17(results, 0.97)
        store_figure_17(results.under("li07.htcp-rtt-scaling", CHOSEN), 0.95)
        store_figure_17(results.under("li07.htcp-rtt-scaling", "no scaling"), 0.5)
        results.store_facts({"suites": ["li07"], "order": ["li07.fig17"], "facts": [], "findings": []})
    return results


def test_a_verdict_that_another_value_changes_depends_on_the_choice(judged: Results) -> None:
    (choice,) = report.run_choices(judged, [packaged_register("li07")])
    assert choice.run == ["no scaling"] and choice.alternatives == ["1 s, as printed", "no scaling"]
    (claim,) = choice.claims
    assert claim.id == "li07.c57" and [one.verdict for one in claim.verdicts] == ["holds", "fails"] and claim.depends
    assert [one.estimate for one in claim.verdicts] == [[0.95], [0.5]]
    store_figure_17(judged.under(choice.name, "no scaling"), 0.91)
    (again,) = report.run_choices(judged, [packaged_register("li07")])
    assert [one.verdict for one in again.claims[0].verdicts] == ["holds", "holds"] and not again.claims[0].depends


def test_a_claim_that_no_value_can_judge_is_named(judged: Results) -> None:
    for value in (CHOSEN, "no scaling"):
        side = judged.under("li07.htcp-rtt-scaling", value)
        declared = side.declaration("li07.fig17")
        side.store_experiment("li07.fig17", declared, side.measures("li07.fig17").with_columns(metric=pl.lit("util")))
    (choice,) = report.run_choices(judged, [packaged_register("li07")])
    assert choice.claims == [] and choice.unjudged == ["li07.c57"]


def test_the_page_shows_every_choice_with_its_reason_and_the_verdicts_by_value(judged: Results, tmp_path: Path) -> None:
    index = report.write(report.assemble(judged), tmp_path / "report")
    page = (index.parent / "experiments" / "li07.fig17.html").read_text(encoding="utf-8")
    section = page[page.index('id="choices"') :]
    section = section[: section.index("</section>")]
    assert "the paper prints the increase times the round-trip time, without a reference." in section
    assert section.index("(chosen)") < section.index('<th scope="col">no scaling') and "1 s, as printed" not in section
    assert section.index("holds") < section.index("fails") < section.index("<td>yes</td>")


def test_a_choice_that_was_not_run_is_shown_without_verdicts(judged: Results) -> None:
    import shutil

    shutil.rmtree(judged.folder / "choices")
    (section,) = report.assemble(judged).sections
    (choice,) = section.choices
    assert choice.claims == () and choice.run == () and choice.value == "100 ms, the scale within 0.1 to 2"
    assert replace(choice, name="x").values == [choice.value]


# The command.


def test_the_command_lists_what_is_open(cli: Callable[..., Any]) -> None:
    outcome = cli("suite", "sensitivity", "slac03", "--list", "--json")
    rows = {row["name"]: row for row in json.loads(outcome.out)}
    assert outcome.code == 0 and rows["slac03.queue"]["value"] == "16 MB" and "slac03.tab1" in rows["slac03.queue"]["experiments"]
    assert set(rows["slac03.queue"]) == {"name", "question", "value", "reason", "alternatives", "experiments"}


def test_a_choice_that_does_not_exist_is_refused_in_a_line(cli: Callable[..., Any], tmp_path: Path) -> None:
    outcome = cli("suite", "sensitivity", "li07.fig17", "--choice", "colour", "--out", str(tmp_path / "r"))
    assert outcome.code == 2 and outcome.out == "" and len(outcome.err.splitlines()) == 1 and "colour" in outcome.err
    assert not (tmp_path / "r").exists()


def test_the_command_runs_and_judges(cli: Callable[..., Any], tmp_path: Path, ran: list[Scenario]) -> None:
    args = ("suite", "sensitivity", "li07.fig17", "--choice", "htcp-rtt-scaling", "--quick", "--jobs", "1", "--json")
    outcome = cli(*args, "--out", str(tmp_path / "r"))
    assert outcome.code == 0, outcome.err
    (choice,) = json.loads(outcome.out)
    assert choice["chosen"] == "100 ms, the scale within 0.1 to 2" and len(ran) == 9
    (claim,) = choice["claims"]
    assert list(claim["verdicts"]) == [choice["chosen"], "1 s, as printed", "no scaling"] and claim["id"] == "li07.c57"
    assert claim["depends"] == (len(set(claim["verdicts"].values())) > 1)
