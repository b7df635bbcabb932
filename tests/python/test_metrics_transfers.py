"""Completion times, silence, cross traffic and applications, on rows written by hand."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from handmade import made, steady

from windtunnel.metrics import View, measure
from windtunnel.records import Records
from windtunnel.records.model import frame_of
from windtunnel.records.schema import FRAMES

NONE = math.nan


def four(completed: list[float]) -> Any:
    flows = [f"cubic,bytes=200000000,start={5 * k}s" for k in range(4)]
    return made(flows, duration_s=100.0, rtt_s=0.16, completed_s=completed, end_s=[NONE] * 4)


def test_a_transfer_begins_with_its_syn_one_rtt_before_the_first_data() -> None:
    view = four([40.0, 65.0, 70.0, 75.0])
    assert measure("completion_s", view, flow=1) == pytest.approx(40.16)
    assert measure("completion_s", view, flow=4) == pytest.approx(60.16)
    assert measure("completion_s", view) == pytest.approx((40 + 60 + 60 + 60) / 4 + 0.16)
    assert measure("first_vs_rest", view) == pytest.approx(60.16 / 40.16)


def test_a_transfer_that_does_not_end_is_infinite() -> None:
    view = four([40.0, 65.0, NONE, 75.0])
    assert measure("completion_s", view, flow=3) == math.inf
    assert measure("first_vs_rest", view) is None
    assert measure("completion_s", made(["reno"])) is None


def test_an_application_is_one_flow_and_ends_with_its_last_stream() -> None:
    given = ["reno,bytes=1000,application=1,start=0s", "reno,bytes=1000,application=1,start=2s", "cubic,bytes=1000,start=3s"]
    flows = [dict(part.split("=") for part in text.split(",")[1:]) | {"algorithm": text.split(",")[0]} for text in given]
    view = made(flows, [steady(1.0), steady(2.0), steady(3.0)], completed_s=[9.0, 7.0, 8.0], end_s=[NONE] * 3, point={"alg": "reno"})
    assert measure("completion_s", view, flow=1) == pytest.approx(9.1)
    assert measure("completion_s", view, flow=2) == pytest.approx(5.1)


def parallel() -> Any:
    flows = [{"algorithm": "ptcp", "application": 1}, {"algorithm": "ptcp", "application": 1}, {"algorithm": "htcp"}]
    return made(flows, [steady(1.0), steady(2.0), steady(6.0)], point={"alg": "ptcp"})


def test_streams_of_an_application_share_as_one() -> None:
    view = parallel()
    assert measure("thr_mbps", view) == pytest.approx(3.0, rel=1e-3)
    assert measure("thr_mbps", view, flow=1) == pytest.approx(3.0, rel=1e-3)
    assert measure("thr_mbps", view, flow=2) == pytest.approx(6.0, rel=1e-3)
    assert measure("fair_minmax", view) == pytest.approx(0.5, rel=1e-3)
    # Jain of 3 and 6: 81/(2 x 45) = 0.9, as the register's r = .5; asymmetry (3 - 6)/9.
    assert measure("jain", view) == pytest.approx(0.9, rel=1e-3)
    assert measure("asym", view) == pytest.approx(-1 / 3, rel=1e-3)
    # Two flows share 12 Mbit/s: 3 of a fair 6.
    assert measure("thr_norm", view) == pytest.approx(0.5, rel=1e-3)
    assert measure("product", view) == pytest.approx(0.5, rel=1e-3)


@pytest.mark.parametrize(("rates", "asymmetry"), [((1.0, 1.0), 0.0), ((65.0, 24.0), 0.461), ((53.0, 37.0), 0.178), ((0.0, 1.0), -1.0)])
def test_asymmetry_is_the_papers(rates: tuple[float, float], asymmetry: float) -> None:
    # 65:24 and 53:37 Mbit/s are of Leith et al. 2008; their asymmetries are worked out from (x1 - x2)/(x1 + x2).
    view = made(["illinois", "reno"], [steady(rates[0]), steady(rates[1])], point={"alg": "illinois"})
    assert measure("asym", view) == pytest.approx(asymmetry, abs=5e-4)


def test_flows_that_are_not_open_do_not_share() -> None:
    flows = ["fast,stop=40s", "fast,start=20s,stop=80s", "fast,start=50s"]
    view = made(flows, [lambda t: np.where(t < 40, 6.0, 0.0), lambda t: np.where(t < 80, 2.0, 0.0), steady(2.0)], end_s=[40.0, 80.0, NONE])
    assert measure("jain", view, t0=21.0, t1=39.0) == pytest.approx(64 / 80, rel=1e-3)
    assert measure("first_share", view, t0=21.0, t1=39.0) == pytest.approx(0.75, rel=1e-3)
    assert measure("jain", view, t0=51.0, t1=79.0) == pytest.approx(1.0, rel=1e-3)
    assert measure("jain", view, t0=81.0, t1=99.0) == pytest.approx(1.0)
    assert measure("thr_cov", view, t0=21.0, t1=39.0) == pytest.approx(0.0, abs=1e-3)


def test_the_share_of_the_first_is_of_the_thirty_seconds_after_the_last_start() -> None:
    rates = [lambda t: np.where(t < 45.05, 6.0, 0.0), steady(1.0), steady(2.0), steady(3.0)]
    view = made([f"cubic,start={5 * k}s" for k in range(4)], rates)
    # From 15 s to 45 s: 6 of 12; the flow that has ended counts as zero when it is asked for later.
    assert measure("share_first", view) == pytest.approx(0.5, rel=2e-3)


def test_silence_is_the_longest_run_of_tenths_without_news() -> None:
    stopped = made(["reno"], [lambda t: np.where((t > 30) & (t < 75), 0.0, 1.0)])
    assert measure("silence_s", stopped) == pytest.approx(45.0, abs=0.11)
    # A flow that stops asking is not silent; one that never gets anything is, from its start on.
    ended = made(["reno,stop=30s", "reno,start=10s"], [lambda t: np.where(t < 30, 1.0, 0.0), steady(1.0)], end_s=[30.0, NONE])
    assert measure("silence_s", ended) == pytest.approx(0.0, abs=0.11)
    starved = made(["reno", "reno,start=10s"], [steady(1.0), steady(0.0)])
    assert measure("silence_s", starved) == pytest.approx(90.0, abs=0.11)
    assert measure("silence_s", starved, flow=1) == pytest.approx(0.0, abs=0.11)


def cross(rows: list[tuple[float, float, int]], **more: Any) -> Any:
    traffic = [
        {"start_s": start, "completed_s": end, "delivered_bytes": size, "window_delivered_packets": 50, "mean_rtt_s": 0.5}
        for start, end, size in rows
    ]
    own = {"completed_s": [NONE], "delivered_bytes": [1_000_000], "window_delivered_packets": [9000], "mean_rtt_s": [0.1]}
    return made(["ctcp"], traffic=traffic, given={"warmup_s": 10.0}, **own, **more)


def test_short_flows_weigh_in_the_mean_of_rates_and_not_in_the_rate_of_means() -> None:
    # 1 Mbit in 1 s and 1 Mbit in 4 s: E[b/T] = 0.625 Mbit/s, E[b]/E[T] = 0.4 Mbit/s. One begins before the window, one does not end.
    view = cross([(20.0, 21.0, 125_000), (30.0, 34.0, 125_000), (5.0, 6.0, 10**9), (90.0, NONE, 10**9)])
    assert measure("xt_EbT_mbps", view) == pytest.approx(0.625)
    assert measure("xt_Eb_ET_mbps", view) == pytest.approx(0.4)
    # With half a second for the handshake: (1/1.5 + 1/4.5)/2 and 2/6.
    assert measure("xt_EbT_mbps@handshake", view) == pytest.approx((1 / 1.5 + 1 / 4.5) / 2)
    assert measure("xt_Eb_ET_mbps@handshake", view) == pytest.approx(2 / 6)
    # 4 x 50 packets of 12000 bits in 90 s, the transfer under study left out.
    assert measure("xt_mbps", view) == pytest.approx(4 * 50 * 12_000 / 90 / 1e6)
    assert measure("thr_mbps", view) == pytest.approx(9000 * 12_000 / 90 / 1e6)


def passing(rows: list[tuple[int, float, float | None, int, int, int]], sources: list[str]) -> View:
    """A long flow, and transfers by source, begin, time, payload bytes, packets sent and packets repeated; a base RTT of 0.5 s."""
    view = made(["ctcp"], given={"warmup_s": 10.0, "arrivals": sources}, completed_s=[NONE], window_delivered_packets=[9000])
    names = ("source", "start_s", "completion_s", "bytes", "sent_packets", "retransmitted_packets")
    table = [dict(zip(names, row, strict=True)) | {"rtt_s": 0.5, "timeouts": 0} for row in rows]
    return View(dataclasses.replace(view.records, transfers=pl.DataFrame(table, schema=FRAMES["transfers"])), view.point)


FORWARD = "reno,load=10%,mean=25kB,handshake=false"
REVERSE = FORWARD + ",direction=reverse"


def test_transfers_that_sources_make_are_cross_traffic_and_those_in_reverse_are_not() -> None:
    # 1 Mbit in 1 s and 1 Mbit in 4 s, as above; one begins before the window, one does not end, one goes the other way.
    rows = [
        (0, 5.0, 10.0, 10**8, 1000, 0),
        (0, 20.0, 1.0, 125_000, 90, 3),
        (0, 30.0, 4.0, 125_000, 87, 0),
        (0, 90.0, None, 10**9, 430, 30),
        (1, 40.0, 1.0, 10**9, 10**6, 0),
    ]
    view = passing(rows, [FORWARD, REVERSE])
    assert measure("xt_EbT_mbps", view) == pytest.approx(0.625)
    assert measure("xt_Eb_ET_mbps", view) == pytest.approx(0.4)
    assert measure("xt_EbT_mbps@handshake", view) == pytest.approx((1 / 1.5 + 1 / 4.5) / 2)
    # 500 of the first one's packets in the window, 87, 87, and 400 until the end, in 90 s.
    assert measure("xt_mbps", view) == pytest.approx((500 + 87 + 87 + 400) * 12_000 / 90 / 1e6)
    # From 22 s to 32 s: half of the third.
    assert measure("xt_mbps", view, t0=22.0, t1=32.0) == pytest.approx(43.5 * 12_000 / 10 / 1e6)


def test_a_handshake_that_was_there_is_left_out_or_not_added() -> None:
    view = passing([(0, 20.0, 1.5, 125_000, 90, 3), (0, 30.0, 4.5, 125_000, 87, 0)], [FORWARD.replace("false", "true")])
    assert measure("xt_EbT_mbps", view) == pytest.approx(0.625)
    assert measure("xt_EbT_mbps@handshake", view) == pytest.approx((1 / 1.5 + 1 / 4.5) / 2)


def test_sources_that_made_nothing_deliver_nothing() -> None:
    view = passing([], [FORWARD])
    assert measure("xt_mbps", view) == 0.0
    assert measure("xt_EbT_mbps", view) is None


def test_without_cross_traffic_it_delivers_nothing_and_has_no_rate() -> None:
    view = cross([])
    assert measure("xt_mbps", view) == 0.0
    assert measure("xt_EbT_mbps", view) is None


def test_what_goes_back_is_not_foreground() -> None:
    two = {
        "link": [0, 1],
        "name": ["forward", "reverse"],
        "utilisation": [0.9] * 2,
        "mean_queue_packets": [5.0] * 2,
        "dropped_packets": [7, 3],
    }
    view = made(
        ["illinois", "reno,direction=reverse,start=25s"],
        given={"warmup_s": 10.0},
        delivered_packets=[8000, 7500],
        window_delivered_packets=[8000, 7500],
        links={**two, "window_delivered_bytes": [0, 7500 * 1500 + 4000 * 52]},
    )
    # 7500 packets from 25 s to 100 s; the rest of what the reverse link carries are 4000 ACKs in 90 s.
    assert measure("rev_thr_mbps", view) == pytest.approx(1.2)
    assert measure("rev_ack_mbps", view) == pytest.approx(4000 * 52 * 8 / 90 / 1e6)
    assert measure("thr_mbps", view) == pytest.approx(8000 * 12_000 / 90 / 1e6)


def test_udp_beside_tcp_is_background() -> None:
    def wave(t: np.ndarray) -> np.ndarray:
        return np.where(np.floor(t / 5) % 2 == 0, 4.0, 2.0)

    grid = np.round(np.arange(1, 1001) * 0.1, 10)
    view = made(["bic"], [lambda t: 10 - wave(t)], traffic=[{"algorithm": "udp", "start_s": 0.0}])
    counted = np.round(np.cumsum(np.full(1000, 0.1) * wave(grid - 0.05)) * 1e6 / 12000 * 1472)
    frames = {name: frame for name, frame in view.records.frames().items() if name != "acks"}
    udp = frame_of("flow_samples", {"t_s": grid, "flow": np.ones(1000), "delivered_bytes": counted})
    view = View(Records(facts=view.records.facts, **{**frames, "flow_samples": frames["flow_samples"].vstack(udp)}), {})
    # TCP yields what UDP takes: their sum stands still, and they are each other's mirror.
    assert measure("agg_cov", view) == pytest.approx(0.0, abs=1e-3)
    assert measure("corr_tcp_udp", view) == pytest.approx(-1.0, abs=1e-6)
    assert measure("udp_b2b_mbps", view) == pytest.approx(3.0, rel=1e-3)
    assert measure("thr_mbps", view, flow="sum") == pytest.approx(7.0, rel=0.02)
    assert measure("xt_mbps", view) == pytest.approx(3.0, rel=0.02)


def test_a_listed_udp_flow_is_foreground_only_when_there_is_no_tcp() -> None:
    mixed = made(["bic", "reno"], [steady(2.0), steady(4.0)], algorithm=["bic", "udp"])
    assert measure("thr_mbps", mixed, flow="sum") == pytest.approx(2.0, rel=1e-3)
    assert measure("xt_mbps", mixed) == pytest.approx(4.0, rel=1e-3)
    alone = made(["reno", "reno"], [steady(2.0), steady(4.0)], algorithm=["udp", "udp"])
    assert measure("thr_mbps", alone, flow=2) == pytest.approx(4.0, rel=1e-3)
    assert measure("xt_mbps", alone) == 0.0
