"""Hosts: fields, options, refusals, and what a run with them says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.backends.linux import plan
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.scenario import Scenario, ScenarioError, canonical, digest, parse, resolve


def scenario(*flows: Any, **top: Any) -> Scenario:
    link = {"rate": "10Gbit", "queue": 100_000}
    return parse({"rtt": "10ms", "duration": "4s", "warmup": "2s", "bottleneck": link, "flows": list(flows) or ["reno"], **top})


def test_the_engine_gets_nanoseconds_and_other_scenarios_keep_their_names() -> None:
    given = scenario("reno,window=100", host={"cpu_pps": 50_000, "stalls": ["1s=50ms"], "nic": "1Gbit", "ack_tick": "1ms"})
    host = {
        "packet_ns": 20_000,
        "ack_ns": 0,
        "sack_ns": 0,
        "stalls": [{"at_ns": 1_000_000_000, "length_ns": 50_000_000}],
        "device": {"rate_bps": 1_000_000_000, "queue_packets": 1000},
        "ack_tick_ns": 1_000_000,
        "per_transfer": False,
    }
    assert resolve(given)["hosts"] == [host]
    assert digest(parse(canonical(given))) == digest(given)
    assert "host" not in canonical(scenario())
    assert not {"host", "mtu_bytes", "window_bytes", "receiver_mtu_bytes"} & set(canonical(scenario())["flows"][0])


def test_flows_have_hosts_like_the_scenarios_or_share_it() -> None:
    def hosts(*flows: str, **host: Any) -> tuple[int, list[int | None]]:
        resolved = resolve(scenario(*flows, host=host))
        return len(resolved["hosts"]), [flow["host"] for flow in resolved["flows"]]

    assert hosts("reno", "cubic", nic="1Gbit") == (2, [0, 1])
    assert hosts("reno", "cubic", nic="1Gbit", shared=True) == (1, [0, 0])
    assert hosts("reno", "cubic,cpu_ack=1us", nic="1Gbit", shared=True) == (2, [0, 1])
    assert hosts("ptcp,streams=3", "reno", nic="1Gbit") == (2, [0, 0, 0, 1])


def test_a_flows_host_takes_what_it_does_not_say_from_the_scenarios() -> None:
    resolved = resolve(scenario("reno,cpu_packet=1us", host={"cpu_pps": 1000, "cpu_ack": "2us"}))
    assert (resolved["hosts"][0]["packet_ns"], resolved["hosts"][0]["ack_ns"]) == (1000, 2000)


@pytest.mark.parametrize(
    ("flow", "top", "message"),
    [
        ("reno", {"host": {"txqueuelen": 5}}, r"^host\.txqueuelen: 5 .*allowed: with nic only"),
        ("reno", {"host": {"cpu_pps": 5, "cpu_packet": "1ms"}}, r"^host\.cpu_pps: .*allowed: one of them"),
        ("reno", {"host": {"stalls": ["2s=1s", "2.5s=1s"]}}, r"^host\.stalls\[1\]\.at_s: .*ascending"),
        ("reno", {"host": {"speed": 1}}, r"^host\.speed: 'speed' is not a known key; allowed: cpu_packet"),
        ("reno", {"host": "nic"}, r"^host: 'nic' .*allowed: key=value"),
        ("reno,cpu_pps=0", {}, r"^flows\[0\]\.host\.cpu_pps: .*allowed"),
        ("reno,mtu=9001", {}, r"^flows\[0\]\.mtu_bytes: '9001' .*576 to 9000"),
        ("reno,receiver_mtu=9000", {}, r"^flows\[0\]\.receiver_mtu_bytes: 9000 .*linux-2\.4 only"),
        ("reno,window=20%bdp", {}, r"^flows\[0\]\.window: '20%bdp' .*allowed: packets"),
        ("reno,rtt=20ms,count=1", {"flows": ["reno", "reno,rtt=20ms"], "host": {"shared": True}}, r"^host\.shared: .*one base RTT"),
        ("reno", {"host": "nic=1Gbit,shared=true", "arrivals": "reno,rate=9,mean=9kB,rtt=30ms"}, r"^host\.shared: flows of 0\.01, 0\.03 s"),
        ("reno", {"host": "nic=1Gbit,shared=true", "sessions": "reno,count=2,rtt=10ms+30ms"}, r"^host\.shared: .*one base RTT"),
        ("reno", {"arrivals": "reno,load=10%,mean=25kB,nic=1bit"}, r"^arrivals\[0\]\.host\.nic_bps: '1bit' .*allowed"),
        ("reno", {"arrivals": "reno,load=10%,mean=25kB,txqueuelen=5"}, r"^arrivals\[0\]\.host\.txqueuelen: 5 .*with nic only"),
        ({"algorithm": "reno", "host": {"shared": True}}, {}, r"^flows\[0\]\.host\.shared: .*allowed: false"),
        ("reno", {"host": "cpu_clock=3GHz,nic=1Gbit"}, r"^host\.cpu_hz: .*costs nothing; allowed: with cpu_pps"),
        ("reno", {"host": "cpu_clock=3,cpu_pps=5"}, r"^host\.cpu_hz: '3' is out of range; allowed: .*Hz"),
        ("reno,min_rtt_error_s=-1", {}, r"^flows\[0\].*min_rtt_error_s.*0 to 10"),
        ("reno,rtt_error_after_loss_s=11s", {}, r"^flows\[0\].*rtt_error_after_loss_s.*0 to 10"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(flow: Any, top: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        scenario(flow, **top) if "flows" not in top else parse({"rtt": "10ms", "duration": "4s", "bottleneck": {"rate": "1Gbit"}, **top})


def test_a_processor_limits_packets_whatever_their_size() -> None:
    """0.36 Gbit/s at 1500 bytes and 8 MB of buffer is not in this: 59,000 packets a second are 0.71, and 4.25 at 9000 bytes."""
    for mtu, bits in ((1500, 12_000), (9000, 72_000)):
        run = wt.run(scenario(f"reno,mtu={mtu},window=16MB", host={"cpu_pps": 59_000}))
        assert run.summary["flows"][0]["throughput_bps"] == pytest.approx(59_000 * bits, rel=0.01)


def test_a_receiver_of_larger_packets_gets_stuck() -> None:
    """Hegde et al. 2004, IV.B.2: 3,147,776 bytes; at 10 ms and 10 Gbit/s 2173 whole segments a round trip."""
    flow = "reno,profile=linux-2.4,mtu=1500,receiver_mtu=9000"
    assert resolve(scenario(flow))["flows"][0]["window_packets"] == 3_147_776 // 1448
    assert resolve(scenario(flow.replace("mtu=1500", "mtu=9000")))["flows"][0]["window_packets"] is None
    assert resolve(scenario("reno,window=4MB"))["flows"][0]["window_packets"] == 4_000_000 // 1448


def test_a_window_in_bytes_is_of_the_flows_own_packets() -> None:
    """4,000,000 bytes are 2762 whole segments of 1448 bytes, and 447 of 8948."""
    windows = [flow["window_packets"] for flow in resolve(scenario("reno,window=4MB", "reno,window=4MB,mtu=9000"))["flows"]]
    assert windows == [2762, 447]


def test_flows_with_hosts_run_beside_transfers_datagrams_and_pauses() -> None:
    traffic = {"arrivals": "reno,load=10%,mean=25kB", "traffic": "udp,rate=1Gbit"}
    run = wt.run(scenario("reno,cpu_pps=20000,window=16MB", "cubic,on=100ms,off=100ms,nic=1Gbit", duration="3s", **traffic))
    assert run.summary["flows"][0]["throughput_bps"] == pytest.approx(20_000 * 12_000, rel=0.01)
    assert run.summary["flows"][1]["throughput_bps"] < 0.6e9


def test_transfers_have_hosts_like_the_scenarios_their_own_or_the_one_that_all_share() -> None:
    def places(arrivals: str, host: str | None) -> tuple[list[bool], list[int | None], list[int | None]]:
        resolved = resolve(scenario("reno", host=host, arrivals=arrivals, sessions="reno,count=2,rtt=10ms+10ms"))
        kinds = [kind["host"] for source in resolved["arrivals"] + resolved["sessions"] for kind in source["flows"]]
        return [host.get("per_transfer", False) for host in resolved["hosts"]], [flow["host"] for flow in resolved["flows"]], kinds

    web = "reno,load=10%,mean=25kB"
    assert places(web, None) == ([], [None], [None, None, None])
    assert places(f"{web},nic=1Gbit", None) == ([True], [None], [0, None, None])
    assert places(web, "nic=1Gbit") == ([False, True, True], [0], [1, 2, 2])
    assert places(web, "nic=1Gbit,shared=true") == ([False], [0], [0, 0, 0])
    assert places(f"{web},nic=2Gbit", "nic=1Gbit,shared=true") == ([False, True], [0], [1, 0, 0])
    given = scenario("reno", host="cpu_pps=1000", arrivals=web)
    assert digest(parse(canonical(given))) == digest(given) != digest(scenario("reno", arrivals=web))
    assert "host" not in canonical(scenario("reno", arrivals=web))["arrivals"][0]


def test_a_transfer_waits_for_its_hosts_processor() -> None:
    """One packet: the base RTT of 10 ms, 1 ms of processor, 1.2 us of link; none on its own host waits. SYN and ACK take 1 ms too."""
    web = "reno,rate=50,sizes=fixed,mean=1448,cpu_packet=1ms"
    for handshake, expected_s in (("false", 0.011_001_2), ("true", 0.023_001_3)):
        run = wt.run(scenario(flows=[], arrivals=f"{web},handshake={handshake}"))
        assert run.transfers is not None
        assert run.transfers["completion_s"].drop_nulls().to_numpy() == pytest.approx(expected_s, abs=3e-6)
        assert run.records.host_samples is None


def test_the_option_and_the_keys_reach_the_scenario(cli: Callable[..., Any], quick: list[str]) -> None:
    told = cli("run", *quick, "--host", "nic=1Gbit,txqueuelen=100,shared=true", "--json").json()["scenario"]["host"]
    assert (told["nic_bps"], told["txqueuelen"], told["shared"]) == (1e9, 100, True)


def test_a_guest_has_devices_and_no_processors() -> None:
    assert unsupported(scenario(host={"cpu_pps": 5, "ack_tick": "1ms"})) == ["host.cpu_pps", "host.ack_tick_s"]
    assert unsupported(scenario("reno,nic=1Gbit,cpu_ack=1us")) == ["flows[0].host.cpu_ack_s"]
    assert unsupported(scenario(host={"shared": True})) == unsupported(scenario("reno,nic=1Gbit,txqueuelen=9")) == []
    web = "reno,rate=10,mean=25kB"
    assert unsupported(scenario(host="nic=1Gbit,shared=true", arrivals=web)) == []
    (refused,) = unsupported(scenario(host="nic=1Gbit", arrivals=web))
    assert refused.startswith("arrivals[0].host: every transfer has a device of its own")
    several = scenario("reno", {"algorithm": "reno", "transport": {"sack": False}}, host="nic=1Gbit,shared=true")
    assert [line.split(":")[0] for line in unsupported(several)] == ["host.shared"]
    hops = scenario("reno", "reno,enter=2", host="nic=1Gbit,shared=true", hops=["queue=9"])
    assert "enter at different hops" in unsupported(hops)[0]


def test_a_guests_plan_says_whose_device_it_is() -> None:
    def found(*flows: Any, **top: Any) -> list[str]:
        return [line for line in plan.make(scenario(*flows, **top)).text.splitlines() if line.startswith("device")]

    assert found("reno,nic=8Mbit", "reno") == ["device 1000000 1000 -"]
    assert found("reno", "cubic", host="nic=8Mbit,txqueuelen=5") == ["device 1000000 5 -"] * 2
    # The one that all share is not that of a flow which has its own.
    shared = found("reno", "cubic,nic=16Mbit", "vegas", host="nic=8Mbit,shared=true", arrivals="reno,rate=1,mean=9kB,stop=2s")
    assert sorted(shared) == ["device 1000000 1000 0"] * 3 + ["device 2000000 1000 -"]
