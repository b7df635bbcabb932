"""The playground's addresses and its page, without a browser."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

import windtunnel as wt
from windtunnel import native
from windtunnel.cli import main
from windtunnel.playground import link, page
from windtunnel.scenario import ScenarioError, addresses, digest, load

SCENARIO = wt.Scenario(bottleneck=wt.Bottleneck(rate_bps=10e6), flows=["reno", "cubic,start=1s"], rtt_s=0.04, duration_s=2)


def test_an_address_holds_the_scenario_of_that_name() -> None:
    assert digest(load(link(SCENARIO))) == digest(SCENARIO)
    # Of seeds above 2^53 too, which a browser's numbers cannot tell apart.
    large = SCENARIO.model_copy(update={"seed": 2**53 + 1})
    assert load(link(large)).seed == 2**53 + 1


def test_an_address_stands_where_a_file_may_stand(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", link(SCENARIO), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["digest"], said["records_digest"]) == (digest(SCENARIO), wt.run(SCENARIO).records.digest())
    # The page puts the lesson before the scenario.
    address = link(SCENARIO).replace("#s=", "#lesson=incast&s=")
    assert main(["play", address, "--no-open"]) == 0
    assert capsys.readouterr().out.strip() == link(SCENARIO)


def bomb() -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(packer.compress(b" " * (addresses.LARGEST + 1)) + packer.flush()).decode()


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("AAAA", "cut off"),
        ("!!!!", "cannot be read"),
        ("", "cut off"),
        (link(SCENARIO).partition("s=")[2][:-9], "cut off|cannot"),
        (bomb(), "16 MiB"),
    ],
    ids=["garbage", "letters", "nothing", "cut", "bomb"],
)
def test_an_address_that_cannot_be_read_is_one_line(word: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", f"page.html#s={word}"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and re.search(said, told) and len(told) < 600


def test_what_needs_a_process_is_refused() -> None:
    class Mine(wt.Controller):
        """The smallest law there is."""

        def on_acked(self, w: Any, c: Any, acked: int) -> None:
            w.cwnd += 1.0

        def ssthresh(self, w: Any, c: Any) -> float:
            return 2.0

    scenario = SCENARIO.model_copy(update={"flows": (wt.Flow(algorithm=Mine),)})
    with pytest.raises(ScenarioError, match="does not run in a browser"):
        link(scenario)


def test_a_browser_is_asked_for_the_page_unless_told_otherwise(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/asked\n', encoding="utf-8")
    browser.chmod(0o755)
    command = [sys.executable, "-m", "windtunnel", "play"]
    asked = subprocess.run(command, env={**os.environ, "BROWSER": str(browser)}, capture_output=True, text=True, check=True)
    assert asked.stdout.strip() == page().as_uri() == (tmp_path / "asked").read_text(encoding="utf-8").strip()


def test_every_law_has_the_colour_of_the_figures_in_the_page() -> None:
    found = re.search(r'id="look">(.*?)</script>', page().read_text(encoding="utf-8"))
    assert found is not None
    looks = json.loads(found[1])
    assert {row["name"] for row in json.loads(native.catalogue())["algorithms"]} <= set(looks)
    assert looks["cubic"] == ["#0072B2", "#3f93d2"]
