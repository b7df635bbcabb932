"""A run as qlog: the mapping, by numbers worked by hand, and that another program's reader takes what is written."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import windtunnel as wt
from windtunnel.foreign import stacks
from windtunnel.records import qlog

ROOT = Path(__file__).parents[2]
Cli = Callable[..., Any]


def path(*flows: str, **more: Any) -> wt.Scenario:
    given = {"bottleneck": {"rate": "20Mbit", "queue": "100%bdp"}, "rtt": "40ms", "duration": "6s", "flows": flows, "sample": "100ms"}
    return wt.Scenario.model_validate(given | more)


def lines(file: Path) -> list[dict[str, Any]]:
    """Its records: each begins with RS and ends with LF (RFC 7464 2.2)."""
    text = file.read_text(encoding="utf-8")
    assert text.startswith("\x1e") and text.endswith("\n")
    return [json.loads(record) for record in text[1:].removesuffix("\n").split("\n\x1e")]


def test_samples_and_events_become_the_drafts_fields_in_its_units() -> None:
    rows: dict[str, list[Any]] = {
        "t_s": [0.1, 0.2, 0.3, 0.4],
        "cwnd_packets": [10.0, 12.5, 12.5, 12.5],
        "ssthresh_packets": [None, None, 7.0, 7.0],
        "srtt_s": [0.0421, 0.0422, 0.0422, 0.0422],
        "min_rtt_s": [0.042, 0.042, 0.042, 0.042],
        "inflight_packets": [9.0, 12.0, 12.0, 12.0],
        "retransmitted_packets": [0, 0, 2, 2],
        "pacing_rate_bps": [None, None, None, None],
    }
    found = list(qlog._metrics(pl.DataFrame(rows), {"algorithm": "reno", "mtu_bytes": 1500}))
    # 1448 bytes of payload: 10 of them 14 480, 12.5 of them 18 100, 7 of them 10 136. Times in milliseconds.
    # Nothing for the last row, as nothing changed.
    metrics = "quic:recovery_metrics_updated"
    first = {"min_rtt": 42.0, "smoothed_rtt": 42.1, "congestion_window": 14480, "bytes_in_flight": 13032, "packets_in_flight": 9}
    assert found == [
        (100.0, metrics, first),
        (200.0, metrics, {"smoothed_rtt": 42.2, "congestion_window": 18100, "bytes_in_flight": 17376, "packets_in_flight": 12}),
        (300.0, "quic:packet_lost", {}),
        (300.0, "quic:packet_lost", {}),
        (300.0, metrics, {"ssthresh": 10136}),
    ]
    # A stack's packets are of the size that it says, and what it does not say is not there.
    rows |= {"datagram_bytes": [1200.0, 1200.0, 1452.0, 1452.0], "inflight_packets": [None] * 4, "pacing_rate_bps": [5e6] * 4}
    first = next(qlog._metrics(pl.DataFrame(rows), {"algorithm": "cubic", "stack": "quinn:0123456789abcdef"}))[2]
    assert first == {"min_rtt": 42.0, "smoothed_rtt": 42.1, "congestion_window": 12000, "pacing_rate": 5_000_000}
    # A count that a backend does not have is no loss, and no error.
    lacking = pl.DataFrame(rows | {"retransmitted_packets": pl.Series([None] * 4, dtype=pl.UInt64)})
    assert all(name == metrics for _, name, _ in qlog._metrics(lacking, {"algorithm": "reno"}))
    events = pl.DataFrame(
        {"kind": ["start", "slow_start_exit", "loss_episode", "drop", "undo", "timeout"], "t_s": [0.0, 1.0, 2.0, 2.0, 2.5, 3.0]}
    )
    changed = "quic:congestion_state_updated"
    assert list(qlog._states(events)) == [
        (1000.0, changed, {"old": "slow_start", "new": "congestion_avoidance"}),
        (2000.0, changed, {"new": "recovery"}),
        (2500.0, changed, {"new": "open"}),
        (3000.0, changed, {"new": "loss"}),
    ]


def test_a_file_says_what_it_is_and_agrees_with_the_records(tmp_path: Path) -> None:
    run = wt.run(path("cubic", "bbr,start=1s"))
    written = run.write_qlog(tmp_path / "run.sqlog")
    assert [file.name for file in written] == ["run-1.sqlog", "run-2.sqlog"] == sorted(file.name for file in tmp_path.iterdir())
    for number, file in enumerate(written):
        opening, *events = lines(file)
        assert opening["file_schema"] == "urn:ietf:params:qlog:file:sequential"
        assert opening["serialization_format"] == "application/qlog+json-seq"
        assert opening["trace"]["event_schemas"] == ["urn:ietf:params:qlog:events:quic-12"]
        common = opening["trace"]["common_fields"]
        assert common["reference_time"] == {"clock_type": "monotonic", "epoch": "unknown"} and common["time_format"] == "relative_to_epoch"
        times = [event["time"] for event in events]
        assert times == sorted(times) and times[-1] <= 6000
        own = run.flow_samples.filter(pl.col("flow") == number)
        windows = [event["data"]["congestion_window"] for event in events if "congestion_window" in event["data"]]
        assert windows[-1] == round(own["cwnd_packets"][-1] * 1448)
        lost = sum(event["name"] == "quic:packet_lost" for event in events)
        assert lost == own["retransmitted_packets"][-1]
    assert any(event["data"] == {"new": "recovery"} for event in lines(written[0])[1:])
    # The draft's pacing rate is in bits per second, as the records' is.
    rates = [event["data"]["pacing_rate"] for event in lines(written[1])[1:] if "pacing_rate" in event["data"]]
    assert rates and rates[-1] == round(run.flow_samples.filter(pl.col("flow") == 1)["pacing_rate_bps"][-1])


def test_the_same_run_writes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        wt.run(path("cubic")).write_qlog(tmp_path / f"{name}.sqlog")
    assert (tmp_path / "one.sqlog").read_bytes() == (tmp_path / "two.sqlog").read_bytes()


@pytest.mark.parametrize("flow", ["cubic", "cubic,stack=quinn"])
def test_the_crate_qlog_reads_every_record(tmp_path: Path, flow: str) -> None:
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    if "stack" in flow and not any(one.name == "quinn" for one in stacks.built()):
        pytest.skip("quinn is not built: windtunnel stacks build quinn")
    (file,) = wt.run(path(flow)).write_qlog(tmp_path / "run.sqlog")
    reader = ROOT / "tests/qlog-reader/Cargo.toml"
    command = ["cargo", "run", "--quiet", "--locked", "--manifest-path", str(reader), "--target-dir", str(ROOT / "target/qlog-reader")]
    read = subprocess.run([*command, "--", str(file)], capture_output=True, text=True)
    assert read.returncode == 0, read.stderr
    opening, *events = map(json.loads, read.stdout.splitlines())
    ours, *own = lines(file)
    assert opening == ours and len(events) == len(own) > 50
    assert [(event["time"], event["name"]) for event in events] == [(event["time"], event["name"]) for event in own]
    for theirs, event in zip(events, own, strict=True):
        assert theirs["data"].keys() == event["data"].keys()
        for field, value in event["data"].items():
            # The crate keeps RTTs in single precision.
            assert theirs["data"][field] == (pytest.approx(value, rel=1e-6) if isinstance(value, float) else value), field


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--flow", "cubic", "--qlog", "missing/run.sqlog"], "qlog: 'missing/run.sqlog' cannot be written: no such file or folder"),
        (["--flow", "cubic", "--qlog", ""], "qlog: '' cannot be written"),
        (["--flow", "cubic", "--sample", "0", "--qlog", "run.sqlog"], "sample_s: 0 leaves nothing to write"),
        (["--arrivals", "cubic,load=0.5,mean=10kB", "--qlog", "run.sqlog"], "flows: there are none, and a qlog file is of a flow"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_run(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = cli("run", "--rate", "20Mbit", "--rtt", "20ms", "--duration", "2s", *options)
    assert outcome.code == 2 and said in outcome.err and outcome.err.count("\n") == 1, outcome.err
    assert list(tmp_path.iterdir()) == []


def test_the_option_writes_it(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("run", "--rate", "20Mbit", "--rtt", "20ms", "--duration", "2s", "--flow", "reno", "--qlog", "run.sqlog").code == 0
    assert [file.name for file in tmp_path.iterdir()] == ["run.sqlog"] and lines(tmp_path / "run.sqlog")[0]["title"] == "flow 1: reno"
