"""What a link delivered as a trace in mahimahi's format, and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import windtunnel as wt
from windtunnel import metrics
from windtunnel.scenario import Scenario, ScenarioError, parse, traces

PERIOD = (3, 5, 5, 9, 10, 14, 14, 14, 20, 27, 29, 30)


def played(trace: tuple[int, ...], **more: Any) -> Scenario:
    """Three periods of a trace under a flow that always fills its queue, after a second in which it finds out how."""
    sampled = {"sample": "1ms", "warmup": 1.02, "duration": 1.11}
    flow = {"algorithm": "reno", "window": 200}
    return parse({"rtt": "10ms", "bottleneck": {"trace_ms": list(trace), "queue": 300}, "flows": [flow], **sampled, **more})


def test_a_link_that_plays_a_trace_and_is_kept_busy_gives_it_back(tmp_path: Path) -> None:
    file = tmp_path / "delivered.trace"
    wt.run(played(PERIOD)).save_deliveries(file)
    assert traces.read(file) == tuple(lap * 30 + ms for lap in range(3) for ms in PERIOD)


def test_what_was_exported_of_an_export_is_the_same_again() -> None:
    once = metrics.deliveries_ms(wt.run(played(PERIOD)).records)
    again = wt.run(played(once, warmup=1.08, duration=1.17)).records
    assert metrics.deliveries_ms(again) == once


def test_a_full_link_of_12_mbit_delivers_one_packet_a_millisecond() -> None:
    full = {"sample": "500us", "warmup": 2, "duration": 3, "flows": ["reno"], "rtt": "10ms"}
    run = wt.run(parse({"bottleneck": {"rate": "12Mbit", "queue": 300}, **full}))
    assert metrics.deliveries_ms(run.records) == tuple(range(1, 1001))


def test_the_last_line_is_the_end_of_the_run_where_the_trace_starts_over() -> None:
    scenario = parse({"bottleneck": {"rate": "12Mbit"}, "rtt": "20ms", "duration": 1, "sample": "1ms", "flows": ["reno,bytes=14480"]})
    found = metrics.deliveries_ms(wt.run(scenario).records)
    # Ten packets leave 5 ms after the start, one a millisecond.
    assert found == (*range(6, 16), 1000)


def test_the_reverse_link_is_exported_by_its_name() -> None:
    both = {"flows": ["reno", "reno,direction=reverse"], "rtt": "20ms", "duration": 1, "sample": "1ms"}
    run = wt.run(parse({"bottleneck": {"rate": "12Mbit"}, **both}))
    assert len(metrics.deliveries_ms(run.records, "reverse")) > 100
    with pytest.raises(ScenarioError, match=r"'back' is none of this run; allowed: forward, reverse"):
        metrics.deliveries_ms(run.records, "back")


def test_an_idle_link_has_no_trace() -> None:
    scenario = parse({"bottleneck": {"rate": "12Mbit"}, "rtt": "2s", "duration": 0.4, "sample": "1ms", "flows": ["reno"]})
    with pytest.raises(ScenarioError, match="delivered no 1500 bytes"):
        metrics.deliveries_ms(wt.run(scenario).records)


@pytest.mark.parametrize("sample", ["10ms", "1500us", "0", "700us"])
def test_samples_that_miss_milliseconds_are_refused_before_the_run(cli: Callable[..., Any], tmp_path: Path, sample: str) -> None:
    file = tmp_path / "out.trace"
    run = ["run", "--rate", "12Mbit", "--rtt", "20ms", "--flow", "reno", "--duration", "1s", "--sample", sample]
    result = cli(*run, "--deliveries", str(file))
    assert result.code == 2 and "sample_s" in result.err and "1ms" in result.err and not file.exists()


def test_the_command_writes_a_trace_that_the_command_reads(cli: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "out.trace"
    run = ["run", "--rate", "12Mbit", "--rtt", "20ms", "--flow", "cubic", "--duration", "2s", "--sample", "1ms", "--deliveries"]
    assert cli(*run, str(file)).code == 0
    assert cli("run", "--trace", str(file), "--rtt", "20ms", "--flow", "reno", "--duration", "1s").code == 0
    for path in (tmp_path / "none" / "out.trace", tmp_path):
        unwritable = cli(*run, str(path))
        assert (unwritable.code, unwritable.out) == (2, "") and "cannot be written" in unwritable.err
