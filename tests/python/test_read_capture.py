"""Captures that are read: our own give our own numbers, other forms are read alike, and what is none is refused in a line."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import windtunnel as wt
from windtunnel.backends.captures import PLACES, Capture
from windtunnel.backends.sim import Simulator
from windtunnel.records import Records

Cli = Callable[..., Any]
BOTTLENECK = {"rate": "20Mbit", "queue": "50%bdp"}
PATHS: dict[str, dict[str, Any]] = {
    "drop-tail": {"flows": ["cubic", "reno,start=1s"]},
    "losses": {"flows": ["cubic", "bbr"], "handshake": True, "bottleneck": BOTTLENECK | {"loss": 0.01}},
    "disorder": {"flows": ["cubic"], "bottleneck": BOTTLENECK | {"loss": 0.005, "reorder": 0.01, "reorder_by": "20ms", "duplicate": 0.01}},
    "ECN": {"flows": ["cubic,ecn=classic", "dctcp"], "bottleneck": {"rate": "20Mbit", "queue": "100%bdp", "mark": 20, "loss": 0.003}},
    "no SACK, no timestamps": {"flows": ["cubic,timestamps=false", "reno,sack=false"], "bottleneck": BOTTLENECK | {"loss": 0.003}},
    "ACKs on a link": {"flows": ["cubic", "reno,direction=reverse"], "reverse": {"rate": "10Mbit", "queue": "100%bdp"}},
}


def captured(file: Path, places: tuple[str, ...] = ("sender",), **given: Any) -> Records:
    scenario = wt.Scenario.model_validate({"bottleneck": BOTTLENECK, "rtt": "40ms", "duration": "10s"} | given)
    return Simulator().capture(scenario, Capture(file, places))[0]


@pytest.mark.parametrize("name", PATHS)
def test_our_own_capture_at_the_sender_gives_our_own_numbers(tmp_path: Path, name: str) -> None:
    file = tmp_path / "run.pcapng"
    records = captured(file, **PATHS[name])
    trace = wt.read_capture(file)
    counts = ["sent_packets", "retransmitted_packets", "delivered_packets"]
    assert trace.flows.select(counts).equals(records.flows.select(counts))
    for number, flow in enumerate(trace.figures["flows"]):
        own = records.flow_samples.filter(pl.col("flow") == number)
        has_timestamps = "timestamps=false" not in PATHS[name]["flows"][number]
        assert flow["vantage"] == ("sender" if has_timestamps else "unknown")
        # A millisecond is a timestamp's tick: so much the RTT of a segment that was sent twice is off in our records.
        twice = flow["retransmitted_packets"] / flow["rtt_samples"]
        assert flow["mean_rtt_s"] == pytest.approx(records.flows["mean_rtt_s"][number], abs=1e-3 * twice + 1e-7)
        # Beside a flow of bbr the column is bbr's own variable, and null for the others.
        if PATHS[name]["flows"] != ["cubic", "bbr"]:
            assert flow["min_rtt_s"] == pytest.approx(own["min_rtt_s"].min(), abs=1e-6)
        both = _joined(own, trace.flow_samples.filter(pl.col("flow") == number))
        assert both.height > 850
        for counted in ("delivered_bytes", "retransmitted_packets"):
            assert both[counted].equals(both[f"{counted}_right"].rename(counted)), counted
        # While segments are marked lost, or duplicate ACKs stand for what arrived, the sender knows better what is under way.
        calm = both.filter(pl.col("state") == 0)
        assert calm.height > 400 and calm["inflight_packets"].equals(calm["inflight_packets_right"].rename("inflight_packets"))
        # The window of a law that is not paced is full between losses: what was most under way is the window.
        if PATHS[name]["flows"][number] != "bbr":
            window = ((both["cwnd_packets_right"] - both["cwnd_packets"]).abs() / both["cwnd_packets"]).median()
            assert window < 0.05  # type: ignore[operator]
        srtt = (both["srtt_s_right"] - both["srtt_s"]).abs()
        assert srtt.median() < 1e-4 and srtt.max() < 5e-3  # type: ignore[operator]


def _joined(own: pl.DataFrame, read: pl.DataFrame) -> pl.DataFrame:
    key = (pl.col("t_s") * 1e3).round().cast(pl.Int64).alias("ms")
    return own.with_columns(key).join(read.with_columns(key), on="ms")


@pytest.mark.parametrize(("place", "vantage"), [("receiver", "receiver"), ("bottleneck", "between")])
def test_at_another_place_the_rtt_is_put_together_and_the_window_unknown(tmp_path: Path, place: str, vantage: str) -> None:
    file = tmp_path / "run.pcapng"
    records = captured(file, PLACES, **PATHS["drop-tail"])
    trace = wt.read_capture(file, interface=place)
    assert [flow["vantage"] for flow in trace.figures["flows"]] == [vantage] * 2
    assert any("--interface reads" in note for note in trace.notes)
    for number, flow in enumerate(trace.figures["flows"]):
        assert flow["mean_rtt_s"] == pytest.approx(records.flows["mean_rtt_s"][number], rel=0.02)
        assert flow["how"]["window"].startswith("unknown")
        assert flow["retransmitted_packets"] == records.flows["retransmitted_packets"][number]
    assert trace.flow_samples["cwnd_packets"].null_count() == trace.flow_samples.height


def test_episodes_and_timeouts_are_found_where_silence_and_losses_make_them(tmp_path: Path) -> None:
    # An outage of a second: everything is lost, and the timer expires.
    records = captured(tmp_path / "run.pcapng", flows=["reno"], bottleneck=BOTTLENECK | {"outages": ["4s=1s"], "queue": "5"})
    trace = wt.read_capture(tmp_path / "run.pcapng")
    assert records.flows["timeouts"][0] > 0
    assert trace.flows["timeouts"].to_list() == records.flows["timeouts"].to_list()
    assert trace.flows["loss_episodes"][0] == pytest.approx(records.flows["loss_episodes"][0] + 1, abs=1)


def packet(flags: int, seq: int, ack: int, payload: int, *, up: bool = True) -> bytes:
    """A packet of TCP in IPv4, without options, from port 1000 to port 2000 or back."""
    ports, ends = ((1000, 2000), (b"\n\0\0\1", b"\n\0\0\2")) if up else ((2000, 1000), (b"\n\0\0\2", b"\n\0\0\1"))
    tcp = struct.pack(">HHIIBBHHH", *ports, seq, ack, 0x50, flags, 1000, 0, 0)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + payload, 0, 0x4000, 64, 6, 0) + b"".join(ends)
    return ip + tcp


EXCHANGE = [(0, packet(2, 99, 0, 0)), (30, packet(18, 499, 100, 0, up=False)), (30, packet(16, 100, 500, 0))]
DATA = [
    (40, packet(16, 100, 500, 1000)),
    (41, packet(16, 1100, 500, 1000)),
    (71, packet(16, 500, 2100, 0, up=False)),
    (80, packet(16, 2100, 500, 1000)),
    (380, packet(16, 2100, 500, 1000)),
    (420, packet(16, 500, 3100, 0, up=False)),
]
"""At milliseconds: three segments of 1000 bytes, the last one twice; the first two are answered after 30 ms."""

ETHERNET = bytes(12)
LINKS = {
    1: lambda ip: ETHERNET + b"\x08\x00" + ip,
    101: lambda ip: ip,
    113: lambda ip: bytes(14) + b"\x08\x00" + ip,
    276: lambda ip: b"\x08\x00" + bytes(18) + ip,
    0: lambda ip: b"\2\0\0\0" + ip,
}


def pcap(packets: list[tuple[int, bytes]], *, order: str = "<", link: int = 101, nanoseconds: bool = False) -> bytes:
    magic, per_ms = (0xA1B23C4D, 1_000_000) if nanoseconds else (0xA1B2C3D4, 1000)
    parts = [struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, link)]
    for ms, ip in packets:
        frame = LINKS[link](ip)
        length = len(frame) - len(ip) + int.from_bytes(ip[2:4], "big")
        parts += [struct.pack(f"{order}IIII", 1000, ms * per_ms, len(frame), length), frame]
    return b"".join(parts)


def in_six(ip: bytes) -> bytes:
    """The same packet in IPv6, behind a header of options, ECN-capable."""
    length = int.from_bytes(ip[2:4], "big") - 20 + 8
    return (
        struct.pack(">IHBB", 6 << 28 | 2 << 20, length, 0, 64)
        + bytes(15)
        + ip[15:16]
        + bytes(15)
        + ip[19:20]
        + bytes([6, 0, 1, 4, 0, 0, 0, 0])
        + ip[20:]
    )


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("order", ["<", ">"])
def test_links_byte_orders_and_clocks_are_read_alike(tmp_path: Path, link: int, order: str) -> None:
    file = tmp_path / "some.pcap"
    file.write_bytes(pcap(EXCHANGE + DATA, order=order, link=link, nanoseconds=order == ">"))
    _check_exchange(wt.read_capture(file))


def _check_exchange(trace: Any) -> None:
    (flow,) = trace.figures["flows"]
    assert (flow["from"].endswith(":1000"), flow["to"].endswith(":2000"), flow["mss_bytes"]) == (True, True, 1000)
    assert (flow["sent_packets"], flow["retransmitted_packets"], flow["delivered_bytes"], flow["timeouts"]) == (4, 1, 3000, 0)
    # From the second segment, at 41 ms, to the ACK at 71; the third was sent twice and times nothing. 3000 bytes in 380 ms.
    assert (flow["rtt_samples"], flow["mean_rtt_s"], flow["min_rtt_s"]) == (1, pytest.approx(0.03), pytest.approx(0.03))
    assert flow["goodput_bps"] == pytest.approx(24_000 / 0.38)
    assert flow["how"]["handshake"] == "seen" and trace.notes == ()


def test_ipv6_and_tagged_ethernet_are_read_too(tmp_path: Path) -> None:
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)]
    for ms, ip in EXCHANGE + DATA:
        six = in_six(ip)
        frame = ETHERNET + b"\x81\0\0\7\x86\xdd" + six
        parts += [struct.pack("<IIII", 1000, ms * 1000, len(frame), 18 + 40 + int.from_bytes(six[4:6], "big")), frame]
    (tmp_path / "six.pcap").write_bytes(b"".join(parts))
    trace = wt.read_capture(tmp_path / "six.pcap")
    _check_exchange(trace)
    assert trace.figures["flows"][0]["from"] == "[::1]:1000"


def test_without_a_handshake_what_is_unknown_is_said(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "later.pcap").write_bytes(pcap(DATA))
    done = cli("read", str(tmp_path / "later.pcap"), "--json")
    (flow,) = done.json()["flows"]
    assert done.code == 0 and "handshake not seen: what was sent before and the scale of windows are unknown" in done.err
    assert (flow["retransmitted_packets"], flow["receive_window_bytes"]) == (1, None)


def test_what_is_no_capture_of_tcp_is_one_line_and_exit_code_2(tmp_path: Path, cli: Cli) -> None:
    captured(tmp_path / "ours.pcapng", flows=["reno"], duration="1s")
    whole, ours = pcap(EXCHANGE + DATA), (tmp_path / "ours.pcapng").read_bytes()
    udp = bytearray(EXCHANGE[0][1])
    udp[9] = 17
    cases = {
        "empty": (b"", "is empty"),
        "text": (b"time,rate\n1,2\n", "is no capture: it begins neither as pcap nor as pcapng does"),
        "short": (whole[:12], "is cut off behind packet 0"),
        "cut": (whole[:-7], "is cut off behind packet 8"),
        "cut-ng": (ours[:-3], "is cut off behind packet "),
        "udp": (pcap([(0, bytes(udp))]), "holds 1 packets and no TCP; the first is UDP"),
        "arp": (
            pcap([(0, packet(2, 1, 0, 0))], link=1).replace(b"\x08\x00\x45", b"\x08\x06\x45"),
            "no TCP; the first is Ethernet type 0x0806",
        ),
        "radio": (pcap([(0, packet(2, 1, 0, 0))]).replace(b"e\0\0\0", b"i\0\0\0"), "no TCP; the first is link type 105, which is not read"),
        "none": (pcap([]), "holds no packets"),
        "no-data": (pcap(EXCHANGE), "holds 3 packets of TCP and no data"),
        "damaged": (ours[:200] + b"\xff" * 40 + ours[240:], "is "),
    }
    for name, (content, said) in cases.items():
        (tmp_path / name).write_bytes(content)
        done = cli("read", str(tmp_path / name))
        assert done.code == 2 and said in done.err and done.err.count("\n") == 1 and not done.out, (name, done)
    for given, said in (
        ([str(tmp_path / "nothing")], "cannot be read"),
        ([str(tmp_path / "ours.pcapng"), "--interface", "moon"], "allowed: sender"),
    ):
        done = cli("read", *given)
        assert done.code == 2 and said in done.err and done.err.count("\n") == 1, done.err


def test_a_capture_is_drawn_and_told(tmp_path: Path, cli: Cli) -> None:
    captured(tmp_path / "run.pcapng", flows=["reno", "cubic"])
    done = cli("read", str(tmp_path / "run.pcapng"), "--plot", str(tmp_path / "run.svg"))
    assert done.code == 0 and "10.0.0.2:49153" in done.out and "by sequence number" in done.out
    assert "10.0.0.1:49152 to 172.16.0.1:5001" in (tmp_path / "run.svg").read_text(encoding="utf-8")
    assert cli("read", str(tmp_path / "run.pcapng"), "--sample", "0s").code == 2


def test_what_a_path_delivered_is_a_trace_that_a_link_plays(cli: Cli, tmp_path: Path) -> None:
    """A link of 12 Mbit/s delivers a packet a millisecond; one that plays the trace carries the same."""
    capture, trace = tmp_path / "c.pcapng", tmp_path / "c.trace"
    link = {"rate": "12Mbit", "queue_packets": 60}
    wt.run(wt.Scenario(bottleneck=link, flows=["cubic,ack_every=1"], rtt="20ms", duration="10s"), pcap=capture, pcap_at=["receiver"])
    assert cli("read", str(capture), "--deliveries", str(trace)).code == 0
    at = [int(line) for line in trace.read_text().split()]
    assert len(at) == pytest.approx(10_000, rel=0.02)
    # One in nearly every millisecond once the link is full.
    late = [one for one in at if one > 1000]
    assert len(set(late)) == pytest.approx(len(late), rel=0.03)
    again = wt.run(wt.Scenario(bottleneck={"trace_ms": at, "queue_packets": 60}, flows=["cubic"], rtt="20ms", duration="10s"))
    assert again.summary["metrics"]["throughput_bps"] == pytest.approx(12e6, rel=0.05)
    refused = cli("read", str(capture), "--deliveries", str(trace), "--sample", "10ms")
    assert refused.code == 2 and "1ms" in refused.err
