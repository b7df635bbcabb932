"""Sources of datagrams and applications that pause as a guest's orders, and its rows as the simulator's columns. No kernel is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from windtunnel.backends.linux import plan, records, rows, traffic
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.backends.sim import Simulator
from windtunnel.records import RunFacts, build, with_sources
from windtunnel.scenario import Scenario, canonical, digest, fill, resolve


def scenario(*sources: str, **more: Any) -> Scenario:
    link = {"rate": "10Mbit", "queue": 7, **more.pop("link", {})}
    return Scenario(**{"bottleneck": link, "flows": ["reno"], "rtt": "42ms", "duration": "20s", "traffic": sources, **more})


def lines(made: Scenario, word: str) -> list[str]:
    return [line for line in plan.make(made).text.splitlines() if line.split()[0] == word]


def test_a_source_is_a_line_and_its_rates() -> None:
    made = scenario("udp,rate=5Mbit", "udp,rate=20Mbit,packet=200,start=2s,stop=3s,direction=reverse")
    assert lines(made, "source") == ["source forward 1500 0 - 0", "source reverse 200 2000000000 3000000000 0"]
    assert lines(made, "rates") == ["rates 0 5000000", "rates 1 20000000"]
    assert [line.split()[1] for line in lines(made, "link")] == ["forward", "reverse"]


def test_a_sine_is_a_staircase_of_a_thousand_rates() -> None:
    made = scenario("udp,rate=4Mbit,amplitude=2Mbit,period=30s")
    assert lines(made, "source") == ["source forward 1500 0 - 30000000000"]
    found = [int(word) for line in lines(made, "rates") for word in line.split()[2:]]
    # sin(pi / 1000) = 0.003141587 is the first step's; a quarter of a period is a half-step before the highest two.
    assert found[0] == 4_000_000 + 6_283 and found[249] == found[250] == max(found) <= 6_000_000
    # Opposite halves cancel, to half a bit per second and step.
    assert len(found) == 1000 and abs(sum(found) - 4_000_000_000) <= 500


def test_a_source_that_falls_silent_has_no_rate_below_one() -> None:
    (source,) = resolve(scenario("udp,rate=1kbit,amplitude=1kbit,period=1s"))["traffic"]
    assert min(traffic.rates_bps(source)) == 1


def test_an_application_is_a_line_of_its_flow() -> None:
    made = scenario(flows=["reno", "cubic,on=5s,off=1s,window=500kB", "bbr,app_rate=5Mbit"])
    assert lines(made, "writes") == ["writes 1 on-off 5000000000 1000000000", "writes 2 chunks 5000000 2000000000"]
    # 500,000 bytes hold 345 segments of 1448.
    assert lines(made, "flow")[1].split()[8] == str(345 * 1448)


@pytest.mark.parametrize(
    ("made", "named"),
    [
        (scenario("udp,rate=1Mbit,packet=9000", link={"queue": "20kB", "rate_steps": ["3s=5Mbit"]}), "bottleneck.queue_bytes: other sizes"),
        (scenario("udp,rate=1Mbit,packet=200", link={"queue": "20kB", "discipline": "codel"}), "bottleneck.queue_bytes: other sizes"),
        (scenario("udp,rate=1Mbit,packet=200", link={"discipline": "red,gentle=0", "queue": 50}), "bottleneck.discipline: "),
        (scenario(flows=[{"algorithm": "reno", "window_bytes": 2_000_000_000}]), "flows[0].window_bytes: 2000000000; a TCP window"),
        (scenario(flows=[{"algorithm": "dctcp", "transport": {"ecn": "off"}}]), "flows[0].transport.ecn: off is no setting"),
        (scenario(flows=[{"algorithm": "reno", "transport": {"idle_restart": "rfc5681"}}]), "flows[0].transport.idle_restart: rfc5681"),
    ],
)
def test_what_a_guest_cannot_send_is_refused_by_name(made: Scenario, named: str) -> None:
    found = unsupported(made)
    assert len(found) == 1 and found[0].startswith(named)


def test_full_packets_fit_a_queue_of_bytes_and_a_discipline() -> None:
    for link in ({"queue": "20kB"}, {"discipline": "red,gentle=0", "queue": 50}):
        assert unsupported(scenario("udp,rate=1Mbit", link=link)) == []


def test_ecn_is_switched_off_in_the_flows_own_namespace() -> None:
    made = scenario(flows=["reno", {"algorithm": "cubic", "transport": {"ecn": "off"}}])
    assert lines(made, "sysctl") == ["sysctl 1 net/ipv4/tcp_ecn 0"]


def test_time_for_a_run_grows_with_its_sources() -> None:
    # 125,000 packets of 1000 bits a second for 20 s, each ten times 50 us at least.
    slow, plain = (plan.make(made).wall_s for made in (scenario("udp,rate=125Mbit,packet=125"), scenario()))
    assert slow - plain >= 20 * 125_000 * 500e-6


def _row(kind: int, index: int, t_ns: int, *values: int) -> Any:
    made = np.zeros(1, dtype=rows.ROW)
    made["t_ns"], made["kind"], made["index"] = t_ns, kind, index
    made["value"][0, : len(values)] = values
    return made


def test_rows_of_sources_are_the_simulators() -> None:
    made = scenario("udp,rate=1.2Mbit,packet=1500,start=1s,stop=3s", "udp,rate=80kbit,packet=100", warmup="2s")
    written = [
        _row(rows.LINK_TOTALS, 0, 2_000_000_000, 0),
        _row(rows.LINK_TOTALS, 0, 20_000_000_000, 1),
        _row(rows.SOURCE, 1, 0, 0),
        _row(rows.SOURCE, 0, 1_000_000_000, 0),
        _row(rows.SOURCE, 1, 1_000_000_000, 99),
        _row(rows.SOURCE, 0, 1_010_000_000, 1),
        # arrived, sent; and of those how many never arrived
        _row(rows.SOURCE_TOTALS, 0, 2_000_000_000, 0, 98, 100),
        _row(rows.SOURCE_TOTALS, 1, 2_000_000_000, 0, 199, 200),
        _row(rows.SOURCE_TOTALS, 0, 20_000_000_000, 1, 195, 200, 5),
        _row(rows.SOURCE_TOTALS, 1, 20_000_000_000, 1, 1990, 2000, 9),
    ]
    content = b"".join(one.tobytes() for one in (_row(rows.BEGIN, 0, 0, 1, 1, 1), *written, _row(rows.END, 0, 0)))
    found, full = rows.read(content), fill(made).scenario
    facts = RunFacts(canonical(made), digest(made), "linux", 1, "0", {})
    whole = with_sources(
        build(records.frames(found, full), facts), traffic.rows_of_sources(found, full), traffic.samples_of_sources(found, full)
    )
    simulated = Simulator().run(made)
    for name, frame in whole.frames().items():
        assert set(dict(frame.schema).items()) <= set(dict(simulated.frames()[name].schema).items()), name
    first, second = whole.flows.rows(named=True)[1:]
    assert (first["flow"], first["algorithm"]) == (1, "udp")
    assert (first["sent_packets"], first["delivered_packets"], first["lost_packets"]) == (200, 195, 5)
    assert (first["window_sent_packets"], first["window_delivered_packets"], first["window_s"]) == (100, 97, 1.0)
    assert first["window_goodput_bytes"] == 97 * 1472 and first["mean_cwnd_packets"] is first["timeouts"] is None
    # 2000 sent, 1990 there at the end, 9 lost: one was on the link.
    assert (second["delivered_bytes"], second["lost_packets"], second["end_s"], second["window_s"]) == (1990 * 72, 9, None, 18.0)
    assert whole.flow_samples.select("t_s", "flow", "delivered_bytes").rows() == [
        (1.0, 1, 0),
        (pytest.approx(1.01), 1, 1472),
        (0.0, 2, 0),
        (1.0, 2, 99 * 72),
    ]
    told = whole.events.select("t_s", "flow", "kind").rows()
    assert told == [(0.0, 2, "start"), (1.0, 1, "start"), (3.0, 1, "stop")]
    assert [row for row in simulated.events.select("t_s", "flow", "kind").rows() if row[1] > 0] == told
