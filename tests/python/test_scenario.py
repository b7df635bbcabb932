from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import windtunnel as wt
from windtunnel.scenario import (
    Bottleneck,
    Flow,
    Scenario,
    ScenarioError,
    canonical,
    canonical_json,
    digest,
    fill,
    json_schema,
    parse,
    resolve,
)


def _with(document: dict[str, Any], **changes: Any) -> Scenario:
    return parse({**document, **changes})


def test_twenty_percent_of_the_bdp_is_175_packets() -> None:
    # 250 Mbit/s x 42 ms = 10.5 Mbit = 875 packets of 12000 bits; a fifth is 175.
    scenario = Scenario(bottleneck=Bottleneck(rate_bps=250e6, queue_bdp=0.2), flows=(Flow(algorithm="reno"),), rtt_s=0.042)
    assert resolve(scenario)["forward"]["queue"] == {"unit": "packets", "limit": 175}


def test_the_bdp_uses_the_largest_forward_rtt(document: dict[str, Any]) -> None:
    flows = ["reno,rtt=10ms", "reno,rtt=42ms", "reno,rtt=400ms,direction=reverse"]
    scenario = _with(document, flows=flows, bottleneck={"rate": "250Mbit", "queue": "100%bdp"})
    assert resolve(scenario)["forward"]["queue"]["limit"] == 875


def test_a_computed_queue_below_one_packet_is_raised_and_reported(document: dict[str, Any]) -> None:
    filled = fill(_with(document, bottleneck={"rate": "1Mbit", "queue": "1%bdp"}))
    assert filled.scenario.bottleneck.queue_packets == 1
    assert "raised to 1" in filled.notes[0]
    for queue, field in (("100B", "queue_bytes"), ("1us", "queue_s")):
        assert field in fill(_with(document, bottleneck={"rate": "1Mbit", "queue": queue})).notes[0]


def test_a_queue_of_half_a_packet_rounds_to_one_without_remark(document: dict[str, Any]) -> None:
    filled = fill(_with(document, rtt="60ms", bottleneck={"rate": "1Mbit", "queue": "10%bdp"}))
    assert filled.scenario.bottleneck.queue_packets == 1 and not filled.notes


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        (65, {"unit": "packets", "limit": 65}),
        ("20%bdp", {"unit": "packets", "limit": 7}),
        ("1ms", {"unit": "ns", "limit": 1_000_000}),
        ("9kB", {"unit": "bytes", "limit": 9000}),
    ],
)
def test_a_step_of_marks_is_written_like_a_queue(document: dict[str, Any], mark: object, expected: dict[str, Any]) -> None:
    # 20 Mbit/s x 20 ms = 33.3 packets; a fifth is 6.7.
    link = {"rate": "20Mbit", "queue": 100, "mark": mark}
    assert resolve(_with(document, bottleneck=link))["forward"]["mark"] == expected
    assert resolve(parse(document))["forward"]["mark"] is None


def test_a_step_of_marks_given_twice_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(ScenarioError, match="mark and mark_s are both given"):
        _with(document, bottleneck={"rate": "20Mbit", "mark": 10, "mark_s": 0.001})


def test_a_filled_scenario_with_marks_reads_back_as_itself(document: dict[str, Any]) -> None:
    scenario = _with(document, bottleneck={"rate": "20Mbit", "mark": "20%bdp"}, record_marks=True)
    assert canonical(parse(canonical(scenario))) == canonical(scenario)
    assert canonical(scenario)["bottleneck"]["mark_packets"] == 7 and canonical(scenario)["record_marks"]


@pytest.mark.parametrize(
    ("rate", "rtt", "expected_ns"),
    [("250Mbit", "42ms", 48_000), ("1Mbit", "42ms", 420_000)],
)
def test_default_jitter_is_a_packet_time_or_a_hundredth_of_the_rtt(document: dict[str, Any], rate: str, rtt: str, expected_ns: int) -> None:
    spec = resolve(_with(document, rtt=rtt, bottleneck={"rate": rate}))
    assert spec["flows"][0]["jitter_ns"] == expected_ns


def test_explicit_jitter_zero_is_exact(document: dict[str, Any]) -> None:
    assert resolve(_with(document, jitter=0))["flows"][0]["jitter_ns"] == 0


def test_count_expands_and_the_flow_rtt_prevails(document: dict[str, Any]) -> None:
    spec = resolve(_with(document, flows=["reno,count=3,rtt=5ms", "reno"]))
    assert [flow["rtt_ns"] for flow in spec["flows"]] == [5_000_000] * 3 + [20_000_000]


def test_aliases_come_back_under_our_name(document: dict[str, Any]) -> None:
    assert _with(document, flows=["highspeed"]).flows[0].algorithm == "hstcp"


def test_a_flow_line_spreads_over_fields_parameters_and_transport(document: dict[str, Any]) -> None:
    line = "cubic:nohystart,start=1s,stop=2s,bytes=1MB,window=64,profile=rfc,initial_window=4,beta=0.6"
    flow = _with(document, flows=[line]).flows[0]
    assert flow.algorithm == "cubic:nohystart"
    assert (flow.start_s, flow.stop_s, flow.bytes, flow.window_packets, flow.profile) == (1.0, 2.0, 1_000_000, 64, "rfc")
    assert flow.transport == {"initial_window": 4}
    assert flow.parameters == {"beta": 0.6}


def test_the_reverse_link_is_folded_unless_data_uses_it(document: dict[str, Any]) -> None:
    assert resolve(parse(document))["reverse"] is None
    both = resolve(_with(document, flows=["reno", "reno,direction=reverse"], bottleneck={"rate": "20Mbit", "queue": 30, "loss": 0.01}))
    assert both["reverse"] == {**both["forward"], "loss_probability": 0.0}
    given = resolve(_with(document, reverse={"rate": "1Mbit", "queue": "10kB"}))
    assert given["reverse"]["rate_bps"] == 1_000_000 and given["reverse"]["queue"] == {"unit": "bytes", "limit": 10_000}


def test_the_digest_does_not_depend_on_spelling(document: dict[str, Any]) -> None:
    spelled = {
        "flows": [{"algorithm": "reno", "rtt_s": 0.02}, {"start_s": 1, "algorithm": "cubic", "rtt_s": 0.02, "count": 1}],
        "bottleneck": {"queue_packets": 17, "rate_bps": 20_000_000},
        "duration_s": 3,
    }
    assert digest(parse(document)) == digest(parse(spelled))
    assert digest(_with(document, seed=2)) != digest(parse(document))


def test_the_digest_is_stable_over_releases(document: dict[str, Any]) -> None:
    # Change this literal only together with a line in the changelog: it renames every stored run.
    assert digest(parse(document)) == "5c92b00c4a5b01ba2373bb9860c8bd0fa2dc77ea564cca78daa3a4c59b5245b8"


def test_filling_in_twice_changes_nothing(document: dict[str, Any]) -> None:
    once = fill(parse(document)).scenario
    assert fill(once).scenario == once
    assert parse(json.loads(canonical_json(once))) == once
    assert canonical(once) == canonical(parse(document))


def test_toml_and_json_files_agree(tmp_path: Path, document: dict[str, Any]) -> None:
    toml = tmp_path / "s.toml"
    toml.write_text(
        'rtt = "20ms"\nduration = "3s"\nflows = ["reno", "cubic,start=1s"]\n[bottleneck]\nrate = "20Mbit"\nqueue = "50%bdp"\n',
        encoding="utf-8",
    )
    other = tmp_path / "s.json"
    other.write_text(json.dumps(document), encoding="utf-8")
    assert digest(wt.load_scenario(toml)) == digest(wt.load_scenario(other))


def test_the_constructor_refuses_too_and_names_the_range() -> None:
    with pytest.raises(ScenarioError, match="1000 to 1e"):
        Bottleneck(rate_bps=-1)


def test_a_scenario_is_frozen(document: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        parse(document).seed = 2  # type: ignore[misc]


def test_the_schema_has_short_and_long_names() -> None:
    schema = json_schema()
    link = schema["$defs"]["Bottleneck"]["properties"]
    assert {"rate", "rate_bps", "queue", "queue_packets", "loss"} <= set(link)
    assert schema["additionalProperties"] is False


def test_the_written_schema_is_current() -> None:
    written = Path(__file__).parents[2] / "docs" / "reference" / "scenario.schema.json"
    assert json.loads(written.read_text(encoding="utf-8")) == json_schema()


def test_an_error_is_one_printable_line(document: dict[str, Any]) -> None:
    with pytest.raises(ScenarioError) as caught:
        _with(document, profile="a\nb\x1b[31m")
    assert str(caught.value).isprintable()
