"""A run's packets as pcapng: the records stay what they are, and other people's tools read in the file what happened."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.python.helpers.tsharked import CLASSES, frames

import windtunnel as wt
from windtunnel.backends.captures import PLACES, Capture
from windtunnel.backends.sim import Simulator

Cli = Callable[..., Any]
BOTTLENECK = {"rate": "20Mbit", "queue": "50%bdp"}

PATHS: dict[str, dict[str, Any]] = {
    "two flows over drop-tail": {"flows": ["cubic", "reno,start=1s"]},
    "handshakes, losses and pacing": {"flows": ["cubic", "bbr"], "handshake": True, "bottleneck": BOTTLENECK | {"loss": 0.02}},
    "data late and twice": {
        "flows": ["cubic,bytes=2MB", "bbr"],
        "bottleneck": BOTTLENECK | {"loss": 0.01, "reorder": 0.01, "reorder_by": "20ms", "duplicate": 0.01},
    },
    "three kinds of ECN": {
        "flows": ["cubic,ecn=classic", "dctcp", "cubic,ecn=accurate"],
        "bottleneck": {"rate": "20Mbit", "queue": "100%bdp", "mark": 20, "loss": 0.003},
    },
    "no SACK, no timestamps": {"flows": ["cubic,sack=false", "reno,timestamps=false"], "bottleneck": BOTTLENECK | {"loss": 0.003}},
    "ACKs lost on a reverse link": {
        "flows": ["cubic", "reno,direction=reverse"],
        "bottleneck": {"rate": "20Mbit", "queue": "100%bdp", "discipline": "codel"},
        "reverse": {"rate": "3Mbit", "queue": "20"},
    },
    "two hops, hosts": {
        "flows": ["cubic", "reno"],
        "hops": [{"rate": "15Mbit", "queue": "30", "delay": "5ms"}],
        "host": {"nic": "100Mbit"},
    },
    "a buffer that fills": {"flows": ["cubic,rcvbuf=60kB,read_rate=5Mbit"], "handshake": True},
    "transfers": {"flows": ["cubic"], "arrivals": [{"algorithm": "reno", "load": 0.3, "mean": "50kB"}]},
}


def path(**given: Any) -> wt.Scenario:
    return wt.Scenario.model_validate({"bottleneck": BOTTLENECK, "rtt": "40ms", "duration": "6s"} | given)


@pytest.mark.parametrize("name", PATHS)
def test_a_capture_leaves_the_records_as_they_are_and_holds_every_packet_sent(tmp_path: Path, name: str) -> None:
    scenario = path(**PATHS[name])
    plain = wt.run(scenario).records
    records, captured = Simulator().capture(scenario, Capture(tmp_path / "run.pcapng", PLACES))
    assert records.digest() == plain.digest()
    assert list(tmp_path.iterdir()) == [tmp_path / "run.pcapng"]
    # What waits is what is under way, of a run of any length.
    assert captured.waited_packets < 1000 < captured.packets["sender"]
    sent = 0
    for place in PLACES:
        trace = wt.read_capture(tmp_path / "run.pcapng", interface=place)
        assert trace.figures["packets"] == captured.packets[place]
        if place == "sender":
            sent = sum(flow["data_frames"] for flow in trace.figures["flows"])
    assert sent == records.facts.counters["data_packets"]


@pytest.mark.parametrize("name", PATHS)
def test_wireshark_calls_the_segments_retransmissions_that_are(tmp_path: Path, name: str) -> None:
    file = tmp_path / "run.pcapng"
    records, captured = Simulator().capture(path(**PATHS[name]), Capture(file))
    fields = ["ip.src", "tcp.seq", "tcp.len", *(f"tcp.analysis.{kind}" for kind in CLASSES), "_ws.malformed", "frame.comment"]
    rows = frames(file, *fields)
    assert len(rows) == captured.packets["sender"]
    assert not [row for row in rows if row["_ws.malformed"]]
    # Connections that were established before the run have three packets that were not part of it; transfers begin with their own.
    before = sum(not flow.get("handshake", False) for flow in records.facts.scenario["flows"])
    assert sum(bool(row["frame.comment"]) for row in rows) == 3 * before
    # Flows stand first, then the transfers, whose retransmissions have no column of their own.
    counts = records.flows["retransmitted_packets"].to_list()
    senders = sorted({int(row["ip.src"].split(".")[3]) for row in rows if row["ip.src"].startswith("10.0.0.")})
    assert (len(senders) > len(counts)) == (name == "transfers")
    for number in senders:
        data = [row for row in rows if row["ip.src"] == f"10.0.0.{number}" and int(row["tcp.len"])]
        behind, wrong, classes = 0, [], Counter[str]()
        for row in data:
            seq, is_classed = int(row["tcp.seq"]), any(row[f"tcp.analysis.{kind}"] for kind in CLASSES)
            classes.update(kind for kind in CLASSES if row[f"tcp.analysis.{kind}"])
            if is_classed != (seq < behind):
                wrong.append(row)
            behind = max(behind, seq + int(row["tcp.len"]))
        assert not wrong, wrong[:3]
        counted = sum(any(row[f"tcp.analysis.{kind}"] for kind in CLASSES) for row in data)
        assert number > len(counts) or counted == counts[number - 1], classes


def test_an_ack_weighs_on_a_reverse_link_what_its_headers_weigh_in_the_file(tmp_path: Path) -> None:
    """Behind a link that is busy, packets are their transmissions apart: 64, 72 and 80 bytes of an ACK with one, two and three blocks."""
    rate_bps = 100e3
    reverse = {"rate": "100kbit", "queue": 20}
    scenario = path(flows=["cubic"] * 3, bottleneck=BOTTLENECK | {"loss": 0.03}, reverse=reverse, jitter=0, duration="20s")
    Simulator().capture(scenario, Capture(tmp_path / "run.pcapng", ("sender",)))
    rows = frames(tmp_path / "run.pcapng", "ip.src", "frame.time_relative", "frame.len", "tcp.options.sack_le", "tcp.flags.syn")
    acks = [row for row in rows if row["ip.src"] == "172.16.0.1" and row["tcp.flags.syn"] in ("0", "False")]
    blocks = [len(row["tcp.options.sack_le"].split(",")) if row["tcp.options.sack_le"] else 0 for row in acks]
    lengths = [int(row["frame.len"]) for row in acks]
    assert lengths == [52 + (4 + 8 * count if count else 0) for count in blocks]
    times = [float(row["frame.time_relative"]) for row in acks]
    spare = [(later - earlier) * rate_bps / 8 - length for earlier, later, length in zip(times, times[1:], lengths[1:], strict=False)]
    # Nanoseconds are a ten-thousandth of a byte.
    assert min(spare) > -0.001
    behind_another = Counter(count for count, more in zip(blocks[1:], spare, strict=True) if more < 0.001)
    assert all(behind_another[count] > 9 for count in (0, 1, 2, 3)), behind_another


def test_headers_say_what_the_connection_is(tmp_path: Path) -> None:
    scenario = path(**PATHS["three kinds of ECN"] | {"handshake": True})
    records, _ = Simulator().capture(scenario, Capture(tmp_path / "run.pcapng", ("receiver",)))
    options = ["tcp.options.mss_val", "tcp.options.wscale.shift", "tcp.options.sack_perm", "tcp.options.timestamp.tsval"]
    rows = frames(
        tmp_path / "run.pcapng", "ip.src", "tcp.flags", "ip.dsfield.ecn", "tcp.options.sack_le", "frame.len", "frame.cap_len", *options
    )
    syns = {row["ip.src"]: row for row in rows if int(row["tcp.flags"], 16) & 0x12 == 2}
    # RFC 3168 6.1.1 and RFC 9768 3.1.1: ECE and CWR, and AE with accurate feedback. 1500 bytes of IP hold 1460 of TCP's options and data.
    assert [int(syns[f"10.0.0.{number}"]["tcp.flags"], 16) for number in (1, 2, 3)] == [0xC2, 0xC2, 0x1C2]
    assert all(row[option] for row in syns.values() for option in options) and {row["tcp.options.mss_val"] for row in syns.values()} == {
        "1460"
    }
    for number, marked in enumerate(records.flows["marked_packets"]):
        own = [row for row in rows if row["ip.src"] == f"10.0.0.{number + 1}"]
        # A packet that is marked and still under way at the end is not seen.
        assert 0 <= marked - sum(row["ip.dsfield.ecn"] == "3" for row in own) <= 2 < marked
        full = [row for row in own if row["frame.len"] == "1500"]
        assert len(full) > 1000 and {row["frame.cap_len"] for row in full} == {"52"}
        assert {row["ip.dsfield.ecn"] for row in full} >= {"2", "3"}
    assert any(row["tcp.options.sack_le"] for row in rows)


def test_a_transfer_ends_with_a_fin_and_copies_are_reported(tmp_path: Path) -> None:
    scenario = path(flows=["cubic,bytes=1MB"], handshake=True, bottleneck=BOTTLENECK | {"duplicate": 0.05})
    Simulator().capture(scenario, Capture(tmp_path / "run.pcapng"))
    rows = frames(
        tmp_path / "run.pcapng", "ip.src", "tcp.flags.fin", "tcp.seq", "tcp.len", "tcp.ack", "tcp.options.sack_le", "tcp.options.sack_re"
    )
    ends = [row for row in rows if row["tcp.flags.fin"] in ("1", "True")]
    # 1 000 000 bytes are 691 segments of 1448; behind the last one's data stands the FIN.
    assert [(row["ip.src"], int(row["tcp.seq"]) + int(row["tcp.len"])) for row in ends] == [("10.0.0.1", 1 + 691 * 1448)]
    answers = [row for row in rows if row["ip.src"] == "172.16.0.1"]
    assert int(answers[-1]["tcp.ack"]) == 2 + 691 * 1448
    # RFC 2883: the first block lies below the ACK, one segment long.
    reports = [
        row for row in answers if row["tcp.options.sack_re"] and int(row["tcp.options.sack_re"].split(",")[0]) <= int(row["tcp.ack"])
    ]
    assert len(reports) > 10


def test_tcptrace_counts_what_the_records_count(tmp_path: Path) -> None:
    if shutil.which("tcptrace") is None:
        pytest.skip("tcptrace is not installed (Debian's package of that name)")
    records, _ = Simulator().capture(path(**PATHS["two flows over drop-tail"]), Capture(tmp_path / "run.pcapng"))
    said = subprocess.run(["tcptrace", "-l", "-n", str(tmp_path / "run.pcapng")], capture_output=True, text=True, check=True).stdout
    for key, column in (("rexmt data pkts", "retransmitted_packets"), ("actual data pkts", "sent_packets")):
        counted = [int(number) for number in re.findall(rf"{key}:\s+(\d+)\s+{key}", said)]
        assert counted == records.flows[column].to_list(), key


def test_a_class_and_a_controller_from_a_file_are_captured_too(tmp_path: Path) -> None:
    class Mine(wt.Controller):
        """A window that grows by one segment for each that is delivered."""

        def on_acked(self, w: wt.Window, c: wt.Connection, acked: int) -> None:
            del c
            w.cwnd = min(w.cwnd + acked, 100)

        def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
            del c
            return w.cwnd / 2

    source = Path(__file__).parents[2] / "examples/c-controller/mine.c"
    for flow in (wt.Flow(algorithm=Mine), wt.Flow(algorithm=str(source))):
        scenario = wt.Scenario(bottleneck=wt.Bottleneck(rate="20Mbit"), rtt="40ms", duration="2s", flows=[flow])
        run = wt.run(scenario, pcap=tmp_path / "run.pcapng", pcap_at=["receiver", "sender"])
        trace = wt.read_capture(tmp_path / "run.pcapng", interface="sender")
        assert trace.flows["sent_packets"].to_list() == run.flows["sent_packets"].to_list()


def test_the_command_writes_a_file_whole_or_not_at_all(tmp_path: Path, cli: Cli, quick: list[str]) -> None:
    file = tmp_path / "run.pcapng"
    done = cli("run", *quick, "--pcap", str(file), "--pcap-at", "sender,receiver")
    assert done.code == 0 and re.search(r"\d+ packets at the sender, \d+ packets at the receiver", done.err)
    file.unlink()
    for given, said in (
        (["--pcap-at", "sender"], "pcap_at: there is no file; allowed: with --pcap FILE"),
        (["--pcap", str(file), "--pcap-at", "moon"], "allowed: sender, bottleneck, receiver, each once"),
        (["--pcap", str(file), "--pcap-at", "sender,sender"], "each once"),
        (["--pcap", str(tmp_path / "none" / "run.pcapng")], "cannot be written"),
        (["--pcap", str(tmp_path)], "cannot be written"),
    ):
        refused = cli("run", *quick, *given)
        assert refused.code == 2 and said in refused.err and refused.err.count("\n") == 1, refused.err
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_one_line(tmp_path: Path, cli: Cli, quick: list[str]) -> None:
    (tmp_path / ".run.pcapng.partial").symlink_to("/dev/full")
    done = cli("run", *quick, "--pcap", str(tmp_path / "run.pcapng"))
    assert done.code == 2 and "No space left" in done.err and done.err.count("\n") == 1
    assert not list(tmp_path.iterdir())
