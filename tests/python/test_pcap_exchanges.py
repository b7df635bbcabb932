"""Packets of runs with requests, whose two directions both carry data, and of whole stacks, whose datagrams are their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.python.helpers.tsharked import CLASSES, frames

import windtunnel as wt
from windtunnel.backends.captures import PLACES, Capture
from windtunnel.backends.sim import Simulator
from windtunnel.foreign import stacks

MSS = 1448
LOSSY = {"rate": "20Mbit", "queue": "50%bdp", "loss": 0.01}
PATHS: dict[str, dict[str, Any]] = {
    "requests of three packets": {"flows": ["cubic,request=3kB,response=100kB,think=0.1s", "reno"], "bottleneck": LOSSY},
    "requests lost on a reverse link": {
        "flows": ["cubic,request=fixed:4kB,response=exponential:60kB,think=0.05s"],
        "handshake": True,
        "bottleneck": LOSSY,
        "reverse": {"rate": "3Mbit", "queue": "30", "loss": 0.05},
    },
}


def path(**given: Any) -> wt.Scenario:
    return wt.Scenario.model_validate({"bottleneck": {"rate": "20Mbit", "queue": "50%bdp"}, "rtt": "40ms", "duration": "8s"} | given)


@pytest.mark.parametrize("name", PATHS)
def test_both_directions_of_a_connection_with_requests_carry_what_was_sent(tmp_path: Path, name: str) -> None:
    scenario, file = path(**PATHS[name]), tmp_path / "run.pcapng"
    records, captured = Simulator().capture(scenario, Capture(file, PLACES))
    assert records.digest() == wt.run(scenario).records.digest()
    exchanges = dict(records.frames())["exchanges"]
    fields = ["ip.src", "tcp.seq", "tcp.len", "tcp.ack", *(f"tcp.analysis.{kind}" for kind in CLASSES), "_ws.malformed"]
    rows = {place: frames(file, *fields, at=place) for place in PLACES}
    for place in PLACES:
        assert len(rows[place]) == captured.packets[place] and not any(row["_ws.malformed"] for row in rows[place])
        for source in {row["ip.src"] for row in rows[place]}:
            own = [row for row in rows[place] if row["ip.src"] == source and int(row["tcp.len"])]
            if source == "172.16.0.1":
                continue
            # At the sender every segment that was sent again is called so, and no other.
            behind = 0
            for row in own if place == "sender" else []:
                assert any(row[f"tcp.analysis.{kind}"] for kind in CLASSES) == (int(row["tcp.seq"]) < behind), row
                behind = max(behind, int(row["tcp.seq"]) + int(row["tcp.len"]))
            resent = sum(any(row[f"tcp.analysis.{kind}"] for kind in CLASSES) for row in own)
            number = int(source.rsplit(".", 1)[1]) - 1
            assert place != "sender" or (len(own), resent) == records.flows.select("sent_packets", "retransmitted_packets").row(number)
    # Where it asks, a client sends each request whole, and what has no ACK as often again as the records say: a packet or more.
    asked = [row for row in rows["receiver"] if row["ip.src"] == "172.16.0.1" and int(row["tcp.len"])]
    pieces = (exchanges["request_bytes"] + MSS - 1) // MSS
    again = [any(row[f"tcp.analysis.{kind}"] for kind in CLASSES) for row in asked]
    assert len(asked) - sum(again) == pieces.sum() and any(again) == ("reverse" in PATHS[name])
    assert exchanges["repeats"].sum() <= sum(again) <= (pieces * exchanges["repeats"]).sum()
    first = (int(row["tcp.len"]) for row, is_copy in zip(asked, again, strict=True) if not is_copy)
    assert sum(first) == exchanges["request_bytes"].sum()
    # The server acknowledges a request once it has it: the first segment of each response says all the bytes asked so far.
    acked = {int(row["tcp.ack"]) for row in rows["sender"] if row["ip.src"] == "10.0.0.1" and int(row["tcp.len"])}
    ends = exchanges.filter(pl.col("completion_s").is_not_null())["request_bytes"].cum_sum() + 1
    assert set(ends) <= acked and exchanges.height > 5


def test_acks_of_requests_have_the_sack_blocks_of_what_arrived_behind_a_hole(tmp_path: Path) -> None:
    """Those of a server whose requests of three packets lose some: each block ends where packets do, and weighs what RFC 2018 says."""
    file = tmp_path / "run.pcapng"
    scenario = path(**PATHS["requests lost on a reverse link"])
    Simulator().capture(scenario, Capture(file, PLACES))
    fields = ["ip.src", "ip.id", "ip.len", "tcp.len", "tcp.ack", "tcp.options.sack_le", "tcp.options.sack_re", "tcp.options.sack.dsack"]
    said: dict[str, dict[str, tuple[str, ...]]] = {}
    for place in PLACES:
        rows = [
            row
            for row in frames(file, *fields, at=place)
            if row["ip.src"] == "10.0.0.1" and row["tcp.len"] == "0" and row["tcp.options.sack_le"]
        ]
        for row in rows:
            edges = [[int(edge) for edge in row[f"tcp.options.sack_{side}e"].split(",")] for side in "lr"]
            assert int(row["ip.len"]) == 52 + 4 + 8 * len(edges[0])
            for left, right in zip(*edges, strict=True):
                # 4000 bytes are packets of 1448, 1448 and 1104.
                assert left < right and {(left - 1) % 4000, (right - 1) % 4000} <= {0, MSS, 2 * MSS}
            # What is no copy (RFC 2883 4) lies behind the acknowledgement.
            assert row["tcp.options.sack.dsack"] or min(edges[0]) > int(row["tcp.ack"])
        said[place] = {row["ip.id"]: tuple(row[field] for field in fields) for row in rows}
    assert len(said["sender"]) > 5 and all(said["sender"][key] == row for place in PLACES for key, row in said[place].items())


@pytest.mark.parametrize("name", PATHS)
def test_a_capture_with_requests_is_read_as_what_the_run_measured(tmp_path: Path, name: str) -> None:
    file = tmp_path / "run.pcapng"
    records, _ = Simulator().capture(path(**PATHS[name]), Capture(file))
    trace = wt.read_capture(file)
    down = [flow for flow in trace.figures["flows"] if flow["from"].startswith("10.0.0.")]
    up = [flow for flow in trace.figures["flows"] if flow["to"].startswith("10.0.0.")]
    for flow, row in zip(sorted(down, key=lambda flow: str(flow["from"])), records.flows.iter_rows(named=True), strict=True):
        for count in ("sent_packets", "retransmitted_packets", "delivered_packets"):
            assert flow[count] == row[count], count
        assert flow["vantage"] == "sender"
        twice = flow["retransmitted_packets"] / flow["rtt_samples"]
        assert flow["mean_rtt_s"] == pytest.approx(row["mean_rtt_s"], abs=1e-3 * twice + 1e-7)
    # The requests are the other direction's data, seen where they arrive.
    done = dict(records.frames())["exchanges"].filter(pl.col("completion_s").is_not_null())["request_bytes"].sum()
    assert len(up) == 1 and 0 <= up[0]["delivered_bytes"] - done <= 4000


@pytest.fixture
def quinn() -> None:
    if not any(one.name == "quinn" for one in stacks.built()):
        pytest.skip("quinn is not built: windtunnel stacks build quinn")


@pytest.mark.usefixtures("quinn")
def test_the_datagrams_of_a_whole_stack_are_its_own(tmp_path: Path) -> None:
    scenario, file = path(flows=["cubic,stack=quinn", "cubic"], bottleneck=LOSSY | {"mark": 20}), tmp_path / "run.pcapng"
    records, captured = Simulator().capture(scenario, Capture(file, PLACES))
    assert records.digest() == wt.run(scenario).records.digest()
    row = records.flows.row(0, named=True)
    fields = ["ip.src", "udp.length", "frame.len", "frame.cap_len", "ip.dsfield.ecn", "_ws.malformed", "quic.long.packet_type", "ip.id"]
    rows = {place: frames(file, *fields, at=place) for place in PLACES}
    for place in PLACES:
        assert len(rows[place]) == captured.packets[place] and not any(one["_ws.malformed"] for one in rows[place])
    data = {place: [one for one in rows[place] if one["udp.length"] and one["ip.src"] == "10.0.0.1"] for place in PLACES}
    # Each is whole: IP's 20 bytes and UDP's length.
    assert all(one["frame.len"] == one["frame.cap_len"] == str(20 + int(one["udp.length"])) for one in data["sender"])
    assert len(data["sender"]) == row["sent_packets"]
    # Behind the link those that were dropped there are missing, and the marks are on what goes on.
    assert abs(len(data["sender"]) - len(data["bottleneck"]) - row["lost_packets"]) <= 60 < row["lost_packets"]
    assert len(data["receiver"]) == row["delivered_packets"]
    marked = [one for one in data["bottleneck"] if one["ip.dsfield.ecn"] == "3"]
    assert not any(one["ip.dsfield.ecn"] == "3" for one in data["sender"]) and abs(len(marked) - row["marked_packets"]) <= 60 < len(marked)
    # Wireshark knows them: the client begins with an Initial (RFC 9000 17.2.2: type 0), padded to 1200 bytes.
    assert data["sender"][0]["quic.long.packet_type"].split(",")[0] == "0" and int(data["sender"][0]["udp.length"]) >= 1208
    # One datagram has one identification at all places.
    assert {one["ip.id"] for one in data["receiver"]} <= {one["ip.id"] for one in data["sender"]}


@pytest.mark.usefixtures("quinn")
def test_beside_a_stack_the_flows_of_tcp_are_read(tmp_path: Path) -> None:
    file = tmp_path / "run.pcapng"
    records, _ = Simulator().capture(path(flows=["cubic,stack=quinn", "cubic"]), Capture(file))
    trace = wt.read_capture(file)
    assert trace.figures["flows"][0]["sent_packets"] == records.flows["sent_packets"][1]
    assert any("are no TCP" in note for note in trace.notes)
