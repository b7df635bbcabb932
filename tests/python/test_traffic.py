"""Sources of datagrams, and applications that write in pieces: as tables, as lines, and in a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.metrics import View, measure
from windtunnel.scenario import Scenario, ScenarioError, canonical, digest, load, parse, resolve


def scenario(**more: Any) -> Scenario:
    return parse({"rtt": "40ms", "duration": "20s", "bottleneck": {"rate": "10Mbit"}, "flows": ["reno"], **more})


def test_a_line_and_a_table_are_the_same_scenario() -> None:
    line = scenario(traffic=["udp,rate=1Mbit,amplitude=200kbit,period=30s,packet=52,start=1s,stop=5s,direction=reverse"])
    table = {"kind": "udp", "rate_bps": 1e6, "amplitude_bps": 2e5, "period_s": 30, "packet_bytes": 52, "start_s": 1, "stop_s": 5}
    tables = scenario(traffic=[table | {"direction": "reverse"}])
    assert digest(line) == digest(tables)
    assert canonical(parse(canonical(line))) == canonical(line)
    assert resolve(line)["traffic"] == [
        {
            "rate_bps": 1_000_000,
            "wave": {"amplitude_bps": 200_000, "period_ns": 30_000_000_000},
            "packet_bytes": 52,
            "start_ns": 1_000_000_000,
            "stop_ns": 5_000_000_000,
            "direction": "reverse",
            "hops": {"enter": None, "leave": None},
        }
    ]
    assert resolve(line)["reverse"] is not None


def test_a_scenario_without_any_keeps_its_name() -> None:
    plain = canonical(scenario())
    assert "traffic" not in plain and not set(plain["flows"][0]) & {"on_s", "off_s", "app_rate_bps", "chunk_s"}
    # As named by the version before there was any.
    assert digest(scenario()) == "f34d485f701eb68f2e7ad19c5cc2ec926fe899892409567fac36ee29db2c4cb4"


def test_a_flow_on_one_line_tells_its_application() -> None:
    on_off, video = resolve(scenario(flows=["reno,on=5s,off=1s,window=500kB", "cubic,app_rate=5Mbit"]))["flows"]
    assert on_off["writes"] == {"kind": "on-off", "on_ns": 5_000_000_000, "off_ns": 1_000_000_000}
    assert on_off["window_packets"] == 500_000 // 1448
    assert video["writes"] == {"kind": "chunks", "rate_bps": 5_000_000, "every_ns": 2_000_000_000}
    assert digest(scenario(flows=["cubic,app_rate=5Mbit,chunk=2s"])) == digest(scenario(flows=["cubic,app_rate=5Mbit"]))


@pytest.mark.parametrize(
    ("fields", "parts"),
    [
        ({"traffic": ["tcp,rate=1Mbit"]}, ["traffic[0].kind", "'tcp'", "udp"]),
        ({"traffic": [{"rate": "1Mbit"}]}, ["traffic[0].kind", "None", "udp"]),
        ({"traffic": ["udp"]}, ["traffic[0].rate", "missing"]),
        ({"traffic": ["udp,rate=0"]}, ["traffic[0].rate_bps", "'0'", "1000 to"]),
        ({"traffic": ["udp,rate=nan"]}, ["traffic[0].rate_bps", "nan"]),
        ({"traffic": ["udp,rate=1Mbit,rate=2Mbit"]}, ["traffic[0]", "rate", "twice"]),
        ({"traffic": ["udp,rate"]}, ["traffic[0]", "key=value"]),
        ({"traffic": ["udp,rate=1Mbit,speed=3"]}, ["traffic[0].speed", "rate", "amplitude"]),
        ({"traffic": ["udp,rate=1Mbit,packet=28"]}, ["traffic[0].packet_bytes", "'28'", "29 to 65535"]),
        ({"traffic": ["udp,rate=1Mbit,amplitude=1Mbit"]}, ["traffic[0].period", "missing", "both, or none"]),
        ({"traffic": ["udp,rate=1Mbit,period=1s"]}, ["traffic[0].amplitude", "missing", "both, or none"]),
        ({"traffic": ["udp,rate=1Mbit,amplitude=2Mbit,period=1s"]}, ["traffic[0].amplitude_bps", "2000000", "0 to 1000000"]),
        ({"traffic": ["udp,rate=1Mbit,amplitude=1kbit,period=1us"]}, ["traffic[0].period_s", "1us", "0.001 to 3600"]),
        ({"traffic": ["udp,rate=1Mbit,start=20s"]}, ["traffic[0].start_s", "20", "below 20 s"]),
        ({"traffic": ["udp,rate=1Mbit,start=5s,stop=5s"]}, ["traffic[0].stop_s", "5", "above 5 s"]),
        ({"traffic": ["udp,rate=1Mbit,stop=21s"]}, ["traffic[0].stop_s", "21", "after the end"]),
        ({"traffic": ["udp,rate=1Mbit,direction=up"]}, ["traffic[0].direction", "up", "forward, reverse"]),
        ({"traffic": 5}, ["traffic", "5", "not a list of sources"]),
        ({"flows": ["reno,on=5s"]}, ["flows[0].off_s", "missing", "both, or none"]),
        ({"flows": ["reno,off=5s"]}, ["flows[0].on_s", "missing", "both, or none"]),
        ({"flows": ["reno,on=0,off=1s"]}, ["flows[0].on_s", "'0'", "0.001 to"]),
        ({"flows": ["reno,app_rate=0"]}, ["flows[0].app_rate_bps", "'0'", "1000 to"]),
        ({"flows": ["reno,chunk=2s"]}, ["flows[0].app_rate_bps", "missing"]),
        ({"flows": ["reno,app_rate=1Mbit,on=1s,off=1s"]}, ["flows[0].app_rate_bps", "both given", "one of them"]),
        ({"flows": ["reno,window=0kB"]}, ["flows[0].window_packets", "'0kB'"]),
        ({"flows": ["reno,idle_restart=never"]}, ["flows[0].transport.idle_restart", "never", "linux, rfc5681, none"]),
    ],
)
def test_bad_ones_are_refused_in_one_line(fields: dict[str, Any], parts: list[str]) -> None:
    with pytest.raises(ScenarioError) as refused:
        scenario(**fields)
    line = str(refused.value)
    assert "\n" not in line
    for part in parts:
        assert part in line, line


def test_the_linux_backend_names_what_it_cannot_express() -> None:
    assert unsupported(scenario(traffic=["udp,rate=1Mbit"], flows=["reno,on=1s,off=1s,window=50kB"])) == []
    large = {"traffic": ["udp,rate=1Mbit,packet=1501"]}
    assert unsupported(scenario(**large)) == []
    (refused,) = unsupported(scenario(bottleneck={"rate": "10Mbit", "discipline": "codel"}, **large))
    assert refused.startswith("bottleneck.discipline: packets are larger than 1500 bytes")


def test_a_source_has_rows_like_a_flow_and_no_part_in_fairness(tmp_path: Any) -> None:
    run = wt.run(scenario(flows=["reno", "reno"], traffic=["udp,rate=2.4Mbit,start=5s,stop=15s"], warmup="5s"))
    udp = run.flows.row(2, named=True)
    assert (udp["algorithm"], udp["direction"], udp["start_s"], udp["end_s"]) == ("udp", "forward", 5.0, pytest.approx(15.0))
    # 2.4 Mbit/s for 10 s: a packet every 5 ms.
    assert udp["sent_packets"] == 2000 and udp["delivered_packets"] + udp["lost_packets"] == 2000
    assert udp["delivered_bytes"] == udp["delivered_packets"] * 1472
    assert udp["mean_cwnd_packets"] is None and udp["mean_rtt_s"] is None and udp["timeouts"] is None
    samples = run.flow_samples.filter(run.flow_samples["flow"] == 2)
    assert samples["cwnd_packets"].null_count() == samples.height and samples["delivered_bytes"].null_count() == 0
    assert samples["delivered_bytes"][-1] == udp["delivered_bytes"]
    summary = run.summary
    assert [row["algorithm"] for row in summary["flows"]] == ["reno", "reno", "udp"]
    assert summary["traffic"][0]["throughput_bps"] == pytest.approx(udp["delivered_packets"] * 12_000 / 10)
    assert summary["metrics"]["jain"] == wt.metrics.jain([row["throughput_bps"] for row in summary["flows"][:2]])
    assert View(run.records, {}).foreground == (0, 1)
    assert len(summary["metrics"]["epoch_s"]) == 2 and summary["metrics"]["loss_overhead"] is not None
    run.plot.overview(tmp_path / "overview.svg")
    assert "udp (flow 3)" in (tmp_path / "overview.svg").read_text(encoding="utf-8")


def test_a_run_with_a_source_comes_back_from_its_folder(tmp_path: Any) -> None:
    run = wt.run(scenario(flows=["cubic"], traffic=["udp,rate=1Mbit"], duration="2s"))
    run.save(tmp_path / "run")
    assert wt.load_run(tmp_path / "run").records.digest() == run.records.digest()


def test_both_work_behind_a_discipline_with_loss_and_in_reverse() -> None:
    link = {"rate": "10Mbit", "discipline": "fq-codel", "losses": ["periodic,every=100"]}
    flows = ["cubic,on=1s,off=500ms", "bbr,app_rate=2Mbit,chunk=1s", "reno,direction=reverse,on=1s,off=1s,window=50kB"]
    run = wt.run(scenario(bottleneck=link, flows=flows, traffic=["udp,rate=1Mbit,packet=200", "udp,rate=1Mbit,direction=reverse"]))
    delivered = run.flows["delivered_packets"].to_list()
    assert all(packets > 100 for packets in delivered)
    assert run.flows["lost_packets"][3] >= 100


@pytest.mark.parametrize("size", [1500, 9000])
def test_the_rate_of_datagrams_received_counts_their_whole_size(size: int) -> None:
    """1000 datagrams a second: 12 and 72 Mbit/s, but for the few that the queue drops, and those still on their way after 4 s."""
    run = wt.run(
        scenario(bottleneck={"rate": "1Gbit"}, traffic=[f"udp,rate={size * 8 / 1000:g}Mbit,packet={size}"], duration="4s", warmup="0s")
    )
    received = run.flows["delivered_packets"][1]
    assert 3900 < received < 4000
    assert measure("udp_b2b_mbps", View(run.records, {})) == pytest.approx(received / 4 * size * 8e-6, rel=1e-6)


def test_the_command_line_takes_sources(cli: Callable[..., Any], tmp_path: Any) -> None:
    options = ["--rate", "10Mbit", "--rtt", "20ms", "--duration", "2s", "--flow", "reno,app_rate=1Mbit"]
    outcome = cli("run", *options, "--udp", "rate=1Mbit,packet=52", "--udp", "rate=20Mbit,start=1s,stop=1.1s", "--json")
    data = json.loads(outcome.out)
    assert [row["sent_packets"] for row in data["traffic"]] == [4808, 167]
    path = tmp_path / "s.toml"
    text = 'rtt = "20ms"\nduration = "2s"\nflows = ["reno"]\n[bottleneck]\nrate = "10Mbit"\n'
    path.write_text(text + '[[traffic]]\nkind = "udp"\nrate = "1Mbit"\npacket = 52\n', encoding="utf-8")
    assert load(path).traffic[0].packet_bytes == 52
    refused = cli("run", *options, "--udp", "rate=1Mbit,start=3s")
    assert refused.code == 2 and refused.err.startswith("error: ") and "traffic[0].start_s" in refused.err
