from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import windtunnel as wt
from windtunnel.plots import look
from windtunnel.scenario import canonical, digest, parse


def test_the_package_imports_nothing_until_asked() -> None:
    program = "import sys, windtunnel as wt; assert 'polars' not in sys.modules and 'pydantic' not in sys.modules; wt.Scenario"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_run_is_callable_whichever_was_imported_first(document: dict[str, Any]) -> None:
    import windtunnel.run

    assert wt.run(parse(document)).digest == windtunnel.run(parse(document)).digest  # type: ignore[operator]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="bogus"):
        _ = wt.bogus  # type: ignore[attr-defined]
    assert "run" in dir(wt)


def test_a_run_hands_its_scenario_to_the_core_once(document: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from windtunnel import native

    asked = []

    def listening(name: str) -> Callable[[str], Any]:
        call = getattr(native, name)

        def listen(scenario_json: str) -> Any:
            asked.append(name)
            return call(scenario_json)

        return listen

    for name in ("canonical_json", "check", "fill", "run", "spec"):
        monkeypatch.setattr(native, name, listening(name))
    run = wt.run(parse(document))
    assert asked == ["run"]
    assert run.digest == digest(parse(document)) and dict(run.records.facts.scenario) == canonical(parse(document))


def test_samples_are_polars_frames(document: dict[str, Any]) -> None:
    run = wt.run(parse(document))
    assert isinstance(run.flow_samples, pl.DataFrame)
    assert {"t_s", "flow", "cwnd_packets", "ssthresh_packets", "srtt_s"} <= set(run.flow_samples.columns)
    assert run.flow_samples["flow"].n_unique() == 2
    assert isinstance(run.link_samples, pl.DataFrame) and isinstance(run.events, pl.DataFrame)
    assert run.acks is None


def test_only_a_scenario_runs() -> None:
    with pytest.raises(TypeError, match="Scenario"):
        wt.run({"rate": 3})  # type: ignore[arg-type]


def test_figures_draw_and_are_written(document: dict[str, Any], tmp_path: Path) -> None:
    run = wt.run(parse(document))
    assert len(run.plot.cwnd(tmp_path / "cwnd.svg").axes) == 1
    figure = run.plot.overview(tmp_path / "overview.png")
    assert [axis.get_ylabel().split(" ")[0] for axis in figure.axes] == ["cwnd", "goodput", "smoothed\nRTT", "queue", "drops"]
    assert (tmp_path / "cwnd.svg").stat().st_size and (tmp_path / "overview.png").stat().st_size


def test_the_same_command_draws_the_same_svg(tmp_path: Path, quick: list[str]) -> None:
    for name in ("a.svg", "b.svg"):
        command = [sys.executable, "-m", "windtunnel", "run", *quick, "--plot", str(tmp_path / name)]
        subprocess.run(command, check=True, capture_output=True)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_figure_without_samples_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(wt.ScenarioError, match="sample_s"):
        wt.run(parse({**document, "sample": 0})).plot.cwnd()


def test_every_protocol_has_its_own_look() -> None:
    from windtunnel.scenario import catalogue

    names = list(catalogue().algorithms)
    assert len({look(name) for name in names}) == len(names)
    assert look("cubic:nohystart") == look("cubic")


def test_the_catalogue_is_the_engines() -> None:
    from windtunnel.backends.catalogue import main

    assert main(["--check"]) == 0
    assert main(["--bogus"]) == 2


def test_no_parameter_hides_a_flow_key() -> None:
    from windtunnel.scenario import catalogue
    from windtunnel.scenario.flowtext import FLOW_KEYS

    for algorithm in catalogue().algorithms.values():
        # The streams of a whole stack's connection, and the connections that PTCP makes: a flow with a stack has no parameters.
        apart = {"streams"} if algorithm.name == "ptcp" else set()
        assert set(FLOW_KEYS) & set(algorithm.parameters) == apart, algorithm.name
    link = {"rate": "10Mbit", "queue": 50}
    (flow,) = parse({"bottleneck": link, "rtt": "20ms", "flows": ["ptcp,streams=4"]}).flows
    assert flow.parameters == {"streams": 4}
    with pytest.raises(wt.ScenarioError, match="streams"):
        wt.run(parse({"bottleneck": link, "rtt": "20ms", "flows": ["cubic,streams=4"]}))
