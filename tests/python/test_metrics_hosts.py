"""The metrics of hosts: by hand, and of runs whose costs say what they must be."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from handmade import made, steady

import windtunnel as wt
from windtunnel import records
from windtunnel.metrics import View, measure
from windtunnel.records.checksums import unsealed
from windtunnel.scenario import parse


def working(view: View, **hosts: np.ndarray) -> View:
    """The same run with processors that work so long in each second, hosts h0, h1 and so on."""
    grid = np.arange(len(next(iter(hosts.values()))) + 1.0)
    columns = {
        "t_s": np.tile(grid, len(hosts)),
        "host": np.repeat([int(name[1:]) for name in hosts], len(grid)),
        "busy_s": np.concatenate([np.concatenate(([0.0], np.cumsum(used))) for used in hosts.values()]),
    }
    return View(replace(view.records, host_samples=records.frame_of("host_samples", columns)), view.point)


def test_use_varies_from_second_to_second() -> None:
    """0.2 and 0.4 in turns over the default window, 10 s to 100 s: mean 0.3, sample deviation 0.1 sqrt(90 / 89)."""
    used = np.where(np.arange(100) % 2, 0.4, 0.2)
    view = working(made(["reno"], host=[0]), h0=used)
    assert measure("cpu_cov", view) == pytest.approx(np.sqrt(90 / 89) / 3)
    assert measure("cpu_cov", view, t0=20.5, t1=40.5) == pytest.approx(0.0, abs=1e-12)
    both = working(made(["reno", "reno"], host=[0, 1]), h0=used, h1=np.full(100, 0.5))
    assert measure("cpu_cov", both) == pytest.approx(np.sqrt(90 / 89) / 6)
    assert measure("cpu_cov", both, flow=2) == pytest.approx(0.0, abs=1e-12)


def test_cycles_are_use_times_clock_over_the_hosts_throughput() -> None:
    """A quarter of 2 GHz for 100 Mbit/s: 5 MHz per Mbit/s; of two flows on one host the rates add up."""
    host = {"host": {"cpu_pps": 10_000, "cpu_clock": "2GHz", "shared": True}}
    quarter = np.full(100, 0.25)
    alone = working(made(["reno"], [steady(100.0)], link="1Gbit", given=host, host=[0]), h0=quarter)
    assert measure("mhz_per_mbps", alone) == pytest.approx(5.0, rel=1e-3)
    two = working(made(["reno"] * 2, [steady(100.0), steady(150.0)], link="1Gbit", given=host, host=[0, 0]), h0=quarter)
    assert measure("mhz_per_mbps", two, flow=1) == pytest.approx(2.0, rel=1e-3)
    own = made(["reno,cpu_pps=9,cpu_clock=1GHz", "reno,cpu_pps=9,cpu_clock=2GHz"], [steady(100.0)] * 2, link="1Gbit", host=[0, 1])
    each = working(own, h0=quarter, h1=quarter)
    assert [measure("mhz_per_mbps", each, flow=flow) for flow in (1, 2, None)] == pytest.approx([2.5, 5.0, 3.75], rel=1e-3)


def test_what_was_not_measured_has_no_value() -> None:
    plain = made(["reno"])
    assert [measure(name, plain) for name in ("sendstalls", "rwnd_bytes", "cpu_cov", "mhz_per_mbps")] == [None] * 4
    without_a_clock = working(made(["reno"], given={"host": {"cpu_pps": 9, "shared": True}}, host=[0]), h0=np.full(100, 0.5))
    assert measure("mhz_per_mbps", without_a_clock) is None and measure("cpu_cov", without_a_clock) is not None
    shared = {"host": {"cpu_pps": 9, "cpu_clock": "1GHz", "shared": True}, "arrivals": "reno,rate=1,mean=9kB"}
    assert measure("mhz_per_mbps", working(made(["reno"], given=shared, host=[0]), h0=np.full(100, 0.5))) is None
    short = working(made(["reno"], host=[0]), h0=np.full(50, 0.5))
    assert measure("cpu_cov", short) is None


def test_counts_add_up_and_windows_are_means() -> None:
    view = made(["reno"] * 3, send_stalls=[3, 4, float("nan")], receive_window_bytes=[2e6, 4e6, float("nan")])
    assert (measure("sendstalls", view), measure("sendstalls", view, flow=2), measure("sendstalls", view, flow=3)) == (7, 4, None)
    assert (measure("rwnd_bytes", view), measure("rwnd_bytes", view, flow=1)) == (3e6, 2e6)


def run(*flows: Any, **top: Any) -> wt.Run:
    link = {"rate": "1Gbit", "queue": 10_000}
    return wt.run(parse({"rtt": "10ms", "duration": "20s", "sample": "0.1s", "bottleneck": link, "flows": list(flows), **top}))


def test_a_processor_of_11160_cycles_a_packet_costs_its_share() -> None:
    """Bullot, Cottrell and Hughes-Jones 2003, 4.2: 0.93 MHz per Mbit/s are 11,160 cycles of 12,000 bits, at any clock and rate."""
    for clock, window in ((3.06e9, 500), (2.04e9, 100)):
        done = run(f"reno,window={window}", host={"cpu_packet": 11_160 / clock, "cpu_clock": clock})
        view = View(done.records, {})
        assert measure("mhz_per_mbps", view) == pytest.approx(0.93, rel=0.002)
        assert (measure("cpu_cov", view) or 0.0) < 0.02


def test_a_stuck_receiver_says_so_to_the_byte() -> None:
    """Hegde et al. 2004, IV.B.2; the same socket with equal packets is not stuck, but for whole segments of 64 MB."""
    done = run(*(f"reno,profile=linux-2.4,receiver_mtu={mtu},window=64MB" for mtu in (9000, 1500)), duration="2s")
    assert done.flows["receive_window_bytes"].to_list() == [3_147_776, 44_198 * 1448]
    assert measure("rwnd_bytes", View(done.records, {}), flow=1) == 3_147_776


def test_refusals_are_counted_and_folders_keep_them(tmp_path: Path) -> None:
    done = run("reno,nic=100Mbit,txqueuelen=20", "reno,cpu_ack=1us")
    stalls = done.flows["send_stalls"].to_list()
    reductions = done.events.filter(pl.col("kind") == "send_stall").height
    assert stalls[0] >= reductions > 0 and stalls[1] is None
    assert done.flows["host"].to_list() == [0, 1] and done.records.host_samples is not None
    assert done.records.host_samples["host"].unique().to_list() == [1]
    done.save(tmp_path / "run")
    again = wt.load_run(tmp_path / "run")
    assert again.records.digest() == done.records.digest()
    assert measure("sendstalls", View(again.records, {})) == stalls[0]


def test_folders_from_before_hosts_were_recorded_are_read(tmp_path: Path) -> None:
    """Without hosts and caps nothing in a folder is new but its version: digest and files are those of version 3."""
    done = run("reno", duration="2s")
    done.save(tmp_path / "run")
    columns = pl.read_parquet(tmp_path / "run" / "flows.parquet").columns
    assert not {"host", "send_stalls", "receive_window_bytes"} & set(columns)
    assert not (tmp_path / "run" / "host_samples.parquet").exists()
    file = tmp_path / "run" / "run.json"
    facts = unsealed(file.read_bytes())
    assert facts["schema_version"] == 4 and facts.pop("files")  # No checksums then.
    file.write_text(json.dumps(facts | {"schema_version": 3}), encoding="utf-8")
    assert wt.load_run(tmp_path / "run").flows["send_stalls"].to_list() == [None]
