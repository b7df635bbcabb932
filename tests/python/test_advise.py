"""Advice on a path: what dominates what on numbers made by hand, how long a run is, and the command with its page."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from windtunnel import advise
from windtunnel.advise import Column, queues, ranking, words
from windtunnel.advise.arrangements import BESIDE, EQUAL, RENO
from windtunnel.experiment import Draws, runner
from windtunnel.scenario import ScenarioError
from windtunnel.stats import summarise

RATE = Column("goodput", "goodput", "Mbit/s", "e", "m", "more", matters=1.0)
DELAY = Column("delay", "delay", "ms", "e", "n", "less", matters=1.0)
SHARE = Column("share", "share", "", "e", "s", "half", matters=0.05)
TIME = Column("time", "time", "s", "e", "t", "less", matters=2.0, longest=90.0)
SMALL = ("advise", "--rate", "5Mbit", "--rtt", "40ms", "--alg", "reno,vegas", "--duration", "20s", "--seeds", "2", "--jobs", "1")


def advised(given: Mapping[str, Mapping[Column, Sequence[float]]], *, by: Column | None = None) -> advise.Advice:
    columns = list(dict.fromkeys(column for own in given.values() for column in own))
    values = {(name, column.name): repeats for name, own in given.items() for column, repeats in own.items()}
    return advise.advise(list(given), columns, values, by=(by or columns[0]).name)


def dominated(advice: advise.Advice) -> dict[str, tuple[str, ...]]:
    return {row.algorithm: row.dominated_by for row in advice.rows}


def test_better_at_one_thing_and_as_good_at_the_other_dominates() -> None:
    advice = advised({"a": {RATE: [90.0, 91.0, 92.0], DELAY: [5.0, 5.0]}, "b": {RATE: [50.0, 51.0, 52.0], DELAY: [5.5, 5.5]}})
    assert dominated(advice) == {"a": (), "b": ("a",)}
    assert [row.rank for row in advice.rows] == [1, 2]


def test_a_trade_off_is_left_to_the_reader() -> None:
    advice = advised({"a": {RATE: [90.0, 91.0], DELAY: [50.0, 51.0]}, "b": {RATE: [50.0, 51.0], DELAY: [5.0, 6.0]}})
    assert dominated(advice) == {"a": (), "b": ()}
    assert {one.column.name: one.first for one in advice.leaders} == {"goodput": "a", "delay": "b"}


def test_a_difference_within_noise_ranks_and_dominates_nothing() -> None:
    # Means of 60 and 40 with standard errors of 20 each: Welch's interval is 20 +- 4.30 x 28.3.
    advice = advised({"a": {RATE: [40.0, 80.0]}, "b": {RATE: [20.0, 60.0]}})
    assert dominated(advice) == {"a": (), "b": ()}
    assert [row.rank for row in advice.rows] == [1, 1]
    assert advice.leaders[0].equals == ("b",)


def test_a_difference_that_does_not_matter_is_none_however_certain() -> None:
    advice = advised({"a": {RATE: [90.9, 90.9]}, "b": {RATE: [90.0, 90.0]}})
    assert [row.rank for row in advice.rows] == [1, 1]
    assert dominated(advice)["b"] == ()


def test_a_mean_that_is_worse_by_what_matters_forbids_dominance_even_within_noise() -> None:
    advice = advised({"a": {RATE: [90.0, 90.0], DELAY: [0.0, 20.0]}, "b": {RATE: [50.0, 50.0], DELAY: [5.0, 5.0]}})
    assert dominated(advice)["b"] == ()


def test_taking_too_much_is_as_unfair_as_taking_too_little() -> None:
    advice = advised({"meek": {SHARE: [0.2, 0.2]}, "greedy": {SHARE: [0.8, 0.8]}, "fair": {SHARE: [0.48, 0.5]}})
    assert advice.rows[0].algorithm == "fair"
    assert {row.algorithm: row.rank for row in advice.rows} == {"fair": 1, "meek": 2, "greedy": 2}


def test_a_time_that_was_not_reached_counts_as_the_longest_one_and_is_said() -> None:
    never = float("inf")
    advice = advised({"slow": {TIME: [never, never]}, "soon": {TIME: [10.0, 12.0]}, "mixed": {TIME: [10.0, 12.0, never]}})
    assert [row.algorithm for row in advice.rows] == ["soon", "mixed", "slow"]
    shown = {row.algorithm: (words.value(row.found["time"], TIME), words.detail(row.found["time"])) for row in advice.rows}
    assert shown["slow"] == ("never", "")
    # (10 + 12 + 90) / 3, a lower bound.
    assert shown["mixed"][0].startswith(">37 ")
    assert shown["mixed"][1] == "never in 1 of 3"


def test_one_seed_tells_nothing_from_noise() -> None:
    advice = advised({"a": {RATE: [90.0]}, "b": {RATE: [10.0]}})
    assert [row.rank for row in advice.rows] == [1, 1]
    assert dominated(advice)["b"] == ()


def test_what_was_not_measured_is_last_without_a_rank_and_neither_won_nor_lost() -> None:
    advice = advised({"a": {RATE: []}, "b": {RATE: [10.0, 10.0]}})
    assert [(row.algorithm, row.rank, row.dominated_by) for row in advice.rows] == [("b", 1, ()), ("a", None, ())]
    assert words.value(advice.rows[1].found.get("goodput"), RATE) == "\N{EN DASH}"


def test_an_interval_is_shown_in_digits_that_count_and_never_leaves_what_is_possible() -> None:
    # Of two values, one resample in four has the smaller twice: more than 2.5 %.
    found = advised({"a": {RATE: [99.0, 101.0], TIME: [3.0, 4.0, 5.0, 80.0], SHARE: [0.01, 0.02, 0.9]}}).rows[0].found
    assert words.value(found["goodput"], RATE) == "100 (99 to 101)"
    # The t interval of these times reaches -37 s, that of the shares from -0.97 to 1.6.
    assert summarise([3.0, 4.0, 5.0, 80.0]).t_interval[0] < 0 and summarise([0.01, 0.02, 0.9]).t_interval[1] > 1
    assert 3.0 <= found["time"].low < found["time"].high <= 80.0
    assert 0.01 <= found["share"].low < found["share"].high <= 0.9
    steady = Column("g", "g", "", "e", "m", "more", matters=10.0)
    assert words.value(advised({"a": {steady: [965.3334, 965.3335]}}).rows[0].found["g"], steady) == "965"
    assert words.value(summarise([965.3334]), steady) == "965"


def path(rate: str, rtt: str, queue: str, **more: str) -> advise.Network:
    return advise.network({"rate": rate, "queue": queue}, rtt, **more)


def test_the_epoch_is_that_of_two_synchronised_reno_flows() -> None:
    # 875 packets of BDP and 175 of queue, 20833 packets per second: 1050^2 / (4 x 20833) s.
    network = path("250Mbit", "42ms", "20%bdp")
    assert network.queue_packets == 175
    assert network.epoch_s == pytest.approx(13.23, rel=1e-3)


@pytest.mark.parametrize(
    ("rate", "rtt", "queue", "duration_s"),
    [
        ("10Mbit", "20ms", "50%bdp", 60),  # Short epochs: a minute.
        ("10Mbit", "600ms", "50%bdp", 600),  # An epoch of 169 s, of which ten minutes are affordable.
        ("1Gbit", "100ms", "50%bdp", 240),  # 20 million packets.
        ("100Gbit", "100ms", "50%bdp", 20),  # 200 round trips, whatever they cost.
    ],
)
def test_a_run_holds_epochs_where_it_can_and_round_trips_in_any_case(rate: str, rtt: str, queue: str, duration_s: float) -> None:
    assert path(rate, rtt, queue).duration_s == duration_s


@pytest.mark.parametrize(("queue", "packets"), [("100", 100), ("50%bdp", 50), ("6ms", 50), ("75kB", 50)])
def test_a_queue_is_counted_in_packets_whatever_its_unit(queue: str, packets: float) -> None:
    assert path("100Mbit", "12ms", queue).queue_packets == pytest.approx(packets)


def test_the_competition_has_variants_and_numbers() -> None:
    assert path("10Mbit", "20ms", "50", competition="cubic:4,bbr").competition == (("cubic", 4), ("bbr", 1))
    assert path("10Mbit", "20ms", "50", competition="cubic:nohystart:2").competition == (("cubic:nohystart", 2),)


def test_the_flow_under_test_comes_first_and_all_start_within_a_twentieth_of_the_run() -> None:
    network = path("10Mbit", "20ms", "50", competition="cubic:3")
    found = {one.id: one.scenario({"alg": "htcp", "aqm": "drop-tail"}, Draws(1)) for one in advise.make(network).experiments}
    assert [flow.algorithm for flow in found[BESIDE].flows] == ["htcp", "cubic", "cubic", "cubic"]
    assert [flow.algorithm for flow in found[RENO].flows] == ["htcp", "reno"]
    assert len({flow.start_s for flow in found[BESIDE].flows}) == 4
    assert all(0 <= flow.start_s <= 3 for flow in found[BESIDE].flows)
    assert found[EQUAL].flows[0].start_s == 0 and 6 <= found[EQUAL].flows[1].start_s <= 12


def test_with_competition_the_rate_beside_it_ranks() -> None:
    assert advise.make(path("10Mbit", "20ms", "50")).by == "goodput"
    assert advise.make(path("10Mbit", "20ms", "50", competition="cubic")).by == "own"
    with pytest.raises(ScenarioError, match="own"):
        advise.make(path("10Mbit", "20ms", "50"), by="own")


def load(discipline: str, algorithm: str, rtt_ms: float, rate_mbps: float = 50.0) -> ranking.Load:
    return ranking.Load(discipline, algorithm, summarise([rtt_ms, rtt_ms]), summarise([rate_mbps, rate_mbps]))


PLAIN = [load("drop-tail", "cubic", 215.0), load("drop-tail", "bbr", 66.0)]


def test_the_cure_is_what_shortens_the_round_trip_of_all_that_load_the_link() -> None:
    codel = [load("codel", "cubic", 34.0), load("codel", "bbr", 60.0)]
    fair = [load("fq-codel", "cubic", 32.0), load("fq-codel", "bbr", 36.0)]
    assert queues.cure([*PLAIN, *codel, *fair], 30.0) == ("fq-codel", 30.0)
    # CoDel saves BBR 6 ms, less than a quarter of the 30.
    assert queues.cure([*PLAIN, *codel], 30.0) is None
    starved = [load("pie", "cubic", 31.0, 40.0), load("pie", "bbr", 31.0)]
    assert queues.cure([*PLAIN, *starved], 30.0) is None, "what costs a fifth of the throughput is no cure"


def test_the_advice_ends_with_what_an_operator_can_do() -> None:
    network = path("50Mbit", "30ms", "200ms")
    rate, delay = (next(one for one in advise.columns(network) if one.name == name) for name in ("goodput", "delay"))
    given = {"cubic": {rate: [48.0, 48.0], delay: [195.0, 195.0]}, "vegas": {rate: [47.9, 47.9], delay: [2.0, 2.0]}}
    slow = {"lp": {rate: [20.0, 20.0], delay: [1.0, 1.0]}}
    fair = [load("fq-codel", "cubic", 32.0), load("fq-codel", "bbr", 36.0)]
    first, second = queues.sentences(advised({**given, **slow}), [*PLAIN, *fair], network)
    assert "fq-codel on the bottleneck cures it (cubic 215 -> 32 ms, bbr 66 -> 36 ms" in first
    assert "tc qdisc replace dev DEV root fq_codel" in first
    assert second.startswith("If the queue is not yours, vegas alone keeps it shortest of those that fill the link: 2 ms")
    (only,) = queues.sentences(advised(given), [load("drop-tail", "cubic", 33.0), load("fq-codel", "cubic", 32.0)], network)
    assert only.startswith("The queue adds at most 3 ms to the round trip of 30 ms")


@contextlib.contextmanager
def here(_: int) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "workers", here)


@pytest.mark.usefixtures("in_process")
def test_a_queue_of_one_bdp_lets_reno_fill_the_link_and_vegas_leave_it_empty(cli: Any) -> None:
    outcome = cli(*SMALL, "--competition", "cubic:2", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    found = json.loads(outcome.out)
    rows = {row["algorithm"]: row["values"] for row in found["algorithms"]}
    # Halving a window of two BDP leaves one: the link stays busy but for the recoveries, about one per cent of so short a window.
    # 1448 of the 1500 bytes of a packet are payload.
    assert rows["reno"]["goodput"]["mean"] == pytest.approx(5 * 1448 / 1500, rel=0.02)
    # Vegas holds 2 to 4 packets of 2.4 ms, and a delayed ACK releases two at a time.
    assert rows["vegas"]["delay"]["mean"] <= 6 * 2.4
    assert rows["reno"]["delay"]["mean"] > 30
    # Three flows carry no more than the link does.
    assert rows["reno"]["own"]["mean"] + 2 * rows["reno"]["others"]["mean"] <= 5.001
    assert found["leaders"]["delay"][0] == "vegas"
    assert found["ran"]["duration_s"] == 20
    assert found["path"]["competition"] == [{"algorithm": "cubic", "flows": 2}]
    # 40 ms of base and 40 ms of queue, which two CUBIC flows keep at seven tenths and more; CoDel's target is 5 ms, two packets here.
    loads = {(one["discipline"], one["algorithm"]): one for one in found["under_load"]}
    assert len(loads) == 8 and 65 < loads["drop-tail", "cubic"]["rtt_ms"]["mean"] < 85
    assert loads["fq-codel", "cubic"]["rtt_ms"]["mean"] < 60 and loads["drop-tail", "cubic"]["rate_mbps"]["mean"] > 4.8
    assert len(found["operator"]) >= 1 and "40 ms" in found["operator"][0]


@pytest.mark.usefixtures("in_process")
def test_the_page_is_named_last_opens_offline_and_a_repeat_runs_nothing(cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    first = cli(*SMALL, "--out", str(out))
    index = out / "advice" / "index.html"
    assert first.code == 0
    assert first.out.splitlines()[-1] == f"report: {index}"
    page = index.read_text(encoding="utf-8")
    assert "reno" in page and "vegas" in page and "20 s" in page
    for target in re.findall(r'(?:src|href)="([^"#]+)"', page):
        assert target.startswith("data:") or (index.parent / target).is_file(), target
    figure = (index.parent / "figures" / "tradeoffs.svg").read_text(encoding="utf-8")
    assert "Queueing delay alone" in figure and ">vegas<" in figure

    def refuse(task: object) -> None:
        raise AssertionError("it was run again")

    monkeypatch.setattr(runner, "_make", refuse)
    again = cli(*SMALL, "--out", str(out), "--json")
    assert again.code == 0
    assert json.loads(again.out) == json.loads((index.parent / "advice.json").read_text(encoding="utf-8"))


@pytest.mark.usefixtures("in_process")
def test_without_a_folder_nothing_is_left(cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    outcome = cli("advise", "--rate", "2Mbit", "--rtt", "20ms", "--alg", "reno", "--duration", "5s", "--seeds", "1")
    assert outcome.code == 0
    assert "--out DIR" in outcome.err and "One seed has no interval" in outcome.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "bad",
    [
        ("--competition", "cubik:4"),
        ("--competition", "cubic:0"),
        ("--competition", ""),
        ("--alg", "renoo"),
        ("--by", "beauty"),
        ("--rate", "fast"),
        ("--queue", "0"),
        ("--loss", "2"),
        ("--duration", "5h"),
        ("--seeds", "0"),
    ],
)
def test_bad_input_is_refused_by_name_before_anything_runs(cli: Any, tmp_path: Path, bad: tuple[str, str]) -> None:
    outcome = cli(*SMALL, *bad, "--out", str(tmp_path / "out"))
    assert (outcome.code, outcome.err.count("\n"), outcome.out) == (2, 1, "")
    assert bad[1] in outcome.err
    assert not (tmp_path / "out").exists()
