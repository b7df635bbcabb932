"""Controllers from C files in this machine's kernel: Linux's own, unmodified, and the project's example; and nothing of them afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from leftover import left_behind, new_since

import windtunnel as wt
from windtunnel import foreign
from windtunnel.backends.live import backend as live
from windtunnel.backends.live import bpf, orders
from windtunnel.backends.live.backend import available
from windtunnel.foreign import ForeignError
from windtunnel.scenario import fill

ROOT = Path(__file__).parents[2]
LOADED = ("scalable", "htcp", "bic", "veno", "illinois", "westwood", "vegas", "lp")
REFUSED = {
    "highspeed": r"tcp_highspeed\.c:\d+: the verifier says: R\d unbounded memory access",
    "hybla": r"tcp_hybla\.c:\d+: the verifier says: no write support to tcp_sock",
    "yeah": r"tcp_yeah\.c:\d+: the verifier says: no write support to tcp_sock",
    "cubic": r"tcp_cubic\.c:\d+: cubictcp_register sets beta_scale when the module is loaded",
    "nv": r"tcp_nv\.c:\d+:\d+: calls tcp_call_bpf",
    "cdg": r"tcp_cdg\.c:\d+:\d+: ",
    "dctcp": r"tcp_dctcp\.h:\d+:\d+: calls __tcp_send_ack",
    "bbr": r"tcp_bbr\.c:\d+:\d+: ",
}
"""Of Linux 6.1, what a kernel of 6.18 says."""

pytestmark = pytest.mark.skipif(bpf.missing() is not None, reason=str(bpf.missing()))


def controller(folder: Path, name: str) -> str:
    return foreign.make(str(folder / f"tcp_{name}.c")).name


@pytest.mark.parametrize("name", LOADED)
def test_a_module_of_linux_is_loaded_unmodified_and_gone_afterwards(name: str, linux: Path) -> None:
    before = left_behind()
    with bpf.loaded([(controller(linux, name), ())]) as names:
        (loaded,) = names.values()
        assert loaded in available().split()
        assert left_behind()["bpf"] - before["bpf"]
    assert new_since(before) == {}


@pytest.mark.parametrize("name", REFUSED)
def test_any_other_one_is_refused_with_its_line_and_what_is_wanted(name: str, linux: Path) -> None:
    before = available()
    with pytest.raises(ForeignError, match=REFUSED[name]) as refused, bpf.loaded([(controller(linux, name), ())]):
        pass
    assert "\n" not in str(refused.value)
    assert available() == before


@pytest.mark.parametrize(("name", "kept"), [("scalable", 7 / 8), ("bic", 819 / 1024), ("veno", None), ("htcp", 0.5)])
def test_a_run_uses_it(name: str, kept: float | None, linux: Path) -> None:
    flow = wt.Flow(algorithm=str(linux / f"tcp_{name}.c"))
    given = wt.Scenario(bottleneck=wt.Bottleneck(rate_bps=20e6, queue_packets=40), flows=(flow,), rtt_s=0.02, duration_s=4.0)
    with bpf.loaded(orders.controllers(given)) as names:
        answer, _ = live._ran(orders.make(given, proof=False, names=names), given.duration_s)
    assert fill(given).scenario.flows[0].algorithm.startswith(f"tcp_{name}.c:")
    assert answer["router"]["flows"][0]["sent"] > 1000
    backoffs = [(value, after) for _, _, kind, value, after in answer["events"] if kind == "loss_episode" and value > 20]
    assert backoffs
    if kept is not None:
        # What a look saw last before the loss is a few packets from what the hook saw; H-TCP begins with a half.
        assert backoffs[0][1] / backoffs[0][0] == pytest.approx(kept, abs=0.12)


def test_the_example_is_loaded_with_its_parameters_and_nothing_is_left_when_its_user_is_killed(tmp_path: Path) -> None:
    before = available()
    example = str(tmp_path / "mine.c")
    Path(example).write_text((ROOT / "examples/c-controller/mine.c").read_text() + 'MODULE_LICENSE("Dual MIT/GPL");\n')
    code = f"""
import sys, time
from windtunnel import foreign
from windtunnel.backends.live import bpf
with bpf.loaded([(foreign.make({example!r}).name, (("keep", "50"),))]) as names:
    print(*names.values(), flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        name = process.stdout.readline().strip()
        assert name in available().split()
        os.kill(process.pid, signal.SIGKILL)
    until = time.monotonic() + 5
    while available() != before and time.monotonic() < until:
        time.sleep(0.05)
    assert available() == before
