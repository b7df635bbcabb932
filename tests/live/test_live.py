"""The backend `live`: what a run measures against closed forms, and that nothing is left behind however it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import pytest
from leftover import left_behind, new_since

import windtunnel as wt
from windtunnel import cli
from windtunnel.backends import backend
from windtunnel.backends.live import backend as live
from windtunnel.backends.live import orders, records, validity
from windtunnel.backends.live.backend import LiveKernel, available
from windtunnel.backends.live.errors import LiveError, NotValid
from windtunnel.scenario import fill


def scenario(**given: object) -> wt.Scenario:
    """A path of 20 Mbit/s and 20 ms."""
    flows = given.pop("flows", (wt.Flow(algorithm="cubic"),))
    link = given.pop("link", {})
    return wt.Scenario(
        bottleneck=wt.Bottleneck(**{"rate_bps": 20e6, "queue_packets": 40} | link),
        flows=flows,
        **{"rtt_s": 0.02, "duration_s": 2.0} | given,
    )


def answer_of(given: wt.Scenario, *, proof: bool = False) -> dict:
    """One try, valid or not: what the machine does meanwhile is not what these tests are about."""
    return live._ran(orders.make(given, proof=proof), given.duration_s)[0]


def test_the_machine_proves_its_rate_and_delay_and_a_run_counts_every_packet() -> None:
    given = scenario()
    answer = answer_of(given, proof=True)
    proof = answer["proof"]
    # Half the base RTT and the transmission of 12,000 bits; the router never releases early.
    assert proof["delay_s"] == pytest.approx(0.01 + 0.0006)
    assert proof["delay_s"] <= proof["delay_s_p50"] < proof["delay_s"] + 0.01
    assert proof["rate_bps_measured"] == pytest.approx(20e6, rel=0.02)
    assert answer["setup_s"] < 2.0
    router, (flow,) = answer["router"], answer["router"]["flows"]
    assert flow["sent"] > 500
    # What the sender counts is what the router saw, and what the router dropped is what the sender repeats; the last ones are under way.
    last = dict(zip(records.COLUMNS, answer["rows"][-1], strict=True))
    assert last["sent"] == pytest.approx(flow["sent"], abs=60)
    assert last["retransmitted"] + last["lost"] == pytest.approx(flow["dropped"], abs=2)
    assert flow["sent"] - flow["delivered"] - flow["dropped"] <= 40 + 20e6 * 0.02 / 12000
    assert router["overflowed"] == router["refused"] == 0
    (link,) = router["links"]
    assert link["dropped_packets"] == flow["dropped"]
    assert link["max_queue_packets"] == 40


def test_the_records_have_the_form_of_every_backend() -> None:
    given = scenario(flows=(wt.Flow(algorithm="reno"), wt.Flow(algorithm="cubic", start_s=0.5)), record_drops=True)
    frames = records.frames(answer_of(given), fill(given).scenario, orders.make(given)["spec"])
    assert frames["flows"]["algorithm"] == ["reno", "cubic"]
    starts = [t for t, kind in zip(frames["events"]["t_s"], frames["events"]["kind"], strict=True) if kind == "start"]
    # A host starts its flow by real time: on the network's clock that is earlier by the router's stalls until then.
    assert starts[0] < 0.1
    assert 0.45 < starts[1] < 0.7
    both = [sum(frames["flow_samples"]["flow"] == flow) for flow in (0, 1)]
    # One in each interval of 10 ms from the start to the end at 2 s, but for those when the machine did something else.
    most = [201 - int(start * 100) for start in starts]
    assert 100 < both[0] <= most[0]
    assert 75 < both[1] <= most[1]
    assert len(frames["link_samples"]["t_s"]) == 200
    assert list(frames["link_samples"]["t_s"][:2]) == pytest.approx([0.01, 0.02])
    drops = [kind for kind in frames["events"]["kind"] if kind == "drop"]
    assert len(drops) == sum(frames["flows"]["lost_packets"])


def test_a_flow_of_known_size_ends_when_its_bytes_have_crossed_the_link() -> None:
    given = scenario(flows=(wt.Flow(algorithm="cubic", bytes=500_000),))
    frames = records.frames(answer_of(given), fill(given).scenario, orders.make(given)["spec"])
    (completed_s,) = frames["flows"]["completed_s"]
    # 346 packets of 0.6 ms, and at least one round trip.
    assert 346 * 0.0006 + 0.02 < completed_s < 1.0
    assert frames["flows"]["delivered_packets"] == [346]


@pytest.mark.parametrize("discipline", ["drop-tail", "codel", "fq-codel", "pie"])
def test_a_discipline_of_the_simulator_keeps_the_link_busy(discipline: str) -> None:
    given = scenario(link={"discipline": discipline, "queue_packets": 200}, duration_s=3.0)
    (link,) = answer_of(given)["router"]["links"]
    assert link["utilisation"] > 0.8
    if discipline != "drop-tail":
        # All of them hold a queue of 5 to 15 ms, 8 to 25 packets, once slow start is over; drop-tail fills its 200.
        assert link["mean_queue_packets"] < 100


def test_steps_of_rate_and_delay_and_marks_are_the_scenarios() -> None:
    link = {"rate_steps": [{"at_s": 1.0, "rate_bps": 5e6}], "delay_steps": [{"at_s": 1.0, "extra_s": 0.03}], "mark_packets": 10}
    given = scenario(link=link, flows=(wt.Flow(algorithm="cubic", transport={"ecn": "classic"}),))
    answer = answer_of(given)
    router = answer["router"]
    assert router["flows"][0]["marked"] > 0
    # 20 Mbit/s for a second and 5 for another.
    assert router["links"][0]["delivered_bytes"] < 1.02 * 25e6 / 8
    late = [dict(zip(records.COLUMNS, row, strict=True)) for row in answer["rows"] if row[0] > 1.5e9]
    assert min(row["rtt_us"] for row in late) > 50_000


def test_datagrams_take_their_part() -> None:
    given = scenario(traffic=({"kind": "udp", "rate_bps": 8e6},))
    router = answer_of(given)["router"]
    (source,) = router["sources"]
    assert source["sent"] == pytest.approx(2.0 * 8e6 / 12000, abs=1)
    assert source["delivered"] + source["dropped"] <= source["sent"]


def test_hops_in_a_row_are_crossed_one_after_the_other() -> None:
    hops = tuple({"rate_bps": 20e6 + 5e6 * number, "queue_packets": 100, "delay_s": 0.0005} for number in range(1, 8))
    answer = answer_of(scenario(hops=hops), proof=False)
    links = answer["router"]["links"]
    assert [link["name"] for link in links] == ["forward", *(f"forward{number}" for number in range(2, 9))]
    carried = [link["delivered_bytes"] for link in links]
    assert carried == sorted(carried, reverse=True)
    assert carried[-1] > 0.95 * carried[0]
    # No queue behind the narrowest link, and the transmissions of all eight are in the round trip.
    assert all(link["max_queue_packets"] <= 2 for link in links[1:])
    transmissions_us = sum(12000 / (20 + 5 * number) for number in range(8))
    # The smoothed RTT: the smallest one may be the handshake's, whose packets are short.
    assert median(row[5] for row in answer["rows"][5:]) > 20_000 + 0.5 * transmissions_us


def test_nothing_is_left_behind_by_a_run() -> None:
    before = left_behind()
    answer_of(scenario(duration_s=0.5))
    assert new_since(before) == {}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_behind_by_a_run_that_is_ended(how: signal.Signals) -> None:
    before = left_behind()
    command = [sys.executable, "-m", "windtunnel", "run", "--backend", "live", "--rate", "10Mbit", "--rtt", "20ms", "--flow", "cubic"]
    with subprocess.Popen([*command, "--duration", "60s"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        until = time.monotonic() + 30.0
        while not left_behind()["namespaces"] - before["namespaces"] and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(1.0)
        assert run.poll() is None
        run.send_signal(how)
        _, said = run.communicate(timeout=10)
    assert new_since(before) == {}
    assert "Traceback" not in said
    if how == signal.SIGINT:
        assert run.returncode == 130


def test_two_runs_at_once_do_not_meet() -> None:
    given = scenario(duration_s=1.0)
    asked = "print(backend._ran(json.load(sys.stdin), 1.0)[0]['router']['flows'])"
    command = [sys.executable, "-c", f"import sys, json; from windtunnel.backends.live import backend; {asked}"]
    running = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for one in running:
        assert one.stdin is not None
        one.stdin.write(json.dumps(orders.make(given, proof=False)))
        one.stdin.close()
    for one in running:
        assert one.stdout is not None
        assert "'sent'" in one.stdout.read()
        assert one.wait() == 0
        one.stdout.close()


def test_who_is_not_root_runs_in_a_user_namespace(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else; whoever is not root runs all other tests so")
    code = f"""
import codecs, ctypes, json, os, sys
from windtunnel.live import enter, lab
codecs.lookup("ascii")
orders = json.loads(open({str(tmp_path / "orders.json")!r}).read())
out = os.open({str(tmp_path / "answer.json")!r}, os.O_WRONLY | os.O_CREAT)
os.setgroups([]); os.setgid(54321); os.setuid(54321)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: who changes its user can otherwise not write its own maps
missing = enter.enter()
answer = {{"missing": missing}} if missing else lab.run(orders)
os.write(out, json.dumps(answer).encode())
"""
    given = scenario(duration_s=1.0)
    (tmp_path / "orders.json").write_text(json.dumps(orders.make(given, proof=False)))
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    answer = json.loads((tmp_path / "answer.json").read_text())
    if "missing" in answer:
        pytest.skip(answer["missing"])
    assert answer["router"]["flows"][0]["delivered"] > 100


def test_a_run_that_is_not_valid_is_tried_three_times_and_has_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validity, "PAUSED_MOST", -1.0)
    began = time.monotonic()
    with pytest.raises(NotValid, match=r"no try of 3 was valid, so there is no result; try 1: .*; try 3: .*the network's clock stood"):
        LiveKernel().run(scenario(duration_s=0.3))
    assert time.monotonic() - began > 0.9


def test_a_rate_that_the_machine_does_not_keep_is_refused_before_anything_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    arguments = [
        "run",
        "--backend",
        "live",
        "--rate",
        "100Gbit",
        "--rtt",
        "20ms",
        "--queue",
        "1000",
        "--flow",
        "cubic",
        "--duration",
        "60s",
    ]
    assert cli.main(arguments) == 2
    assert time.monotonic() - began < 30
    assert "live: this machine does not keep 100000 Mbit/s" in capsys.readouterr().err.splitlines()[-1]


def test_the_command_line_runs_it_and_says_what_the_machine_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        arguments = ["run", "--backend", "live", "--rate", "5Mbit", "--rtt", "20ms", "--flow", "cubic", "--duration", "2s", "--out"]
        code = cli.main([*arguments, str(tmp_path / "run")])
        said = capsys.readouterr()
        if code == 0:
            break
        assert "no try of 3 was valid" in said.err
    else:
        pytest.skip("this machine is too busy for a valid run")
    assert "valid (steal" in said.err
    run = wt.load_run(tmp_path / "run")
    facts = run.records.facts
    assert facts.backend == "live"
    assert facts.host["live"]["proof"]["rate_bps"] == 5_000_000
    assert facts.host["live"]["paused"] < validity.PAUSED_MOST
    assert run.summary["links"][0]["utilisation"] > 0.5


def test_a_missing_right_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(live, "missing_right", lambda: "CAP_SYS_ADMIN is missing")
    assert cli.main(["run", "--backend", "live", "--rate", "5Mbit", "--rtt", "20ms", "--flow", "cubic", "--duration", "2s"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "error: live: CAP_SYS_ADMIN is missing"


def test_what_the_kernel_lacks_is_one_line() -> None:
    lacking = next(name for name in ("yeah", "lp", "illinois") if not live.has(name))
    with pytest.raises(wt.ScenarioError, match=f"this kernel has no congestion control '{lacking}'; it has: {available()}"):
        backend("live").check(scenario(flows=(wt.Flow(algorithm=lacking),)))


def test_an_error_of_the_run_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = orders.make(scenario(), proof=False)
    broken["flows"][0]["algorithm"] = "nonesuch"
    with pytest.raises(LiveError, match="live: this kernel has no congestion control 'nonesuch'"):
        live._ran(broken, 1.0)
