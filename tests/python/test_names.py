"""Names of scenarios and of their records, recorded once for both languages: `crates/records/tests/named.rs` checks the same file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.scenario import canonical_json, catalogue, digest, fill, parse

FOLDER = Path(__file__).parents[1] / "names"
LINES = (FOLDER / "digests.txt").read_text(encoding="utf-8").splitlines()[1:]
RECORDED: dict[str, list[str]] = {name: digests for name, *digests in map(str.split, LINES)}


def golden(algorithm: str, profile: str) -> dict[str, Any]:
    link = {"rate": "100Mbit", "queue": "100%bdp"}
    return {"bottleneck": link, "flows": [algorithm], "rtt": "60ms", "duration": "60s", "sample": "60ms", "jitter": 0, "profile": profile}


def documents() -> dict[str, dict[str, Any]]:
    known = catalogue()
    drawn = {f"golden/{name}/{profile}": golden(name, profile) for name in known.algorithms for profile in known.profiles}
    return {**drawn, **json.loads((FOLDER / "scenarios.json").read_text(encoding="utf-8"))}


def test_scenarios_keep_their_names_however_they_are_written() -> None:
    given = documents()
    assert list(RECORDED) == list(given) and len(given) > 150
    for name, document in given.items():
        scenario = parse(document)
        assert digest(scenario) == RECORDED[name][0], name
        assert canonical_json(fill(scenario).scenario) == canonical_json(scenario), name


@pytest.mark.parametrize("name", [name for name in RECORDED if not name.startswith("golden/") or name.startswith("golden/cubic/")])
def test_records_keep_their_names(name: str) -> None:
    assert wt.run(parse(documents()[name])).records.digest() == RECORDED[name][1]
