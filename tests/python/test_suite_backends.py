"""Suites on a second backend, without a kernel: a stand-in that can express what a kernel can, and runs it in the simulator."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import pytest

from windtunnel import backends
from windtunnel.backends.linux import expressible
from windtunnel.backends.sim import Simulator
from windtunnel.cli import main
from windtunnel.experiment import elsewhere, plan, runner
from windtunnel.experiment.elsewhere import left_out, restated
from windtunnel.records import Records
from windtunnel.scenario import Bottleneck, Flow, Scenario, digest
from windtunnel.store import Results, open_results

RUN = ("suite", "run", "li07.fig12", "li07.fig13", "--jobs", "1")
"""Windows of two Scalable flows, and of two FAST flows: two runs each, with claims of their own."""


class StandIn:
    """The kernel's place: its stack, what it can express, the simulator's numbers."""

    name, exact, title, stack = "linux", "linux:00ff", "Linux 6.1 (mine, 00ff)", "linux-6.1"
    runs_alone = False
    ran: ClassVar[list[Scenario]] = []
    stop_after: ClassVar[int | None] = None

    def version(self) -> int:
        return 77

    def unsupported(self, scenario: Scenario) -> list[str]:
        return expressible.unsupported(scenario)

    def check(self, scenario: Scenario) -> None:
        assert not self.unsupported(scenario)

    def run(self, scenario: Scenario) -> Records:
        if self.stop_after is not None and len(self.ran) >= self.stop_after:
            raise KeyboardInterrupt
        self.ran.append(scenario)
        return Simulator().run(scenario)


@contextlib.contextmanager
def here(_: int) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def stand_in(patched: pytest.MonkeyPatch) -> list[Scenario]:
    def backend(name: str) -> Any:
        return StandIn() if name.partition(":")[0] == "linux" else backends.backend(name)

    patched.setattr(StandIn, "ran", [])
    patched.setattr(runner, "workers", here)
    for module in ("plan", "runner"):
        patched.setattr(sys.modules[f"windtunnel.experiment.{module}"], "backend_of", backend)
    return StandIn.ran


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[Scenario]:
    return stand_in(monkeypatch)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both backends in one folder, the simulator first."""
    path = tmp_path_factory.mktemp("made") / "results"
    with pytest.MonkeyPatch.context() as patched:
        stand_in(patched)
        assert main([*RUN, "--out", str(path)]) == 0
        assert main([*RUN, "--backend", "linux", "--out", str(path)]) == 0
    return path


def tables(results: Results, backend: str) -> dict[str, list[Any]]:
    return {id: results.measures(id, backend).rows() for id in results.experiments(backend)}


def test_both_backends_stand_in_one_folder_each_under_its_own_keys(made: Path) -> None:
    results = open_results(made)
    assert results.backends() == ["sim", "linux"]
    assert results.experiments("sim") == results.experiments("linux") == ["li07.fig12", "li07.fig13"]
    ours, theirs = (set(results.measures("li07.fig12", name)["run"]) for name in ("sim", "linux"))
    assert len(ours) == len(theirs) == 2 and not ours & theirs
    # Without a name it is the simulator's, as it was when there was nothing else.
    assert results.measures("li07.fig12").equals(results.measures("li07.fig12", "sim"))
    assert results.declaration("li07.fig12", "linux")["backend"] == "linux"


def test_the_kernel_s_own_stack_runs_in_place_of_the_paper_s_and_the_page_says_so(made: Path) -> None:
    results = open_results(made)
    profile = {
        name: json.loads((results.runs.stored()[results.measures("li07.fig12", name)["run"][0]] / "run.json").read_text())["scenario"]
        for name in ("sim", "linux")
    }
    assert "altaimd-2.6.6" in json.dumps(profile["sim"]) and "linux-6.1" not in json.dumps(profile["sim"])
    assert "linux-6.1" in json.dumps(profile["linux"]) and "altaimd-2.6.6" not in json.dumps(profile["linux"])
    said = dict(results.declaration("li07.fig12", "linux")["parameters"])["stack run"]
    assert said.startswith("Linux 6.1 (mine, 00ff)") and said.endswith("in place of altaimd-2.6.6")
    assert "stack run" not in dict(results.declaration("li07.fig12", "sim")["parameters"])


def test_what_the_kernel_lacks_is_said_by_name_and_skipped(cli: Callable[..., Any], ran: list[Scenario], tmp_path: Path) -> None:
    outcome = cli(*RUN, "--backend", "linux", "--out", str(tmp_path / "results"), "--json")
    assert outcome.code == 0
    assert outcome.err.splitlines() == ["note: left out on linux: every point: no Linux kernel has fast (li07.fig13)"]
    answer = outcome.json()
    assert answer["experiments"] == {"li07.fig12": 2, "li07.fig13": 0} and answer["backend"] == "linux"
    assert answer["left_out"] == {"li07.fig13": [{"at": {}, "reason": "no Linux kernel has fast"}]}
    assert {flow.algorithm for one in ran for flow in one.flows} == {"scalable"}


def test_a_claim_is_judged_on_each_backend_by_its_own_runs(cli: Callable[..., Any], made: Path) -> None:
    rows = cli("claims", str(made), "--json").json()
    assert {row["backend"] for row in rows} == {"sim", "linux"}
    ids = [[row["id"] for row in rows if row["backend"] == name] for name in ("sim", "linux")]
    assert ids[0] == ids[1]
    fast = {row["backend"]: row for row in rows if row["experiment"] == "li07.fig13"}
    assert fast["sim"]["verdict"] != "not_run"
    assert fast["linux"]["verdict"] == "not_run" and fast["linux"]["reason"].endswith("no Linux kernel has fast")
    scalable = {row["backend"]: row for row in rows if row["experiment"] == "li07.fig12"}
    assert scalable["sim"]["estimate"] != scalable["linux"]["estimate"]
    assert scalable["sim"]["runs"] == scalable["linux"]["runs"] > 0
    only = cli("claims", str(made), "--backend", "linux", "--json").json()
    assert only == [row for row in rows if row["backend"] == "linux"]


def test_a_backend_that_measured_nothing_is_refused_by_name(cli: Callable[..., Any], ran: list[Scenario], tmp_path: Path) -> None:
    folder = tmp_path / "results"
    assert cli("suite", "run", "li07.fig13", "--jobs", "1", "--out", str(folder)).code == 0
    outcome = cli("claims", str(folder), "--backend", "linux")
    assert outcome.code == 2 and "allowed: sim" in outcome.err


def test_the_report_has_a_column_per_backend(cli: Callable[..., Any], made: Path, tmp_path: Path) -> None:
    assert cli("report", str(made), "--out", str(tmp_path / "report")).code == 0
    index = (tmp_path / "report" / "index.html").read_text()
    assert '<th scope="col">Simulator</th>' in index and '<th scope="col">Linux kernel</th>' in index
    assert "Linux 6.1 (mine, 00ff)" in index and "simulator, engine" in index
    # The commands of both, one a line.
    assert f"{' '.join(('windtunnel', *RUN[:-2]))} --out" in index and "--backend linux" in index
    fast = (tmp_path / "report" / "experiments" / "li07.fig13.html").read_text()
    assert "<dt>Linux kernel</dt>" in fast and "no Linux kernel has fast" in fast
    scalable = (tmp_path / "report" / "experiments" / "li07.fig12.html").read_text()
    assert "in place of altaimd-2.6.6" in scalable


def test_a_folder_of_two_suites_and_many_commands_says_all_of_them(cli: Callable[..., Any], ran: list[Scenario], tmp_path: Path) -> None:
    folder = tmp_path / "results"
    kernel = ("--backend", "linux", "--seeds", "1")
    asked = [("open08.fig1", "--seeds", "1"), ("li07.fig12", *kernel), ("open08.fig1", *kernel), ("li07.fig12", *kernel)]
    for one in asked:
        assert cli("suite", "run", *one, "--jobs", "1", "--out", str(folder)).code == 0
    facts = open_results(folder).facts
    assert facts["suites"] == ["li07", "open08"] and {"li07.fig12", "open08.fig1"} <= set(facts["order"])
    assert "ToN 15(5), 2007" in facts["subtitle"] and "Open" in facts["subtitle"]
    # Each command once, however often it was given: together they make the folder again.
    assert [line.split()[3:6] for line in facts["command"].splitlines()] == [
        ["open08.fig1", "--seeds", "1"],
        ["li07.fig12", "--backend", "linux"],
        ["open08.fig1", "--backend", "linux"],
    ]


def test_a_folder_of_the_kernel_alone_has_its_report(cli: Callable[..., Any], ran: list[Scenario], tmp_path: Path) -> None:
    folder = tmp_path / "results"
    assert cli(*RUN, "--backend", "linux", "--out", str(folder)).code == 0
    assert open_results(folder).backends() == ["linux"]
    assert cli("report", str(folder)).code == 0
    index = (folder / "report" / "index.html").read_text()
    assert '<th scope="col">Linux kernel</th>' not in index and '<th scope="col">Verdict</th>' in index
    assert "Linux kernel" in index
    assert list((folder / "report" / "figures").glob("li07.fig12-*.svg"))


def test_sql_tells_the_backends_apart(cli: Callable[..., Any], made: Path) -> None:
    query = "select backend, experiment, count(distinct run) as runs from measures group by all order by all"
    assert cli("sql", str(made), query, "--json").json() == [
        {"backend": "linux", "experiment": "li07.fig12", "runs": 2},
        {"backend": "sim", "experiment": "li07.fig12", "runs": 2},
        {"backend": "sim", "experiment": "li07.fig13", "runs": 2},
    ]


def test_a_second_run_of_either_backend_runs_nothing_and_leaves_the_other_s_measures(
    cli: Callable[..., Any], made: Path, ran: list[Scenario], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "results"))
    before = {name: tables(open_results(folder), name) for name in ("sim", "linux")}
    for backend in ("linux", "sim"):
        assert cli(*RUN, "--backend", backend, "--out", str(folder)).code == 0
    assert ran == []
    assert {name: tables(open_results(folder), name) for name in ("sim", "linux")} == before


def test_after_ctrl_c_finished_runs_are_kept(
    cli: Callable[..., Any], ran: list[Scenario], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "results"
    monkeypatch.setattr(StandIn, "stop_after", 1)
    assert cli(*RUN, "--backend", "linux", "--out", str(folder)).code == 130
    monkeypatch.setattr(StandIn, "stop_after", None)
    assert cli(*RUN, "--backend", "linux", "--out", str(folder)).code == 0
    assert len(ran) == len({digest(one) for one in ran}) == 2


def test_an_experiment_of_which_the_kernel_can_run_nothing_is_refused(cli: Callable[..., Any], ran: list[Scenario], tmp_path: Path) -> None:
    outcome = cli("suite", "run", "li07.fig13", "--backend", "linux", "--out", str(tmp_path / "results"))
    assert outcome.code == 2 and outcome.err.count("\n") == 1
    assert "no Linux kernel has fast" in outcome.err and "allowed: --backend sim" in outcome.err
    assert not (tmp_path / "results").exists()


def test_a_kernel_s_measures_of_an_older_folder_are_not_taken_for_the_simulator_s(made: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "results"))
    shutil.rmtree(folder / "experiments" / "li07.fig12")
    old = (folder / "experiments" / "li07.fig12@linux").rename(folder / "experiments" / "li07.fig12")
    # Older folders have no checksums.
    declared = {key: value for key, value in json.loads((old / "experiment.json").read_text()).items() if key not in ("checksum", "files")}
    (old / "experiment.json").write_text(json.dumps(declared | {"backend": "linux:00ff"}))
    assert open_results(folder).experiments("sim") == ["li07.fig13"]


def scenario(*flows: Flow, profile: str = "altaimd-2.6.6") -> Scenario:
    return Scenario(bottleneck=Bottleneck(rate_bps=10e6, queue_packets=10), flows=flows, rtt_s=0.02, duration_s=2.0, profile=profile)


def test_a_scenario_is_restated_for_the_only_stack_there_is_and_keeps_the_rest() -> None:
    asked = scenario(Flow(algorithm="reno"), Flow(algorithm="htcp", profile="linux-2.4", start_s=0.5, parameters={"adaptive_backoff": 0}))
    assert restated(asked, None) is asked
    found = restated(asked, "linux-6.1")
    assert elsewhere.profiles(found) == {"linux-6.1"}
    assert found.flows[1].start_s == 0.5 and found.flows[1].parameters == {"adaptive_backoff": 0}
    assert found.bottleneck == asked.bottleneck and found.duration_s == asked.duration_s
    # What asks for that stack already keeps its digest, and so its stored runs.
    same = scenario(Flow(algorithm="reno"), profile="linux-6.1")
    assert restated(same, "linux-6.1") is same


def test_what_is_left_out_is_named_by_what_tells_it_apart() -> None:
    points = {"alg": ("reno", "fast", "ptcp"), "rtt": (16, 42)}
    refused = [
        ({"alg": name, "rtt": rtt}, [f"flows[{flow}].algorithm: no {name}" for flow in (0, 1)]) for name in ("fast",) for rtt in (16, 42)
    ]
    refused.append(({"alg": "ptcp", "rtt": 42}, ["bottleneck.marking: no such thing"]))
    found = left_out(points, refused)
    assert [(one.where, one.reason) for one in found] == [
        ("alg=fast", "no fast"),
        ("alg=ptcp, rtt=42", "bottleneck.marking: no such thing"),
    ]
    every = left_out({"alg": ("fast",)}, [({"alg": "fast"}, ["x: y"])])
    assert (every[0].where, every[0].at) == ("", {})


def test_a_plan_names_the_kernel_by_its_digest(ran: list[Scenario]) -> None:
    # Another kernel that is built while a suite runs must not run the rest of it.
    from windtunnel.experiment import Scale
    from windtunnel.suites import suite

    experiment = next(one for one in suite("li07").experiments if one.id == "li07.fig12")
    made = plan(([experiment]), Scale(), backend="linux")
    assert (made.backend, made.kind) == ("linux:00ff", "linux")
    assert dataclasses.replace(made, jobs={}).left_out == {"li07.fig12": ()}
