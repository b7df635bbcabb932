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
