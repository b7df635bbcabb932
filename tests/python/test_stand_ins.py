"""A file in a protocol's place, ``--alg reno=./mine.c``: the experiments and claims stay the protocol's, the runs are the file's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from controllers import Write

import windtunnel as wt
from windtunnel import agreement, experiment, foreign
from windtunnel.agreement.runs import stored_run
from windtunnel.experiment import Draws, Experiment, Measure, Point, Scale
from windtunnel.scenario import ScenarioError
from windtunnel.store import open_results, writing_results

Cli = Callable[..., Any]


def beside_cubic(point: Point, _: Draws) -> wt.Scenario:
    flows = (wt.Flow(algorithm=point["alg"], parameters=dict(point.get("set", ()))), wt.Flow(algorithm="cubic"))
    return wt.Scenario(bottleneck=wt.Bottleneck(rate_bps=10e6, queue_packets=20), flows=flows, rtt_s=0.02, duration_s=12.0)


def single(**points: Any) -> Experiment:
    """An experiment of one protocol, whose metric is about that protocol's flow."""
    return Experiment(
        id="t.one",
        title="One",
        question="How much more?",
        source="none",
        points={"alg": ("reno",), **points},
        scenario=beside_cubic,
        measures=(Measure("asym", t0=2.0, t1=12.0), Measure("thr_mbps", flow="reno", t0=2.0, t1=12.0)),
        repeats=1,
        kept="rates",
    )


def test_runs_are_the_files_and_points_and_metrics_the_protocols(written: Write, tmp_path: Path) -> None:
    mine = foreign.make(written()).name
    scale = Scale(algorithms=("reno",), files={"reno": mine})
    plan = experiment.plan([single()], scale)
    (job,) = plan.jobs.values()
    assert [flow.algorithm for flow in job.scenario.flows] == [mine, "cubic"]
    for folder, which in (("own", Scale()), ("file", scale)):
        with writing_results(tmp_path / folder) as results:
            asked = experiment.plan([single()], which)
            experiment.execute(asked, results, jobs=1, command="test {id}", on_step=lambda _: None)
    own, file = (open_results(tmp_path / folder) for folder in ("own", "file"))
    assert file.measures("t.one")["alg"].to_list() == ["reno", "reno"]
    # The file is Reno's law, back-off and growth: it has what Reno has, and Reno's flow is the one that is asked for.
    assert file.measures("t.one")["value"].to_list() == own.measures("t.one")["value"].to_list()
    assert all(value is not None for value in own.measures("t.one")["value"])
    assert "reno is run by mine.c, not by the backend's own: --alg." in file.declaration("t.one")["notes"]
    assert own.declaration("t.one")["notes"] == []


def test_a_parameter_that_the_file_does_not_have_is_refused(written: Write) -> None:
    mine = foreign.make(written()).name
    changed = replace(single(set=((("a", 0.02),),)), points={"alg": ("scalable",), "set": ((("a", 0.02),),)})
    with pytest.raises(ScenarioError, match=r"alg: mine\.c cannot run in place of scalable: .*'a'") as refused:
        experiment.plan([changed], Scale(files={"scalable": mine}))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("alg", "said"),
    [
        ("scalable=bic", "'scalable=bic' names no file behind the sign of equality; allowed: as scalable=./tcp_scalable.c"),
        ("scalable=", "'scalable=' names no file"),
        ("scalable=./none.c", "none.c: does not exist"),
        ("scalabel=./none.c", "did you mean 'scalable'"),
        ("scalable=./mine.c,scalable=./mine.c", "scalable has two files; allowed: one"),
        ("reno=./mine.c", "leaves nothing to run"),
    ],
)
def test_what_names_no_file_for_a_protocol_is_one_line(cli: Cli, written: Write, alg: str, said: str) -> None:
    written()
    outcome = cli("suite", "run", "li07.fig12", "--alg", alg)
    assert outcome.code == 2
    assert said in outcome.err
    assert outcome.err.count("\n") == 1


def test_the_command_of_a_suite_says_the_file_and_its_key(cli: Cli, written: Write, tmp_path: Path) -> None:
    mine = written()
    asked = ["suite", "run", "li07.fig12", "--alg", f"scalable={mine}", "--at", "rtt=42", "--longest", "112s", "--jobs", "1"]
    outcome = cli(*asked, "--out", "r")
    assert outcome.code == 0, outcome.err
    results = open_results(tmp_path / "r")
    assert f"--alg scalable={mine}" in results.facts["command"]
    assert results.facts["command"].endswith(f"  # {foreign.make(mine).name}")
    assert set(results.measures("li07.fig12")["alg"]) == {"scalable"}


def test_of_a_comparison_the_kernels_run_the_file_and_the_simulator_the_protocol(
    written: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = foreign.make(written()).name
    monkeypatch.setattr("windtunnel.agreement.study.has", lambda _: True)
    study = agreement.make("live-brief", ("scalable", "reno"), live=True, files={"scalable": mine})
    ours, theirs = study.sides
    (brief,) = study.experiments
    ran = {}
    for side in (ours, theirs):
        laid_out = study.scale(side).scenario(brief)
        ran[side.name] = [laid_out({"alg": alg, "rate": 10, "rtt": 42, "q": 0.2}, Draws(1)).flows[0].algorithm for alg in study.algorithms]
    assert ran == {"simulator": ["scalable", "reno"], "live kernel": [mine, "reno"]}
    # What is read again of a side that ran the file is about the protocol.
    scenario = study.scale(theirs).scenario(brief)({"alg": "scalable", "rate": 10, "rtt": 42, "q": 0.2}, Draws(1))
    made = wt.run(scenario.model_copy(update={"duration_s": 9.0, "warmup_s": 1.0}))
    with writing_results(tmp_path / "side") as results:
        results.runs.keep("0" * 16, made.records, "all")
        view = stored_run(results, "0" * 16, ("scalable", 10, 42, 0.2))
    assert view.under_test == (0, 1)
