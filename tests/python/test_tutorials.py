"""Every block of the tutorials is done, and what they say about the outcome is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

from pages import blocks, do, shell

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / "docs/tutorials"


def test_the_first_run_shows_what_its_page_says(tmp_path: Path) -> None:
    said = do(TUTORIALS / "first-run.md", tmp_path)
    assert re.search(r"1\s+reno.*\n\s+2\s+cubic", said[0])
    digests = [json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))["records_digest"] for name in ("one", "two", "other")]
    assert digests[0] == digests[1] != digests[2]
    # FQ-CoDel keeps a buffer of 200 ms nearly empty for CUBIC: the mean RTT is near the base RTT of 30 ms.
    rtts = [(found[1], float(found[2])) for found in re.finditer(r"^\s+\d\s+(cubic|bbr)\s.*?([\d.]+) *$", said[4], flags=re.MULTILINE)]
    assert [name for name, _ in rtts] == ["cubic", "cubic", "bbr"]
    assert all(30.0 < ms < (36.0 if name == "cubic" else 60.0) for name, ms in rtts), rtts
    for made in ("first.svg", "again.svg"):
        assert (tmp_path / made).stat().st_size > 10_000


def test_the_first_sweep_shows_what_its_page_says(tmp_path: Path) -> None:
    page = TUTORIALS / "first-sweep.md"
    said = do(page, tmp_path)
    assert (tmp_path / "figures/util.svg").is_file() and (tmp_path / "buffers/report/index.html").is_file()
    # 2 protocols, 4 queues, 3 seeds, then 5.
    assert "24 runs" in page.read_text(encoding="utf-8")
    assert len(list((tmp_path / "buffers/runs").iterdir())) == 40
    assert "shape: (8, 3)" in said[-1]


def test_the_first_claim_shows_what_its_page_says(tmp_path: Path) -> None:
    do(TUTORIALS / "first-claim.md", tmp_path)
    judged = json.loads(shell("windtunnel claims results --json", tmp_path / "mybuffers").stdout)
    verdicts = {one["id"]: one["verdict"] for one in judged}
    assert (verdicts["mybuffers.c1"], verdicts["mybuffers.c3"]) == ("holds", "fails")


def test_what_a_tutorial_shows_can_be_copied() -> None:
    for page in sorted(TUTORIALS.glob("*.md")):
        assert {language for language, _, _ in blocks(page)} <= {"sh", "toml", "yaml", "python"}, page.name
