from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

VECTORS = Path(__file__).parents[2] / "data" / "kernel-vectors"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(VECTORS / "S1_reno.json", tmp_path / "S1_reno.json")
    shutil.copy(VECTORS / "S1_highspeed.json", tmp_path / "S1_highspeed.json")
    return tmp_path


def test_recorded_vectors_match(cli: Callable[..., Any], folder: Path) -> None:
    outcome = cli("conform", str(folder), "--json")
    assert outcome.code == 0, outcome.out
    reports = outcome.json()
    assert [report["file"] for report in reports] == ["S1_highspeed.json", "S1_reno.json"]
    assert all(report["rows"] == report["rows_matched"] > 0 and report["first_mismatch"] is None for report in reports)
    assert "rows match" in cli("conform", str(folder)).out


def test_alg_takes_our_name_and_the_alias(cli: Callable[..., Any], folder: Path) -> None:
    for name in ("hstcp", "highspeed"):
        assert [report["file"] for report in cli("conform", str(folder), "--alg", name, "--json").json()] == ["S1_highspeed.json"]
    assert cli("conform", str(folder), "--alg", "cubic").code == 2
    assert cli("conform", str(folder), "--alg", "nope").code == 2


def test_other_algorithms_are_listed_as_skipped(cli: Callable[..., Any], folder: Path) -> None:
    (folder / "S1_nobody.json").write_text(json.dumps({"algorithm": "nobody", "events": []}), encoding="utf-8")
    outcome = cli("conform", str(folder), "--json")
    assert outcome.code == 0
    skipped = [report for report in outcome.json() if report["algorithm"] == "nobody"]
    assert skipped[0]["skipped"] == "not implemented" and skipped[0]["rows"] is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b"\xff\xfe", b"{}"])
def test_a_damaged_file_is_bad_input(cli: Callable[..., Any], folder: Path, content: bytes) -> None:
    (folder / "broken.json").write_bytes(content)
    outcome = cli("conform", str(folder))
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1].startswith("error: broken.json")


def test_a_difference_is_exit_code_one(cli: Callable[..., Any], folder: Path) -> None:
    path = folder / "S1_reno.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["events"][0]["r"][0] += 1
    path.write_text(json.dumps(data), encoding="utf-8")
    outcome = cli("conform", str(folder), "--json")
    assert outcome.code == 1
    report = next(report for report in outcome.json() if report["file"] == "S1_reno.json")
    assert report["rows_matched"] < report["rows"] and report["first_mismatch"] is not None


SEGMENTS = VECTORS.parent / "kernel-segments"


@pytest.fixture
def stimuli(tmp_path: Path) -> Path:
    for name in ("reorder-large", "tlp-tail"):
        for suffix in (".pkt", ".rows"):
            shutil.copy((SEGMENTS / name).with_suffix(suffix), tmp_path)
    return tmp_path


def test_rows_of_segments_are_reported_as_vectors_are(cli: Callable[..., Any], stimuli: Path) -> None:
    large, _ = cli("conform", str(stimuli), "--json").json()
    assert large == {"file": "reorder-large.rows", "algorithm": "cubic", "rows": 9, "rows_matched": 9, "first_mismatch": None}
    (stimuli / "tlp-tail.rows").unlink()
    outcome = cli("conform", str(stimuli))
    assert outcome.code == 0 and "9 of 9 rows match in 1 files" in outcome.out
    rows = (stimuli / "reorder-large.rows").read_text(encoding="utf-8")
    (stimuli / "reorder-large.rows").write_text(rows.replace("10", "11", 1), encoding="utf-8")
    outcome = cli("conform", str(stimuli), "--json")
    assert outcome.code == 1
    assert outcome.json()[0]["first_mismatch"] == {"row": 1, "field": "snd_cwnd", "expected": 11, "got": 10}


def test_alg_chooses_whose_sender_answers(cli: Callable[..., Any], stimuli: Path) -> None:
    (stimuli / "reorder-large.rows").unlink()
    names = ("cubic", "reno", "cubic:nohystart")
    cubic, reno, nohystart = (cli("conform", str(stimuli), "--alg", name, "--json").json()[0] for name in names)
    assert (reno["algorithm"], reno["rows"], nohystart["rows_matched"]) == ("reno", 18, cubic["rows_matched"])
    assert cli("conform", str(stimuli), "--alg", "cubic:nope").code == 2


@pytest.mark.parametrize("damage", ["1 2 3\n", "", "x"])
def test_rows_that_are_not_the_stimulus_s_are_bad_input(cli: Callable[..., Any], stimuli: Path, damage: str) -> None:
    (stimuli / "tlp-tail.rows").write_text(damage, encoding="utf-8")
    outcome = cli("conform", str(stimuli))
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1].startswith("error: tlp-tail.rows")


def test_rows_without_a_stimulus_are_bad_input(cli: Callable[..., Any], stimuli: Path) -> None:
    (stimuli / "tlp-tail.pkt").unlink()
    assert cli("conform", str(stimuli)).code == 2
