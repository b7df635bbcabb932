"""Packets of a guest: what a capture at the senders holds is what the kernel's counters say it sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import windtunnel as wt
from windtunnel.backends import backend
from windtunnel.backends.captures import Capture
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")


def scenario() -> Scenario:
    return Scenario(bottleneck={"rate": "20Mbit", "queue": "50%bdp"}, flows=["cubic", "reno,start=1s"], rtt="40ms", duration="10s")


def test_what_is_read_of_a_capture_is_what_the_kernel_counted(tmp_path: Path) -> None:
    records, written = backend("linux").capture(scenario(), Capture.at(tmp_path / "k.pcapng", ["sender"]))
    read = wt.read_capture(tmp_path / "k.pcapng")
    # Of the capture the flows stand in the order of their first packet, which is that of their starts.
    for column, ours in (("sent_packets", "sent_packets"), ("retransmitted_packets", "retransmitted_packets")):
        assert read.flows[column].to_list() == records.flows[ours].to_list()
    assert sum(read.flows["sent_packets"]) < written.packets["sender"] < 2.1 * sum(read.flows["sent_packets"])
    assert (written.packets["bottleneck"], written.packets["receiver"]) == (0, 0)
    # Both queues are half a BDP at most: a mean RTT lies between the path's and half as much again.
    assert all(0.040 < one < 0.0605 for one in read.flows["mean_rtt_s"])
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("two_way", [False, True])
def test_what_leaves_the_bottleneck_reaches_the_receiver(tmp_path: Path, two_way: bool) -> None:
    """At the sender what is dropped later is there, behind the queue it is not. The second time ACKs pass a link of their own."""
    own = scenario()
    if two_way:
        own = Scenario(**{**own.model_dump(exclude_unset=True), "reverse": {"rate": "20Mbit", "queue": "1000p"}})
    file = tmp_path / "k.pcapng"
    records, written = backend("linux").capture(own, Capture.at(file, ["sender", "bottleneck", "receiver"]))
    read = {place: wt.read_capture(file, interface=place).flows for place in ("sender", "bottleneck", "receiver")}
    sent, resent = (records.flows[column].to_list() for column in ("sent_packets", "retransmitted_packets"))
    assert read["sender"]["sent_packets"].to_list() == sent
    for place in ("bottleneck", "receiver"):
        # Every loss is the queue's, and is sent again once: as much is missing as was retransmitted, but for what the end cuts off.
        missing = [all_of - seen for all_of, seen in zip(sent, read[place]["sent_packets"].to_list(), strict=True)]
        assert all(abs(one - other) <= 3 for one, other in zip(missing, resent, strict=True)) and min(resent) > 0
    assert written.packets["bottleneck"] > 0 and written.packets["receiver"] > 0
    assert [place for place in written.packets] == ["sender", "bottleneck", "receiver"]


def test_a_kernels_run_is_qlog_too(tmp_path: Path) -> None:
    run = wt.run(scenario(), backend="linux")
    files = run.write_qlog(tmp_path / "k.sqlog")
    assert len(files) == 2
    for number, file in enumerate(files):
        records = [json.loads(line) for line in file.read_text(encoding="utf-8")[1:].removesuffix("\n").split("\n\x1e")]
        times = [record["time"] for record in records[1:]]
        assert times == sorted(times)
        lost = sum(record["name"] == "quic:packet_lost" for record in records[1:])
        assert lost == run.flows["retransmitted_packets"][number] > 0
        windows = [record["data"]["congestion_window"] for record in records[1:] if "congestion_window" in record.get("data", {})]
        own = run.flow_samples.filter(run.flow_samples["flow"] == number)["cwnd_packets"].max()
        assert max(windows) == 1448 * float(own)  # type: ignore[arg-type]
