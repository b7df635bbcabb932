"""Whole runs on a built kernel: determinism, closed forms, conservation, and the same records as the simulator's."""

from __future__ import annotations

import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from windtunnel.backends import backend
from windtunnel.backends.linux import init, store
from windtunnel.backends.linux.errors import GuestFailed, KernelError
from windtunnel.backends.linux.guest import guest
from windtunnel.backends.sim import Simulator
from windtunnel.records import Records
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")

PACKET_S = 1500 * 8 / 10e6
SYN_S = 60 * 8 / 10e6


def scenario(*flows: Any, queue: Any = 7, **more: Any) -> Scenario:
    link = {"rate": "10Mbit", "queue": queue, **more.pop("link", {})}
    return Scenario(**{"bottleneck": link, "flows": flows, "rtt": "42ms", "duration": "10s", **more})


def run(made: Scenario) -> Records:
    return backend("linux").run(made)


@pytest.fixture(scope="module")
def two() -> Records:
    return run(scenario("reno", "cubic,start=1s", duration="20s", warmup="5s"))


def test_two_runs_of_one_scenario_agree_to_the_byte_also_at_the_same_time(two: Records) -> None:
    with ThreadPoolExecutor(2) as both:
        again = list(both.map(run, [scenario("reno", "cubic,start=1s", duration="20s", warmup="5s")] * 2))
    assert [one.digest() for one in again] == [two.digest()] * 2


def test_another_seed_gives_another_run(two: Records) -> None:
    assert run(scenario("reno", "cubic,start=1s", duration="20s", warmup="5s", seed=2)).digest() != two.digest()


def test_the_records_have_the_simulators_columns(two: Records) -> None:
    simulated = Simulator().run(scenario("reno", "cubic,start=1s"))
    for name in ("flows", "links", "link_samples", "events"):
        assert dict(two.frames()[name].schema) == dict(simulated.frames()[name].schema)
    shared = set(simulated.flow_samples.columns) - {"last_max_packets", "k_s"}  # CUBIC reports nothing about itself.
    assert shared <= set(two.flow_samples.columns)
    assert two.flow_samples["t_s"].to_list() == sorted(two.flow_samples["t_s"].to_list())


def test_flows_are_sampled_at_the_same_times_as_in_the_simulator(two: Records) -> None:
    simulated = Simulator().run(scenario("reno", "cubic,start=1s", duration="20s", warmup="5s"))
    for flow in (0, 1):
        ours, theirs = (one.flow_samples.filter(flow=flow)["t_s"].to_list() for one in (two, simulated))
        # The handshake takes its jitter too: the sample at the very start may come before the connection.
        assert ours[-2000 + flow * 100 :] == pytest.approx(theirs[-2000 + flow * 100 :])
    assert two.link_samples["t_s"].to_list() == pytest.approx(simulated.link_samples["t_s"].to_list())


def test_every_packet_sent_was_delivered_or_dropped(two: Records) -> None:
    for row in two.flows.rows(named=True):
        assert row["sent_packets"] >= row["delivered_packets"] + row["lost_packets"]
        # What lies between is at most what was under way at the end: the path and its queue, 35 + 7 packets.
        assert row["sent_packets"] - row["delivered_packets"] - row["lost_packets"] <= 42
    # What the link dropped after the flows' last moments on its own clock, a quarter of an RTT, is not in its counter.
    assert 0 <= two.flows["lost_packets"].sum() - two.links["dropped_packets"][0] <= 10


def test_the_base_rtt_is_propagation_and_one_transmission() -> None:
    made = run(scenario("reno", jitter=0, duration="2s"))
    # The smallest is the handshake's: its SYN has 60 bytes. The clock's grains are 256 ns, and a sample is whole microseconds.
    assert made.flow_samples["min_rtt_s"].min() == pytest.approx(0.042 + SYN_S, abs=2e-6)
    first = made.flow_samples.filter(made.flow_samples["delivered_bytes"] > 0)["t_s"][0]
    assert first == pytest.approx(0.042 + PACKET_S, abs=0.01)


def test_the_first_window_meets_an_empty_queue() -> None:
    for one in (run, Simulator().run):
        made = one(scenario("reno", jitter=0, duration="30ms", sample="1ms"))
        # Ten packets at once into a queue for seven: nothing of the handshake is ahead of them.
        assert made.link_samples["dropped_packets"].max() == 3


def test_slow_start_is_the_simulators_to_the_packet() -> None:
    made = scenario("reno", link={"rate": "250Mbit", "queue": 175}, jitter=0, duration="269ms", sample="1ms")
    ours, theirs = ({round(row["t_s"], 6): row for row in one(made).flow_samples.rows(named=True)} for one in (Simulator().run, run))
    # Up to the first drop, at 270 ms. A sample in the guest may find an ACK just before it or just behind it.
    times = [t for t in theirs if t in ours]
    assert len(times) > 250
    for name, unit in (("delivered_bytes", 1448), ("cwnd_packets", 1)):
        apart = [abs(ours[t][name] - theirs[t][name]) / unit for t in times]
        assert max(apart) <= 1 and sum(apart) <= 10, name


def test_a_window_that_never_fills_the_path_gives_window_over_rtt() -> None:
    made = run(scenario("reno,window=20", queue=35, jitter=0, warmup="2s"))
    row = made.flows.row(0, named=True)
    # Twenty packets each RTT of 42 ms, a transmission, and what ACKs of two packets wait for the second: between 0 and 2 packet times.
    slowest, fastest = (20 / (0.042 + packets * PACKET_S) for packets in (3, 1))
    assert slowest <= row["window_delivered_packets"] / 8.0 <= fastest
    assert row["retransmitted_packets"] == row["lost_packets"] == row["loss_episodes"] == 0


def test_reno_uses_the_link_as_its_sawtooth_says() -> None:
    made = run(scenario("reno", duration="60s", warmup="10s", jitter=0))
    # BDP 35, queue 7: the window climbs from 21 to 42, a packet per RTT. Below 35 the link idles, above it is full and the RTT grows:
    # (21 + ... + 42) / (14 x 35 + 35 + ... + 42) = 693 / 798. A round trip of recovery at half the window costs at most a third of a
    # BDP more in each such cycle of 23 RTTs.
    ideal, recovery = 693 / 798, 0.5 * 35 / 798
    assert ideal - 2 * recovery <= made.links["utilisation"][0] <= ideal + 0.01
    backoffs = made.events.filter(kind="loss_episode")
    assert backoffs["value2"].to_list()[1:] == pytest.approx([21] * (backoffs.height - 1), abs=1)


def test_a_transfer_delivers_its_bytes_and_says_when() -> None:
    made = run(scenario("reno,bytes=144800,start=1s", "cubic,stop=3s", queue=35))
    transfer, stopped = made.flows.rows(named=True)
    assert transfer["delivered_packets"] == 100 and 1.2 < transfer["completed_s"] < 4
    # A stopped application leaves a socket's buffer behind, 128 kB at most: a tenth of a second at 10 Mbit/s, and an RTT.
    assert 3.0 < stopped["completed_s"] < 3.3
    assert made.events.filter(kind="stop")["flow"].to_list() == [0, 1] or made.events.filter(kind="stop")["flow"].to_list() == [1, 0]


def test_random_loss_has_its_rate_and_is_told_from_drops() -> None:
    made = run(scenario("cubic", queue=100, link={"loss": 0.01}, duration="60s"))
    row, flow = made.links.row(0, named=True), made.flows.row(0, named=True)
    expected = flow["sent_packets"] * 0.01
    # Binomial: four standard deviations.
    assert abs(row["lost_packets"] - expected) <= 4 * expected**0.5
    assert row["dropped_packets"] < row["lost_packets"]


def test_jitter_delays_acks_and_reorders_none() -> None:
    made = run(scenario("reno,window=20", queue=35, jitter="20ms"))
    assert made.flows["retransmitted_packets"][0] == 0
    # ACKs of two packets follow each other by s = 2.4 ms. Each is delayed by a draw from 0 to J, and waits for those before it:
    # P(delay <= d) is the product of min(1, (d + k s) / J) over k = 0, 1, ...; the mean is the sum of the complements. It is 13.3 ms;
    # ACKs that overtook each other would gain 10 ms. Bursts make the spacing uneven: 1.5 ms of room.
    jitter_s, spacing_s, step_s = 0.020, 2 * PACKET_S, 1e-5
    below = (math.prod(min(1.0, (n * step_s + k * spacing_s) / jitter_s) for k in range(9)) for n in range(2000))
    expected_s = sum((1 - share) * step_s for share in below)
    extra_s = made.flows["mean_rtt_s"][0] - run(scenario("reno,window=20", queue=35, jitter=0)).flows["mean_rtt_s"][0]
    assert extra_s == pytest.approx(expected_s, abs=0.0015)


def test_data_in_both_directions_share_nothing_but_acks() -> None:
    made = run(scenario("reno", {"algorithm": "reno", "direction": "reverse"}, queue=35, duration="20s"))
    assert made.links["name"].to_list() == ["forward", "reverse"]
    assert all(0.6 < used <= 1.0 for used in made.links["utilisation"])


def test_every_one_of_many_flows_connects_and_nothing_but_the_queue_drops() -> None:
    # The kernel activates a hundred devices a second, and a host has two: a guest that did not wait would keep 101 of these from starting.
    made = run(scenario("reno,count=150", link={"rate": "1Gbit"}, queue=100_000, duration="0.3s", jitter=0))
    assert made.events.filter(kind="start").height == 150
    assert made.flows["lost_packets"].sum() == made.links["dropped_packets"][0] == 0
    assert made.flows["delivered_packets"].min() >= 10


def test_a_parameter_reaches_the_module() -> None:
    def factor(flow: str) -> float:
        rows = run(scenario(flow, queue=35, duration="20s")).events.filter(kind="loss_episode")
        return float((rows["value2"] / rows["value"]).median() or 0.0)

    assert factor("cubic,beta=0.5") == pytest.approx(0.5, abs=0.04)
    assert factor("cubic") == pytest.approx(0.7, abs=0.04)


def test_an_algorithm_the_kernel_lacks_is_refused_before_anything_starts(kernel: store.Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    monkeypatch.setattr(store, "find", lambda wanted=None: replace(kernel, algorithms=("reno",)))
    with pytest.raises(KernelError, match="no congestion control 'cubic'; it has: reno"):
        run(scenario("cubic"))


def test_a_guest_that_gives_up_says_why(kernel: store.Kernel) -> None:
    flow = "flow forward nosuch 42000000 0 0 - - 100000 0 0 0"
    text = f"windtunnel-plan 1\nduration_ns 1000000000\nwatch_ns 10000000\nlink forward 1250000 7 0\n{flow}\n"
    with guest(kernel.binary, init.binary(), {"plan": text.encode()}, seed=1) as ended:
        assert "no congestion control 'nosuch'; it has: reno" in (ended.folder / "failure").read_text()


def test_what_cannot_be_expressed_is_said_on_the_command_line() -> None:
    command = [sys.executable, "-m", "windtunnel", "run", "--rate", "10Mbit", "--rtt", "42ms", "--flow", "fast", "--flow", "ctcp"]
    done = subprocess.run([*command, "--backend", "linux"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "no Linux kernel has fast; flows[1].algorithm: no Linux kernel has ctcp" in done.stderr


def test_a_guest_that_is_stuck_is_killed_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from windtunnel.backends.linux import plan

    make = plan.make
    monkeypatch.setattr(plan, "make", lambda made, **options: replace(make(made, **options), wall_s=0.2))
    with pytest.raises(GuestFailed, match=r"killed: it had not ended after 0\.2 s"):
        run(scenario("cubic", link={"rate": "1Gbit"}, duration="100s"))


def test_losses_of_a_bad_state_come_in_runs() -> None:
    """A quarter of the packets that meet the bad state end it: p/(p + r) = 1/26 of all are lost, in runs of 4.

    Three standard errors of the share; runs correlate neighbours, which multiplies the variance by (1 + 0.74)/(1 - 0.74) = 6.7.
    """
    link = {"losses": ["gilbert-elliott,to_bad=0.01,to_good=0.25"]}
    lost = run(scenario("reno,window=30", queue=200, link=link, duration="60s"))
    row = lost.links.row(0, named=True)
    share = row["lost_packets"] / (row["lost_packets"] + row["delivered_bytes"] / 1500)
    sent = row["lost_packets"] / share
    assert abs(share - 1 / 26) < 3 * math.sqrt(6.7 * share * (1 - share) / sent)
    assert row["dropped_packets"] == 0
