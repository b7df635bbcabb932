"""Classes whose hooks are compiled: the bits of the same class in Python, what is refused, and what a failure says."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from pathlib import Path
from typing import ClassVar

import pytest

import windtunnel as wt
from windtunnel.cli import main
from windtunnel.controllers import ControllerError, describe
from windtunnel.foreign import ForeignError

pytest.importorskip("numba")


class Real(wt.Controller):
    """RFC 5681 with a real-valued window."""

    kept = wt.Parameter(0.5, min=0.1, max=0.95)
    variables: ClassVar = ("before", "episodes")
    before: float | None = None
    episodes: int = 0

    def on_acked(self, w: wt.Window, c: wt.Connection, acked: int) -> None:
        if c.cwnd_limited:
            left = w.slow_start(acked)
            w.cwnd += left / w.cwnd

    def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
        self.before = w.cwnd
        self.episodes += 1
        return max(w.cwnd * self.kept, 2.0)


class Rated(wt.Controller):
    """A window and a rate from delivery rates, by segments lost and times."""

    needs = wt.Needs(control="full-by-rate")
    variables: ClassVar = ("rate", "since")

    def __init__(self) -> None:
        self.rate = 0.0
        self.since = 0.0
        self.lost = 0

    def on_segment_lost(self, w: wt.Window, c: wt.Connection, s: object) -> None:
        self.lost += s.lost_since_sent + (not s.is_app_limited) + s.seq % 2 + s.tx_in_flight // 10

    def on_rate_sampled(self, w: wt.Window, c: wt.Connection, s: object) -> None:
        self.since = c.now_s - s.prior_delivered_s
        if s.interval_s and s.delivered:
            self.rate = max(self.rate * 0.9999, s.delivered / s.interval_s)
        if c.rtt_min_s is not None and s.rtt_s is not None:
            w.cwnd = max(2 * self.rate * c.rtt_min_s - self.lost % 7 + s.acked - s.lost, 10.0)

    def holds_back(self) -> bool:
        return self.lost % 2 == 0

    def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
        return w.cwnd

    def pacing_rate(self, w: wt.Window, c: wt.Connection) -> float | None:
        return 1.25 * self.rate * c.mss_bytes or None


def between(low: float, value: float, high: float) -> float:
    return min(max(low, value), high)


class Curved(wt.Controller):
    """A cubic in time, with everything that a class may do: helpers, properties, constants, words, draws, powers, loops, `math`."""

    needs = wt.Needs(rtt_samples="exact", ack_arrivals=True)
    variables: ClassVar = ("w_max", "k", "base", "drawn", "marks", "is_late")
    C = 0.4
    share = wt.Parameter(0.7, min=0.1, max=0.95)
    wait = wt.Parameter(3, min=1, max=10, whole=True)

    def __init__(self) -> None:
        self.w_max = 0.0
        self.k = 0.0
        self.begun = 0.0
        self.base = math.inf
        self.drawn = 1
        self.marks = 0
        self.is_late = False

    @property
    def origin(self) -> float:
        return self.begun + self.k

    @staticmethod
    def smoothed(old: float, new: float, weight: float = 0.125) -> float:
        return old + weight * (new - old)

    def draw(self) -> float:
        self.drawn = (self.drawn * 48271) % 2147483647
        return self.drawn / 2147483647

    def on_seeded(self, seed: int) -> None:
        self.drawn = seed % 2147483646 + 1

    def on_established(self, w: wt.Window, c: wt.Connection) -> None:
        w.ssthresh = 60.0 + 10 * self.draw()

    def on_rtt_sampled(self, w: wt.Window, c: wt.Connection, s: object) -> None:
        if s.rtt_s is not None:
            self.base = min(self.base, s.rtt_s)
            self.is_late = s.rtt_s > self.base * 1.5 and s.sent_s is not None and s.in_flight > 2

    def on_ack_arrived(self, w: wt.Window, c: wt.Connection, a: object) -> None:
        self.marks += int(a.is_slow_path) + 2 * a.has_ece

    def on_state_changed(self, w: wt.Window, c: wt.Connection, to: str) -> None:
        if to == "loss" or (to in ("recovery", "cwr") and c.ca_state == "open"):
            self.marks += 100
            w.cnt = 0

    def on_event(self, w: wt.Window, c: wt.Connection, event: str) -> None:
        if event != "tx_started":
            self.marks += len(event)

    def on_acked(self, w: wt.Window, c: wt.Connection, acked: int) -> None:
        if not c.cwnd_limited:
            return
        left = w.slow_start(acked) if w.in_slow_start else float(acked)
        if left <= 0 or c.srtt_s is None:
            return
        turns = 0
        while turns < self.wait:
            turns += 1
        t = c.now_s + c.srtt_s - self.origin
        target = self.C * t**3 + self.w_max + math.log1p(abs(t)) * math.exp(-abs(t)) + math.floor(t) % 3
        for step in range(turns):
            target = self.smoothed(target, w.cwnd, weight=0.01 * step) if self.is_late else target
        w.cwnd += between(0.0, (target - w.cwnd) / w.cwnd, 0.5) * left * (1 + 1e-3 * self.draw())

    def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
        self.w_max = w.cwnd
        self.k = (self.w_max * (1 - self.share) / self.C) ** (1 / 3)
        self.begun = c.now_s
        return max(w.cwnd * self.share, 2.0)

    def undo(self, w: wt.Window, c: wt.Connection) -> float:
        return max(w.cwnd, c.prior_cwnd, self.w_max**1.0)


def compiled(law: type) -> type:
    return wt.compiled(type(law.__name__, (law,), {"__doc__": law.__doc__, "__module__": law.__module__}))


def flow_of(law: type) -> wt.Flow:
    return wt.Flow(algorithm=law)


def scenario(law: type, **more: object) -> wt.Scenario:
    link = wt.Bottleneck(rate_bps=20e6, queue_bdp=0.7, loss=1e-3)
    flows = [flow_of(law), wt.Flow(algorithm=law, start_s=1.0), wt.Flow(algorithm="cubic")]
    return wt.Scenario(bottleneck=link, flows=flows, **{"rtt_s": 0.04, "duration_s": 20, "seed": 3, **more})


@pytest.mark.parametrize("law", [Real, Rated, Curved])
def test_a_compiled_class_gives_the_bits_of_the_same_class_in_python(law: type) -> None:
    own, fast = wt.run(scenario(law)), wt.run(scenario(compiled(law)))
    assert own.flows["sent_packets"].min() > 500
    assert own.flows.drop("variant").equals(fast.flows.drop("variant"))
    assert own.flow_samples.equals(fast.flow_samples)
    assert own.link_samples.equals(fast.link_samples) and own.events.equals(fast.events)


def test_parameters_reach_compiled_hooks_and_the_class_stays_as_it_is() -> None:
    fast = compiled(Real)
    more, less = (
        wt.run(scenario(fast).model_copy(update={"flows": (wt.Flow(algorithm=fast, parameters={"kept": k}),)})) for k in (0.9, 0.2)
    )
    assert more.flows["mean_cwnd_packets"][0] > 1.3 * less.flows["mean_cwnd_packets"][0]
    law, w = fast(), wt.Window(10.0, 5.0)
    law.on_acked(w, wt.Connection(), 5)
    assert (w.cwnd, law.ssthresh(w, wt.Connection()), law.episodes) == (10.5, 5.25, 1)


def test_it_costs_at_most_twice_what_the_built_in_reno_costs() -> None:
    """CPU of this process, interleaved; the smallest of several runs is the one that was disturbed least."""
    link = wt.Bottleneck(rate_bps=250e6, queue_bdp=0.2)
    fast = compiled(Real)
    both = [wt.Scenario(bottleneck=link, flows=[law, law], rtt_s=0.042, duration_s=30, sample_s=1.0) for law in ("reno", flow_of(fast))]
    spent: list[list[float]] = [[], []]
    for _ in range(7):
        for one, times in zip(both, spent, strict=True):
            begun = time.process_time()
            packets = wt.run(one).flows["sent_packets"].sum()
            times.append((time.process_time() - begun) / packets)
    built_in, own = map(min, spent)
    assert own < 2 * built_in, (own, built_in)


def test_the_name_covers_the_compiler() -> None:
    assert describe(Real).content != describe(compiled(Real)).content


class Failing(Real):
    """Raises after a while."""

    seen: int = 0

    def on_acked(self, w: wt.Window, c: wt.Connection, acked: int) -> None:
        self.seen += acked
        if c.delivered > 100:
            w.cwnd = 3.0
            w.cwnd += 1 / (self.seen - self.seen)


class Wild(Real):
    def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
        return w.cwnd * math.nan


class Narrow(Real):
    def on_acked(self, w: wt.Window, c: wt.Connection, acked: int) -> None:
        w.cwnd = 0.5 if c.delivered > 100 else w.cwnd + 1


class Unpaced(Real):
    needs = wt.Needs(control="paced-window")

    def pacing_rate(self, w: wt.Window, c: wt.Connection) -> float | None:
        return -1.0 if c.delivered > 100 else None


class Rooted(Real):
    def on_acked(self, w: wt.Window, c: wt.Connection, acked: int) -> None:
        w.cwnd += math.sqrt(100.0 - c.delivered) * 0.0 + 1


class Seeded(Real):
    def on_seeded(self, seed: int) -> None:
        self.episodes = 1 // (seed - seed)


@pytest.mark.parametrize("law", [Failing, Wild, Narrow, Unpaced, Rooted, Seeded])
def test_a_failure_says_what_the_same_class_says_in_python(law: type) -> None:
    said = []
    for one in (law, compiled(law)):
        with pytest.raises(ForeignError) as caught:
            wt.run(scenario(one))
        said.append(caught.value)
    own, fast = (str(one).partition("; scenario")[0] for one in said)
    assert own == fast
    assert f"{law.__name__}.py: " in fast
    assert type(said[0].__cause__) is type(said[1].__cause__)


def test_an_exception_keeps_its_traceback_and_the_attributes_before_the_hook() -> None:
    with pytest.raises(ForeignError) as caught:
        wt.run(scenario(compiled(Failing)))
    assert "on_acked of flow 1 at " in str(caught.value) and "(test_compiled.py, line " in str(caught.value)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    frame = caught.value.__cause__.__traceback__
    while frame.tb_next is not None:
        frame = frame.tb_next
    assert frame.tb_frame.f_locals["self"].seen > 100


class Endless(Real):
    def on_acked(self, w: wt.Window, c: wt.Connection, acked: int) -> None:
        while c.delivered > 100:
            w.cwnd += 0.0


def test_an_endless_compiled_hook_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def made_slowly(cls: type) -> object:
        time.sleep(1.5)
        return object.__new__(cls)

    # The interruption comes before the class itself is asked why: that it stood still is said nevertheless.
    endless = compiled(Endless)
    monkeypatch.setattr(endless, "__new__", made_slowly)
    monkeypatch.setenv("WINDTUNNEL_PATIENCE_S", "0.5")
    begun = time.monotonic()
    with pytest.raises(ForeignError, match=r"on_acked of flow 1 at .*: HookStandsStill: did not return within 0.5 s"):
        wt.run(scenario(endless))
    assert time.monotonic() - begun < 60


class Listed(Real):
    def __init__(self) -> None:
        self.seen = [1.0]


class Unknown(Real):
    def __init__(self) -> None:
        self.rate = None


class Typed(Real):
    rates: dict[str, float]

    def __init__(self) -> None:
        self.rates = {}


class Cut(Real):
    def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
        self.episodes = w.cwnd
        return 2.0


class Lacking(Real):
    def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
        return w.cwnd * c.beta


class Moduled(Real):
    def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
        return max(w.cwnd - time.time(), 2.0)


class Gone(Real):
    def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
        return self.rtt


class Absent(Real):
    def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
        return c.srtt_s * w.cwnd


class Shown(Real):
    variables: ClassVar = ("nowhere",)


class Supered(Real):
    def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
        return super().ssthresh(w, c)


def line(law: type, text: str) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    first = next(number for number, one in enumerate(lines) if one.startswith(f"class {law.__name__}("))
    return first + next(number for number, one in enumerate(lines[first:], 1) if text in one)


@pytest.mark.parametrize(
    ("law", "text", "said"),
    [
        (Cut, "self.episodes = w.cwnd", "episodes is a int, what is written here is float64; annotate it in the class, as episodes: float"),
        (Lacking, "c.beta", "Unknown attribute 'beta' of type Connection"),
        (Moduled, "time.time", "uses the module time; of modules only math is compiled"),
        (Gone, "self.rtt", "Unknown attribute 'rtt' of type Gone"),
        (Supered, "super()", "super() is not compiled"),
    ],
)
def test_a_hook_that_cannot_be_compiled_is_one_line(law: type, text: str, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        wt.Flow(algorithm=wt.compiled(law))
    problem = str(caught.value)
    assert f"{law.__name__}.ssthresh (test_compiled.py:{line(law, text)}): cannot be compiled: " in problem, problem
    assert said in problem, problem


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (Listed, "Listed.seen: is a list; a compiled class keeps float, int, bool, or one of these | None"),
        (Unknown, "Unknown.rate: begins as None, which says no type; annotate it in the class, as rate: float | None"),
        (Typed, "Typed.rates: is annotated as dict[str,float]"),
        (Shown, "Shown.variables: nowhere is no attribute"),
    ],
)
def test_attributes_that_are_no_numbers_are_refused(law: type, said: str) -> None:
    with pytest.raises(ControllerError) as caught:
        describe(wt.compiled(law))
    assert str(caught.value).startswith(said)


def test_what_may_be_none_must_be_asked_for() -> None:
    """In Python the first call without a value raises; compiled the run ends with the same words."""
    described = describe(wt.compiled(Absent))
    assert described.table is not None


def test_a_class_whose_source_nobody_kept_is_one_line() -> None:
    typed: dict[str, object] = {"__name__": "typed_in"}
    exec(FILE, typed)
    with pytest.raises(ControllerError, match=r"^Mine\.\w+ \(<string>:\d+\): cannot be compiled: its source cannot be read"):
        describe(typed["Mine"])


FILE = """
import windtunnel as wt

@wt.compiled
class Mine(wt.Controller):
    before: float = 0.0
    variables = ("before",)

    def on_acked(self, w, c, acked):
        if c.cwnd_limited:
            left = w.slow_start(acked)
            w.cwnd += left / w.cwnd

    def ssthresh(self, w, c):
        self.before = w.cwnd
        return max(w.cwnd * 0.5, 2.0)
"""


def test_a_compiled_class_in_a_file_runs_as_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(FILE)
    (tmp_path / "plain.py").write_text(FILE.replace("@wt.compiled\n", ""))
    (tmp_path / "bad.py").write_text(FILE.replace("w.cwnd * 0.5", "w.window * 0.5"))
    monkeypatch.chdir(tmp_path)
    link = wt.Bottleneck(rate_bps=20e6, queue_bdp=1.0)
    fast, own = (wt.run(wt.Scenario(bottleneck=link, flows=[name], rtt_s=0.04, duration_s=10)) for name in ("./mine.py:Mine", "./plain.py"))
    assert fast.flow_samples.equals(own.flow_samples)
    with pytest.raises(ValueError, match=r"Mine.ssthresh \(bad.py:16\): cannot be compiled: Unknown attribute 'window' of type Window"):
        wt.Flow(algorithm="./bad.py")


def test_without_numba_one_line_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("windtunnel.controllers.jit.marked.numba_version", lambda: "")
    with pytest.raises(ControllerError) as caught:
        describe(compiled(Real))
    said = str(caught.value)
    assert "\n" not in said and "pip install 'windtunnel[compiled]'" in said and said.startswith("Real: ")


def test_numba_is_not_imported_before_a_class_is_handed_over() -> None:
    code = "import sys, windtunnel as wt; wt.compiled; import windtunnel.foreign; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


GUIDE = Path(__file__).parents[2] / "docs/guides/python.md"


def test_the_guides_compiled_class_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [part.split("```")[0] for part in GUIDE.read_text(encoding="utf-8").split("```python\n")[1:]]
    block = next(block for block in blocks if "@wt.compiled" in block)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fast.py").write_text(block)
    assert main(["run", "--rate", "20Mbit", "--rtt", "40ms", "--duration", "5s", "--flow", "./fast.py", "--flow", "cubic"]) == 0
