"""The backend `live` between hosts over SSH: three namespaces with an sshd each; what a run measures, and that nothing is left."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from leftover import left_behind, new_since

import windtunnel as wt
from windtunnel.live import enter

AFAR = Path(__file__).with_name("afar.py")
SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/sbin")
pytestmark = pytest.mark.skipif(SSHD is None or os.geteuid() != 0, reason="needs sshd (Debian: openssh-server) and root")
PAIR = """
[[pairs]]
sender = {{ ssh = "{a}", device = "wire", router_device = "left" }}
receiver = {{ ssh = "{b}", device = "wire", router_device = "right" }}
"""
ROUTER = f'[router]\nssh = "{{r}}"\npython = "{sys.executable}"\n'.replace("{r}", "{{r}}")
# What the machine does meanwhile is not what these tests are about.
RUN = """
import sys
from windtunnel import cli
from windtunnel.backends.live import validity
from windtunnel.live import proof
validity.PAUSED_MOST = validity.STEAL_MOST = validity.REPAIRS_APART = proof.PROOF_PAUSED_MOST = 1.0
proof.DELAY_APART_S, proof.RATE_APART = 0.02, 0.1
sys.exit(cli.main(sys.argv[1:]))
"""


def run(folder: Path, *options: str, text: str = "", **more: Any) -> dict[str, Any]:
    """What `tests/live/afar.py` answers of a run of two flows, at 20 Mbit/s and 20 ms."""
    path = ["run", "--backend", f"live:{folder / 'hosts.toml'}", "--rate", "20Mbit", "--rtt", "20ms", "--queue", "40"]
    flows = ["--flow", "cubic", "--flow", "reno,start=1s", "--duration", "4s", "--out", str(folder / "run")]
    asked = {"folder": str(folder), "command": [sys.executable, "-c", RUN, *path, *(options or flows)]}
    asked["hosts"] = (text + PAIR).replace("{{", "{").replace("}}", "}")
    command = [sys.executable, "-I", enter.__file__, sys.executable, str(AFAR)]
    ended = subprocess.run(command, input=json.dumps(asked | more), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def assert_nothing_left(answer: dict[str, Any]) -> None:
    assert answer["left"] == {"a": [], "b": [], "r": []}
    assert answer["after"] == answer["before"]


@pytest.mark.parametrize("place", ["here", "there"])
def test_a_run_between_hosts_measures_what_one_between_namespaces_does(tmp_path: Path, place: str) -> None:
    before = left_behind()
    answer = run(tmp_path, text=ROUTER if place == "there" else "", at_router=place == "here")
    ((code, _, said),) = answer["ended"]
    assert code == 0, said
    assert_nothing_left(answer)
    made = wt.load_run(tmp_path / "run")
    live = made.records.facts.host["live"]
    assert made.summary["links"][0]["utilisation"] > 0.8
    first, second = made.summary["flows"]
    assert first["goodput_bps"] > 1e6
    assert second["goodput_bps"] > 1e6
    # The base RTT and a transmission at least, a full queue of 40 packets more at most; the ends' clocks go on while the network's stands.
    assert 0.0206 < first["mean_rtt_s"] < (0.0206 + 41 * 0.0006) / (1 - live["paused"]) + 0.01 + live["longest_s"]
    assert live["proof"]["rate_bps_measured"] == pytest.approx(20e6, rel=0.1)
    assert live["proof"]["delay_s_p50"] > 0.0106 - live["proof"]["clocks_within_s"]
    # One machine has one clock.
    assert len(live["clocks"]) == 3
    for clock in live["clocks"].values():
        assert abs(clock["ahead_s"]) <= clock["within_s"] + 1e-4
    assert len({one["kernel"] for one in live["hosts"].values()}) == 1
    assert new_since(before) == {}


def test_iperf3_sends_in_place_of_our_own_sender(tmp_path: Path) -> None:
    if shutil.which("iperf3") is None:
        pytest.skip("needs iperf3 (Debian: iperf3)")
    answer = run(tmp_path, text='traffic = "iperf3"\n' + ROUTER)
    ((code, _, said),) = answer["ended"]
    assert code == 0, said
    assert_nothing_left(answer)
    made = wt.load_run(tmp_path / "run")
    samples = made.records.flow_samples
    assert made.summary["links"][0]["utilisation"] > 0.7
    assert made.summary["flows"][0]["goodput_bps"] > 1e6
    assert 0.0206 < made.summary["flows"][0]["mean_rtt_s"] < 0.06
    # A row each tenth of a second; what iperf3 does not tell is missing.
    assert 25 < samples.filter(samples["flow"] == 0).height < 45
    assert samples["inflight_packets"].null_count() == samples.height
    assert made.records.flows["sent_packets"].null_count() == 2


@pytest.mark.parametrize("lost", ["a", "b", "r"])
def test_a_connection_that_is_lost_ends_the_run_with_one_line(tmp_path: Path, lost: str) -> None:
    answer = run(tmp_path, "--flow", "cubic", "--duration", "60s", text=ROUTER, loses=lost)
    ((code, _, said),) = answer["ended"]
    assert code == 2, said
    assert said.strip().splitlines()[-1].startswith("error: live: ssh "), said
    assert "Traceback" not in said
    assert_nothing_left(answer)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_on_any_host_when_the_command_is_ended(tmp_path: Path, how: signal.Signals) -> None:
    answer = run(tmp_path, "--flow", "cubic", "--duration", "60s", text=ROUTER, kills=int(how))
    ((code, _, said),) = answer["ended"]
    assert code == (130 if how == signal.SIGINT else code)
    assert code != 0
    assert "Traceback" not in said
    assert_nothing_left(answer)


def test_a_second_run_on_the_same_hosts_is_refused_with_one_line(tmp_path: Path) -> None:
    answer = run(tmp_path, "--flow", "cubic", "--duration", "25s", text=ROUTER, twice=True)
    (code, _, said), (first, _, words) = answer["ended"]
    assert code == 2, said
    assert said.strip().splitlines()[-1].endswith("another run is on this host"), said
    assert first == 0, words
    assert_nothing_left(answer)


def test_what_is_not_installed_is_said_before_anything_is_changed(tmp_path: Path) -> None:
    text = ROUTER.replace(sys.executable, "/usr/bin/python3")
    answer = run(tmp_path, text=text)
    ((code, _, said),) = answer["ended"]
    assert code == 2
    assert "No module named" in said.strip().splitlines()[-1]
    assert_nothing_left(answer)
