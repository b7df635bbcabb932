"""The page on scenario files and the files to begin with: they load, run, and say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import windtunnel as wt

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "guides" / "scenario-files.md"
EXAMPLES = sorted((ROOT / "examples" / "scenarios").glob("*.toml"))


def test_there_are_examples() -> None:
    assert {path.name for path in EXAMPLES} >= {"two-flows.toml", "bufferbloat.toml", "home-line.toml"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path: Path) -> None:
    run = wt.run(wt.load_scenario(path))
    assert run.links["delivered_bytes"].to_list()[0] > 0


def test_the_blocks_of_the_page_are_those_of_the_examples() -> None:
    texts = [path.read_text(encoding="utf-8") for path in EXAMPLES]
    blocks = re.findall(r"```toml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 2 and all(any(block in text for text in texts) for block in blocks)


def test_the_quantities_of_the_page_are_read() -> None:
    rows = re.findall(r"^\| (rate|time|queue|payload) \|(.*)\|(.*)\|$", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(rows) == 4
    for what, *cells in rows:
        for text in re.findall(r'`"([^"]+)"`', " ".join(cells)):
            if what == "time":
                assert wt.Scenario(bottleneck={"rate": "1Mbit"}, flows=["reno"], rtt="1ms", duration="3min", warmup=text).warmup_s > 0
            elif what == "payload":
                assert wt.Flow(algorithm="reno", bytes=text).bytes
            else:
                wt.Bottleneck(**({"rate": text} if what == "rate" else {"rate": "1Mbit", "queue": text}))


def test_the_page_is_linked_and_its_links_lead_somewhere() -> None:
    assert "guides/scenario-files.md" in (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)", GUIDE.read_text(encoding="utf-8")):
        assert (GUIDE.parent / target).exists(), target
