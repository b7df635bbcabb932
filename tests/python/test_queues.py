"""Queue disciplines from the outside: how they are chosen, refused, and what a run says of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.scenario import ScenarioError, canonical, catalogue, digest, parse, resolve

LINK = {"rate": "10Mbit", "queue": 100}


def _scenario(**link: Any) -> wt.Scenario:
    return parse({"rtt": "20ms", "duration": "5s", "bottleneck": {**LINK, **link}, "flows": ["reno", "cubic,start=1s"]})


def test_the_short_form_and_the_table_are_one_scenario() -> None:
    text = _scenario(discipline="codel,target=10ms,interval_s=0.2")
    table = _scenario(discipline="codel", discipline_parameters={"target_s": 0.01, "interval": "200ms"})
    assert digest(text) == digest(table)
    assert resolve(text)["forward"]["discipline"] == {"name": "codel", "parameters": {"interval_s": 0.2, "target_s": 0.01}}


def test_drop_tail_said_or_unsaid_is_the_scenario_it_always_was() -> None:
    assert digest(_scenario()) == digest(_scenario(discipline="drop-tail"))
    assert "discipline" not in canonical(_scenario())["bottleneck"] and resolve(_scenario())["forward"]["discipline"] is None


@pytest.mark.parametrize(
    ("link", "named"),
    [
        ({"discipline": "codle"}, "codel"),
        ({"discipline": "codel,target=2s"}, "1e-06 to 1 s"),
        ({"discipline": "codel,quantum=3"}, "target_s, interval_s"),
        ({"discipline": "codel,target"}, "not key=value"),
        ({"discipline": "codel,target=5ms,target_s=6ms"}, "given twice"),
        ({"discipline": "drop-tail,target=5ms"}, "allowed: none"),
        ({"discipline": 3}, "not a name"),
        ({"discipline": "codel", "discipline_parameters": 3}, "not a table"),
        ({"discipline": "codel", "mark": 20}, "with drop-tail only"),
    ],
)
def test_what_cannot_be_is_refused_by_name(link: dict[str, Any], named: str) -> None:
    with pytest.raises(ScenarioError, match="bottleneck") as refused:
        _scenario(**link)
    assert named in str(refused.value)


@pytest.mark.parametrize("name", list(catalogue().disciplines))
def test_every_discipline_runs_and_its_link_is_sampled_to_the_end(name: str) -> None:
    run = wt.run(_scenario(discipline=name))
    samples = run.link_samples
    assert samples["t_s"].to_list() == pytest.approx([0.01 * i for i in range(len(samples))])
    assert samples["t_s"][-1] == pytest.approx(5.0) and samples["queue_packets"].max() <= 100
    last = samples.row(-1, named=True)
    # Adaptive RED keeps ten packets or so and is still finding its probability: it uses less than half of these five seconds.
    assert last["dropped_packets"] > 0 and 2.5e6 < last["delivered_bytes"] <= 10e6 / 8 * 5


def test_marks_of_a_discipline_reach_the_records() -> None:
    document = {"rtt": "20ms", "duration": "5s", "bottleneck": {**LINK, "discipline": "codel"}, "record_marks": True, "record_drops": True}
    run = wt.run(parse({**document, "flows": ["reno,ecn=classic", "reno,ecn=classic"]}))
    kinds = run.events["kind"].to_list()
    assert kinds.count("mark") == run.link_samples["marked_packets"][-1] > 0
    assert kinds.count("drop") == run.link_samples["dropped_packets"][-1]


def test_the_command_line_lists_them_and_takes_them(cli: Callable[..., Any]) -> None:
    assert [entry["name"] for entry in cli("queues", "--json").json()] == list(catalogue().disciplines)
    assert "interval_s" in cli("queues", "codel").out
    given = ["--rate", "10Mbit", "--rtt", "20ms", "--flow", "reno", "--duration", "2s", "--json"]
    told = cli("run", *given, "--aqm", "pie,target=20ms").json()
    assert told["scenario"]["bottleneck"]["discipline_parameters"] == {"target_s": 0.02}


def test_a_filter_of_acks_says_where_it_sees_none() -> None:
    forward = _scenario(discipline="ack-filter")
    assert any("no flow's data goes reverse" in note for note in wt.run(forward).notes)
    both = parse(
        {"rtt": "20ms", "duration": "5s", "bottleneck": {**LINK, "discipline": "ack-filter"}, "flows": ["reno", "reno,direction=reverse"]}
    )
    assert wt.run(both).notes == ()


def test_filtered_acks_keep_a_link_full_that_waits_for_every_one_otherwise(cli: Callable[..., Any]) -> None:
    run = ["run", "--rate", "10Mbit", "--rtt", "40ms", "--flow", "reno,window=60", "--duration", "10s", "--warmup", "3s", "--reverse-rate"]
    run += ["41600", "--reverse-queue", "1000", "--json"]
    plain, filtered = cli(*run).json(), cli(*run, "--reverse-aqm", "ack-filter").json()
    # 100 ACKs a second of 52 bytes, two segments each: 200 of the 833 segments that fill the link.
    assert plain["links"][0]["utilisation"] == pytest.approx(0.24, rel=0.01)
    assert filtered["links"][0]["utilisation"] == pytest.approx(1.0, abs=1e-6)
    assert plain["links"][1]["dropped_packets"] == 0 < filtered["links"][1]["dropped_packets"]
    table = {"rate": 41600, "queue": 1000, "discipline": "ack-filter"}
    written = {"rtt": "40ms", "duration": 10, "warmup": 3, "bottleneck": {"rate": "10Mbit"}, "reverse": table}
    assert digest(parse({**written, "flows": ["reno,window=60"]})) == filtered["digest"]


def test_a_bad_discipline_of_the_reverse_link_is_refused_by_name(cli: Callable[..., Any]) -> None:
    run = ["run", "--rate", "10Mbit", "--rtt", "40ms", "--flow", "reno", "--reverse-rate", "1Mbit", "--reverse-aqm"]
    for given, named in (("ack-filtre", "ack-filter"), ("ack-filter,every=2", "every")):
        refused = cli(*run, given)
        assert refused.code == 2 and "reverse.discipline" in refused.err and named in refused.err
