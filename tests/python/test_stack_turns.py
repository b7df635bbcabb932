"""How often the program of a whole stack reads what has arrived. What needs quinn is skipped where it is not built."""

import pytest

import windtunnel as wt
from windtunnel.backends.captures import Capture
from windtunnel.backends.sim import Simulator
from windtunnel.cli import main
from windtunnel.foreign import stacks


@pytest.fixture
def quinn():
    if not any(one.name == "quinn" for one in stacks.built()):
        pytest.skip("quinn is not built: windtunnel stacks build quinn")


def path(*flows, **more):
    given = {"bottleneck": {"rate": "50Mbit", "queue": "100%bdp"}, "rtt": "40ms", "duration": "8s", "jitter": "0ms", "flows": flows}
    return wt.Scenario.model_validate(given | more)


def test_a_datagram_alone_waits_for_a_turn_at_each_end(quinn):
    # A handshake of one round trip and 1 kB in the next: each arrival of the four waits for a whole turn.
    took_s = [wt.run(path(f"cubic,stack=quinn,bytes=1000{turn}")).flows["completed_s"][0] for turn in ("", ",turn=1ms", ",turn=5ms")]
    assert took_s[2] - took_s[1] == pytest.approx(4 * 0.004, abs=1e-9)
    # What the server sends for its part of the handshake is answered together: a full packet less, 240 us.
    assert took_s[1] - took_s[0] == pytest.approx(4 * 0.001, abs=0.25e-3)


def test_acks_are_one_a_turn_in_place_of_one_for_two_datagrams(quinn, tmp_path):
    acks, ratios = [], []
    for turn in ("", ",turn=2ms"):
        records, captured = Simulator().capture(path(f"cubic,stack=quinn{turn}"), Capture(tmp_path / "run.pcapng", ("receiver",)))
        got = records.flows["delivered_packets"][0]
        acks.append(captured.packets["receiver"] - got)
        ratios.append(got / acks[-1])
        assert records.links["utilisation"][0] > 0.9
    # An ACK at once for every second datagram (RFC 9000, 13.2.2), and now and then for one.
    assert 1.8 < ratios[0] < 2.05
    # A datagram of 1480 bytes takes 237 us: eight more fit into the turn that the first begins, and the next begins after its end.
    assert 7 < ratios[1] <= 9.1 and acks[1] <= 8 / 0.002


def test_an_rtt_grows_by_one_turn_to_two(quinn):
    # 1 kB each millisecond, so that no queue forms. What QUIC measures is the newest of those that an ACK covers, whose wait at the
    # receiver is under a turn; the ACK, alone, waits for a whole one.
    srtts_s = [
        wt.run(path(f"reno,stack=quinn,app_rate=8Mbit,chunk=1ms{turn}")).flow_samples["srtt_s"][-1]
        for turn in ("", ",turn=5ms", ",turn=10ms")
    ]
    assert srtts_s[0] < 0.0415
    assert 0.005 <= srtts_s[1] - srtts_s[0] + 1e-6 <= 0.010
    assert 0.010 <= srtts_s[2] - srtts_s[0] + 1e-6 <= 0.020


def test_records_with_turns_repeat_and_without_are_what_they_were(quinn):
    turned, none, zero = (path(f"cubic,stack=quinn{turn}", "cubic") for turn in (",turn=1ms", "", ",turn=0ms"))
    first = wt.run(turned)
    assert wt.run(turned).records.digest() == first.records.digest() != wt.run(none).records.digest()
    assert first.links["utilisation"][0] > 0.9
    # The digest of a scenario holds a turn where there is one.
    assert wt.run(zero).digest == wt.run(none).digest != first.digest
    assert wt.scenario.canonical(turned)["flows"][0]["turn_s"] == 0.001 and "turn_s" not in wt.scenario.canonical(zero)["flows"][0]


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        ("cubic,stack=quinn,turn=101ms", "flows[0].turn_s: '101ms' is out of range; allowed: 0 to 0.1 s"),
        ("cubic,stack=quinn,turn=-1ms", "flows[0].turn_s: '-1ms' is out of range; allowed: 0 to 0.1 s"),
        ("cubic,turn=1ms", "flows[0].turn_s: 0.001 s is given, and TCP's flows have no turns; allowed: with stack=NAME"),
    ],
)
def test_turns_out_of_range_and_of_tcp_are_refused_in_one_line(quinn, capsys, flow, said):
    assert main(["run", "--rate", "10Mbit", "--rtt", "40ms", "--queue", "50", "--duration", "2s", "--flow", flow]) == 2
    out = capsys.readouterr()
    assert said in out.err and out.err.count("\n") == 1 and not out.out
