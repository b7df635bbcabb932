"""How many packets a run is estimated to deliver before it has begun."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from windtunnel.backends import estimate as estimates
from windtunnel.backends.estimate import Estimate, announced, available_bytes, estimate
from windtunnel.backends.weight import packets
from windtunnel.cli import main
from windtunnel.scenario import Scenario


def test_a_run_weighs_what_its_windows_send_where_that_is_less_than_what_its_link_carries() -> None:
    def weight(flows: tuple[Any, ...], **more: Any) -> float:
        link = {"rate": "1Tbit", "queue": 100, **more}
        return packets(Scenario(bottleneck=link, flows=flows, rtt="100ms", duration="50s"))

    assert weight(("reno",)) == pytest.approx(1e12 / 12e3 * 50)
    # 500 round trips of 20 packets, and those of the second half of 10 and 10.
    assert weight(("reno,window=20", "reno,window=10,count=2,start=25s")) == pytest.approx(500 * 20 + 250 * 20)
    # Mathis and others 1997: sqrt(3/2)/sqrt(p) packets a round trip on average; no law of the experiments sends three times that.
    assert weight(("reno",), loss=1e-4) == pytest.approx(500 * 400)
    assert weight(("reno,window=20",), rate="1Mbit") == pytest.approx(50e6 / 12e3)
    # Losses by the clock, one in 5 s, 50 round trips: Reno's mean window is one and a half times that.
    assert weight(("reno",), losses="timed,interval=100ms,probability=0.02") == pytest.approx(500 * 200)


MEASURED = """
import resource, time
import windtunnel as wt
link = wt.Bottleneck(rate_bps=100e6, queue_bdp=1.0)
wt.run(wt.Scenario(bottleneck=link, rtt_s=0.04, duration_s=0.1, flows=["reno"]))  # Loads what a run needs: that is no part of it.
begun = time.process_time()
wt.run(wt.Scenario(bottleneck=link, rtt_s=0.04, duration_s=60, flows=[wt.Flow(algorithm="reno", count=50)], sample_s=0.001, per_ack=True))
print(time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def test_time_and_memory_of_a_run_are_within_a_factor_of_three() -> None:
    """Three million samples, half a million packets and every second ACK of them."""
    done = subprocess.run([sys.executable, "-c", MEASURED], capture_output=True, text=True, check=True)
    seconds, memory = map(float, done.stdout.split())
    link = {"rate_bps": 100e6, "queue_bdp": 1.0}
    run = Scenario(bottleneck=link, rtt_s=0.04, duration_s=60, flows=[{"algorithm": "reno", "count": 50}], sample_s=0.001, per_ack=True)
    told = estimate(run)
    assert 1 / 3 < told.memory_bytes / memory < 3, (told, memory)
    # A processor that others use too is slower.
    assert 1 / 8 < told.seconds / seconds < 3, (told, seconds)


def test_only_what_is_long_or_large_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"a": Estimate(10.0, 1e9), "b": Estimate(7200.0, 3e9), "c": Estimate(400 * 3600.0, 9e9)}
    monkeypatch.setattr(estimates, "estimate", told.__getitem__)
    assert announced(["a"], free_bytes=2e9) == []
    assert announced([], free_bytes=1.0) == []
    assert announced(["a"] * 3, processes=2, free_bytes=1.9e9) == [
        "about 2.0 GB of memory are needed, 2 runs at a time, and 1.9 GB are free; "
        "a larger sample interval, or none, takes less where flows are many or the run is long"
    ]
    assert announced(["b"], free_bytes=4e9) == ["the run takes about 2.0 hours, an estimate that may be three times off"]
    lines = announced(["b", "c"], processes=2, free_bytes=20e9)
    assert lines == [
        "the longest of 2 runs takes about 17 days, an estimate that may be three times off",
        "2 runs take about 17 days on 2 processes, an estimate as rough",
    ]


def test_a_control_groups_limit_counts(tmp_path: Path) -> None:
    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable:    4000 kB\n")
    group = tmp_path / "group"
    assert available_bytes(tmp_path / "meminfo", group) == 4_096_000
    group.mkdir()
    for limit, free in (("max", 4_096_000), ("1000000", 600_000), ("100", 0)):
        (group / "memory.max").write_text(limit + "\n")
        (group / "memory.current").write_text("400000\n")
        assert available_bytes(tmp_path / "meminfo", group) == free
    assert available_bytes(tmp_path / "none") is None


def test_the_command_says_it_before_the_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(estimates, "available_bytes", lambda: 1e6)
    assert main(["run", "--rate", "1Mbit", "--rtt", "40ms", "--duration", "1s", "--flow", "reno", "--json"]) == 0
    assert re.search(r"note: about 0\.2 GB of memory are needed, and 0\.0 GB are free", capsys.readouterr().err)
