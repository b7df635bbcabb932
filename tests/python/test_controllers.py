"""Controllers in Python: as a class that is handed over, and as a file."""

from __future__ import annotations

import functools
import re
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest

import windtunnel as wt
from windtunnel.cli import main
from windtunnel.foreign import ForeignError
from windtunnel.foreign.process import patience_s

LAW = """
import windtunnel as wt

class Mine(wt.Controller):
    kept = wt.Parameter(0.5, min=0.1, max=0.95, doc="What a loss leaves.")
    variables = ("before",)

    def on_acked(self, w, c, acked):
        if c.cwnd_limited:
            left = w.slow_start(acked)
            w.cwnd += left / w.cwnd

    def ssthresh(self, w, c):
        self.before = w.cwnd
        return max(w.cwnd * self.kept, 2.0)
"""


class Real(wt.Controller):
    """RFC 5681 with a real-valued window."""

    kept = wt.Parameter(0.5, min=0.1, max=0.95)
    variables: ClassVar = ("before",)

    def on_acked(self, w: wt.Window, c: wt.Connection, acked: int) -> None:
        if c.cwnd_limited:
            left = w.slow_start(acked)
            w.cwnd += left / w.cwnd

    def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
        self.before = w.cwnd
        return max(w.cwnd * self.kept, 2.0)


class Rated(wt.Controller):
    """A window from the delivery rate: twice the product of the largest rate and the smallest RTT."""

    needs = wt.Needs(control="full-by-rate")

    def __init__(self) -> None:
        self.rate = 0.0

    def on_rate_sampled(self, w: wt.Window, c: wt.Connection, s: object) -> None:
        if s.interval_s and s.delivered:
            self.rate = max(self.rate, s.delivered / s.interval_s)
            w.cwnd = max(2 * self.rate * c.rtt_min_s, 10.0)

    def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
        return w.cwnd

    def pacing_rate(self, w: wt.Window, c: wt.Connection) -> float | None:
        return 1.25 * self.rate * 1500 or None


def scenario(*flows: object, **more: object) -> wt.Scenario:
    link = wt.Bottleneck(rate_bps=20e6, queue_bdp=1.0)
    listed = [flow if isinstance(flow, (str, wt.Flow)) else wt.Flow(algorithm=flow) for flow in flows]
    return wt.Scenario(bottleneck=link, flows=listed, **{"rtt_s": 0.04, "duration_s": 10, **more})


def test_the_rfcs_law_as_a_class_gives_the_records_of_ours() -> None:
    own, ours = wt.run(scenario(Real, Real)), wt.run(scenario("reno:rfc", "reno:rfc"))
    names = ["algorithm", "variant"]
    assert own.flows.drop(names).equals(ours.flows.drop(names))
    assert own.flow_samples.drop("before").equals(ours.flow_samples)
    assert own.link_samples.equals(ours.link_samples) and own.events.equals(ours.events)
    assert own.flows["algorithm"].to_list() == ["Real.py"] * 2
    assert own.records.digest() == wt.run(scenario(Real, Real)).records.digest()


def test_the_same_law_in_a_file_runs_in_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(LAW)
    monkeypatch.chdir(tmp_path)
    run = wt.run(scenario("./mine.py:Mine,kept=0.8", "./mine.py", "reno:rfc"))
    throughput = run.flows["delivered_packets"].to_list()
    assert throughput[0] > 1.5 * throughput[1]
    assert run.flows["algorithm"].to_list() == ["mine.Mine.py", "mine.py", "reno"], "a class that was chosen is named with its file"
    assert run.flow_samples["before"].drop_nans().drop_nulls().len() > 0
    assert not any("windtunnel_controller" in name for name in sys.modules)
    first = scenario("./mine.py")
    (tmp_path / "mine.py").write_text(LAW + "\n# changed\n")
    assert wt.run(scenario("./mine.py")).digest != wt.run(first).digest


def test_a_hook_costs_at_most_a_microsecond_beside_its_own_body() -> None:
    """CPU of this process beside the built-in law's, in turns; the smallest of several is the one that was disturbed least."""

    class Counted(Real):
        calls: ClassVar = 0

        def on_acked(self, w: wt.Window, c: wt.Connection, acked: int) -> None:
            Counted.calls += 1
            super().on_acked(w, c, acked)

    wt.run(scenario(Counted, duration_s=30))
    assert Counted.calls > 20_000
    law, w, c = Real(), wt.Window(100.0, 50.0), wt.Connection(cwnd_limited=True)

    def body() -> None:
        for _ in range(20_000):
            law.on_acked(w, c, 2)

    both = [scenario(one, duration_s=30, sample_s=1.0) for one in (Real, "reno:rfc")]
    tasks: list[Callable[[], object]] = [*(functools.partial(wt.run, one) for one in both), body]
    spent: list[list[float]] = [[], [], []]
    for _ in range(5):
        for task, times in zip(tasks, spent, strict=True):
            begun = time.process_time()
            task()
            times.append(time.process_time() - begun)
    own_s, built_in_s, bodies_s = map(min, spent)
    assert (own_s - built_in_s) / Counted.calls - bodies_s / 20_000 < 1e-6


def test_a_class_by_rate_keeps_a_pipe_and_its_queue() -> None:
    run = wt.run(scenario(Rated))
    # Two products are in flight and one of them stands in the queue, which has room for one.
    assert run.links["utilisation"][0] > 0.9
    assert run.flows["mean_rtt_s"][0] > 0.06


def bad(body: str, **members: object) -> type:
    def ssthresh(self: object, w: wt.Window, c: wt.Connection) -> float:
        return 2.0

    def on_acked(self: object, w: wt.Window, c: wt.Connection, acked: int) -> None:
        if c.delivered > 100:
            eval(body, {"w": w, "c": c})

    return type("Bad", (wt.Controller,), {"ssthresh": ssthresh, "on_acked": on_acked, **members})


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"ssthresh": wt.Controller.ssthresh}, "Bad: has no ssthresh, which every controller must have"),
        ({"on_acked": wt.Controller.on_acked}, "Bad: has no on_acked, which its needs must have"),
        ({"on_acked": lambda self, w: None}, "Bad.on_acked: cannot be called as on_acked(self, w, c, acked)"),
        ({"on_ack": lambda self, w, c, acked: None}, "Bad.on_ack: is no hook, and would never be called; did you mean on_acked? hooks: "),
        ({"needs": wt.Needs(rtt_samples="exact")}, "Bad: has no on_rtt_sampled"),
        ({"needs": wt.Needs(control="both")}, "Bad.needs.control: 'both' is not allowed"),
        ({"needs": {}}, "Bad.needs: {} is no windtunnel.Needs"),
        ({"__init__": lambda self, x: None}, "Bad.__init__: TypeError"),
        ({"half": wt.Parameter(2.0, min=0.0, max=1.0)}, "Bad.half: its default 2.0 is outside its range 0.0 .. 1.0"),
        ({"variables": "cwnd"}, "Bad.variables: 'cwnd' is no tuple of names"),
        ({"streams": wt.Parameter(1.0, min=0.0, max=1.0)}, "parameter streams"),
    ],
)
def test_a_class_is_checked_when_it_is_handed_over(members: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError) as caught:
        wt.Flow(algorithm=bad("0", **members))
    assert said in str(caught.value)


def test_a_class_that_is_no_controller_is_refused() -> None:
    with pytest.raises(ValueError, match="is no subclass of windtunnel"):
        wt.Flow(algorithm=int)


def test_parameters_have_their_ranges() -> None:
    assert wt.run(scenario(wt.Flow(algorithm=Real, parameters={"kept": 0.8}))).flows["loss_episodes"][0] > 0
    for parameters in ({"kept": 0.99}, {"left": 0.5}):
        with pytest.raises(ValueError, match=r"kept|0\.1 to 0\.95"):
            wt.Flow(algorithm=Real, parameters=parameters)


def test_an_exception_names_flow_time_and_line_and_keeps_its_traceback() -> None:
    with pytest.raises(ForeignError) as caught:
        wt.run(scenario("reno", bad("1 / 0")))
    assert "Bad.py: on_acked of flow 2 at " in str(caught.value)
    assert "ZeroDivisionError: division by zero" in str(caught.value) and "(test_controllers.py, line " in str(caught.value)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("value", ["float('nan')", "float('inf')", "0.5", "-1.0"])
def test_a_window_that_none_may_have_ends_the_run(value: str) -> None:
    with pytest.raises(ForeignError, match=r"Bad.py: on_acked of flow 1 at .*: cwnd is .*; allowed: 1 \.\. 2147483647 segments"):
        wt.run(scenario(bad(f"setattr(w, 'cwnd', {value})")))


def test_a_window_of_another_type_is_an_exception() -> None:
    with pytest.raises(ForeignError, match="TypeError"):
        wt.run(scenario(bad("setattr(w, 'cwnd', 'x')")))


def test_an_endless_hook_is_interrupted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WINDTUNNEL_PATIENCE_S", "0.5")
    with pytest.raises(ForeignError, match=r"on_acked of flow 1 at .*: HookStandsStill: did not return within 0\.5 s"):
        wt.run(scenario(bad("[None for _ in iter(int, 1)]")))
    (tmp_path / "endless.py").write_text(LAW.replace("left = ", "while c.delivered > 50: pass\n            left = "))
    with pytest.raises(ForeignError, match=r"on_acked of flow 1 at .* did not return within 0\.5 s"):
        wt.run(scenario(f"{tmp_path}/endless.py"))


def test_a_hook_has_ten_seconds_unless_another_time_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WINDTUNNEL_PATIENCE_S", raising=False)
    assert patience_s() == 10.0


def test_an_endless_hook_of_a_class_that_was_typed_in_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a notebook a class has no file, and the run may be in any thread; the interpreter goes on after it."""
    monkeypatch.setenv("WINDTUNNEL_PATIENCE_S", "0.5")
    typed: dict[str, object] = {"__name__": "__main__"}
    exec(LAW.replace("left = ", "while c.delivered > 50: pass\n            left = "), typed)
    said: list[BaseException] = []

    def cell() -> None:
        try:
            wt.run(scenario(typed["Mine"]))
        except ForeignError as error:
            said.append(error)

    thread = threading.Thread(target=cell)
    thread.start()
    thread.join(timeout=60)
    assert not thread.is_alive() and len(said) == 1
    assert re.search(r"Mine.py: on_acked of flow 1 at .* s: HookStandsStill: did not return within 0\.5 s", str(said[0]))
    assert wt.run(scenario(Real)).flows.height == 1


def test_a_class_beside_native_code_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LAW)
    with pytest.raises(ValueError, match=r"write the class to a file, as \./mine.py:Mine"):
        wt.run(scenario(Real, f"{tmp_path}/mine.py"))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("mine.py:Other", LAW, "has no class Other; it has Mine"),
        ("mine.py", LAW + LAW.replace("Mine", "Second"), "has Mine, Second; name one class, as ./mine.py:Mine"),
        ("mine.py", "x = 1", "has no subclass of windtunnel.Controller"),
        ("mine.py", "def f(:", "mine.py: SyntaxError: invalid syntax (mine.py, line 1)\n"),
        ("mine.py", "import no_such_module", "ModuleNotFoundError: No module named 'no_such_module' (mine.py, line 1)"),
        ("mine.py", "raise SystemExit(3)", "SystemExit: 3"),
        ("mine.py", "", "is empty"),
        ("mine.py:wt", LAW, "is no subclass of windtunnel.Controller"),
    ],
)
def test_a_bad_file_is_one_line_and_exit_code_two(
    name: str, text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(textwrap.dedent(text))
    monkeypatch.chdir(tmp_path)
    code = main(["run", "--rate", "10Mbit", "--rtt", "20ms", "--flow", f"./{name}"])
    error = capsys.readouterr().err
    assert code == 2 and said in error and error.count("\n") == 1, error


def test_a_laws_test_needs_no_run() -> None:
    law, w, c = Real(), wt.Window(10.0, 5.0), wt.Connection(srtt_s=0.04)
    law.on_acked(w, c, 5)
    assert (w.cwnd, law.ssthresh(w, c), c.srtt_s, w.in_slow_start) == (10.5, 5.25, 0.04, False)
    w = wt.Window(8.0, 10.0)
    assert (w.slow_start(5), w.cwnd) == (3.0, 10.0)


GUIDE = Path(__file__).parents[2] / "docs/guides/python.md"


def test_the_guides_code_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = [part.split("```")[0] for part in GUIDE.read_text(encoding="utf-8").split("```python\n")[1:]]
    commands = [line.split() for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("    windtunnel ")]
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mine.py").write_text(blocks[0])
    for command in commands:
        assert main(command[1:]) == 0, command
    assert len(commands) == 3 and (tmp_path / "mine.svg").is_file()
    scope: dict[str, object] = {"wt": wt}
    for block in blocks[1:]:
        exec(block, scope)
    scope["test_a_loss_leaves_seven_tenths"]()  # type: ignore[operator]
    assert "mean_cwnd_packets" in capsys.readouterr().out
