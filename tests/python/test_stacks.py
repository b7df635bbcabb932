"""Whole stacks in a run. What needs a built one is skipped where none is: `windtunnel stacks build quinn`."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import polars as pl
import pytest

import windtunnel as wt
from windtunnel.backends import backend
from windtunnel.battery import stacks as battery
from windtunnel.cli import main
from windtunnel.foreign import stacks
from windtunnel.scenario import Bottleneck, Flow, Scenario


@pytest.fixture
def quinn():
    found = [one for one in stacks.built() if one.name == "quinn"]
    if not found:
        pytest.skip("quinn is not built: windtunnel stacks build quinn")
    return found[0]


def path(*flows, **more):
    given = {"bottleneck": {"rate": "50Mbit", "queue": "100%bdp"}, "rtt": "40ms", "duration": "12s", "flows": flows}
    return wt.Scenario.model_validate(given | more)


def test_a_stack_shares_the_link_and_keeps_its_name(quinn):
    run = wt.run(path("cubic,stack=quinn", "cubic"))
    assert run.flows["algorithm"].to_list() == ["cubic@quinn", "cubic"]
    assert run.flows["variant"][0] == f"quinn-{quinn.version}"
    assert [row["algorithm"] for row in run.summary["flows"]] == ["cubic@quinn", "cubic"]
    assert run.links["utilisation"][0] > 0.9
    assert run.flows["delivered_bytes"].min() > 5e6
    # QUIC's goodput is below what it sends: 28 bytes of headers, its own, and the tag of each packet.
    sent, read = run.flows["sent_packets"][0], run.flows["delivered_bytes"][0]
    assert 1200 < read / sent < 1452
    samples = run.flow_samples.filter(run.flow_samples["flow"] == 0)
    assert samples["inflight_packets"].is_null().all() and samples["min_rtt_s"].min() >= 0.04
    # What it does not count is missing, not zero; quinn counts its congestion events, and no expiries of its probe timeout.
    assert run.flows["timeouts"].to_list()[0] is None is run.flows["undos"].to_list()[0] and run.flows["loss_episodes"][0] > 0
    assert run.summary["flows"][0]["timeouts"] is None and run.summary["flows"][1]["timeouts"] is not None
    # From the smallest datagram of QUIC to the largest that quinn looks for (1452, that of IPv6 in 1500 bytes).
    assert samples["state"].is_null().all() and samples["datagram_bytes"][0] == 1200 and samples["datagram_bytes"][-1] == 1452
    assert samples["delivered_bytes"].max() == read


def test_a_stacks_throughput_is_of_the_bytes_that_it_sends(quinn):
    run = wt.run(path("cubic,stack=quinn", "cubic,stack=quinn", warmup="4s"))
    rates = [row["throughput_bps"] for row in run.summary["flows"]]
    # All but QUIC's own headers, some 25 bytes of 1452, and not more than the link carries, as 1500 bytes for each datagram would be.
    assert 0.96 * 50e6 < sum(rates) < 50e6 * run.links["utilisation"][0]


def test_the_name_covers_the_build(quinn):
    assert path("cubic,stack=quinn").flows[0].stack == quinn.known_as
    with pytest.raises(ValueError, match="is not built; run: windtunnel stacks build quinn"):
        path("cubic,stack=quinn:0123456789abcdef")


@pytest.mark.parametrize("algorithm", ["cubic", "reno", "bbr"])
def test_runs_repeat_to_the_byte_one_after_the_other_and_side_by_side(quinn, algorithm):
    scenario = path(f"{algorithm},stack=quinn", f"{algorithm},stack=quinn,start=1s")
    first, second = wt.run(scenario), wt.run(scenario)
    assert first.records.digest() == second.records.digest()


def test_beside_a_stack_that_has_nothing_to_send_tcp_is_what_it_is_alone(quinn):
    alone = wt.run(path("cubic"))
    beside = wt.run(path("cubic", "cubic,stack=quinn,start=11.999s,stop=11.9995s"))
    mine = beside.flow_samples.filter(beside.flow_samples["flow"] == 0)
    assert mine["cwnd_packets"].to_list() == alone.flow_samples["cwnd_packets"].to_list()


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        ("cubic,stack=quinn,initial_window=4", "flows[0].transport: quinn"),
        ("cubic,stack=quinn,mtu=1000", "give at least 1228 bytes"),
        ("bbr9,stack=quinn", "is no controller of quinn; allowed: cubic, reno, bbr"),
        ("cubic,stack=quinnn", "is no stack; allowed: "),
    ],
)
def test_what_a_stack_cannot_have_is_refused_in_one_line(quinn, capsys, flow, said):
    assert main(["run", "--rate", "10Mbit", "--rtt", "40ms", "--queue", "50", "--duration", "2s", "--flow", flow]) == 2
    out = capsys.readouterr()
    assert said in out.err and out.err.count("\n") == 1 and not out.out


def test_what_is_built_is_listed(quinn, capsys):
    assert main(["stacks", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {"name": "quinn", "version": "0.11.19"}.items() <= next(row for row in rows if row["key"] == quinn.key).items()


def test_an_unknown_stack_is_not_built(capsys):
    assert main(["stacks", "build", "quonn"]) == 2
    assert f"'quonn' is no stack; allowed: {', '.join(stacks.sources())}" in capsys.readouterr().err


def test_an_application_that_pauses_or_writes_in_chunks_gets_what_it_writes(quinn):
    # 2 Mbit/s in chunks of half a second, from 0 s on: 24 chunks of 125 000 bytes in 12 s, whole at the end of the run.
    run = wt.run(path("cubic,stack=quinn,app_rate=2Mbit,chunk=500ms"))
    assert run.flows["delivered_bytes"][0] == 24 * 125_000
    # The first eight of them alone: 4 s, a handshake before the first, and the last one's round trip.
    run = wt.run(path("cubic,stack=quinn,app_rate=2Mbit,chunk=500ms,bytes=1000000"))
    assert run.flows["delivered_bytes"][0] == 1_000_000 and 3.5 < run.flows["completed_s"][0] < 3.7
    # One second in three: between, nothing is under way but what the stack had taken (its window is four times the path's).
    run = wt.run(path("cubic,stack=quinn,on=1s,off=2s"))
    samples = run.flow_samples.filter(run.flow_samples["flow"] == 0)
    at = dict(zip((round(t_s, 3) for t_s in samples["t_s"]), samples["delivered_bytes"].to_list(), strict=True))
    assert at[2.9] == at[2.5] and at[3.9] > at[3.0] + 2e6 and at[5.9] == at[5.5]


@pytest.mark.parametrize("name", ["quinn", "noq", "quiche", "s2n-quic", "tquic"])
def test_several_streams_share_a_connection_and_all_that_was_written_arrives(name):
    found = [one for one in stacks.built() if one.name == name]
    if not found:
        pytest.skip(f"{name} is not built: windtunnel stacks build {name}")
    alone, one, seven = (wt.run(path(f"cubic,stack={name},bytes=3000001{more}")) for more in ("", ",streams=1", ",streams=7"))
    # 3 000 001 bytes are no multiple of seven: the rest is not lost.
    assert [run.flows["delivered_bytes"][0] for run in (alone, one, seven)] == [3_000_001] * 3
    assert one.flows["completed_s"][0] == alone.flows["completed_s"][0] and one.digest != alone.digest
    # One window for all of them: no sooner than one stream by more than the acknowledgements' timing, no later than by a few round trips.
    assert abs(seven.flows["completed_s"][0] - one.flows["completed_s"][0]) < 0.2
    assert wt.run(path(f"cubic,stack={name},bytes=3000001,streams=7")).records.digest() == seven.records.digest()
    # Without end, in chunks, and stopped: as one stream does.
    single, endless = (wt.run(path(f"cubic,stack={name}{more},stop=6s")) for more in ("", ",streams=4"))
    chunks = wt.run(path(f"cubic,stack={name},streams=3,app_rate=2Mbit,chunk=500ms"))
    assert endless.flows["window_goodput_bytes"][0] > 0.95 * single.flows["window_goodput_bytes"][0] > 20e6
    assert chunks.flows["delivered_bytes"][0] == 24 * 125_000


def test_a_flow_of_tcp_has_one_stream_and_its_parallel_ones_stay_what_they_are(capsys):
    asked = ["run", "--rate", "10Mbit", "--rtt", "40ms", "--queue", "50", "--duration", "2s", "--flow"]
    assert main([*asked, "cubic,streams=4"]) == 2
    out = capsys.readouterr()
    assert "flows[0].streams: 4 is given, and TCP has one stream; allowed: with stack=NAME" in out.err and out.err.count("\n") == 1
    assert main([*asked, "cubic,streams=0"]) == 2 and "allowed: an integer, 1 to 100 streams" in capsys.readouterr().err
    assert main([*asked, "ptcp,streams=4"]) == 0
    # The name of a scenario without the key is what it was.
    scenario = wt.Scenario.model_validate({"bottleneck": {"rate": "10Mbit"}, "rtt": "40ms", "flows": ["cubic"]})
    assert "streams" not in wt.scenario.canonical(scenario)["flows"][0]


def test_what_an_application_cannot_be_asked_of_a_stack_is_refused(quinn, capsys):
    flow = "cubic,stack=quinn,on=1s,off=1s,bytes=1000"
    assert main(["run", "--rate", "10Mbit", "--rtt", "40ms", "--queue", "50", "--duration", "2s", "--flow", flow]) == 2
    out = capsys.readouterr()
    assert "flows[0].bytes: quinn" in out.err and out.err.count("\n") == 1


@pytest.mark.parametrize("name", ["noq", "quiche", "s2n-quic", "tquic"])
def test_another_stack_shares_the_link_and_repeats_to_the_byte_on_one_worker_and_on_two(name):
    found = [one for one in stacks.built() if one.name == name]
    if not found:
        pytest.skip(f"{name} is not built: windtunnel stacks build {name}")
    # The last of its controllers is the one that the simulator's catalogue may not know by name.
    scenario = path(f"{found[0].algorithms[-1]},stack={name}", f"cubic,stack={name},start=1s", "cubic")
    first = wt.run(scenario)
    assert first.flows["algorithm"].to_list() == [f"{found[0].algorithms[-1]}@{name}", f"cubic@{name}", "cubic"]
    assert first.links["utilisation"][0] > 0.9 and first.flows["delivered_bytes"].min() > 1e6
    with ThreadPoolExecutor(2) as workers:
        assert {run.records.digest() for run in workers.map(wt.run, [scenario] * 2)} == {first.records.digest()}


def test_records_without_encryption_may_differ_in_names_and_in_no_number(monkeypatch):
    bottleneck = Bottleneck(rate_bps=10e6, queue_packets=10)
    run = backend("sim").run(Scenario(bottleneck=bottleneck, flows=(Flow(algorithm="reno", rtt_s=0.02),), duration_s=1.0))
    renamed = replace(run, flows=run.flows.with_columns(pl.lit("reno@quinn").alias("algorithm")))
    slower = replace(run, links=run.links.with_columns(pl.col("utilisation") * 0.99))
    monkeypatch.setattr(battery, "_checks", lambda *_: iter(()))
    monkeypatch.setattr(battery.published, "expected", lambda _: iter(()))
    monkeypatch.setattr(battery, "_scenario", lambda stack, _: stack.name)
    plain, quinn, tquic = (
        stacks.Stack(name, "0123456789abcdef", "1", ("reno",), None, "", 0.0) for name in ("quinn-null-cipher", "quinn", "tquic")
    )
    for other, ok in ((renamed, True), (slower, False)):
        (check,) = battery.tested(plain, {"quinn-null-cipher": run, "quinn": other}.__getitem__, quinn)
        assert check.ok is ok and ("links differ" in check.detail) is not ok
    # Without a tag a datagram carries more: nothing to compare.
    assert list(battery.tested(plain, {}.__getitem__, tquic)) == []


def test_quiche_is_asked_for_neqos_capacity_once_and_over_fewer_bytes():
    quiche, quinn = (stacks.Stack(name, "0123456789abcdef", "1", ("cubic",), None, "", 0.0) for name in ("quiche", "quinn"))
    ((own,), (other,)) = (list(battery.published.expected(stack)) for stack in (quiche, quinn))
    # gbit_bandwidth: half of a window of 1 MiB in each 100 ms.
    assert own.bytes / own.within_s == other.bytes / other.within_s == 0.5 * 2**20 / 0.1
    assert own.bytes < other.bytes == 100 * 2**20
