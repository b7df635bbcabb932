"""The gate: its tests against known numbers, its files, and the whole command on a plan that is small."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from windtunnel.gate import EQUAL, UNDECIDED, WORSE, Margin, Margins, Values, baseline, characters, judge, margins, plan, subject
from windtunnel.gate.judging import BETTER, compared
from windtunnel.gate.more import seeds_needed
from windtunnel.scenario import ScenarioError
from windtunnel.stats import p_value, summarise

from .conftest import Outcome

Cli = Callable[..., Outcome]
pytestmark = pytest.mark.usefixtures("in_threads")
FEW = ["--only", "slow,shallow", "--seeds", "5", "--jobs", "2"]


def of(goodput: list[float | None], cell: str = "slow", quantity: str = "goodput", first: int = 1) -> Values:
    return Values("c", "simulator", "8", "sim", "2min", {cell: {quantity: dict(enumerate(goodput, first))}})


def above(t: float) -> float:
    """Return P(T > t) of Student's t with four degrees of freedom, by its closed form."""
    share = 1 + t * t / 4
    return 0.5 - 0.375 * t / math.sqrt(share) * (1 - t * t / share / 12)


def test_differences_of_the_same_seeds_are_tested_in_pairs() -> None:
    old, new = [9.1, 9.4, 9.0, 9.6, 9.3], [8.9, 9.1, 8.9, 9.2, 9.0]
    row = compared("slow", "goodput", dict(enumerate(old)), dict(enumerate(new)), Margins())
    # Differences of -0.2, -0.3, -0.1, -0.4, -0.3: mean -0.26, sum of squares about it 0.052, standard error sqrt(0.052 / 4 / 5).
    error = math.sqrt(0.052 / 20)
    assert (row.estimate, row.error) == (pytest.approx(-0.26), pytest.approx(error))
    assert row.p == pytest.approx(2 * above(0.26 / error), rel=1e-9)
    # Two one-sided tests: the larger p-value, here that against the lower margin of 2 % of 9.28.
    assert row.p_equal == pytest.approx(above((0.1856 - 0.26) / error), rel=1e-9)


def test_means_of_other_seeds_are_tested_by_welch() -> None:
    old, new = [9.1, 9.4, 9.0, 9.6, 9.3], [8.9, 9.1, 8.9, 9.2]
    row = compared("slow", "goodput", dict(enumerate(old)), dict(enumerate(new, 100)), Margins())
    assert row.p == pytest.approx(p_value(summarise(new), summarise(old)), rel=1e-9)


@pytest.mark.parametrize(
    ("quantity", "old", "new", "outcome"),
    [
        ("goodput", [9.0, 9.1, 9.2, 9.3, 9.4], [8.0, 8.1, 8.2, 8.31, 8.4], WORSE),
        ("goodput", [8.0, 8.1, 8.2, 8.3, 8.4], [9.0, 9.1, 9.2, 9.31, 9.4], BETTER),
        ("delay", [20.0, 21.0, 22.0, 23.0, 24.0], [30.0, 31.0, 32.0, 33.1, 34.0], WORSE),
        ("goodput", [9.0, 9.1, 9.2, 9.3, 9.4], [9.0, 9.1, 9.2, 9.3, 9.4], EQUAL),
        ("goodput", [9.0, 9.1, 9.2, 9.3, 9.4], [9.01, 9.11, 9.2, 9.3, 9.4], EQUAL),
        ("goodput", [9.0, 9.1, 9.2, 9.3, 9.4], [9.9, 8.0, 9.7, 8.2, 9.1], UNDECIDED),
        # Nothing varies: a change within the margin is equal, one beyond it is there.
        ("resent", [1.0] * 5, [1.05] * 5, EQUAL),
        ("resent", [1.0] * 5, [1.2] * 5, WORSE),
        # Where there were values there are none.
        ("goodput", [9.0, 9.1, 9.2, 9.3, 9.4], [None] * 5, WORSE),
        ("goodput", [None] * 5, [None] * 5, EQUAL),
        ("goodput", [9.0], [5.0], UNDECIDED),
    ],
)
def test_outcomes(quantity: str, old: list[float | None], new: list[float | None], outcome: str) -> None:
    (row,) = judge(of(old, quantity=quantity), of(new, quantity=quantity), Margins())
    assert row.outcome == outcome


def test_the_family_counts() -> None:
    """p = 0.0021 alone is a difference, and among fifty comparisons none."""
    old = {f"c{n}": {"goodput": dict(enumerate([9.0, 9.2, 9.1, 9.3, 9.4]))} for n in range(50)}
    new = {name: {"goodput": dict(cell["goodput"])} for name, cell in old.items()}
    new["c7"] = {"goodput": dict(enumerate([8.6, 8.7, 8.5, 8.8, 9.15]))}
    whole = Values("c", "simulator", "8", "sim", "2min", old)
    rows = judge(whole, Values("c", "simulator", "8", "sim", "2min", new), Margins())
    alone = judge(of([9.0, 9.2, 9.1, 9.3, 9.4]), of([8.6, 8.7, 8.5, 8.8, 9.15]), Margins())
    assert (alone[0].outcome, rows[7].outcome, alone[0].p) == (WORSE, UNDECIDED, rows[7].p)
    assert rows[7].p_holm == pytest.approx(50 * rows[7].p)


def test_the_interval_lies_within_the_margins_exactly_where_it_is_equal() -> None:
    for shift in (0.02, 0.1, 0.13, 0.2):
        (row,) = judge(of([9.0, 9.1, 9.2, 9.3, 9.4]), of([9.0 + shift, 9.12 + shift, 9.19 + shift, 9.3 + shift, 9.41 + shift]), Margins())
        assert (-row.margin <= row.interval[0] and row.interval[1] <= row.margin) == (row.outcome == EQUAL)


def test_seeds_that_would_decide_decide() -> None:
    """Ten seeds with a spread as large as the margin: about so many more show that nothing changed."""
    spread = [0.1, -0.1, 0.2, -0.2, 0.05, -0.05, 0.15, -0.15, 0.12, -0.12]
    old = [9.0] * 10
    (row,) = judge(of(old), of([9.0 + 2 * one for one in spread]), Margins())
    assert row.outcome == UNDECIDED
    needed = seeds_needed(row, seeds=10, family=1)
    assert needed is not None and 10 < needed < 40
    longer = (spread * 4)[:needed]
    (again,) = judge(of([9.0] * needed), of([9.0 + 2 * one for one in longer]), Margins())
    assert again.outcome == EQUAL


def test_a_baseline_comes_back_as_it_was_written(tmp_path: Path) -> None:
    values = of([9.12346, None, 1e-9, 123456.0, 3.0] * 6)
    baseline.write(values, tmp_path / "b.toml", command="windtunnel gate c --save b.toml")
    assert baseline.read(tmp_path / "b.toml") == values
    assert list(tmp_path.iterdir()) == [tmp_path / "b.toml"]


def test_margins_come_back_as_they_were_written(tmp_path: Path) -> None:
    given = Margins({**Margins().everywhere, "delay": Margin(2.0, 0.1)}, {"shallow": {"resent": Margin(0.5)}})
    (tmp_path / "m.toml").write_text(margins.written(given), encoding="utf-8")
    assert margins.read(tmp_path / "m.toml") == given
    assert given.of("shallow", "resent") == Margin(0.5) and given.of("slow", "resent") == Margin(0.02, 0.1)
    assert Margin(2.0, 0.1).at(10.0) == 2.0 and Margin(2.0, 0.1).at(-30.0) == 3.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gooodput = { absolute = 1 }", "did you mean 'goodput'"),
        ("delay = { absolute = -1 }", "-1 is out of range"),
        ("delay = 3", "is no margin"),
        ("[shallow]\nwindow = { absolute = 1 }", "shallow: 'window'"),
        ("delay = {", "is not valid TOML"),
    ],
)
def test_bad_margins_are_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match=said):
        margins.read(tmp_path / "m.toml")


def test_every_cell_gives_every_quantity(tmp_path: Path) -> None:
    from windtunnel.gate import carry_out

    once = plan("20s").narrowed(None, 1)
    values = carry_out([subject("cubic")], once, tmp_path, jobs=2, command="", on_step=lambda _: None)["cubic"]
    assert not values.left_out
    for cell in once.cells:
        assert set(values.cells[cell.name]) == {one.name for one in cell.quantities}
        assert all(series[1] is not None for series in values.cells[cell.name].values()), cell.name
    # Closed forms: no link carries more payload than 1448 of 1500 bytes; a path of 10 Mbit/s with a queue of one BDP is full.
    assert values.cells["slow"]["goodput"][1] == pytest.approx(10 * 1448 / 1500, rel=2e-3)
    # A tenth of a BDP of 40 ms is 4 ms of queue.
    assert 0 < float(values.cells["shallow"]["delay"][1] or 0) < 4.1
    assert 0 < float(values.cells["beside-reno"]["own"][1] or 0) < 2


def test_a_change_for_the_worse_is_one_exit_code_and_a_comment(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "gate"
    done = cli("gate", "cubic,beta=0.75", "--against", "cubic", *FEW, "--out", str(out))
    assert done.code == 1 and "slow" in done.out and "delay added by queues" in done.out
    assert {"comment.md", "changes.svg", "repeats.svg", "gate.json", "junit.xml", "baseline.toml"} <= {path.name for path in out.iterdir()}
    said = json.loads((out / "gate.json").read_text())
    assert not said["passes"] and said["counts"]["worse"] >= 1 and len(said["rows"]) == 6
    comment = (out / "comment.md").read_text(encoding="utf-8")
    assert comment.startswith("### Gate: `cubic,beta=0.75`") and "![" in comment and len(comment.splitlines()) < 40
    suites = ElementTree.parse(out / "junit.xml").getroot()
    assert sum(int(suite.get("failures", 0)) for suite in suites) == said["counts"]["worse"]
    assert sum(len(suite) for suite in suites) == 6
    # What the schema of Jenkins' xUnit plugin (junit-10.xsd) demands of a suite, and names for its children; totals agree.
    totals = {name: sum(int(suite.attrib[name]) for suite in suites) for name in ("tests", "failures", "errors")}
    assert suites.tag == "testsuites" and {name: int(suites.attrib[name]) for name in totals} == totals
    for suite in suites:
        assert suite.tag == "testsuite" and suite.get("name") and {case.tag for case in suite} == {"testcase"}
        assert all(case.get("name") and {one.tag for one in case} <= {"failure", "skipped"} for case in suite)
        assert int(suite.attrib["skipped"]) == len(suite.findall("testcase/skipped"))
    # The folder is a baseline itself, and what was judged is equal to itself.
    again = cli("gate", "cubic,beta=0.75", "--against", str(out), *FEW, "--json")
    assert again.code == 0 and again.json()["counts"] == {"worse": 0, "better": 0, "equal": 6, "undecided": 0}


def test_a_baseline_is_saved_with_its_margins_and_judged_by(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "cubic.toml"
    assert cli("gate", "cubic", "--save", str(file), *FEW).code == 0
    assert file.stat().st_size < 2000
    assert cli("gate", "cubic", "--against", str(file), *FEW, "--strict").code == 0
    # What it has is what is run, with no word of cells and seeds; others would compare with nothing.
    alone = cli("gate", "cubic", "--against", str(file), "--json", "--jobs", "2").json()
    assert alone["seeds"] == 5 and {row["cell"] for row in alone["rows"]} == {"slow", "shallow"} and alone["counts"]["equal"] == 6
    # Margins beside it hold: none at all, and every difference counts.
    beside = tmp_path / "cubic.margins.toml"
    assert margins.read(beside) == Margins()
    worse = cli("gate", "cubic,beta=0.75", "--against", str(file), *FEW, "--json")
    wide = "\n".join(f"{name} = {{ absolute = 1000 }}" for name in Margins().everywhere)
    beside.write_text(wide, encoding="utf-8")
    assert (worse.code, cli("gate", "cubic,beta=0.75", "--against", str(file), *FEW).code) == (1, 0)


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_a_revision_of_the_file_is_judged_by(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (Path(__file__).parents[2] / "benches/gate/reno_fewer.c").read_text(encoding="utf-8")
    file = tmp_path / "reno_fewer.c"
    file.write_text(source.replace("acked > 1 ? acked - 1 : acked", "acked"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a law"]
    for arguments in (["init", "-q"], ["add", "."], commit, ["tag", "v1"]):
        subprocess.run(["git", *arguments], check=True)
    same = cli("gate", "./reno_fewer.c", "--against", "git:v1:reno_fewer.c", *FEW, "--json")
    assert same.code == 0 and same.json()["counts"]["equal"] == 6
    file.write_text(source, encoding="utf-8")
    changed = cli("gate", "./reno_fewer.c", "--against", "git:v1:reno_fewer.c", *FEW, "--json")
    assert changed.json()["counts"]["equal"] < 6 and changed.json()["against"] == "reno_fewer.c of v1"
    for text, said in (
        ("git:v2:reno_fewer.c", "v2"),
        ("git:v1:other.c", "v1 has no file other.c"),
        ("git:v1", "is no file of a revision"),
        ("git:--upload-pack=x:reno_fewer.c", "is no file of a revision"),
    ):
        refused = cli("gate", "./reno_fewer.c", "--against", text)
        assert refused.code == 2 and said in refused.err and refused.err.count("\n") == 1


def test_one_seed_is_said_to_be_too_few(cli: Cli) -> None:
    said = cli("gate", "cubic,beta=0.75", "--against", "cubic", "--only", "slow", "--seeds", "1")
    assert (
        "One seed says nothing of chance" in said.out and "near the margin" not in said.out and said.err.startswith("note: 1 cell, 1 seed:")
    )


def test_the_figures_in_characters_show_each_change_and_each_repeat() -> None:
    # 0.5 Mbit/s less and 0.372 more, of a margin of 2 % of 9.3: 2.7 margins to the left, 2 to the right; no change is in the middle.
    before = of([9.1, 9.2, 9.3, 9.4, 9.5])
    old = Values("c", "simulator", "8", "sim", "2min", {name: before.cells["slow"] for name in ("slow", "fast", "long")})
    moved = {"slow": -0.5, "fast": 0.372, "long": 0.0}
    cells = {name: {"goodput": {seed: 9.0 + seed / 10 + gap for seed in range(1, 6)}} for name, gap in moved.items()}
    new = Values("c", "simulator", "8", "sim", "2min", cells)
    rows = judge(old, new, Margins())
    lines = characters.changes(rows)
    at = {line.split()[0]: [place - 10 for place, letter in enumerate(line) if letter in characters.BARS[1:]] for line in lines[1:-1]}
    # Nine columns of five for the margins from -4 to 4; 0.1 Mbit/s to a column of a fifth of 0.186.
    assert at == {"worse": [9], "better": [32], "equal": [22], "undecided": []}
    assert lines[-1][10:].index("0") == 22 and lines[-1][10:].index("+1") // 5 == 5
    told = characters.repeats(old, new, [row for row in rows if row.cell == "slow"])
    # 8.6 to 9.5 in 32 columns: five repeats on each side, each in a column of its own, full.
    assert told[1] == "slow: goodput, 8.60 to 9.50 Mbit/s" and [line.count("█") for line in told[2:]] == [5, 5]
    assert told[3].index("█") == 10 and told[2].rindex("█") == 10 + 31


def test_bars_are_eighths_and_any_count_shows() -> None:
    assert characters.bars([0, 1, 4, 8, 0]) == " ▁▄█" and characters.bars([1, 0], most=1000) == "▁" and characters.bars([]) == ""
    # The last value lies in the last column, what lies beyond in the nearest one; a single value is in the middle.
    assert characters.binned([0.0, 0.49, 1.0, 7.0, -3.0], 0.0, 1.0, 2) == [3, 2] and characters.binned([5.0], 5.0, 5.0, 3) == [0, 1, 0]


def test_bad_input_is_one_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "broken.c").write_text("int main(", encoding="utf-8")
    (tmp_path / "old.toml").write_text(
        'format = 1\ncontroller = "c"\nbackend = "s"\nengine = "3"\nkind = "sim"\nplan = "2min"\n[slow]\nseeds = [1]\ngoodput = [1.0]\n',
        encoding="utf-8",
    )
    other = (tmp_path / "old.toml").read_text().replace('"3"', json.dumps(str(_engine()))).replace("[slow]", "[elsewhere]")
    (tmp_path / "other.toml").write_text(other, encoding="utf-8")
    (tmp_path / "damaged.toml").write_text(other.replace("[1.0]", "[1.0, 2.0]"), encoding="utf-8")
    (tmp_path / "none.toml").write_text("a = 1\n", encoding="utf-8")
    few = ["--only", "start", "--seeds", "1"]
    for arguments, said in (
        (["cubic"], "against: is missing"),
        (["cubc", "--against", "cubic"], "did you mean"),
        (["cubic,rtt=3ms", "--against", "cubic"], "rtt"),
        (["cubic", "--against", "cubc"], "against: "),
        (["cubic", "--against", "cubic", "--plan", "3min"], "plan: "),
        (["cubic", "--against", "cubic", "--only", "slw"], "did you mean 'slow'"),
        (["cubic", "--against", "linux:6.1"], "allowed: with --backend linux"),
        (["cubic", "--against", "cubic", "--backend", "ns3"], "allowed: sim, linux"),
        (["cubic", "--save", str(tmp_path / "b.txt")], "ends in .toml"),
        ([str(tmp_path / "broken.c"), "--against", "cubic"], "broken.c"),
        (["cubic", "--against", str(tmp_path / "old.toml")], "the baseline is of engine 3"),
        (["cubic", "--against", str(tmp_path / "other.toml"), *few], "nothing in common"),
        (["cubic", "--against", str(tmp_path / "damaged.toml")], "is damaged"),
        (["cubic", "--against", str(tmp_path / "none.toml")], "is no baseline"),
        (["cubic", "--against", str(tmp_path / "gone.toml")], "gone.toml"),
    ):
        refused = cli("gate", *arguments)
        lines = [line for line in refused.err.splitlines() if not line.startswith("note: ")]
        assert (refused.code, len(lines)) == (2, 1) and said in lines[0], (arguments, refused.err)
    again = cli("gate", "cubic", "--against", str(tmp_path / "old.toml")).err
    # The command makes again what is there: one cell, one seed.
    assert f"windtunnel gate cubic --plan 2min --only slow --seeds 1 --save {tmp_path / 'old.toml'}" in again


def _engine() -> int:
    from windtunnel.backends import backend

    return backend("sim").version()


def test_the_action_judges_step_by_step(tmp_path: Path) -> None:
    """What the composite action runs, without what a runner of GitHub adds: its shell steps with the environment that it gives them."""
    root = Path(__file__).parents[2]
    action = yaml.safe_load((root / ".github/actions/gate/action.yml").read_text(encoding="utf-8"))
    steps = {step["name"]: step for step in action["runs"]["steps"]}
    inputs = {name: str(one.get("default", "")) for name, one in action["inputs"].items()}
    inputs |= {"controller": "cubic,beta=0.75", "against": "cubic", "plan": "20s", "out": "out"}
    # Two cells of the plan are enough here: the command stands in front of the real one.
    (tmp_path / "windtunnel").write_text(f'#!/bin/sh\nexec {sys.executable} -m windtunnel "$@" --only slow,long --seeds 5\n')
    (tmp_path / "windtunnel").chmod(0o755)
    given = {f"${{{{ inputs.{name} }}}}": value for name, value in inputs.items()}
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
    environment |= {name: given[value] for name, value in steps["Judge"]["env"].items()}
    judged = subprocess.run(["bash", "-e", "-c", steps["Judge"]["run"]], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert judged.returncode == 0, judged.stderr
    assert (tmp_path / "output").read_text() == "verdict=fails\n"
    summary = (tmp_path / "summary").read_text(encoding="utf-8")
    assert summary.startswith("### Gate: `cubic,beta=0.75`")
    # A summary shows no pictures that have no address: both figures are there in characters, and all of it is a screen.
    assert "![" not in summary and summary.count("```") == 2 and len(summary.splitlines()) < 48
    assert "Changes in units of their margins" in summary and "Repeats before and now" in summary
    for verdict, code in (("passes", 0), ("fails", 1)):
        assert subprocess.run(["bash", "-e", "-c", steps["Answer"]["run"]], env=environment | {"VERDICT": verdict}).returncode == code
