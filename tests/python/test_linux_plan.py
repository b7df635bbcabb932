"""From a scenario to a guest's orders, and what is refused by name. No kernel is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from windtunnel.backends.linux import expressible, plan
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.backends.linux.modules import setting
from windtunnel.scenario import Bottleneck, Flow, Scenario, ScenarioError


def scenario(*flows: Any, queue: Any = 7, **more: Any) -> Scenario:
    link = {"rate": "10Mbit", "queue": queue, **more.pop("link", {})}
    return Scenario(**{"bottleneck": link, "flows": flows or ("reno",), "rtt": "42ms", "duration": "20s", **more})


def lines(made: plan.Plan, word: str) -> list[list[str]]:
    return [line.split() for line in made.text.splitlines() if line.split()[0] == word]


def test_a_plan_says_everything_in_integers() -> None:
    made = plan.make(scenario("reno", "htcp,start=1.5s,stop=9s,rtt=84ms,bytes=5000,window=20", warmup="2s", jitter=0))
    assert made.text.splitlines()[:5] == [
        "windtunnel-plan 1",
        "duration_ns 20000000000",
        "warmup_ns 2000000000",
        "sample_ns 10000000",
        "watch_ns 10000000",
    ]
    # 10 Mbit/s are 1,250,000 bytes a second; no reverse link is built for ACKs alone.
    assert lines(made, "link") == [["link", "forward", "1250000", "7", "0"]]
    # Windows: 4 x (35 + 7) packets of 1448 bytes without a cap, 20 with one.
    assert lines(made, "flow") == [
        ["flow", "forward", "reno", "42000000", "0", "0", "-", "-", "243264", "0", "0", "0"],
        ["flow", "forward", "htcp", "84000000", "0", "1500000000", "9000000000", "5000", "28960", "0", "0", "0"],
    ]
    assert made.algorithms == ("reno", "htcp") and made.arguments == () and made.notes == ()


def test_a_flow_of_other_packets_says_their_size_and_has_a_window_of_them() -> None:
    made = plan.make(scenario("reno,mtu=9000,window=20", "reno", "reno,mtu=576"))
    assert lines(made, "packets") == [["packets", "9000"], ["packets", "576"]]
    # 42 ms at 10 Mbit/s are 91.1 packets of 576 bytes, and 7 wait: four times that, of 524 bytes.
    assert [line[8] for line in lines(made, "flow")] == [str(20 * 8948), "243264", str(392 * 524)]
    assert unsupported(scenario("reno,mtu=9000", queue="50kB", link={"discipline": "codel"}))[0].startswith(
        "bottleneck.queue_bytes: other sizes"
    )


def test_a_flow_with_a_handshake_connects_at_its_start() -> None:
    made = plan.make(scenario("reno", "reno,handshake=true"))
    assert [line[11] for line in lines(made, "flow")] == ["0", "1"]


def test_the_default_jitter_is_a_packet_time() -> None:
    # 1500 bytes at 10 Mbit/s take 1.2 ms; 1 % of 42 ms is less.
    assert lines(plan.make(scenario()), "flow")[0][4] == "420000"


def test_reverse_data_brings_the_reverse_link() -> None:
    made = plan.make(scenario("reno", {"algorithm": "cubic", "direction": "reverse"}))
    assert [line[1] for line in lines(made, "link")] == ["forward", "reverse"]
    assert [line[1:3] for line in lines(made, "flow")] == [["forward", "reno"], ["reverse", "cubic"]]


@pytest.mark.parametrize(
    ("link", "packets"),
    [
        # The packet in service counts, as in netem; where it shall not, netem holds one more.
        ({"queue_packets": 7}, 7),
        ({"queue_packets": 7, "excludes_in_service": True}, 8),
        # 10,000 bytes hold six full packets.
        ({"queue_bytes": 10_000}, 6),
        # 12 ms are ten packet times: with ten in the link the wait is at most that, and an eleventh is taken.
        ({"queue_s": 0.012}, 11),
        ({"queue_s": 0.0125}, 11),
        ({"queue_s": 0.0012}, 2),
    ],
)
def test_every_unit_of_a_queue_becomes_packets_of_netem(link: dict[str, Any], packets: int) -> None:
    assert expressible.limit_packets(Bottleneck(rate_bps=10e6, **link)) == packets


def test_a_converted_queue_is_reported() -> None:
    assert "11 packets in the kernel" in plan.make(scenario(queue="12ms")).notes[0]


@pytest.mark.parametrize(("queue", "limits"), [("12ms", ["12000000", "-"]), ("20kB", ["-", "20000"])])
def test_a_queue_that_several_sizes_share_keeps_its_unit(queue: str, limits: list[str]) -> None:
    """ACKs pass the reverse link, and datagrams of 300 bytes the other; full packets alone are counted by netem."""
    made = plan.make(scenario("reno", queue=queue, reverse={"rate": "1Mbit", "queue": queue}))
    assert lines(made, "fifo") == [["fifo", "reverse", *limits]]
    assert lines(made, "module") == [["module", "windtunnel_fifo", "fifo.c"]]
    assert [note.partition(".")[0] for note in made.notes] == ["bottleneck"]
    small = plan.make(scenario("reno", queue=queue, traffic=["udp,rate=1Mbit,packet=300"]))
    assert lines(small, "fifo") == [["fifo", "forward", *limits]] and small.notes == ()
    assert lines(plan.make(scenario("reno", queue=queue)), "fifo") == lines(plan.make(scenario("reno", queue=queue)), "module") == []


def test_random_loss_is_a_part_of_two_to_the_32() -> None:
    assert lines(plan.make(scenario(link={"loss": 0.25})), "link")[0][4] == str(2**30)


@pytest.mark.parametrize(
    ("sample_ns", "watch_ns"),
    [(0, 10_000_000), (10_000_000, 10_000_000), (100_000_000, 10_000_000), (25_000_000, 5_000_000), (1_000_000, 1_000_000)],
)
def test_flows_are_looked_at_at_least_every_10_ms_and_at_every_sample(sample_ns: int, watch_ns: int) -> None:
    found = plan.watch_ns(sample_ns)
    assert found <= 10_000_000 and (sample_ns == 0 or sample_ns % found == 0)
    assert found == watch_ns or sample_ns == 25_000_000


@pytest.mark.parametrize(
    ("flow", "arguments"),
    [
        ("cubic:nohystart", ("tcp_cubic.hystart=0",)),
        # 717 / 1024 and 41 x 10 / 1024 are the kernel's own constants.
        ("cubic,beta=0.7001953125,c=0.400390625", ("tcp_cubic.beta=717", "tcp_cubic.bic_scale=41")),
        ("vegas,alpha=3,beta=5", ("tcp_vegas.alpha=3", "tcp_vegas.beta=5")),
        ("hybla,rtt0=50ms", ("tcp_hybla.rtt0=50",)),
        ("hstcp", ()),
    ],
)
def test_parameters_are_those_of_the_kernels_modules(flow: str, arguments: tuple[str, ...]) -> None:
    assert unsupported(scenario(flow)) == []
    assert plan.make(scenario(flow)).arguments == arguments


def test_only_what_the_module_can_be_set_to_is_a_setting() -> None:
    assert setting("vegas", "alpha", 2.0) == ("alpha", 2)
    assert setting("vegas", "alpha", 2.5) is None
    assert setting("illinois", "max_rtt_bias", 0.1) is None


def test_stack_options_are_settings_of_the_flows_own_namespace() -> None:
    options = {"sack": False, "loss_detection": "rfc6675", "initial_window": 4, "pacing": "full"}
    made = plan.make(scenario("reno", {"algorithm": "reno", "transport": options}))
    assert lines(made, "sysctl") == [["sysctl", "1", "net/ipv4/tcp_recovery", "0"], ["sysctl", "1", "net/ipv4/tcp_sack", "0"]]
    assert [line[9:] for line in lines(made, "flow")] == [["0", "0", "0"], ["4", "1", "0"]]


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: scenario("fast"), "flows[0].algorithm: no Linux kernel has fast"),
        (lambda: scenario("cubic:rfc9438"), "flows[0].algorithm: the kernel's cubic is not the variant rfc9438"),
        (lambda: scenario("reno", profile="rfc"), "flows[0].profile: rfc"),
        (lambda: scenario("vegas,alpha=2.5"), "flows[0].parameters.alpha: 2.5"),
        (lambda: scenario("cubic", "cubic:nohystart"), "flows[1].parameters: differ from those of flows[0]"),
        (lambda: scenario({"algorithm": "reno", "transport": {"recovery": "rate-halving"}}), "flows[0].transport.recovery"),
        (lambda: scenario({"algorithm": "reno", "transport": {"initial_window": 46}}), "flows[0].transport.initial_window"),
        (lambda: scenario(per_ack=True), "per_ack"),
        (lambda: scenario(record_drops=True), "record_drops"),
        (lambda: scenario("reno", "reno,direction=reverse", queue="20kB", link={"discipline": "codel"}), "bottleneck.queue_bytes"),
        (lambda: scenario("reno,count=1001"), "flows: 1001 of them"),
    ],
)
def test_what_a_guest_cannot_express_is_listed_by_name(make: Callable[[], Scenario], named: str) -> None:
    found = unsupported(make())
    assert found and found[0].startswith(named)
    with pytest.raises(ScenarioError, match="linux cannot express"):
        plan.check(make())


def test_a_field_this_backend_has_never_heard_of_is_refused_unless_it_has_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(expressible._EXPRESSED, Bottleneck, expressible._EXPRESSED[Bottleneck] - {"loss_probability"})
    assert unsupported(scenario()) == []
    assert unsupported(scenario(link={"loss": 0.1})) == ["bottleneck.loss_probability"]


def test_every_scenario_of_the_kernels_own_laws_can_be_run() -> None:
    for name in ("reno", "scalable", "hstcp", "bic", "cubic", "htcp", "veno", "westwood", "vegas", "illinois", "hybla", "yeah"):
        assert unsupported(scenario(name)) == []


def test_memory_and_time_grow_with_the_path() -> None:
    small = plan.make(scenario())
    large = plan.make(Scenario(bottleneck={"rate": "10Gbit", "queue": "100%bdp"}, flows=["cubic"], rtt="100ms", duration="20s"))
    # 10 Gbit/s x 100 ms = 83,333 packets, as many again in the queue; 6000 bytes each at both ends while one is missing.
    assert large.memory_bytes > 2 * 2 * 83_333 * 6000 and small.memory_bytes < 512 << 20
    assert large.wall_s > small.wall_s > 60


def test_slow_start_is_a_setting_of_cubic_alone() -> None:
    def plan_of(algorithm: str) -> list[str]:
        flow = Flow(algorithm=algorithm, rtt_s=0.04, parameters={"slow_start": "standard"})
        return unsupported(Scenario(bottleneck=Bottleneck(rate_bps=1e7), flows=(flow,), duration_s=10))

    assert plan_of("cubic") == []
    assert plan_of("reno") == ["flows[0].parameters.slow_start: standard is no setting of the kernel's reno"]
