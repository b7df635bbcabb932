"""A run whose samples go to disk as they come has the folder, the digest and the summary of one that is held in memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import windtunnel as wt
from windtunnel.records import streaming
from windtunnel.scenario import ScenarioError, parse


def of(**more: Any) -> wt.Scenario:
    link = {"rate": "20Mbit", "queue": "1bdp"}
    flows = ["cubic", "bbr,start=1s", "reno,bytes=200kB"]  # Variables of two laws, one that is not there at first, and one that ends.
    return parse({"bottleneck": link, "flows": flows, "rtt": "30ms", "duration": "8s", "warmup": "2s", "sample": "1ms", **more})


@pytest.mark.parametrize("more", [{}, {"traffic": ["udp,rate=2Mbit,start=3s"], "reverse": {"rate": "1Mbit", "queue": 50}}, {"sample": 0}])
def test_streamed_and_held_runs_have_the_same_records(more: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("windtunnel.backends.sim.PART_ROWS", 1000)  # Dozens of parts, whose rows do not fill bytes of the digest.
    held = wt.run(of(**more))
    parts: list[int] = []
    keep = streaming.Streaming._keep
    monkeypatch.setattr(streaming.Streaming, "_keep", lambda self, name, frame: (parts.append(frame.height), keep(self, name, frame)))
    streamed = wt.stream(of(**more), tmp_path / "run")
    assert len([rows for rows in parts if rows]) > 20 or more.get("sample") == 0
    assert streamed.records.digest() == held.records.digest() == json.loads((tmp_path / "run" / "run.json").read_text())["records_digest"]
    read = wt.load_run(tmp_path / "run")  # Which computes the digest anew.
    assert read.flow_samples.equals(held.flow_samples) and read.link_samples.equals(held.link_samples)
    kinds = ("scenario", "flows", "links", "metrics", "records_digest")
    assert {kind: streamed.summary[kind] for kind in kinds} == {kind: held.summary[kind] for kind in kinds}
    held.save(tmp_path / "held")
    names = sorted(path.name for path in (tmp_path / "held").iterdir())
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == names
    for name in names[:-1]:
        assert pl.read_parquet_schema(tmp_path / "run" / name) == pl.read_parquet_schema(tmp_path / "held" / name)


def test_parts_are_as_large_as_asked_for_however_fine_the_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Samples every 10 us, an event every 600: looks as rare as without streaming would take 8 million rows at a time.
    monkeypatch.setattr("windtunnel.backends.sim.PART_ROWS", 20_000)
    parts: list[int] = []
    keep = streaming.Streaming._keep
    monkeypatch.setattr(streaming.Streaming, "_keep", lambda self, name, frame: (parts.append(frame.height), keep(self, name, frame)))
    wt.stream(of(sample="10us", duration="5s", warmup="1s"), tmp_path / "run")
    assert sum(parts) > 1_500_000 and max(parts) < 20_000 + 65_536 + 20_000


# Largest resident set of a process that streams a run, bytes.
PEAK = """
import resource, sys
import windtunnel as wt
from windtunnel.scenario import parse

link = {"rate": "20Mbit", "queue": "1bdp"}
given = {"bottleneck": link, "flows": ["cubic", "reno"], "rtt": "30ms", "duration": sys.argv[1], "warmup": "0s", "sample": "20us"}
wt.stream(parse(given), sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def test_a_longer_run_takes_little_more_memory(tmp_path: Path) -> None:
    # 150,000 rows a second of some 90 bytes each: held in memory, twenty seconds more would take 270 MB.
    peaks = []
    for seconds in ("4s", "24s"):
        command = [sys.executable, "-c", PEAK, seconds, str(tmp_path / seconds)]
        peaks.append(int(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    assert pl.scan_parquet(tmp_path / "24s" / "flow_samples.parquet").select(pl.len()).collect().item() > 2_000_000
    assert peaks[1] - peaks[0] < 100e6, peaks


def test_the_command_prints_what_it_prints_without(cli: Callable[..., Any], tmp_path: Path) -> None:
    given = ("run", "--rate", "10Mbit", "--rtt", "20ms", "--flow", "reno", "--duration", "3s", "--json")
    held, streamed = cli(*given), cli(*given, "--out", str(tmp_path / "run"), "--stream")
    assert streamed.code == 0, streamed.err
    ours, theirs = (json.loads(one.out) for one in (streamed, held))
    assert {**ours, "engine": None} == {**theirs, "engine": None}


def test_what_cannot_be_streamed_is_one_line(cli: Callable[..., Any], tmp_path: Path) -> None:
    given = ("run", "--rate", "10Mbit", "--rtt", "20ms", "--flow", "reno", "--duration", "1s", "--stream")
    out = ("--out", str(tmp_path / "run"))
    for more, line in (
        ((), "error: stream: there is no folder; allowed: with --out DIR"),
        ((*out, "--plot", str(tmp_path / "a.svg")), "error: stream: --plot is made of samples in memory; allowed: one of the two"),
        ((*out, "--per-ack"), "error: per_ack: its rows are held in memory; allowed: "),
    ):
        refused = cli(*given, *more)
        assert refused.code == 2 and refused.err.startswith(line) and refused.err.count("\n") == 1, refused.err
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, tables: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("windtunnel.backends.sim.PART_ROWS", 1000)
    monkeypatch.setattr(streaming.Streaming, "take", full)
    with pytest.raises((OSError, ScenarioError, ValueError), match="No space left"):
        wt.stream(of(), tmp_path / "run")
    assert list(tmp_path.iterdir()) == []
