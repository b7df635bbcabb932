"""What an experiment emulates, from its declaration to the page and the command line that show its claims."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from stored import DECLARATION

from windtunnel.cli import main
from windtunnel.experiment import Scale, plan
from windtunnel.experiment.runner import declare
from windtunnel.report import assemble, write
from windtunnel.store import open_results, writing_results
from windtunnel.suites import suite

STAND_IN = "hosts of 2008, by a parameter"
CLAIM = "leith08.c48"  # M('ai_ratio') < 0.9 and M('fair_final') < 0.9; judge: needs-host-model
HELD = {"ai_ratio": 0.5, "fair_final": 0.6}


def stored(path: Path, emulates: str) -> Path:
    rows = [
        {"alg": "ctcp:vista", "seed": seed, "metric": metric, "value": value, "run": f"{seed:032d}"}
        for metric, value in HELD.items()
        for seed in (1, 2, 3)
    ]
    declared = DECLARATION | {"points": {"alg": ["ctcp:vista"]}} | ({"emulates": emulates} if emulates else {})
    with writing_results(path) as results:
        results.store_experiment("leith08.fig13", declared, pl.DataFrame(rows))
        results.store_facts({"suites": ["leith08"], "order": ["leith08.fig13"], "facts": [["version", "1"]], "findings": []})
    return path


@pytest.mark.parametrize(("emulates", "verdict"), [("", "not_run"), (STAND_IN, "holds")])
def test_a_stored_emulation_is_said_with_the_verdict_and_without_one_there_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], emulates: str, verdict: str
) -> None:
    path = stored(tmp_path / "results", emulates)
    assert main(["claims", str(path), "--json"]) == 0
    found = {row["id"]: row for row in json.loads(capsys.readouterr().out)}[CLAIM]
    said = f"an emulation: {emulates}" if emulates else ""
    assert (found["verdict"], found["judged_on"]) == (verdict, said)
    write(assemble(open_results(path)), tmp_path / "report")
    page = next((tmp_path / "report").rglob("leith08.fig13*.html")).read_text(encoding="utf-8")
    assert ("on an emulation: " in page) == bool(emulates)


def test_what_an_experiment_emulates_is_stored_with_it_and_nothing_where_it_emulates_nothing() -> None:
    experiments = {one.id: one for one in suite("slac03").experiments}
    emulated, plain = experiments["slac03.tab4"], experiments["slac03.fig2"]
    laid = plan([emulated, plain], Scale(quick=True))
    assert declare(laid, emulated, command="")["emulates"] == emulated.emulates != ""
    assert "emulates" not in declare(laid, plain, command="")
