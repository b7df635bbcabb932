"""Models of loss, as tables and as lines; what a run with them says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.backends.linux import plan
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.scenario import Scenario, ScenarioError, canonical, digest, load, parse, resolve


def scenario(*losses: Any, **more: Any) -> Scenario:
    return parse({"rtt": "40ms", "duration": "20s", "bottleneck": {"rate": "10Mbit", "losses": list(losses)}, "flows": ["reno"], **more})


def test_a_line_and_a_table_are_the_same_scenario() -> None:
    line = scenario("timed,interval=100ms,probability=0.5,among=data", "scripted,packets=40+3,flow=0")
    tables = scenario(
        {"model": "timed", "interval_s": 0.1, "probability": 0.5, "among": "data"}, {"model": "scripted", "packets": [3, 40], "flow": 0}
    )
    assert digest(line) == digest(tables)
    assert canonical(parse(canonical(line))) == canonical(line)


def test_the_engine_gets_integers() -> None:
    timed, periodic = resolve(scenario("timed,interval=100ms,probability=0.5", "periodic,every=10"))["forward"]["losses"]
    assert timed == {"model": "timed", "among": "all", "interval_ns": 100_000_000, "probability": 0.5}
    assert periodic == {"model": "periodic", "among": "all", "every": 10, "first": 10}


def test_a_scenario_without_models_keeps_its_name() -> None:
    assert "losses" not in canonical(scenario())["bottleneck"]
    assert digest(scenario()) == digest(parse({"rtt": "40ms", "duration": "20s", "bottleneck": {"rate": "10Mbit"}, "flows": ["reno"]}))


def test_a_file_takes_both_forms(tmp_path: Any) -> None:
    path = tmp_path / "s.toml"
    text = 'rtt = "40ms"\nflows = ["reno"]\nreverse = { loss = 0.1 }\n[bottleneck]\nrate = "10Mbit"\n'
    path.write_text(
        text + 'losses = ["periodic,every=50", { model = "gilbert-elliott", to_bad = 0.01, to_good = 0.5 }]\n', encoding="utf-8"
    )
    read = load(path)
    assert [model.model for model in read.bottleneck.losses] == ["periodic", "gilbert-elliott"]
    assert read.reverse is not None and read.reverse.rate_bps == 10e6 and read.reverse.loss_probability == 0.1


@pytest.mark.parametrize(
    ("loss", "parts"),
    [
        ("burst,p=1", ["losses[0].model", "'burst'", "gilbert-elliott, periodic, scripted, timed"]),
        ("periodic", ["every", "missing"]),
        ("periodic,every=1", ["every", "'1'", "2 to"]),
        ("periodic,every", ["losses[0]", "key=value"]),
        ("periodic,every=2,every=3", ["every", "twice"]),
        ("scripted,packets=0", ["packets[0]", "'0'", "1 to"]),
        ("timed,interval=1us,probability=0.5", ["interval_s", "1us", "0.001 to 3600 s"]),
        ("gilbert-elliott,to_bad=0.1,to_good=0", ["to_good", "'0'", "above 0"]),
        ("periodic,every=9,among=some", ["among", "'some'", "all, data, acks"]),
        (7, ["losses[0]", "int", "table"]),
    ],
)
def test_a_bad_model_is_refused_by_name(loss: Any, parts: list[str]) -> None:
    with pytest.raises(ScenarioError) as refused:
        scenario(loss)
    assert all(part in str(refused.value) for part in parts), str(refused.value)


def test_a_script_for_a_flow_that_is_not_there_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"losses\[0\].flow: 1 is not allowed"):
        wt.run(scenario("scripted,packets=1,flow=1"))


def test_a_script_loses_exactly_its_packets() -> None:
    run = wt.run(scenario("scripted,packets=3+40,flow=0", duration="2s"))
    assert run.links["lost_packets"].to_list() == [2]
    assert run.flows["lost_packets"].to_list() == [2]


def test_loss_options_reach_both_links(cli: Callable[..., Any], quick: list[str]) -> None:
    options = ["--loss", "1e-3", "--loss", "periodic,every=500", "--reverse-loss", "0.2", "--reverse-rate", "1Mbit", "--json"]
    data = cli("run", *quick, *options).json()["scenario"]
    assert data["bottleneck"]["loss_probability"] == 1e-3 and data["bottleneck"]["losses"][0]["every"] == 500
    assert (data["reverse"]["rate_bps"], data["reverse"]["loss_probability"]) == (1e6, 0.2)


def test_two_probabilities_are_refused(cli: Callable[..., Any], quick: list[str]) -> None:
    outcome = cli("run", *quick, "--loss", "0.1", "--loss", "0.2")
    assert outcome.code == 2 and "0.1 and 0.2 are all given" in outcome.err


def test_a_guest_has_two_states_of_loss_and_refuses_the_others_by_name() -> None:
    burst = "gilbert-elliott,to_bad=0.01,to_good=0.5"
    made = scenario(burst, flows=["reno"])
    assert unsupported(made) == []
    # Parts of 2^32, the largest number for one.
    assert "burst forward 42949673 2147483648 4294967295 0" in plan.make(made).text.splitlines()
    refused = {
        "netem has no periodic": scenario("periodic,every=50"),
        "netem does not distinguish data from the rest": scenario(burst + ",among=data"),
        "netem has one law of loss per link": scenario(burst, burst),
    }
    for reason, one in refused.items():
        found = unsupported(one)
        assert len(found) == 1 and found[0].startswith("bottleneck.losses[") and found[0].endswith(reason)
