"""Whole stacks in a run. What needs a built one is skipped where none is: `windtunnel stacks build quinn`."""

import json

import pytest

import windtunnel as wt
from windtunnel.cli import main
from windtunnel.foreign import stacks


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
    assert [row["algorithm"] for row in run.summary()["flows"]] == ["cubic@quinn", "cubic"]
    assert run.links["utilisation"][0] > 0.9
    assert run.flows["delivered_bytes"].min() > 5e6
    # QUIC's goodput is below what it sends: 28 bytes of headers, its own, and the tag of each packet.
    sent, read = run.flows["sent_packets"][0], run.flows["delivered_bytes"][0]
    assert 1200 < read / sent < 1452
    samples = run.flow_samples.filter(run.flow_samples["flow"] == 0)
    assert samples["inflight_packets"].is_null().all() and samples["min_rtt_s"].min() >= 0.04
    assert samples["delivered_bytes"].max() == read


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
        ("cubic,stack=quinnn", "is no stack; allowed: quinn"),
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
    assert "'quonn' is no stack; allowed: quinn" in capsys.readouterr().err
