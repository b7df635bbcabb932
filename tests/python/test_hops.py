"""Several bottlenecks in a row: from what is written to what is run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.backends.linux import plan
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.scenario import Scenario, ScenarioError, canonical, digest, fill, json_schema, load, parse, resolve

PLAIN: dict[str, Any] = {
    "rtt": "40ms",
    "duration": "5s",
    "bottleneck": {"rate": "20Mbit", "queue": 60},
    "flows": ["reno"],
    "sample": "100ms",
}
HOPS = ["rate=10Mbit,queue=50,delay=2ms", "delay=3ms,discipline=codel,target=10ms,loss=1e-4"]


def scenario(**changes: Any) -> Scenario:
    return parse({**PLAIN, "hops": HOPS, **changes})


def test_lines_and_tables_are_the_same_scenario(tmp_path: Path) -> None:
    file = tmp_path / "lot.toml"
    file.write_text(
        """
        rtt = "40ms"
        duration = "5s"
        sample = "100ms"
        flows = ["reno,enter=2", { algorithm = "cubic", enter = 1, leave = 1 }]
        [bottleneck]
        rate = "20Mbit"
        queue = 60
        [[hops]]
        rate = "10Mbit"
        queue = 50
        delay = "2ms"
        [[hops]]
        delay_s = 0.003
        discipline = "codel,target=10ms"
        loss = 1e-4
        """
    )
    source = resolve(scenario(traffic=["udp,rate=1Mbit,enter=2,leave=3"]))["traffic"][0]
    assert source["hops"] == {"enter": 2, "leave": 3}
    line = scenario(flows=["reno,enter=2", "cubic,enter=1,leave=1"])
    assert digest(load(file)) == digest(line)
    assert canonical(parse(canonical(line))) == canonical(line)
    engine = resolve(line)
    assert [hop["delay_ns"] for hop in engine["hops"]] == [2_000_000, 3_000_000]
    assert [hop["link"]["rate_bps"] for hop in engine["hops"]] == [10_000_000, 20_000_000]
    assert engine["hops"][1]["link"]["discipline"] == {"name": "codel", "parameters": {"target_s": 0.01}}
    assert [flow["hops"] for flow in engine["flows"]] == [{"enter": 2, "leave": None}, {"enter": 1, "leave": 1}]


def test_a_scenario_without_hops_keeps_its_name() -> None:
    plain = parse(PLAIN)
    assert "hops" not in canonical(plain)
    assert not {"enter", "leave"} & set(canonical(plain)["flows"][0])
    # The name that this scenario had before there were hops.
    assert not {"enter", "leave"} & set(canonical(parse({**PLAIN, "traffic": ["udp,rate=1Mbit"]}))["traffic"][0])
    assert digest(plain) == "abe66b0a9edb1ddb877aa7107fe4531878545a60aa5977253a8fbb5e49544672"


def test_a_bdp_is_that_of_the_smallest_rate() -> None:
    # 10 Mbit/s x 40 ms = 400 kbit = 33.3 packets of 1500 bytes, for the first link of 20 Mbit/s too.
    full = fill(scenario(bottleneck={"rate": "20Mbit"}, hops=["rate=10Mbit", "rate=30Mbit,queue=200%bdp"])).scenario
    assert [full.bottleneck.queue_packets, *(hop.queue_packets for hop in full.hops)] == [33, 33, 67]
    # And so is the packet time of the default jitter: 1.2 ms at 10 Mbit/s, less than 1 % of 400 ms.
    assert resolve(scenario(rtt="400ms"))["flows"][0]["jitter_ns"] == 1_200_000


def test_records_have_a_row_and_samples_for_each_hop() -> None:
    run = wt.run(scenario(flows=["reno", "cubic,enter=2,leave=2", "reno,direction=reverse"], warmup="1s"))
    links = run.records.links
    assert links["name"].to_list() == ["forward", "forward2", "forward3", "reverse"]
    assert links["link"].to_list() == [0, 1, 2, 3]
    assert sorted(run.records.link_samples["link"].unique().to_list()) == [0, 1, 2, 3]
    # The second hop is the narrowest and always full; the others carry the one flow that it lets through.
    rows = {row["name"]: row for row in links.iter_rows(named=True)}
    assert rows["forward2"]["utilisation"] > 0.95
    assert rows["forward"]["utilisation"] < 0.5
    summary = run.summary
    assert [row["link"] for row in summary["links"]] == links["name"].to_list()


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"hops": 3}, ["hops: 3 is a int", "list of hops"]),
        ({"hops": ["x"]}, ["hops[0]", "key=value", "rate=RATE"]),
        ({"hops": ["rate=1Mbit,rate=2Mbit"]}, ["hops[0]", "rate is given twice"]),
        ({"hops": ["target=5ms"]}, ["hops[0]", "'target'", "rate, queue, delay"]),
        ({"hops": ["rate=1Mbit", "rate=nan"]}, ["hops[1].rate_bps", "nan", "allowed"]),
        ({"hops": ["delay=-1ms"]}, ["hops[0].delay_s", "-1ms", "0 to 10 s"]),
        ({"hops": ["queue=0"]}, ["hops[0].queue", "allowed"]),
        ({"hops": [{"dealy": "1ms"}]}, ["hops[0].dealy", "did you mean 'delay'"]),
        ({"hops": ["rate=1Mbit"] * 65}, ["65 hops", "at most 64"]),
        ({"hops": ["delay=6ms", "delay=5ms"]}, ["flows[0].rtt_s", "0.04 s", "0.011 s", "at least 0.044 s"]),
        ({"hops": [], "flows": ["reno,leave=2"]}, ["flows[0].leave", "2 is no hop", "1 to 1"]),
        ({"flows": ["reno,enter=4"]}, ["flows[0].enter", "4 is no hop", "1 to 3"]),
        ({"flows": ["reno,enter=3,leave=2"]}, ["flows[0].leave", "2 is no hop", "3 to 3"]),
        ({"traffic": ["udp,rate=1Mbit,enter=4"]}, ["traffic[0].enter", "4 is no hop", "1 to 3"]),
        ({"flows": ["reno,enter=0"]}, ["flows[0].enter", "'0'", "1 to 65"]),
        ({"flows": ["reno,enter=1.5"]}, ["flows[0].enter", "1.5", "whole"]),
        ({"hops": [{"reorder": 0.1}]}, ["hops[0].reorder_probability", "0.1 and 0 s late", "both above 0"]),
        ({"arrivals": ["reno,load=10%,mean=25kB,enter=4"]}, ["arrivals[0].enter", "4 is no hop", "1 to 3"]),
        ({"sessions": ["reno,count=5,enter=3,leave=2"]}, ["sessions[0].leave", "2 is no hop", "3 to 3"]),
        ({"arrivals": ["reno,load=10%,mean=25kB,rtt=40ms+12ms"]}, ["arrivals[0].rtts_s", "0.012 s", "0.005 s", "at least 0.02 s"]),
    ],
)
def test_what_cannot_be_is_refused_on_one_line(changes: dict[str, Any], parts: list[str]) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(**changes)
    for part in parts:
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_hosts_device_binds_before_the_hops() -> None:
    # 5 Mbit/s before hops of 20 and 10: half of the narrower one.
    run = wt.run(scenario(flows=["reno,nic=5Mbit,txqueuelen=20"], hops=HOPS[:1], warmup="1s", duration="10s"))
    rows = {row["name"]: row for row in run.records.links.iter_rows(named=True)}
    assert rows["forward2"]["utilisation"] == pytest.approx(0.5, rel=0.01)
    assert run.flows["lost_packets"].to_list() == [0]
    assert run.flows["send_stalls"][0] > 0


def test_transfers_enter_and_leave_where_they_are_told_to() -> None:
    sources = {
        "arrivals": ["reno,load=50%,sizes=fixed,mean=14480,enter=2,leave=2"],
        "sessions": ["reno,count=20,think=exponential:200ms,enter=3"],
    }
    given = scenario(flows=[], duration="20s", **sources)
    assert canonical(parse(canonical(given))) == canonical(given)
    assert [canonical(given)[name][0]["enter"] for name in sources] == [2, 3]
    engine = resolve(given)
    assert [engine[name][0]["flows"][0]["hops"] for name in sources] == [{"enter": 2, "leave": 2}, {"enter": 3, "leave": None}]
    run = wt.run(given)
    rows = {row["name"]: row for row in run.records.links.iter_rows(named=True)}
    # 800 transfers of 10 packets: a standard error of 3.5 %. Nobody is at the first hop, and the sessions alone are at the third.
    assert rows["forward2"]["utilisation"] == pytest.approx(0.5, rel=0.11)
    assert rows["forward"]["delivered_bytes"] == 0
    assert 0 < rows["forward3"]["utilisation"] < 0.5


def test_a_hop_doubles_what_goes_on() -> None:
    hops = [{"rate": "10Mbit", "queue": 50, "duplicate": 0.1}, {"rate": "30Mbit", "queue": 500}]
    run = wt.run(scenario(hops=hops, flows=[{"algorithm": "reno", "bytes": 5_000_000, "window": 20}], duration="20s"))
    rows = {row["name"]: row["delivered_bytes"] for row in run.records.links.iter_rows(named=True)}
    # Of 3454 packets a tenth: five standard errors of 0.51 % are 2.6 %.
    assert rows["forward"] == rows["forward2"] == 3454 * 1500
    assert rows["forward3"] / rows["forward2"] == pytest.approx(1.1, abs=0.026)
    assert run.flows["retransmitted_packets"].to_list() == [0]


def test_sources_without_hops_keep_their_name() -> None:
    plain = canonical(parse({**PLAIN, "arrivals": ["reno,load=10%,mean=25kB"], "sessions": ["reno,count=2"]}))
    assert not {"enter", "leave"} & (set(plain["arrivals"][0]) | set(plain["sessions"][0]))


def test_a_way_that_just_fits_is_accepted() -> None:
    wt.backends.backend("sim").check(scenario(hops=["delay=6ms", "delay=4ms"]))


def test_the_schema_knows_hops() -> None:
    schema = json_schema()
    assert {"delay", "rate", "queue", "trace"} <= set(schema["$defs"]["Hop"]["properties"])
    assert {"enter", "leave"} <= set(schema["$defs"]["Flow"]["properties"])
    assert {"type": "string"}.items() <= schema["properties"]["hops"]["items"]["anyOf"][1].items()


def test_a_kernels_plan_has_the_hops_and_where_flows_cross_them() -> None:
    flows = ["reno", "reno,enter=2,leave=2", {"algorithm": "reno", "direction": "reverse", "enter": 2}]
    more = {"traffic": ["udp,rate=1Mbit,leave=1"], "arrivals": ["reno,rate=1,mean=9kB,enter=3"]}
    made = scenario(flows=flows, **more)
    assert unsupported(made) == []
    found = [line for line in plan.make(made).text.splitlines() if line.startswith(("link ", "delay ", "hops ", "source-hops ", "disc"))]
    links = ["link forward 2500000 60 0", "link forward2 1250000 50 0"]
    assert found[:2] == links and [line.split()[1] for line in found[2:4]] == ["forward3", "reverse"]
    assert found[4:6] == ["delay forward2 2000000", "delay forward3 3000000"]
    assert [line.split()[:3] for line in found[6:7]] == [["discipline", "forward3", "codel"]]
    assert found[7:] == ["hops 1 3", "hops 2 2", "hops 2 3", "hops 3 3", "source-hops 0 1 1"]


def test_a_kernel_refuses_of_a_hop_what_it_refuses_of_a_link() -> None:
    hops = ["delay=2ms,queue=50kB,discipline=codel", "queue=9"]
    mixed = scenario(flows=["reno", {"algorithm": "reno", "direction": "reverse", "enter": 2}], hops=hops)
    assert [line.split(":")[0] for line in unsupported(mixed)] == ["hops[0].queue_bytes"]
    # ACKs of what enters behind it do not cross the first.
    behind = {"algorithm": "reno", "direction": "reverse", "enter": 3}
    assert unsupported(scenario(flows=["reno", behind], hops=hops)) == []
    assert unsupported(scenario(hops=["discipline=cobalt"])) == ["hops[0].discipline: Linux has cobalt as a part of CAKE only"]


def test_hops_on_the_command_line(cli: Callable[..., Any]) -> None:
    outcome = cli(
        "run", "--rate", "20Mbit", "--rtt", "40ms", "--duration", "2s", "--json", "--flow", "reno", "--flow", "cubic,enter=2,leave=2",
        *("--hop", "rate=10Mbit,delay=2ms", "--hop", "delay=1ms"),
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert [row["link"] for row in outcome.json()["links"]] == ["forward", "forward2", "forward3"]
    refused = cli("run", "--rate", "20Mbit", "--rtt", "40ms", "--flow", "reno", "--hop", "delay=20ms")
    assert refused.code == 2 and "at least 0.08 s" in refused.err
