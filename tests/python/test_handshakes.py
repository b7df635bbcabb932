"""Handshakes in scenarios: who has one, how people write it, and what it does to names."""

from __future__ import annotations

from typing import Any

import pytest

import windtunnel as wt
from windtunnel.scenario import ScenarioError, canonical_json, digest, fill, parse, resolve

LINK = {"rate": "100Mbit", "queue": 100}
SOURCE = "reno,rate=10,mean=10kB,sizes=fixed"
SESSION = "reno,count=1,think=fixed:1s"


def scenario(**fields: Any) -> wt.Scenario:
    return parse({"bottleneck": LINK, "rtt": "40ms", "duration": "3s", "jitter": 0} | fields)


def opens(**fields: Any) -> list[bool]:
    """Return who begins with a handshake, of flows, arrivals and sessions in order."""
    exact = resolve(fill(scenario(**fields)).scenario)
    sources = [kind for name in ("arrivals", "sessions") for source in exact[name] for kind in source["flows"]]
    return [flow["handshake"] for flow in (*exact["flows"], *sources)]


def test_transfers_begin_with_a_handshake_and_flows_do_not() -> None:
    assert opens(flows=["reno"], arrivals=[SOURCE], sessions=[SESSION]) == [False, True, True]


def test_everybody_may_choose_and_the_scenario_speaks_for_those_who_do_not() -> None:
    flows = ["reno", "reno,handshake=true", "reno,handshake=false"]
    assert opens(flows=flows) == [False, True, False]
    assert opens(flows=flows, handshake=True) == [True, True, False]
    assert opens(flows=["reno"], arrivals=[SOURCE + ",handshake=true", SOURCE], sessions=[SESSION], handshake="false") == [
        False,
        True,
        False,
        False,
    ]


def test_flows_that_are_established_keep_their_names() -> None:
    plain = scenario(flows=["reno"])
    assert digest(plain) == digest(scenario(flows=["reno,handshake=false"])) == digest(scenario(flows=["reno"], handshake=False))
    assert "handshake" not in canonical_json(plain)
    opened = scenario(flows=["reno,handshake=true"])
    assert digest(opened) == digest(scenario(flows=["reno"], handshake=True)) != digest(plain)


@pytest.mark.parametrize("choice", ["", ",handshake=false", ",handshake=true"])
def test_filling_in_a_source_again_changes_nothing(choice: str) -> None:
    full = fill(scenario(arrivals=[SOURCE + choice], handshake=False if not choice else None)).scenario
    assert canonical_json(fill(full).scenario) == canonical_json(full)
    assert full.arrivals[0].handshake is (choice == ",handshake=true")


def test_what_is_neither_true_nor_false_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"flows\[0\].handshake: 'maybe' is neither; allowed: true or false"):
        scenario(flows=["reno,handshake=maybe"])


def test_a_transfer_takes_a_round_trip_more() -> None:
    """Ten segments: two round trips of 40 ms, 60 and 52 bytes and ten packets at 100 Mbit/s, and one round trip and the packets."""
    times = [wt.run(scenario(flows=[f"reno,bytes=14480,handshake={word}"])).flows["completed_s"].item() for word in ("true", "false")]
    assert times == pytest.approx([0.08 + 4.8e-6 + 4.16e-6 + 1.2e-3, 0.04 + 1.2e-3], abs=2e-9)
