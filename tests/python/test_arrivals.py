"""Transfers that come and go: scenarios with sources, and what a run with them says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import windtunnel as wt
from windtunnel import records
from windtunnel.backends.linux import plan, transfers
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.records.checksums import unsealed
from windtunnel.scenario import Scenario, ScenarioError, canonical, digest, fill, load, parse, resolve

WEB = "reno,load=10%,mean=25kB,shape=1.2,rtt=30ms+60ms+90ms+120ms"


def scenario(*sources: Any, **more: Any) -> Scenario:
    return parse({"rtt": "20ms", "duration": "4s", "bottleneck": {"rate": "20Mbit"}, "arrivals": list(sources), **more})


def test_a_line_and_a_table_are_the_same_scenario() -> None:
    table = {"algorithm": "reno", "load": 0.1, "mean_size": 25000, "shape": 1.2, "rtts": ["30ms", "60ms", 0.09, "120ms"]}
    assert digest(scenario(WEB)) == digest(scenario(table)) == digest(scenario({**table, "sizes": "pareto", "start": 0}))
    assert canonical(parse(canonical(scenario(WEB)))) == canonical(scenario(WEB))


def test_the_engine_gets_one_kind_of_transfer_per_rtt() -> None:
    source = resolve(scenario(WEB + ",window=20,max=1MB,stop=3s,initial_window=4"))["arrivals"][0]
    assert [flow["rtt_ns"] for flow in source["flows"]] == [30_000_000, 60_000_000, 90_000_000, 120_000_000]
    assert {flow["window_packets"] for flow in source["flows"]} == {20} and source["flows"][0]["transport"] == {"initial_window": 4}
    assert source["offered"] == {"load": 0.1} and source["sizes"] == {"law": "pareto", "mean": 25000.0, "shape": 1.2}
    assert (source["max_bytes"], source["start_ns"], source["stop_ns"]) == (1_000_000, 0, 3_000_000_000)
    fixed = resolve(scenario("cubic,rate=100,sizes=fixed,mean=10kB"))["arrivals"][0]
    assert fixed["offered"] == {"per_second": 100.0} and fixed["sizes"] == {"law": "fixed", "mean": 10_000.0}


def test_a_scenario_without_sources_keeps_its_name() -> None:
    plain = {"rtt": "20ms", "bottleneck": {"rate": "20Mbit"}, "flows": ["reno"]}
    assert "arrivals" not in canonical(parse(plain)) and digest(parse(plain)) == digest(parse({**plain, "arrivals": []}))


def test_reverse_transfers_make_a_reverse_link_and_the_bdp_is_that_of_flows() -> None:
    alone = resolve(scenario(WEB + ",direction=reverse"))
    assert alone["reverse"] is not None and alone["forward"]["queue"] == {"unit": "packets", "limit": 200}
    assert resolve(scenario(WEB, flows=["cubic"]))["forward"]["queue"]["limit"] == 33


def test_a_file_takes_both_forms(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    table = '{ algorithm = "cubic", rate = 5, mean = "9kB", rtt = "10ms" }'
    path.write_text(f'duration = "4s"\narrivals = ["{WEB}", {table}]\n[bottleneck]\nrate = "20Mbit"\n', encoding="utf-8")
    assert [source.algorithm for source in load(path).arrivals] == ["reno", "cubic"]


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("reno,mean=25kB", ["arrivals[0].load", "both missing", "load=10%"]),
        ("reno,load=10%,rate=9,mean=25kB", ["arrivals[0].load", "both given"]),
        ("reno,load=0,mean=25kB", ["load", "'0'", "above 0, at most 10"]),
        ("reno,load=x%,mean=25kB", ["load", "'x%'", "10%"]),
        ("reno,rate=1e9,mean=25kB", ["per_second", "'1e9'", "at most"]),
        ("reno,load=10%", ["mean", "missing"]),
        ("reno,load=10%,mean=0", ["mean_bytes", "'0'", "1 to"]),
        ("reno,load=10%,mean=25kB,shape=1", ["shape", "'1'", "above 1"]),
        ("reno,load=10%,mean=25kB,sizes=fixed,shape=2", ["shape", "pareto only"]),
        ("reno,load=10%,mean=25kB,sizes=zipf", ["sizes", "'zipf'", "pareto, exponential, fixed"]),
        ("reno,load=10%,mean=25kB,rtt=1ms+x", ["rtts_s", "'x'", "1e-06 to 10 s"]),
        ("reno,load=10%,mean=25kB,start=4s", ["start_s", "4 s", "below 4 s"]),
        ("reno,load=10%,mean=25kB,start=2s,stop=1s", ["stop_s", "above 2 s"]),
        ("reno,load=10%,mean=25kB,direction=up", ["direction", "'up'", "forward, reverse"]),
        ("reno,load=10%,mean=25kB,bytes=3", ["parameters.bytes", "not a known key", "load, rate, sizes"]),
        ("renu,load=10%,mean=25kB", ["algorithm", "'renu'", "did you mean"]),
        ({"algorithm": "reno", "load": 0.1, "mean": 9, "count": 2}, ["arrivals[0].count", "not a known key", "mean_size"]),
        (7, ["arrivals[0]", "int", "table"]),
    ],
)
def test_a_bad_source_is_refused_by_name(source: Any, parts: list[str]) -> None:
    with pytest.raises(ScenarioError) as refused:
        scenario(source)
    assert all(part in str(refused.value) for part in parts), str(refused.value)
    assert str(refused.value).isprintable()


def test_a_source_needs_an_rtt_and_a_run_needs_something_to_do() -> None:
    with pytest.raises(ScenarioError, match=r"arrivals\[0\].rtts_s: is missing"):
        parse({"bottleneck": {"rate": "20Mbit"}, "arrivals": ["reno,load=1,mean=9kB"]})
    with pytest.raises(ScenarioError, match="flows: 0 flows are given"):
        scenario(flows=[])


def test_transfers_have_rows_of_their_own_and_flows_do_not_see_them() -> None:
    run = wt.run(scenario("reno,load=30%,sizes=exponential,mean=15kB", flows=["cubic,window=5"]))
    rows = run.transfers
    assert rows is not None and rows.height > 100 and rows["start_s"].is_sorted()
    assert rows["rtt_s"].unique().to_list() == [0.02]
    done = rows.drop_nulls("completion_s")
    packets = -(-done["bytes"].cast(pl.Int64) // 1448)
    assert (done["sent_packets"].cast(pl.Int64) - done["retransmitted_packets"].cast(pl.Int64) == packets).all()
    assert (done["completion_s"] >= 0.02).all() and done.height > rows.height - 20
    assert run.flows.height == 1 and run.flow_samples["flow"].unique().to_list() == [0] and set(run.events["flow"]) <= {0}


def test_the_summary_says_how_long_they_took() -> None:
    run = wt.run(scenario("reno,rate=100,sizes=fixed,mean=14480", warmup="1s"))
    assert run.transfers is not None
    (row,) = run.summary["transfers"]
    measured = run.transfers.filter(pl.col("start_s") >= 1.0)
    times = measured["completion_s"].drop_nulls()
    assert row["transfers"] == measured.height and row["unfinished"] == measured.height - times.len()
    assert row["completion_s_mean"] == pytest.approx(times.mean()) and row["completion_s_median"] == pytest.approx(times.median())
    # Ten packets of 0.6 ms beside 20 ms.
    assert row["slowdown_mean"] == pytest.approx((times / 0.026).mean()) and row["slowdown_mean"] >= 1
    assert row["bytes"] == 14480 * times.len()


def test_a_folder_keeps_transfers_and_older_folders_are_read(tmp_path: Path) -> None:
    run = wt.run(scenario(WEB, flows=["reno"]))
    run.save(tmp_path / "new")
    again = wt.load_run(tmp_path / "new")
    assert again.transfers is not None and again.transfers.equals(run.transfers) and again.summary == run.summary
    plain = wt.run(scenario(flows=["reno"]))
    plain.save(tmp_path / "old")
    file = tmp_path / "old" / "run.json"
    facts = unsealed(file.read_bytes())
    del facts["files"]  # No checksums then.
    file.write_text(json.dumps(facts | {"schema_version": 2}), encoding="utf-8")
    assert wt.load_run(tmp_path / "old").transfers is None
    file.write_text(json.dumps(facts | {"schema_version": 1}), encoding="utf-8")
    with pytest.raises(records.FolderError, match="has schema version 1; allowed: 2, 3, 4"):
        wt.load_run(tmp_path / "old")


def test_a_link_that_never_catches_up_is_one_line() -> None:
    with pytest.raises(ScenarioError, match="arrivals: 100000 transfers at once after"):
        wt.run(scenario("reno,rate=1000000,sizes=fixed,mean=9kB"))


def test_a_guest_is_given_the_transfers_that_the_simulator_draws() -> None:
    made = scenario(WEB, "cubic,rate=20,sizes=fixed,mean=9kB,rtt=30ms+60ms", flows=["reno"])
    assert unsupported(made) == []
    told = wt.run(made).transfers
    assert told is not None
    mine = sorted(transfers.drawn(fill(made).scenario), key=lambda one: one.start_ns or 0)
    assert [one.bytes for one in mine] == told["bytes"].to_list()
    assert [one.start_ns for one in mine] == [round(1e9 * start_s) for start_s in told["start_s"]]
    lines = [line.split() for line in plan.make(made).text.splitlines()]
    flows = [line for line in lines if line[0] in ("flow", "transfer")]
    assert len(flows) == 1 + len(mine)
    # A host for the flow, and one for each source and RTT; what shares it says whose it is.
    hosts = [place for place, line in enumerate(flows) if line[0] == "flow"]
    assert len(hosts) == len([line for line in lines if line[0] == "transfers"]) + 1 == 7
    assert {int(line[1]) for line in flows if line[0] == "transfer"} <= set(hosts[1:])
    starts = sorted(int(line[5] if line[0] == "flow" else line[2]) for line in flows[1:])
    assert starts == [one.start_ns for one in mine]


def test_a_guest_refuses_what_its_transfers_cannot_be() -> None:
    assert unsupported(scenario("fast,rate=20,mean=9kB")) == ["arrivals[0].algorithm: no Linux kernel has fast"]
    assert unsupported(scenario("reno,rate=20,mean=9kB,cpu_pps=9")) == ["arrivals[0].host.cpu_pps"]
    assert unsupported(scenario("reno,rate=100000,mean=9kB"))[0].startswith("arrivals: some ")
    mixed = scenario("vegas,rate=20,mean=9kB,alpha=3", flows=["vegas"])
    assert unsupported(mixed) == ["arrivals[0].parameters: differ from those of flows[0]; the kernel has one vegas, for all flows"]


def test_the_command_line_takes_sources_and_prints_them(cli: Callable[..., Any]) -> None:
    base = ["run", "--rate", "20Mbit", "--rtt", "20ms", "--duration", "2s"]
    told = cli(*base, "--arrivals", WEB, "--arrivals", "cubic,rate=20,mean=9kB")
    assert told.code == 0 and "Transfers" in told.out and "p99 (ms)" in told.out and "Flows" not in told.out, told.err
    summary = cli(*base, "--flow", "cubic", "--arrivals", WEB, "--json").json()
    assert len(summary["transfers"]) == 1 and len(summary["flows"]) == 1
    bad = cli(*base, "--arrivals", "reno,load=11,mean=9kB")
    assert bad.code == 2 and bad.err.count("\n") == 1 and "load" in bad.err


def test_a_figure_of_flows_needs_flows(cli: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="flows: there are none"):
        wt.run(scenario(WEB)).plot.overview()
    refused = cli("run", "--rate", "20Mbit", "--duration", "2s", "--arrivals", WEB, "--plot", str(tmp_path / "o.svg"))
    assert refused.code == 2 and "at least one with --plot" in refused.err and not (tmp_path / "o.svg").exists()
    wt.run(scenario(WEB, flows=["reno"])).plot.overview(tmp_path / "o.svg")
    assert (tmp_path / "o.svg").stat().st_size > 1000
