"""A suite in the user's own folder gets what the papers' suites get, and no file of ours is edited for it."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from windtunnel.claims import RegisterError, register, whole_text
from windtunnel.cli import main
from windtunnel.report import registers_of
from windtunnel.starters import StarterError, create_suite
from windtunnel.store import open_results
from windtunnel.suites import users
from windtunnel.suites.finding import suite


@pytest.fixture(autouse=True)
def nothing_stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("mine", "other"):
            del sys.modules[name]
    users._folders.clear()
    users.installed.cache_clear()
    importlib.invalidate_caches()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    create_suite("mine", tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "mine" / "mine"


def test_the_template_does_all_that_a_papers_suite_does(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suite", "run", "./mine", "--quick", "--jobs", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["experiments"] == {"mine.buffers": 12}
    assert [(one["id"], one["verdict"]) for one in told["claims"]] == [("mine.c1", "holds"), ("mine.c2", "not_run")]
    # q = 0.5 is not of the quick scale: the paper's scale adds its runs, and judges both.
    assert main(["suite", "run", "./mine.buffers", "--jobs", "1"]) == 0
    capsys.readouterr()
    assert main(["claims", "results", "--json"]) == 0
    assert [one["verdict"] for one in json.loads(capsys.readouterr().out)] == ["holds", "holds"]
    assert open_results(Path("results")).declaration("mine.buffers")["command"] == "windtunnel suite run ./mine.buffers"
    # Claims of one's own about what the folder holds: no grid is written down again.
    only = "version: 1\npapers: {me: mine}\nclaims:\n- {id: me.1, experiment: mine.buffers, paper: me, claim: x, judge: sim, "
    Path("mine.yaml").write_text(only + "check: {predicate: \"max(V('peak_packets', over='q', alg='reno')) > 30\"}}\n")
    assert main(["claims", "results", "--register", "mine.yaml", "--json"]) == 0
    assert [(one["id"], one["verdict"]) for one in json.loads(capsys.readouterr().out)] == [("me.1", "holds")]
    assert main(["report", "results", "--jobs", "1"]) == 0
    assert "fills the link" in Path("results/report/experiments/mine.buffers.html").read_text()
    capsys.readouterr()
    assert main(["sql", "results", "select count(*) as n from measures where metric = 'peak_packets'", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"n": 18}]
    assert main(["suite", "diff", "results", "results"]) == 0


def test_the_folder_is_judged_where_the_suite_is_not(home: Path) -> None:
    assert main(["suite", "run", "./mine", "--quick", "--alg", "reno", "--jobs", "1"]) == 0
    home.joinpath("register.yaml").unlink()
    (own,) = registers_of(open_results(Path("results")))
    assert [claim.id for claim in own.claims] == ["mine.c1", "mine.c2"]


def test_the_templates_own_test_passes(home: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    done = subprocess.run(command, cwd=home.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout


def test_an_installed_package_brings_its_suite_by_an_entry_point(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site = home.parents[1] / "site"
    (site / "mine-0.1.dist-info").mkdir(parents=True)
    (site / "mine-0.1.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 0.1\n")
    (site / "mine-0.1.dist-info/entry_points.txt").write_text("[windtunnel.suites]\nmine = mine\n")
    home.rename(site / "mine")
    monkeypatch.syspath_prepend(str(site))
    users.installed.cache_clear()
    assert main(["suite", "list", "--json"]) == 0
    assert {"mine.buffers", "li07.fig4"} <= {row["id"] for row in json.loads(capsys.readouterr().out)}
    assert main(["suite", "run", "mine.buffers", "--quick", "--alg", "reno", "--jobs", "1"]) == 0
    assert open_results(Path("results")).declaration("mine.buffers")["command"].startswith("windtunnel suite run mine.buffers")


@pytest.mark.parametrize(
    ("file", "old", "new", "line"),
    [
        ("buffers.py", 'id="mine.buffers"', 'id="buffers"', "experiment 'buffers' has a wrong id; allowed: mine. and a name"),
        ("buffers.py", "EXPERIMENTS = (", "EXPERIMENTS = (1, ", "EXPERIMENTS holds 1"),
        ("buffers.py", "RATE_BPS = 10e6", "RATE_BPS = 1 / 0", "buffers.py, line 9"),
        ("__init__.py", "TITLE", "NAME", "has no TITLE"),
        (
            "register.yaml",
            "M('util', alg='reno', q=1)",
            "M('util', alg='reno', w=1)",
            "register.yaml: mine.c1: predicate: M: 'w' is not a known selector",
        ),
        ("register.yaml", "experiment: mine.buffers", "experiment: mine.bufers", "not a known experiment (did you mean 'mine.buffers'?)"),
    ],
)
def test_a_suite_that_cannot_be_accepted_is_one_line(
    home: Path, capsys: pytest.CaptureFixture[str], file: str, old: str, new: str, line: str
) -> None:
    text = (home / file).read_text()
    assert old in text
    (home / file).write_text(text.replace(old, new, 1))
    assert main(["suite", "run", "./mine"]) == 2
    said = capsys.readouterr().err
    assert line in said and said.count("\n") == 1
    assert not Path("results").exists()


def test_names_and_places_that_are_none_are_one_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home.parent / "li07").mkdir()
    (home.parent / "li07/__init__.py").write_text("TITLE = 'x'\n")
    (home.parent / "json").mkdir()
    (home.parent / "json/__init__.py").write_text("TITLE = 'x'\n")
    for name, line in (
        ("./nothing", "./nothing: is no suite; allowed: a folder with __init__.py"),
        ("./mine.fig1", "'mine.fig1' is not a known experiment"),
        ("./mine/li07", "li07 is a paper's suite"),
        ("./mine/json", "json is the name of another package"),
        ("nine", "'nine' is not a known suite"),
    ):
        assert main(["suite", "run", name]) == 2
        said = capsys.readouterr().err
        assert line in said and said.count("\n") == 1
    for bad in ("li07", "json", "Mine", "class", "a-b"):
        with pytest.raises(StarterError, match="cannot be a suite's"):
            create_suite(bad, home / "x", taken=("li07",))
    assert main(["new", "more", "--suite", "--language", "c"]) == 2
    assert main(["new", "others", "--suite", "--to", "mine"]) == 2
    assert "exists" in capsys.readouterr().err


def test_a_register_takes_its_grid_and_names_from_the_suite(home: Path) -> None:
    path, module = home / "register.yaml", home / "buffers.py"
    claims = path.read_text()
    assert not {"experiments", "metrics", "dimensions", "algorithms"} & set(yaml.safe_load(claims))
    grid = '"alg": ("reno", "cubic"), "q": (0.25, 0.5, 1.0)'
    module.write_text(module.read_text().replace(grid, '"alg": ("reno", "bbr"), "ms": (10, 20)'))
    first = claims[: claims.index("  - id: mine.c2")].replace("alg='reno', q=1", "alg='bbr', ms=20")
    path.write_text(first)
    declared = suite("./mine").declarations()
    own = register(path, declared=declared)
    known = own.experiments["mine.buffers"]
    assert (known.points, known.repeats, known.duration_s) == ({"alg": ("reno", "bbr"), "ms": (10.0, 20.0)}, 3, 60.0)
    assert own.metrics["peak_packets"].unit == "packets"
    # The whole register, as a results folder keeps it, needs no suite.
    whole = home / "whole.yaml"
    whole.write_text(whole_text(path, declared=declared))
    assert register(whole) == replace(own, file=str(whole))
    for old, new, line in (
        ("ms=20", "mss=20", "'mss' is not a known selector"),
        ("ms=20", "q=1", "selector q: mine.buffers has no such dimension"),
        ("mine.buffers", "mine.nothing", "'mine.nothing' is not a known experiment"),
        ("M('util'", "M('jain'", "jain is not among the measures of mine.buffers"),
        ("claims:", "dimensions: {over: number}\nclaims:", "cannot be declared"),
        ("claims:", "published: {mine.x: {}}\nclaims:", "'published' is not a known key"),
    ):
        path.write_text(first.replace(old, new))
        with pytest.raises(RegisterError) as caught:
            register(path, declared=declared)
        assert line in str(caught.value)
