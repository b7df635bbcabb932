"""The kernel's TCP as a whole stack. What needs a built one is skipped where none is: `windtunnel stacks build linux`."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import windtunnel as wt
from windtunnel.cli import main
from windtunnel.foreign import stacks

RTT_S = 0.04
HEADERS_BYTES = 52
MSS_BYTES = 1448


@pytest.fixture
def linux():
    found = [one for one in stacks.built() if one.name == "linux"]
    if not found:
        pytest.skip("linux is not built: windtunnel stacks build linux")
    return found[0]


def path(*flows, **more):
    given = {"bottleneck": {"rate": "50Mbit", "queue": "100%bdp"}, "rtt": "40ms", "duration": "12s", "flows": flows}
    return wt.Scenario.model_validate(given | more)


def test_the_kernels_tcp_shares_the_link_and_says_what_its_socket_knows(linux):
    run = wt.run(path("cubic,stack=linux", "cubic"))
    assert run.flows["algorithm"].to_list() == ["cubic@linux", "cubic"]
    assert run.flows["variant"][0] == f"linux-{linux.version}"
    assert run.links["utilisation"][0] > 0.95
    assert run.flows["delivered_bytes"].min() > 5e6
    samples = run.flow_samples.filter(run.flow_samples["flow"] == 0)
    for name in ("cwnd_packets", "srtt_s", "min_rtt_s", "inflight_packets", "pacing_rate_bps", "state"):
        assert samples[name].null_count() == 0, name
    # The kernel counts whole microseconds.
    assert RTT_S <= samples["min_rtt_s"].min() < samples["srtt_s"].min() + 1e-6 < 0.1
    assert samples["datagram_bytes"].unique().to_list() == [MSS_BYTES]
    assert samples["inflight_packets"].max() <= samples["cwnd_packets"].max() + 3
    assert set(samples["state"].to_list()) <= {0, 1, 2, 3, 4} and {0, 3} <= set(samples["state"].to_list())
    assert run.flows["loss_episodes"][0] > 0 and run.flows["timeouts"][0] == 0


def test_what_is_sent_arrives_and_the_handshake_takes_a_round_trip(linux):
    row = wt.run(path("reno,stack=linux,bytes=300001")).flows.row(0, named=True)
    assert row["delivered_bytes"] == 300_001 and row["lost_packets"] == row["retransmitted_packets"] == 0
    # 208 segments, the SYN, the ACK of its answer, and the ACK of the receiver's FIN or a FIN of its own, where it travels alone.
    assert -(-300_001 // MSS_BYTES) == 208 and 210 <= row["sent_packets"] <= 212
    # 10, 20, 40, 80 and the last 58 of them in a round trip each, behind the handshake's; our own TCP's last one is full.
    same = wt.run(path("reno,bytes=300001,handshake=true")).flows["completed_s"][0]
    assert 6 * RTT_S < row["completed_s"] == pytest.approx(same, abs=0.001)
    # Ten times as many overflow the queue: what is lost is sent again.
    row = wt.run(path("reno,stack=linux,bytes=3000001")).flows.row(0, named=True)
    assert row["delivered_bytes"] == 3_000_001 and row["lost_packets"] > 0
    assert row["retransmitted_packets"] >= row["lost_packets"] and row["sent_packets"] >= 2072 + row["lost_packets"]
    small = wt.run(path("reno,stack=linux,bytes=1000")).flows
    assert 2 * RTT_S < small["completed_s"][0] < 2 * RTT_S + 0.002


def test_one_flow_fills_a_link_with_a_queue_of_one_bdp(linux):
    run = wt.run(path("cubic,stack=linux", warmup="2s", duration="22s"))
    assert run.links["utilisation"][0] > 0.99
    row = run.summary["flows"][0]
    # Goodput: the payload's share of each packet, less what was sent again.
    assert row["goodput_bps"] == pytest.approx(50e6 * MSS_BYTES / (MSS_BYTES + HEADERS_BYTES), rel=0.01)


def test_slow_start_doubles_the_window_in_each_round_trip(linux):
    """From ten packets on (RFC 6928), where no queue is full."""
    run = wt.run(path("reno,stack=linux", rtt="200ms", duration="0.75s", sample="10ms"))
    samples = run.flow_samples
    at = dict(zip((round(t_s, 2) for t_s in samples["t_s"]), samples["cwnd_packets"].to_list(), strict=True))
    assert (at[0.3], at[0.5], at[0.7]) == (10, 20, 40)


@pytest.mark.parametrize("algorithm", ["cubic", "reno", "bbr"])
def test_runs_repeat_to_the_byte_one_after_the_other_and_side_by_side(linux, algorithm):
    scenario = path(f"{algorithm},stack=linux", f"{algorithm},stack=linux,start=1s", duration="6s")
    first = wt.run(scenario).records.digest()
    with ThreadPoolExecutor(2) as workers:
        assert {run.records.digest() for run in workers.map(wt.run, [scenario] * 2)} == {first}
    # BBR draws the phase of its gains (net/ipv4/tcp_bbr.c, bbr_reset_probe_bw_mode).
    if algorithm == "bbr":
        assert wt.run(scenario.model_copy(update={"seed": 2})).records.digest() != first


def test_beside_a_kernel_that_has_nothing_to_send_tcp_is_what_it_is_alone(linux):
    alone = wt.run(path("cubic"))
    beside = wt.run(path("cubic", "cubic,stack=linux,start=11.999s,stop=11.9995s"))
    mine = beside.flow_samples.filter(beside.flow_samples["flow"] == 0)
    for name in ("cwnd_packets", "srtt_s", "delivered_bytes"):
        assert mine[name].to_list() == alone.flow_samples[name].to_list()


def test_marks_reach_the_kernel_and_its_answers_are_counted(linux):
    """DCTCP asks for ECN by itself (tcp_ca_needs_ecn), and the receiver's answers each mark.

    The same law in the simulator's TCP, exact on 6.1's recordings, has its marks, its queue and its share of the link.
    """
    bottleneck = {"rate": "50Mbit", "queue": "1000", "mark": "20"}
    run, ours = (wt.run(path(flow, bottleneck=bottleneck)) for flow in ("dctcp,stack=linux", "dctcp"))
    row, same = run.flows.row(0, named=True), ours.flows.row(0, named=True)
    assert row["lost_packets"] == same["lost_packets"] == 0
    assert row["marked_packets"] == pytest.approx(same["marked_packets"], rel=0.1)
    assert row["loss_episodes"] == pytest.approx(same["loss_episodes"], abs=3)
    assert run.links["utilisation"][0] == pytest.approx(ours.links["utilisation"][0], rel=0.01)
    assert run.links["mean_queue_packets"][0] == pytest.approx(ours.links["mean_queue_packets"][0], rel=0.05)


def test_an_application_that_pauses_or_writes_in_chunks_gets_what_it_writes(linux):
    run = wt.run(path("cubic,stack=linux,app_rate=2Mbit,chunk=500ms"))
    assert run.flows["delivered_bytes"][0] == 24 * 125_000
    run = wt.run(path("cubic,stack=linux,on=1s,off=2s"))
    samples = run.flow_samples
    at = dict(zip((round(t_s, 3) for t_s in samples["t_s"]), samples["delivered_bytes"].to_list(), strict=True))
    assert at[2.9] == at[2.5] and at[3.9] > at[3.0] + 2e6 and at[5.9] == at[5.5]


def test_a_kernels_flow_has_one_stream(linux, capsys):
    asked = ["run", "--rate", "10Mbit", "--rtt", "40ms", "--queue", "50", "--duration", "2s", "--flow", "cubic,stack=linux,streams=2"]
    assert main(asked) == 2
    out = capsys.readouterr()
    assert "has one stream in a connection, and 2 are asked for" in out.err and out.err.count("\n") == 1


@pytest.mark.parametrize(
    ("what", "said"),
    [
        (signal.SIGKILL, "the guest ended (signal: 9 (SIGKILL))"),
        (signal.SIGSTOP, "did not return within 1 s"),
    ],
)
def test_a_guest_that_dies_or_stands_still_is_one_line(linux, what, said):
    command = [sys.executable, "-m", "windtunnel", "run", "--rate", "100Mbit", "--rtt", "40ms", "--duration", "1000s"]
    environment = os.environ | {"WINDTUNNEL_PATIENCE_S": "1"}
    command += ["--flow", "reno,stack=linux"]
    asked = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    os.kill(_guest_below(asked.pid), what)
    out, err = asked.communicate(timeout=60)
    assert asked.returncode == 2 and not out and err.count("\n") == 1, err
    assert f"linux-{linux.version}" in err and said in err and "flow 1" in err, err
    time.sleep(0.2)
    assert not _below(asked.pid)


def _below(pid: int) -> list[tuple[int, str]]:
    """Return the processes below one, with their names."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue
        number, _, name = head.partition(" (")
        parents[int(number)] = (int(rest.split()[1]), name)
    found = {pid}
    while more := {one for one, (parent, _) in parents.items() if parent in found} - found:
        found |= more
    return [(one, parents[one][1]) for one in found - {pid}]


def _guest_below(pid: int) -> int:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        guests = sorted(one for one, name in _below(pid) if name == "linux")
        if len(guests) == 2:
            # Both are at work: the run has begun.
            time.sleep(0.5)
            return guests[0]
        time.sleep(0.05)
    raise AssertionError("no guest")
