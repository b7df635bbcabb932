"""`agree` and `suite sensitivity` on a Dask cluster give the tables of one machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from windtunnel import agreement
from windtunnel.agreement import grid
from windtunnel.agreement.study import Study
from windtunnel.backends.sim import Simulator
from windtunnel.campaign import local
from windtunnel.records import Records
from windtunnel.scenario import Scenario
from windtunnel.store import open_results

HERE = ("--jobs", "1")
CHOICE = "htcp-rtt-scaling"


@pytest.fixture(scope="module")
def away() -> Iterator[tuple[str, str]]:
    """The option that has two Dask workers make the runs."""
    with local(2, note=lambda _: None) as cluster:
        yield "--scheduler", cluster.client.scheduler.address  # type: ignore[union-attr]


@pytest.fixture
def made_here(monkeypatch: pytest.MonkeyPatch, in_threads: None) -> list[Scenario]:
    """The runs that this process makes; those of workers are not among them."""
    made: list[Scenario] = []
    whole = Simulator.run

    def counted(self: Simulator, scenario: Scenario, **given: Any) -> Records:
        made.append(scenario)
        return whole(self, scenario, **given)

    monkeypatch.setattr(Simulator, "run", counted)
    return made


def test_a_sensitivity_run_on_a_cluster_gives_the_tables_of_one_machine(
    cli: Callable[..., Any], tmp_path: Path, made_here: list[Scenario], away: tuple[str, str]
) -> None:
    command = ("suite", "sensitivity", "li07.fig17", "--choice", CHOICE, "--quick", "--json")
    one = cli(*command, *HERE, "--out", str(tmp_path / "one"))
    assert one.code == 0 and len(made_here) == 9, one.err
    made_here.clear()
    many = cli(*command, *away, "--out", str(tmp_path / "many"))
    assert many.code == 0 and made_here == [], many.err
    assert many.json() == one.json()
    ours, theirs = (open_results(tmp_path / name) for name in ("many", "one"))
    for value in ("1 s, as printed", "no scaling"):
        table = ours.under(f"li07.{CHOICE}", value).measures("li07.fig17")
        assert table.equals(theirs.under(f"li07.{CHOICE}", value).measures("li07.fig17")) and table.height
    assert sorted(ours.runs.stored()) == sorted(theirs.runs.stored())


def test_a_comparison_on_a_cluster_gives_the_rows_of_one_machine(
    cli: Callable[..., Any], tmp_path: Path, made_here: list[Scenario], away: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(name: str, algorithms: Sequence[str] | None, *, live: bool, seeds: int | None, **_: Any) -> Study:
        assert not live
        arrangements = [dataclasses.replace(one, points={**one.points, "rate": (10,)}) for one in grid.experiments(name, ["reno"])]
        mirror = agreement.Side("linux", "sim", "kernel", "a mirror")  # The simulator stands in for the kernel too.
        return Study(name, tuple(arrangements), ("reno",), (agreement.SIMULATOR, mirror), seeds)

    monkeypatch.setattr(agreement, "make", make)
    one = cli("agree", "--seeds", "1", "--json", *HERE, "--out", str(tmp_path / "one"))
    assert one.code == 0 and made_here, one.err
    made_here.clear()
    many = cli("agree", "--seeds", "1", "--json", *away, "--out", str(tmp_path / "many"))
    assert many.code == 0 and made_here == [], many.err
    assert many.json() == one.json()
    refused = cli("agree", "--scheduler", "tcp://127.0.0.1:1", "--workers", "2", "--out", str(tmp_path / "none"))
    assert refused.code == 2 and refused.err.startswith("error: workers: 2 beside a scheduler") and refused.err.count("\n") == 1
