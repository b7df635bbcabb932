"""Sweeps: a grid of one's own is run once, kept, measured, resumed; and the guide's blocks do what they say."""

from __future__ import annotations

import json
import math
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import windtunnel as wt
from windtunnel.cli import main
from windtunnel.experiment import Draws, MeasureFailed, Step
from windtunnel.experiment.functions import fingerprint, is_portable
from windtunnel.progress import progress
from windtunnel.run import Run
from windtunnel.scenario import ScenarioError
from windtunnel.store import open_results
from windtunnel.sweeps import api, figures, study

GUIDE = Path(__file__).parents[2] / "docs/guides/sweeps.md"


def pair(alg: str, rtt_s: float) -> wt.Scenario:
    link = wt.Bottleneck(rate_bps=10e6, queue_bdp=0.5)
    return wt.Scenario(bottleneck=link, flows=[alg, alg], rtt_s=rtt_s, duration_s=3, warmup_s=1, sample_s=0.1)  # type: ignore[arg-type]


def delivered_mb(run: Run) -> float:
    return float(run.flows["delivered_bytes"].sum()) / 1e6


GRID: dict[str, Any] = {"alg": ["reno", "cubic"], "rtt_s": [0.01, 0.04]}


def swept(tmp_path: Path, make: Callable[..., wt.Scenario] = pair, **given: Any) -> pl.DataFrame:
    asked: dict[str, Any] = {"over": GRID, "seeds": 2, "measures": ["util", delivered_mb], "out": tmp_path / "out", "jobs": 1}
    return wt.sweep(make, **(asked | given))


def runs(tmp_path: Path) -> dict[str, int]:
    return {path.name: (path / "flows.parquet").stat().st_mtime_ns for path in (tmp_path / "out/runs").iterdir()}


def test_the_frame_holds_what_each_run_gives(tmp_path: Path) -> None:
    frame = swept(tmp_path)
    assert frame.columns == ["alg", "rtt_s", "seed", "util", "delivered_mb", "run"]
    assert frame.select("alg", "rtt_s", "seed").rows() == [(a, r, s) for a in GRID["alg"] for r in GRID["rtt_s"] for s in (1, 2)]
    alone = wt.run(pair("cubic", 0.04).model_copy(update={"seed": 2}))
    row = frame.row(-1, named=True)
    assert row["delivered_mb"] == delivered_mb(alone)
    # What the link carried from the end of the warm-up on: 1500 bytes on the link for each of 1448 of payload, retransmissions among them.
    late = alone.link_samples.filter((pl.col("link") == 0) & (pl.col("t_s") >= 1.0 - 1e-9))["delivered_bytes"]
    assert row["util"] == pytest.approx((late[-1] - late[0]) * 8 / (10e6 * 2.0), abs=0.01)
    assert wt.load_sweep(tmp_path / "out").equals(frame)


def test_a_larger_grid_and_more_measures_cost_what_is_new(tmp_path: Path) -> None:
    swept(tmp_path)
    before = runs(tmp_path)
    more = swept(tmp_path, over=GRID | {"rtt_s": [0.01, 0.04, 0.08]}, measures=["util", "jain", delivered_mb])
    after = runs(tmp_path)
    assert len(before) == 8 and len(after) == 12 and before.items() <= after.items()
    assert more.height == 12 and more["jain"].is_not_null().all()


def test_a_stopped_sweep_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Step] = []

    def stop(step: Step) -> None:
        seen.append(step)
        if step.what == "runs" and step.done == 3:
            raise KeyboardInterrupt

    asked = api.checked(pair, over=GRID, seeds=2, measures=["util"])
    with pytest.raises(KeyboardInterrupt):
        api.carry_out(asked, asked.plan(), tmp_path / "out", jobs=1, command="", on_step=stop)
    before = runs(tmp_path)
    assert 3 <= len(before) < 8
    frame = swept(tmp_path, measures=["util"])
    assert before.items() <= runs(tmp_path).items() and frame.height == 8
    assert frame.drop("run").equals(wt.sweep(pair, over=GRID, seeds=2, measures=["util"], out=tmp_path / "other", jobs=1).drop("run"))


def test_a_changed_function_is_measured_again_and_an_unchanged_one_is_not(tmp_path: Path) -> None:
    called: list[int] = []

    def written(factor: float) -> Callable[[Run], float]:
        def scaled(run: Run) -> float:
            called.append(1)
            return factor * delivered_mb(run)

        return scaled

    first = swept(tmp_path, measures=[written(1.0)])
    assert len(called) == 8
    called.clear()
    assert swept(tmp_path, measures=[written(2.0)])["scaled"].to_list() == [2 * value for value in first["scaled"]]
    assert len(called) == 8


def test_a_function_is_known_by_what_it_does() -> None:
    def named(text: str, **names: Any) -> str:
        space: dict[str, Any] = {"__name__": "users", **names}
        exec(text, space)
        return fingerprint(space["f"])

    plain = named("def f(run): return run.x + 1")
    assert plain == named("\n\ndef f(run): return run.x + 1")
    assert plain != named("def f(run): return run.x + 2")
    assert plain != named("def f(run): return run.y + 1")
    constant = "K = {}\ndef f(run): return K * run.x"
    assert named(constant.format(1)) != named(constant.format(2))
    helped = "def g(x): return x + {}\ndef f(run): return g(run.x)"
    assert named(helped.format(1)) != named(helped.format(2))


def test_functions_of_scripts_stay_here_and_those_of_modules_on_the_path_go_to_workers() -> None:
    assert is_portable(json.dumps)
    assert not is_portable(lambda run: 1.0)
    for module in ("__main__", "nowhere_to_be_found"):
        space: dict[str, Any] = {"__name__": module}
        exec("def f(run): return 1.0", space)
        assert not is_portable(space["f"])


def test_a_script_without_a_guard_is_executed_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import windtunnel as wt\nprint('executed')\n"
        "def make(rtt_s):\n"
        "    return wt.Scenario(bottleneck=wt.Bottleneck(rate_bps=1e6, queue_packets=20), flows=['reno'], rtt_s=rtt_s, duration_s=2)\n"
        "def start(run): return run.flows['start_s'][0]\n"
        "print(wt.sweep(make, over={'rtt_s': [0.01, 0.02]}, seeds=1, measures=['util', start], jobs=2)['start'].to_list())\n"
    )
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("executed\n[0.0, 0.0]\n", "")


def test_make_gets_the_seed_and_the_draws_it_asks_for(tmp_path: Path) -> None:
    seen = []

    def make(rtt_s: float, seed: int, draws: Draws) -> wt.Scenario:
        seen.append((rtt_s, seed, draws.uniform("start")))
        return pair("reno", rtt_s)

    swept(tmp_path, make, over={"rtt_s": [0.01, 0.02]})
    assert [one[:2] for one in seen] == [(0.01, 1), (0.01, 2), (0.02, 1), (0.02, 2)]
    assert seen[0][2] == seen[2][2] != seen[1][2]


def test_a_table_gives_names_to_anything(tmp_path: Path) -> None:
    links = {"short": wt.Bottleneck(rate_bps=10e6, queue_packets=3), "long": wt.Bottleneck(rate_bps=10e6, queue_packets=80)}

    def make(link: wt.Bottleneck) -> wt.Scenario:
        return pair("reno", 0.04).model_copy(update={"bottleneck": link})

    frame = swept(tmp_path, make, over={"link": links}, measures=["util"])
    by = dict(frame.group_by("link").agg(pl.col("util").mean()).iter_rows())
    assert set(by) == set(links) and by["long"] > by["short"]


class Halving(wt.Controller):
    def on_acked(self, w: wt.Window, c: wt.Connection, acked: int) -> None:
        w.cwnd += w.slow_start(acked) / w.cwnd

    def ssthresh(self, w: wt.Window, c: wt.Connection) -> float:
        return max(w.cwnd / 2, 2.0)


def test_a_class_that_no_worker_has_is_run_here(tmp_path: Path) -> None:
    def make(law: Any) -> wt.Scenario:
        link = wt.Bottleneck(rate_bps=10e6, queue_bdp=0.5)
        return wt.Scenario(bottleneck=link, flows=[wt.Flow(algorithm=law)], rtt_s=0.04, duration_s=3, warmup_s=1, sample_s=0.1)

    frame = swept(tmp_path, make, over={"law": {"halving": Halving, "reno": "reno"}}, measures=[delivered_mb], jobs=2)
    assert frame["law"].to_list() == ["halving"] * 2 + ["reno"] * 2
    alone = wt.run(make(Halving).model_copy(update={"seed": 2}))
    assert frame["delivered_mb"][1] == delivered_mb(alone) > 0


def test_a_failing_measure_is_one_line_and_loses_no_run(tmp_path: Path) -> None:
    def broken(run: Run) -> float:
        return 1 / 0

    said = r"measure broken at alg=(reno|cubic), rtt_s=0.0[14], seed [12]: ZeroDivisionError.*test_sweeps.py, line"
    with pytest.raises(MeasureFailed, match=said) as caught:
        swept(tmp_path, measures=[broken])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    before = runs(tmp_path)
    assert swept(tmp_path, measures=["util"]).height == 8 and before.items() <= runs(tmp_path).items()

    def listing(run: Run) -> Any:
        return [1]

    with pytest.raises(MeasureFailed, match="gave list; allowed: a number, a text or None"):
        swept(tmp_path, measures=[listing])


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"over": {}}, "over: {} is no table of dimensions"),
        ({"over": {"alg": "reno"}}, "over.alg: 'reno' is no list"),
        ({"over": GRID | {"alg": []}}, "over.alg: is empty"),
        ({"over": GRID | {"alg": ["reno", "reno"]}}, "over.alg: 'reno' comes twice"),
        ({"over": GRID | {"rtt_s": [0.1, math.nan]}}, "over.rtt_s: nan is not allowed"),
        ({"over": GRID | {"rtt_s": [0.1, "x"]}}, "has numbers and texts"),
        ({"over": GRID | {"seed": [1]}}, "over: 'seed' cannot be a dimension"),
        ({"over": GRID | {"rtt_s": list(range(1, 300_001))}}, "over: makes 1200000 runs; allowed: at most 1000000"),
        ({"over": {"alg": ["reno"]}}, "make: pair"),
        ({"seeds": 0}, "seeds: 0 is no number of repeats"),
        ({"measures": ["utl"]}, "measures: 'utl' is not a known metric (did you mean 'util'?)"),
        ({"measures": []}, "measures: [] is no list"),
        ({"measures": ["util,flow=1"]}, "util is not of a flow"),
        ({"measures": ["util,from=1"]}, "measures: 'from=1' of 'util,from=1' is not read"),
        ({"measures": [lambda run: 1.0]}, "has no name"),
        ({"measures": ["util", "util"]}, "'util' comes twice"),
        ({"kept": "some"}, "kept: 'some' is not a known amount"),
        ({"name": "a/b"}, "name: 'a/b' cannot be a sweep's"),
        ({"jobs": 0}, "jobs: 0 is out of range"),
        ({"make": lambda alg, rtt_s: 5}, "make: returned int"),
    ],
)
def test_what_cannot_be_accepted_is_one_line_before_anything_runs(tmp_path: Path, given: dict[str, Any], line: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        swept(tmp_path, **given)
    assert line in str(caught.value) and "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_the_figures_of_a_grid_show_every_varied_dimension(tmp_path: Path) -> None:
    measures = api.checked(pair, over=GRID, seeds=1, measures=["util"]).measures
    points = {"rtt_s": (0.01, 0.1, 0.2), "alg": ("reno", "cubic"), "q": (1, 2), "p": (0.0, 0.1), "rate": (5.0,)}
    declared = figures.declared(points, measures, longest_s=3.0, headings={"rtt_s": "RTT (s)"})
    assert [(one.x, one.series, one.panels, dict(one.fixed), one.x_label) for one in declared] == [  # type: ignore[union-attr]
        ("rtt_s", "alg", "q", {"p": value}, "RTT (s)") for value in (0.0, 0.1)
    ]
    frame = swept(tmp_path)
    assert len(wt.plot_sweep(frame, "util", tmp_path / "util.svg").axes) == 1
    assert (tmp_path / "util.svg").stat().st_size > 1000
    assert len(wt.plot_sweep(frame, "util", x="rtt_s", panels="alg").axes) == 2
    assert wt.plot_sweep(frame.filter(pl.col("rtt_s") == 0.01), "util").axes
    for given, field in (({"measure": "utl"}, "measure"), ({"measure": "util", "x": "rate"}, "x"), ({"measure": "run"}, "measure")):
        with pytest.raises(ScenarioError, match=field):
            wt.plot_sweep(frame, **given)


def test_error_bars_are_the_standard_errors_over_the_seeds(tmp_path: Path) -> None:
    frame = pl.DataFrame({"rtt_s": [0.1, 0.1, 0.2, 0.2], "seed": [1, 2, 1, 2], "util": [0.5, 0.7, 0.8, 0.8], "run": ["a", "b", "c", "d"]})
    (axis,) = wt.plot_sweep(frame, "util").axes
    (bars,) = [one for one in axis.containers if one.has_yerr]  # type: ignore[attr-defined]
    (low, high), *_ = [segment[:, 1] for segment in bars.lines[2][0].get_segments()]
    # Of 0.5 and 0.7: the mean 0.6, the sample deviation 0.1414, over the square root of two 0.1.
    assert (low, high) == pytest.approx((0.5, 0.7))


def test_quantities_are_numbers_with_their_unit(tmp_path: Path) -> None:
    text = STUDY.replace("queue = [20, 80]", 'queue = ["20ms", "80ms"]').replace("{queue}%bdp", "{queue}")
    (tmp_path / "s.toml").write_text(text)
    read = study.read(tmp_path / "s.toml")
    assert (read.points["rtt"], read.points["queue"], dict(read.headings)) == ((10.0, 40.0), (0.02, 0.08), {"queue": "queue (s)"})
    assert read.plan().jobs.keys() and read.scenario({"alg": "reno", "rtt": 40.0, "queue": 0.08}, Draws(1)).rtt_s == 0.04


def test_a_notebook_gets_one_line_that_is_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    handle = SimpleNamespace(update=lambda data, raw: said.append(data["text/plain"]))
    shell = SimpleNamespace(kernel=object())
    display = SimpleNamespace(display=lambda data, raw, display_id: handle)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with progress(quiet=False) as on_step:
        on_step(Step("runs", 0, 4, 0.0, 4.0))
        on_step(Step("runs", 4, 4, 4.0, 4.0))
    assert said[-1].startswith("Running: 4 of 4, 0 s")
    with progress(quiet=True) as on_step:
        on_step(Step("runs", 1, 1, 1.0, 1.0))
    assert "1 of 1" not in said[-1]


STUDY = """
seeds = 1
measures = ["util"]
over = { alg = ["reno", "cubic"], rtt = ["10ms", "40ms"], queue = [20, 80] }

[scenario]
duration = "2s"
warmup = "1s"
sample = "100ms"
rtt = "{rtt}"
flows = ["{alg}"]
bottleneck = { rate = "10Mbit", queue = "{queue}%bdp" }
"""


def test_a_study_file_is_the_same_sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.toml").write_text(STUDY)
    assert main(["sweep", str(tmp_path / "s.toml"), "--out", str(tmp_path / "out"), "--jobs", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)

    def make(alg: str, rtt: float, queue: int) -> wt.Scenario:
        link = wt.Bottleneck(rate_bps=10e6, queue_bdp=queue / 100)
        return wt.Scenario(bottleneck=link, flows=[alg], rtt_s=rtt / 1e3, duration_s=2, warmup_s=1, sample_s=0.1)  # type: ignore[arg-type]

    over = {"alg": ["reno", "cubic"], "rtt": [10, 40], "queue": [20, 80]}
    frame = wt.sweep(make, over=over, seeds=1, measures=["util"], out=tmp_path / "other", jobs=1)
    assert told["rows"] == frame.to_dicts()
    assert open_results(tmp_path / "out").declaration("s")["figures"][0]["x_label"] == "RTT (ms)"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("seeds = 1", "seed = 1", "seed: 'seed' is not a known field of a study (did you mean 'seeds'?)"),
        ('measures = ["util"]', "", "measures: is missing"),
        ('"{rtt}"', '"{rt}"', "scenario: {rt}: 'rt' is not a known dimension (did you mean 'rtt'?)"),
        ('"{rtt}"', '"40ms"', "over: rtt is not used in the scenario"),
        ('["util"]', '["mine.py:peak"]', "measures: "),
        ('["util"]', '["os:getcwd"]', "names code from elsewhere than its own folder: module os; it is run with --trust"),
        ('["util"]', '["../mine.py:peak"]', "names code from elsewhere"),
        ('"10Mbit"', '"10Mbits"', "bottleneck.rate"),
        ("[scenario]", 'make = "m.py:f"\n[scenario]', "make"),
    ],
)
def test_a_study_that_cannot_be_accepted_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, line: str
) -> None:
    (tmp_path / "s.toml").write_text(STUDY.replace(old, new, 1))
    assert main(["sweep", str(tmp_path / "s.toml"), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert line in said and said.count("\n") == 1 and "s.toml" in said
    assert not (tmp_path / "out").exists()


def test_a_users_file_that_fails_is_one_line_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.toml").write_text(STUDY.replace('["util"]', '["mine.py:peak"]'))
    for text, line in (
        ("x = 1\nraise OSError('no')\n", "mine.py, line 2: OSError: no"),
        ("def peek(run): return 1\n", "'peak' is not a known function of it (did you mean 'peek'?)"),
        # Runs of one cost come in the order of their keys, which the engine's version is part of: which queue is first is not promised.
        ("def peak(run): return run.nothing\n", "0, seed 1: AttributeError: 'Run' object has no attribute 'nothing'"),
    ):
        (tmp_path / "mine.py").write_text(text)
        study._executed.cache_clear()
        assert main(["sweep", str(tmp_path / "s.toml"), "--out", str(tmp_path / "out"), "--jobs", "1"]) == 2
        said = capsys.readouterr().err
        assert line in said and said.count("\n") == 1
    assert ", queue=" in said


def test_the_blocks_of_the_guide_do_what_they_say(tmp_path: Path) -> None:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    script = "import polars as pl\n"
    for kind, text in blocks:
        named = re.match(r"# (\S+\.\w+)\n", text)
        if named is not None:
            (tmp_path / named[1]).write_text(text)
        elif kind == "python":
            script += text
    (tmp_path / "script.py").write_text(f"{script}\nassert means.height == 6 and again.equals(frame)\n")
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "util.svg").stat().st_size > 1000
    for line in (line for kind, text in blocks if kind == "sh" for line in text.strip().splitlines()):
        command = re.sub(r"^windtunnel\b", f"{shlex.quote(sys.executable)} -m windtunnel", line)
        done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (line, done.stderr)
    assert len(list((tmp_path / "figures").glob("*.svg"))) == 3
    assert (tmp_path / "study/report/index.html").is_file()


def test_a_sweep_shows_itself_in_a_notebook_as_a_figure_and_a_table(tmp_path: Path) -> None:
    frame = swept(tmp_path)
    html = frame._repr_html_()
    assert "<b>4 points of alg (2), rtt_s (2)</b>; 8 runs, 2 seeds" in html
    assert html.index('<img alt="util with standard errors"') < html.index("<table")
    # Rows and columns of it are frames, too: without the dimensions there is nothing to draw.
    assert "<img" not in frame.select("util")._repr_html_()
    assert isinstance(wt.load_sweep(tmp_path / "out"), pl.DataFrame)
