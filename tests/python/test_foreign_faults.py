"""What goes wrong with code from files is one line that names it; what has nothing to do with it goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from controllers import BROKEN, RENO, Write, shared

import windtunnel as wt
from windtunnel import experiment, foreign
from windtunnel.experiment import Experiment, Measure, RunsFailed, Scale
from windtunnel.foreign import process
from windtunnel.store import open_results, writing_results

PATH = ["--rate", "20Mbit", "--rtt", "20ms", "--duration", "3s"]
Cli = Callable[..., Any]
TABLE = """\
#include <math.h>
#include <stdlib.h>
#include "windtunnel.h"
static void *create(const double *values) { (void)values; return malloc(1); }
static void destroy(void *state) { free(state); }
static void *clone(const void *state) { (void)state; return malloc(1); }
static void on_acked(void *state, struct wt_window *w, const struct wt_connection *c, uint32_t acked)
{
	(void)state; (void)acked;
	if (c->now_ns > 1000000000)
		w->cwnd = BROKEN;
}
static double ssthresh(void *state, struct wt_window *w, const struct wt_connection *c)
{
	(void)state; (void)c;
	return w->cwnd / 2 > 2 ? w->cwnd / 2 : 2;
}
static const struct wt_controller mine = {
	.abi = ABI, .size = sizeof(mine), .name = "mine", .create = create, .destroy = destroy, .clone = clone, .on_acked = on_acked,
	.ssthresh = ssthresh,
};
const struct wt_controller *windtunnel_controller(uint32_t abi) { (void)abi; return &mine; }
"""


def refused(cli: Cli, name: str) -> str:
    """What a run with this file says: one line, exit code 2, no traceback."""
    outcome = cli("run", *PATH, "--flow", "cubic", "--flow", name)
    assert outcome.code == 2 and outcome.out == "" and outcome.err.count("\n") == 1, outcome.err
    return str(outcome.err).removeprefix("error: ").rstrip()


def test_the_compilers_error_names_the_users_line_and_none_of_ours(cli: Cli, written: Write) -> None:
    said = refused(cli, written(here="int x = ;"))
    assert said == "flows[1].algorithm: mine.c: does not compile: mine.c:17: expected expression before ';' token"
    assert refused(cli, written(here="tcp_fly(sk);")).endswith(
        "mine.c:17: implicit declaration of function 'tcp_fly' [-Werror=implicit-function-declaration]"
    )
    with pytest.raises(foreign.ForeignError) as error:
        foreign.make(written(here="tcp_fly(sk); tcp_sink(sk);"))
    assert [line.partition(": ")[0] for line in error.value.details] == ["mine.c:17", "mine.c:17"]


def test_what_is_no_controller_says_so(cli: Cli, written: Write, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "fake.so").write_bytes(b"\x7fELF and then nothing")
    hooks = ".ssthresh = mine_ssthresh, .cong_avoid = mine_cong_avoid, .undo_cwnd = tcp_reno_undo_cwnd"
    second = f'static struct tcp_congestion_ops other = {{ {hooks}, .name = "other" }};\nstatic int __init'
    register = "\ttcp_register_congestion_control(&other);\n\treturn tcp_reg"
    two = RENO.replace("static int __init", second).replace("\treturn tcp_reg", register)
    newer = shared(tmp_path, "newer.so", TABLE.replace("ABI", "7").replace("BROKEN", "1"))
    cases = {
        "./folder": "is a folder; give one file: C (.c), a shared library (.so) or a class in Python (.py)",
        "/dev/zero": "is neither C (.c) nor a shared library (.so) nor a class in Python (.py): its name must end so",
        "./nobody.c": "does not exist",
        written("notes.txt", "notes"): "is neither C (.c) nor a shared library (.so) nor a class in Python (.py): its name must end so",
        written("prose.c", "Dear reader,\nthis is no C.\n"): "defines no tcp_congestion_ops",
        written("none.c", RENO.replace("return tcp_register_congestion_control(&mine);", "return 0;")): "registers no tcp_congestion_ops",
        written("two.c", two): "registers 2 algorithms, other and mine",
        written("hookless.c", RENO.replace("\t.undo_cwnd = tcp_reno_undo_cwnd,\n", "")): "its tcp_congestion_ops has no undo_cwnd",
        "./fake.so": "cannot be loaded as a shared library",
        shared(tmp_path, "other.so", "int sum(int a, int b) { return a + b; }\n"): "it is a library of another program (see windtunnel.h)",
        newer: "speaks version 7 of the interface, this is version 1",
        "mine.py:Mine": "does not exist",
        f"{written()}:fast": "holds one controller and has no variant 'fast'",
    }
    for name, problem in cases.items():
        assert problem in refused(cli, name), name


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("crash", "mine.c: crashed (SIGSEGV) in on_acked of flow 2 at 1.0"),
        ("loop", " s did not return within 1 s; scenario "),
        ("zero", " s: cwnd is 0; allowed: 1 .. 2147483647 segments; scenario "),
    ],
)
def test_a_fault_in_a_hook_names_file_hook_flow_time_and_scenario(
    cli: Cli, written: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, said: str
) -> None:
    monkeypatch.setenv("WINDTUNNEL_PATIENCE_S", "1")
    mine = written(here=BROKEN[fault])
    line = refused(cli, mine)
    assert line.startswith("mine.c: ") and "on_acked of flow 2 at 1.0" in line and said in line
    name = wt.Flow(algorithm=mine).algorithm
    flows = ("cubic", name)
    made = wt.Scenario(bottleneck=wt.Bottleneck(rate="20Mbit"), rtt_s=0.02, duration_s=3.0, flows=flows)  # type: ignore[call-arg,arg-type]
    assert line.endswith(f"; scenario {wt.run(made.model_copy(update={'flows': made.flows[:1]})) and _digest(made)[:12]}")
    # Nothing half-written, and the next run has a process that works.
    assert cli("run", *PATH, "--flow", mine, "--out", "folder").code == 2
    assert not (tmp_path / "folder").exists()
    assert cli("run", *PATH, "--flow", written()).code == 0


def _digest(scenario: wt.Scenario) -> str:
    from windtunnel.scenario import digest

    return digest(scenario)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("*(volatile int *)8 = 1;", "mine.c: crashed (SIGSEGV) in load"),
        ("for (;;) ;", "mine.c: load did not return within 1 s"),
        ("return -22;", "its module_init registers no tcp_congestion_ops (it answers -22)"),
    ],
)
def test_a_fault_while_a_file_is_described_is_told(cli: Cli, written: Write, monkeypatch: pytest.MonkeyPatch, line: str, said: str) -> None:
    monkeypatch.setenv("WINDTUNNEL_PATIENCE_S", "1")
    text = RENO.replace("\treturn tcp_register", f"\t{line}\n\treturn tcp_register")
    assert said in refused(cli, written(text=text))


@pytest.mark.parametrize(("broken", "shown"), [("NAN", "NaN"), ("INFINITY", "inf"), ("-3", "-3"), ("1e300", "1e300;")])
def test_a_window_that_is_none_ends_the_run(cli: Cli, written: Write, tmp_path: Path, broken: str, shown: str) -> None:
    name = shared(tmp_path, "mine.so", TABLE.replace("ABI", "WT_ABI").replace("BROKEN", broken))
    written()
    line = refused(cli, name)
    assert line.startswith("mine.so: on_acked of flow 2 at 1.0") and f"cwnd is {shown}" in line


def test_a_library_that_ends_its_process_is_told_from_a_crash(cli: Cli, written: Write, tmp_path: Path) -> None:
    name = shared(tmp_path, "mine.so", TABLE.replace("ABI", "WT_ABI").replace("BROKEN", "(exit(3), 1)"))
    written()
    assert "mine.so: ended its process (exit code 3) in on_acked of flow 2 at 1.0" in refused(cli, name)


def test_what_a_library_prints_is_not_the_result(cli: Cli, written: Write, tmp_path: Path) -> None:
    table = TABLE.replace("ABI", "WT_ABI").replace("w->cwnd = BROKEN", 'puts("hello"), fflush(stdout)').replace("<math.h>", "<stdio.h>")
    name = shared(tmp_path, "mine.so", table)
    written()
    process._end_all()  # One that an earlier test left has that test's stderr.
    outcome = cli("run", *PATH, "--flow", name, "--json")
    assert outcome.code == 0 and outcome.json()["flows"] and "hello" in outcome.err


def test_patience_out_of_range_is_refused(cli: Cli, written: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = written()
    assert cli("run", *PATH, "--flow", mine).code == 0
    monkeypatch.setenv("WINDTUNNEL_PATIENCE_S", "never")
    assert refused(cli, mine) == "WINDTUNNEL_PATIENCE_S: 'never' is not allowed; allowed: 0.1 to 86400 seconds"


def declared(names: tuple[str, ...]) -> Experiment:
    def scenario(point: Any, _draws: Any) -> wt.Scenario:
        flow = wt.Flow(algorithm=point["alg"], rtt_s=0.02)
        return wt.Scenario(bottleneck=wt.Bottleneck(rate_bps=point["rate"] * 1e6), flows=(flow,), duration_s=3.0, sample_s=0.01)

    measures = (Measure("thr_mbps", flow="1", t0=1.0, t1=3.0),)
    points = {"alg": names, "rate": (10, 20)}
    return Experiment("made.up", "Made up", "Does the grid go on?", "none", points, scenario, measures, repeats=2, kept="all")


def test_other_runs_of_a_grid_go_on_and_the_next_time_only_what_failed_is_run(written: Write, tmp_path: Path) -> None:
    bad, good = (wt.Flow(algorithm=written(name, here=line)).algorithm for name, line in (("bad.c", BROKEN["crash"]), ("good.c", "")))
    made = declared((bad, "reno", good))
    plan = experiment.plan([made], Scale())
    steps: list[experiment.Step] = []
    for runs in (12, 4):
        steps.clear()
        with (
            writing_results(tmp_path / "results") as results,
            pytest.raises(RunsFailed, match=r"^bad\.c: crashed \(SIGSEGV\) in on_acked of flow 1 at 1\.0.* \(and 3 more of "),
        ):
            experiment.execute(plan, results, jobs=2, command="test {id}", on_step=steps.append)
        assert max(step.total for step in steps if step.what == "runs") == runs
    with writing_results(tmp_path / "results") as results:
        frame, stored = results.measures("made.up"), results.declaration("made.up")
    assert sorted(set(frame["alg"])) == sorted([good, "reno"]) and frame.height == 2 * 2 * 2
    assert frame["value"].null_count() == 0
    assert [one["at"] for one in stored["left_out"]] == [{"alg": [bad]}]
    assert "alg=bad.c: ended early: crashed (SIGSEGV) in on_acked of flow 1 at 1.0" in stored["notes"][-1]


def test_a_grid_of_nothing_but_faults_stores_nothing(written: Write, tmp_path: Path) -> None:
    bad = wt.Flow(algorithm=written(here=BROKEN["zero"])).algorithm
    plan = experiment.plan([declared((bad,))], Scale())
    with writing_results(tmp_path / "results") as results, pytest.raises(RunsFailed, match="cwnd is 0"):
        experiment.execute(plan, results, jobs=1, command="test {id}", on_step=lambda _: None)
    with pytest.raises(ValueError, match="holds no finished experiment"):
        open_results(tmp_path / "results")


def test_a_suite_judges_the_others_and_says_what_failed(cli: Cli, written: Write, tmp_path: Path) -> None:
    bad, good = written("bad.c", here=BROKEN["crash"]), written()
    asked = ("suite", "run", "li07.tab", "--quick", "--jobs", "2")
    plain = cli(*asked, "--alg", "reno", "--out", "plain", "--json")
    assert plain.code == 0, plain.err
    outcome = cli(*asked, "--alg", f"reno,{good},{bad}", "--out", "results", "--json")
    assert outcome.code == 2 and "error: bad.c: crashed (SIGSEGV)" in outcome.err
    # Claims are not about controllers from files.
    assert outcome.json()["claims"] == plain.json()["claims"] and plain.json()["claims"]
    assert cli("report", "results").code == 0
    page = (tmp_path / "results/report/experiments/li07.tab.html").read_text(encoding="utf-8")
    assert "mine.c" in page and "ended early: crashed (SIGSEGV)" in page


def children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    return [int(one) for one in listed]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_process_with_foreign_code_ends_with_its_asker(written: Write, number: signal.Signals) -> None:
    mine = written(here=BROKEN["loop"])
    wt.Flow(algorithm=mine)
    command = [sys.executable, "-m", "windtunnel", "run", *PATH, "--flow", mine]
    asker = subprocess.Popen(command, env={**os.environ, "WINDTUNNEL_PATIENCE_S": "600"}, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not (busy := [one for one in children(asker.pid) if cpu_s(one) > 1.0]):
        assert time.monotonic() < until and asker.poll() is None
        time.sleep(0.05)
    asker.send_signal(number)
    _, said = asker.communicate(timeout=30)
    assert asker.returncode in (130, 143, -9)
    assert number != signal.SIGINT or "interrupted" in said
    until = time.monotonic() + 10
    while any(Path(f"/proc/{one}").exists() and state(one) != "Z" for one in busy):
        assert time.monotonic() < until, "it goes on alone"
        time.sleep(0.05)


def _facts(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()


def cpu_s(pid: int) -> float:
    facts = _facts(pid)
    return (int(facts[11]) + int(facts[12])) / os.sysconf("SC_CLK_TCK")


def state(pid: int) -> str:
    try:
        return _facts(pid)[0]
    except OSError:
        return "Z"


def test_what_the_engine_refuses_is_the_scenarios_fault(cli: Cli, written: Write) -> None:
    outcome = cli("run", *PATH, "--queue", "2000B", "--flow", f"{written()},mtu=9000")
    assert outcome.code == 2 and outcome.err.startswith("error: flows[0].packet: 9000 is not allowed"), outcome.err
