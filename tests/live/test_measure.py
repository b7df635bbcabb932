"""`windtunnel measure` between two namespaces with a path of known rate, delay and queue: what it finds, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hosts import WINDTUNNEL, between, path
from leftover import left_behind, new_since

from windtunnel import fit
from windtunnel.run import load_run

LISTEN = [*WINDTUNNEL, "measure", "--listen"]
GOODPUT = 20 * 1448 / 1500
"""Of the path, Mbit/s: 1448 of 1500 bytes are payload."""


def measured(tmp_path: Path, *options: str, listen: tuple[str, ...] = (), **more: Any) -> tuple[dict[str, Any], Path]:
    folder = tmp_path / "results"
    command = [*WINDTUNNEL, "measure", "{first}", "--alg", "cubic", "--repeat", "1", "--duration", "3s", "--out", str(folder), *options]
    return between(more.pop("given", path()), [*LISTEN, *listen], command, **more), folder


def document(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "measure.json").read_text())


def test_a_path_is_measured_and_fitted_and_nothing_is_left(tmp_path: Path) -> None:
    before = left_behind()
    answer, folder = measured(tmp_path, "--ping", "--udp-sine", "--reverse", "--pairs", "--streams", "1,4")
    assert answer["second"][0] == 0, answer["second"]
    assert answer["first"][0] == 0
    assert new_since(before) == {}
    known = document(folder)
    rows = {(row["beside"], row["streams"]): row for row in known["runs"]}
    assert sorted(rows) == [("alone", 1), ("alone", 4), ("pair", 1), ("reverse", 1), ("sine", 1)]
    for row in rows.values():
        # The first second has the slow start; nothing is faster than the link. Queues of ACKs behind data make a transfer slower.
        assert (0.1 if row["beside"] == "reverse" else 0.5) * GOODPUT < row["goodput_mbps"] < 1.02 * GOODPUT
        # 20 ms, 0.6 ms of transmission, and at most 40 packets of queue: 24 ms. The host wakes up late now and then.
        assert 20 <= row["rtt_ms_min"] < 25
        assert row["ping_ms_max"] < 120
        # Where data go both ways, bursts of ACKs meet a queue of packets that the data have filled: it drops one ping in eight. Of 30 pings
        # a fifth is lost by chance in one run of five, a half in one of a million. Elsewhere it drops one in thirty.
        assert row["ping_lost_percent"] < (50 if row["beside"] == "reverse" else 20)
    # No more are lost than the router dropped.
    assert sum(30 * row["ping_lost_percent"] / 100 for row in rows.values()) <= sum(link["dropped_packets"] for link in answer["links"])
    assert abs(rows["pair", 1]["asymmetry"]) < 1
    assert rows["reverse", 1]["reverse_mbps"] > 5
    # 5 to 20 % of the path's rate, as the probe saw it: 12.5 % in the mean.
    assert rows["sine", 1]["udp_mbps"] == pytest.approx(0.125 * known["probe"]["rate_bps"] / 1e6, rel=0.2)
    assert {"tcp_rmem" in name for name in known["there"]["settings"]} == {True, False}
    for name in ("throughput", "stability", "rtt", "ping", "processor", "sine", "reverse", "asymmetry", "goodput"):
        assert (folder / "figures" / f"{name}.svg").stat().st_size > 1000
    runs = fit.seen_runs(folder)
    estimated = fit.estimate(fit.together(runs, "path"))
    assert estimated.rate_mbps.value == pytest.approx(20, rel=0.03)
    assert estimated.queue_packets.value == pytest.approx(40, rel=0.15)
    assert estimated.rtt_ms.value == pytest.approx(20.4, abs=1)


def test_packets_are_counted_at_both_ends_and_a_window_that_limits_is_named(tmp_path: Path) -> None:
    answer, folder = measured(tmp_path, "--streams", "2", "--window", "16KiB,auto", "--no-figures")
    assert answer["second"][0] == 0, answer["second"]
    rows = {row["window"]: row for row in document(folder)["runs"]}
    again = 0
    for row in rows.values():
        run = load_run(folder / row["name"])
        # Everything that was written arrived, and the acknowledged bytes are the received ones.
        assert sum(stream["received_bytes"] for stream in run.records.facts.host["measure"]["streams"]["there"]) == row["received_bytes"]
        assert sum(run.flows["delivered_bytes"]) == pytest.approx(row["received_bytes"], rel=0.01)
        assert run.flow_samples["srtt_s"].min() > 0.02
        again += sum(run.flows["retransmitted_packets"])
    # The router's drops are those of the probe too.
    assert again <= answer["links"][0]["dropped_packets"] + 2
    # Two windows of 16 KiB in 20 ms are 13 Mbit/s.
    assert rows["16KiB"]["goodput_mbps"] < 13.5
    assert any("held it back" in line and "16KiB was asked for" in line for line in rows["16KiB"]["limits"])
    assert "16KiB was asked for" in answer["second"][2]


def test_a_wrong_token_is_refused_in_one_line_and_the_listener_goes_on(tmp_path: Path) -> None:
    answer, folder = measured(tmp_path, "--token", "0" * 32, ends_first_behind=True)
    assert answer["second"][0] == 2
    assert answer["second"][2].splitlines()[-1] == "error: measure: the listener does not take this token"
    assert "was turned away: a caller does not know the token" in answer["first"][1]
    # It was waiting for another caller when it was ended.
    assert answer["first"][0] != 0
    assert "Traceback" not in answer["first"][2]
    assert not folder.exists()


def test_more_than_the_stated_volume_is_not_sent_without_a_yes(tmp_path: Path) -> None:
    answer, folder = measured(tmp_path, "--duration", "60s", "--volume", "10MB")
    assert answer["second"][0] == 2
    assert "more than --volume 10 MB; --yes agrees" in answer["second"][2]
    assert not folder.exists()
    # What the probe sent.
    assert answer["links"][0]["delivered_bytes"] < 64e6


def test_the_listeners_bytes_end_the_measurement_and_what_is_measured_is_kept(tmp_path: Path) -> None:
    answer, folder = measured(tmp_path, "--repeat", "4", "--no-figures", listen=("--limit", "20MB"))
    assert answer["second"][0] == 0, answer["second"]
    assert "ended early" in answer["second"][2]
    assert 1 <= len(document(folder)["runs"]) < 4
    assert answer["links"][0]["delivered_bytes"] < 1.15 * 20e6


def test_a_listener_that_dies_ends_it_with_one_line_and_what_is_measured_is_kept(tmp_path: Path) -> None:
    answer, folder = measured(tmp_path, "--repeat", "9", "--no-figures", ends_first_at=str(tmp_path / "results/measure.json"))
    assert answer["second"][0] == 0
    assert "Traceback" not in answer["second"][2]
    assert "ended early, run" in answer["second"][2]
    assert document(folder)["ended"]


def test_nobody_there_is_one_line(tmp_path: Path) -> None:
    answer = between(path(), ["true"], [*WINDTUNNEL, "measure", "{first}", "--token", "0" * 32, "--out", str(tmp_path / "results")])
    assert answer["second"][0] == 2
    assert "does not answer" in answer["second"][2]
