"""Links that change in time, and traces: from what is written to what is run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.backends.linux import plan, steps
from windtunnel.backends.linux.expressible import unsupported
from windtunnel.scenario import Scenario, ScenarioError, canonical, digest, parse, resolve, traces

TRACES = Path(__file__).parents[2] / "data" / "traces"


def scenario(**link: Any) -> Scenario:
    return parse({"rtt": "40ms", "duration": "6s", "bottleneck": {"rate": "12Mbit", "queue": 2000, **link}, "flows": ["reno"], "jitter": 0})


def test_both_forms_are_the_same_scenario() -> None:
    short = scenario(rate_steps=["2s=5Mbit"], outages=["3s=500ms"], delay_steps=["1s=20ms", "4s=0"])
    long = scenario(
        rate_steps=[{"at_s": 2, "rate_bps": 5e6}],
        outages=[{"at": "3s", "length": "0.5s"}],
        delay_steps=[{"at_s": 1, "extra_s": 0.02}, {"at_s": 4, "extra_s": 0}],
    )
    assert digest(short) == digest(long)
    assert canonical(parse(canonical(short))) == canonical(short)
    assert resolve(short)["forward"]["changes"] == {
        "rate_steps": [{"at_ns": 2_000_000_000, "rate_bps": 5_000_000}],
        "outages": [{"at_ns": 3_000_000_000, "length_ns": 500_000_000}],
        "delay_steps": [{"at_ns": 1_000_000_000, "extra_ns": 20_000_000}, {"at_ns": 4_000_000_000, "extra_ns": 0}],
        "trace_ms": [],
    }


def test_a_link_without_changes_keeps_its_name() -> None:
    assert not {"rate_steps", "outages", "delay_steps", "queue_steps", "trace_ms"} & set(canonical(scenario())["bottleneck"])


def test_sizes_of_the_queue_have_the_queues_units() -> None:
    texts = ["1s=50", "2s=20%bdp", "3s=50ms", "4s=256kB", {"at": "5s", "queue": "10"}]
    tables = [{"queue_packets": 50}, {"queue_bdp": 0.2}, {"queue_s": 0.05}, {"queue_bytes": 256_000}, {"queue_packets": 10}]
    short = scenario(queue_steps=texts)
    assert digest(short) == digest(scenario(queue_steps=[{"at_s": at} | table for at, table in enumerate(tables, 1)]))
    assert canonical(parse(canonical(short))) == canonical(short)
    # A fifth of 40 packets, 12 Mbit/s over 40 ms.
    packets = {"unit": "packets"}
    sizes = [packets | {"limit": 50}, packets | {"limit": 8}, {"unit": "ns", "limit": 50_000_000}, {"unit": "bytes", "limit": 256_000}]
    steps = [{"at_ns": at * 1_000_000_000, "queue": size} for at, size in enumerate([*sizes, packets | {"limit": 10}], 1)]
    assert resolve(short)["forward"]["changes"]["queue_steps"] == steps


def test_a_shorter_queue_waits_less_and_keeps_what_stood_in_it() -> None:
    # A window of 200 at 12 Mbit/s over 40 ms: 160 wait, from 3 s on 50 at most.
    run = wt.run(scenario(queue=2000, queue_steps=["3s=50"]).model_copy(update={"flows": (wt.Flow(algorithm="reno", window_packets=200),)}))
    samples = run.link_samples
    queue = {round(t_s, 2): packets for t_s, packets in samples.select("t_s", "queue_packets").iter_rows()}
    assert 158 <= queue[2.99] <= 161
    # It drains at the link's rate, 50 packets in a twentieth of a second, and takes nothing meanwhile.
    assert queue[3.0] - queue[3.05] == pytest.approx(50, abs=3) and max(queue[t] for t in queue if t > 3.2) <= 50
    dropped = samples.filter(samples["t_s"].is_between(2.995, 3.055))["dropped_packets"]
    assert 40 <= dropped[-1] - dropped[0] <= 60


@pytest.mark.parametrize(
    ("link", "parts"),
    [
        ({"queue_steps": ["2s"]}, ["queue_steps[0]", "AT=QUEUE"]),
        ({"queue_steps": ["2s=0"]}, ["queue_steps[0].queue_packets", "0 is out of range", "1 to"]),
        ({"queue_steps": ["2s=many"]}, ["queue_steps[0].queue", "'many' cannot be read", "20%bdp"]),
        ({"queue_steps": [{"at": 2}]}, ["queue_steps[0].queue", "no size is given", "queue_packets"]),
        ({"queue_steps": [{"at": 2, "queue_packets": 5, "queue_s": 1}]}, ["queue_steps[0].queue", "all given"]),
        ({"queue_steps": ["2s=5", "2s=6"]}, ["queue_steps[1].at_s", "ascending"]),
        ({"rate_steps": ["2s"]}, ["rate_steps[0]", "AT=RATE"]),
        ({"rate_steps": ["2s=0"]}, ["rate_steps[0].rate_bps", "'0'", "1000 to"]),
        ({"rate_steps": ["2s=5Mbit", "2s=6Mbit"]}, ["rate_steps[1].at_s", "ascending"]),
        ({"outages": ["2s=1s", "3s=1s"]}, ["outages[1].at_s", "3 s is not after 3 s"]),
        ({"outages": ["2s=0"]}, ["outages[0].length_s", "'0'", "above 0"]),
        ({"delay_steps": [{"at": 1, "delay": 2}]}, ["delay_steps[0]", "extra"]),
        ({"delay_steps": 3}, ["delay_steps", "3 is not a list"]),
        ({"trace_ms": [1, 2], "outages": ["2s=1s"]}, ["trace_ms", "one of them"]),
        ({"trace_ms": [3, 2]}, ["trace_ms", "out of order"]),
        ({"trace_ms": [0]}, ["trace_ms", "last above 0"]),
        ({"trace_ms": [1.5]}, ["trace_ms", "whole milliseconds"]),
    ],
)
def test_a_bad_change_is_refused_by_name(link: dict[str, Any], parts: list[str]) -> None:
    with pytest.raises(ScenarioError) as refused:
        scenario(**link)
    assert all(part in str(refused.value) for part in parts), str(refused.value)


def test_a_full_link_carries_the_integral_of_its_rate() -> None:
    # 12 Mbit/s up to 3 s, then 6, but for the second from 4 to 5 s: (1 + 0.5 + 0 + 0.5) Mbit x 12 from 2 s on.
    link = scenario(rate_steps=["3s=6Mbit"], outages=["4s=1s"]).model_copy(update={"warmup_s": 2.0})
    run = wt.run(link)
    samples = run.link_samples.filter(run.link_samples["t_s"] >= 2.0)["delivered_bytes"]
    assert (samples[-1] - samples[0]) * 8 == pytest.approx(24e6, abs=12_000)
    assert run.links["utilisation"][0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("name", ["cellular", "satellite", "stairs"])
def test_a_traces_text_reads_back_as_itself(name: str) -> None:
    path = TRACES / f"{name}.trace"
    assert traces.text(traces.read(path)) == path.read_text(encoding="utf-8")


def test_the_traces_are_those_of_their_generator() -> None:
    assert subprocess.run([sys.executable, str(TRACES / "make.py"), "--check"], check=False).returncode == 0


def test_a_trace_of_rates_holds_their_integral() -> None:
    # 12 Mbit/s are an opportunity a millisecond, 6 every other; the whole ends with its last.
    assert traces.of_rates([(0.003, 12e6), (0.002, 0.0), (0.004, 6e6)]) == (1, 2, 3, 7, 9)
    # What is left of one when the rate changes is completed at the next: 1.5 packets, then half of one at half the rate.
    assert traces.of_rates([(0.0015, 12e6), (0.0045, 6e6)]) == (1, 3, 5, 6)


@pytest.mark.parametrize(
    ("text", "parts"), [("", ["holds 0"]), ("0\n", ["last above 0"]), ("1\nx\n", ["line 2", "'x'"]), ("5\n4\n", ["line 2", "'4'", "5 to"])]
)
def test_a_bad_trace_names_its_line(text: str, parts: list[str]) -> None:
    with pytest.raises(ScenarioError) as refused:
        traces.parse(text, name="a.trace")
    assert all(part in str(refused.value) for part in ["a.trace", *parts])


def test_a_trace_needs_no_rate_and_is_found_beside_its_scenario(cli: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.trace").write_text("# ours\n1\n2\n4\n", encoding="utf-8")
    file = tmp_path / "s.toml"
    file.write_text('rtt = "40ms"\nduration = "3s"\nflows = ["reno"]\n[bottleneck]\ntrace = "a.trace"\n', encoding="utf-8")
    read = wt.load_scenario(file)
    # Three packets in 4 ms.
    assert read.bottleneck.trace_ms == (1, 2, 4) and read.bottleneck.rate_bps == 9e6
    options = ["--rtt", "40ms", "--duration", "3s", "--flow", "reno"]
    by_option = cli("run", "--trace", str(tmp_path / "a.trace"), *options, "--json").json()
    assert by_option["digest"] == cli("run", str(file), "--json").json()["digest"] == digest(read)


def test_change_options_reach_the_bottleneck(cli: Callable[..., Any], quick: list[str]) -> None:
    options = ["--rate-step", "1s=5Mbit", "--outage", "2s=100ms", "--delay-step", "1s=20ms", "--queue-step", "1s=40", "--json"]
    link = cli("run", *quick, *options).json()["scenario"]["bottleneck"]
    assert link["rate_steps"] == [{"at_s": 1.0, "rate_bps": 5e6}]
    assert link["outages"] == [{"at_s": 2.0, "length_s": 0.1}] and link["delay_steps"] == [{"at_s": 1.0, "extra_s": 0.02}]
    assert link["queue_steps"] == [{"at_s": 1.0, "queue_packets": 40}]


def test_the_command_prints_a_trace(cli: Callable[..., Any]) -> None:
    assert cli("scenario", "trace", "3ms=12Mbit", "2ms=0", "4ms=6Mbit").out.split() == ["1", "2", "3", "7", "9"]
    for span in ("3ms", "0s=5Mbit", "1s=-5Mbit", "1s=0"):
        assert cli("scenario", "trace", span).code == 2


def test_a_missing_trace_is_refused(cli: Callable[..., Any], quick: list[str]) -> None:
    outcome = cli("run", *quick, "--trace", "nowhere.trace")
    assert outcome.code == 2 and "nowhere.trace" in outcome.err and "cannot be read" in outcome.err


def test_a_guest_has_steps_and_outages_and_no_traces() -> None:
    def refused(**link: Any) -> list[str]:
        return [line.split(":")[0] for line in unsupported(scenario(**link))]

    assert refused(delay_steps=["1s=20ms"], discipline="red,gentle=0") == refused(rate_steps=["1s=5Mbit"], discipline="codel") == []
    assert refused(outages=["3s=500ms"]) == refused(outages=["3s=500ms"], discipline="codel", delay_steps=["1s=5ms"]) == []
    for rest in ({"rate_steps": ["1s=5Mbit"]}, {"queue": "50ms"}, {"discipline": "red,gentle=0"}, {"queue": 1}, {"loss": 0.1}):
        assert refused(**({"outages": ["3s=500ms"]} | rest)) == ["bottleneck.outages"]
    assert refused(trace_ms=[1, 2]) == ["bottleneck.trace_ms"]
    assert refused(queue_steps=["1s=50", "2s=50ms"]) == refused(queue_steps=["1s=50"], rate_steps=["1s=5Mbit"]) == []
    for rest in ({"discipline": "codel"}, {"mark": 5}, {"queue_steps": ["1s=50ms"], "outages": ["3s=500ms"]}):
        assert refused(**({"queue_steps": ["1s=50"]} | rest)) == ["bottleneck.queue_steps"]
    for rest in ({"delay_steps": ["1s=20ms"]}, {"queue": "50ms"}, {"discipline": "red,gentle=0"}, {"queue": 1}, {"mark": "2ms"}):
        assert refused(**({"rate_steps": ["1s=5Mbit"]} | rest))[0] == "bottleneck.rate_steps"


def test_a_guests_plan_has_the_steps() -> None:
    text = plan.make(scenario(queue=60, rate_steps=["2s=5Mbit", "3s=10Mbit"])).text.splitlines()
    # The link is HTB's, which sends the next packet at the new rate; one of the sixty is on the wire.
    expected = ["rate-step forward 2000000000 625000", "rate-step forward 3000000000 1250000"]
    assert [line for line in text if line.split()[0] in ("discipline", "rate-step")] == ["discipline forward pfifo 59", *expected]
    # A queue is counted as it is in its first size: with the packet on the wire in netem, and without it behind HTB.
    text = plan.make(scenario(queue=60, queue_steps=["2s=20", "3s=24000B"])).text.splitlines()
    assert [line for line in text if "step" in line] == ["queue-step forward 2000000000 20", "queue-step forward 3000000000 16"]
    text = plan.make(scenario(queue=60, queue_steps=["2s=20"], rate_steps=["2s=5Mbit"])).text.splitlines()
    assert [line for line in text if "step" in line] == ["rate-step forward 2000000000 625000", "queue-step forward 2000000000 19"]
    text = plan.make(scenario(delay_steps=["1.5s=20ms", "4s=0"])).text.splitlines()
    assert [line for line in text if "step" in line] == ["delay-step forward 1500000000 20000000", "delay-step forward 4000000000 0"]
    assert not [line for line in text if line.startswith("discipline")]


def test_a_guests_plan_has_the_outages_in_the_order_of_time() -> None:
    text = plan.make(scenario(queue=60, outages=["2s=500ms", "5s=1s"], delay_steps=["3s=20ms"])).text.splitlines()
    assert [line for line in text if line.split()[0] in ("discipline", "outage", "delay-step")] == [
        "discipline forward pfifo 59",
        "outage forward 2000000000 500000000",
        "delay-step forward 3000000000 20000000",
        "outage forward 5000000000 1000000000",
    ]
    # Its packets wait in the guest together: a second of 12 Mbit/s is a thousand, of 6000 bytes each.
    long = [scenario(queue=60, **more).model_copy(update={"duration_s": 200.0}) for more in ({}, {"outages": ["2s=190s"]})]
    without, within = (plan.make(one).memory_bytes for one in long)
    assert within - without == pytest.approx(190_000 * 6000, abs=64 << 20)


def test_what_a_link_could_have_carried_is_the_integral_of_its_rate() -> None:
    link = scenario(rate_steps=["2s=5Mbit", "3s=10Mbit"]).bottleneck
    # 12 Mbit/s up to 2 s, 5 up to 3 s, 10 from then on.
    assert steps.capacity_bits(link, 0.0, 6.0) == 24e6 + 5e6 + 30e6
    assert steps.capacity_bits(link, 2.5, 3.5) == 2.5e6 + 5e6
    assert steps.capacity_bits(link, 0.0, 1.0) == 12e6
    gone = scenario(outages=["2s=500ms", "4s=1s"]).bottleneck
    assert steps.capacity_bits(gone, 0.0, 6.0) == 4.5 * 12e6
    assert steps.capacity_bits(gone, 2.25, 4.5) == 1.5 * 12e6
