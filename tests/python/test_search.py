"""A search finds what is known to break, shrinks it to a known boundary, and says nothing where there is nothing."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from windtunnel import scenario
from windtunnel.cli import main
from windtunnel.metrics import View
from windtunnel.run import run
from windtunnel.scenario import ScenarioError
from windtunnel.search import PROPERTIES, Case, Dimension, Trials, read_dimension, read_property, search, write_case
from windtunnel.search.finding import BATCH, FIRM_SEEDS, FRESH_SEEDS, SHRINK_SEEDS
from windtunnel.store import writing_results
from windtunnel.theory import buffers


@dataclass(frozen=True)
class Made:
    """Trials by a formula: what is measured is a function of values and seed."""

    sought: Any
    value: Callable[[dict[str, float], int], float | None]
    asked: list[tuple[dict[str, float], int]]

    def scenario(self, values: dict[str, float]) -> dict[str, float]:
        return values

    def measured(self, cases: Sequence[dict[str, float]], repeats: int) -> list[list[float | None]]:
        self.asked.extend((values, repeats) for values in cases)
        return [[self.value(values, seed) for seed in range(1, repeats + 1)] for values in cases]


def of(text: str, value: Callable[[dict[str, float], int], float | None]) -> Made:
    return Made(read_property(text), value, [])


def test_a_range_is_searched_by_ratios_where_it_is_wide_and_from_zero_by_decades() -> None:
    rate = read_dimension("rate=1Mbit..10Gbit")
    assert [rate.value(share) for share in (0.0, 0.5, 1.0)] == [1e6, 1e8, 1e10]
    assert read_dimension("rtt=1..601ms") == Dimension("rtt", 0.001, 0.601)
    loss = read_dimension("loss=0..1e-3")
    assert [loss.value(share) for share in (0.0, 0.05, 0.1, 0.55, 1.0)] == [0.0, 0.0, 0.0, 1e-5, 1e-3]
    assert [read_dimension("queue=1..2bdp").value(share) for share in (0.0, 0.25, 1.0)] == [1.0, 1.25, 2.0]
    assert read_dimension("queue=20%bdp..1bdp").value(0.5) == 0.6
    assert [read_dimension("flows=1..4").value(share) for share in (0.0, 0.4, 1.0)] == [1.0, 2.0, 4.0]
    assert read_dimension("step=100ms..0").value(0.0) == 0.1


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("speed=1..2", "over: 'speed' is not a known dimension"),
        ("rate", "over: "),
        ("rate=5Mbit", "over: 'rate=5Mbit' is no range; allowed: rate=FIRST..LAST"),
        ("rate=5Mbit..5Mbit", "over: 'rate=5Mbit..5Mbit' is no range; allowed: two different values"),
        ("rtt=1ms..fast", "over: 'rtt=1ms..fast': rtt: "),
        ("rate=0..1Mbit", "over: 'rate=0..1Mbit' is no range; allowed: two different values, none below 0, of rate above 0"),
        ("flows=1..2.5", "over: 'flows=1..2.5' is no range of flows; allowed: whole numbers"),
        ("loss=-1..0", "over: 'loss=-1..0' is no range"),
    ],
)
def test_a_range_that_is_none_is_one_line(text: str, line: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        read_dimension(text)
    assert str(caught.value).startswith(line) and "\n" not in str(caught.value)


def test_a_property_is_a_name_or_a_metric_with_a_bound() -> None:
    assert read_property("starvation") is PROPERTIES["starvation"]
    below, above = read_property("util < 0.5"), read_property("loss_ovh>5e-2")
    assert [below.distance(value) for value in (0.25, 0.5, 1.0)] == [-0.5, 0.0, 1.0]
    assert above.distance(0.1) == -1.0 and above.distance(0.0) == 1.0 and above.name == "loss-ovh-above-0.05"
    late = read_property("no-convergence")
    assert late.distance(math.inf) == -1e3 and late.distance(15.0) == 0.5 and late.distance(None) == math.inf
    for text in ("util", "util = 1", "utilization < 1", "util < x", "util < 1e", ""):
        with pytest.raises(ScenarioError, match=r"^property: .*allowed"):
            read_property(text)


def test_shrinking_ends_at_the_boundary_and_leaves_alone_what_does_not_matter() -> None:
    # Broken where rtt is above 0.2 s, whatever the loss: loss goes to its first end, rtt to the boundary.
    trials = of("util < 0.5", lambda values, seed: 0.4 if values["rtt"] > 0.2 else 0.9)
    found = search(trials, [read_dimension("rtt=0.1s..0.6s"), read_dimension("loss=0..1e-3")], most=64, seed=1)
    assert found.case is not None and found.case.values["loss"] == 0.0
    assert 0.2 < found.case.values["rtt"] <= 0.2 + 0.5 / 2**5
    assert found.case.is_confirmed and len(found.case.fresh) == FRESH_SEEDS
    assert max(repeats for _, repeats in trials.asked) == FIRM_SEEDS + FRESH_SEEDS > FIRM_SEEDS > SHRINK_SEEDS


def test_a_case_that_only_some_seeds_break_goes_back_to_one_that_all_do() -> None:
    # Seed s breaks from 0.2 + 0.02 s on: three seeds end at 0.26, eight at 0.36.
    trials = of("util < 0.5", lambda values, seed: 0.4 - values["rtt"] / 10 if values["rtt"] > 0.2 + 0.02 * min(seed, 8) else 0.9)
    found = search(trials, [read_dimension("rtt=0.1s..0.6s")], most=64, seed=1)
    assert found.case is not None and found.case.is_confirmed and found.case.values["rtt"] > 0.36
    never = of("util < 0.5", lambda values, seed: 0.4 if seed <= FIRM_SEEDS else 0.9)
    found = search(never, [read_dimension("rtt=0.1s..0.6s")], most=64, seed=1)
    assert found.case is not None and not found.case.is_confirmed and found.case.broken == 0


def test_where_nothing_breaks_all_trials_are_made_and_the_nearest_is_told() -> None:
    trials = of("util < 0.5", lambda values, seed: 0.6 + values["rtt"])
    found = search(trials, [read_dimension("rtt=0.1s..0.6s")], most=20, seed=1)
    assert (found.trials, found.breaking, found.case) == (20, 0, None)
    tried = [values["rtt"] for values, _ in trials.asked[:20]]
    assert found.nearest == 0.6 + min(tried)
    # The same seed tries the same points, another one others.
    again, other = (of("util < 0.5", lambda values, seed: 0.6 + values["rtt"]) for _ in range(2))
    search(again, [read_dimension("rtt=0.1s..0.6s")], most=20, seed=1)
    search(other, [read_dimension("rtt=0.1s..0.6s")], most=20, seed=2)
    assert again.asked == trials.asked and other.asked != trials.asked


def test_the_optimiser_finds_what_chance_would_miss() -> None:
    # A ball of a three hundredth of the cube: uniform draws need some 300 trials, and half of the searches this many.
    def value(values: dict[str, float], seed: int) -> float:
        return 0.5 + 10 * (math.dist([values[name] for name in ("spread", "queue", "lag")], [1.7, 1.2, 0.8]) - 0.09)

    over = [Dimension("spread", 1.0, 2.0), Dimension("queue", 1.0, 2.0), Dimension("lag", 0.0, 1.0)]
    needed = [search(of("util < 0.5", value), over, most=200, seed=seed).trials for seed in range(1, 6)]
    assert sorted(needed)[2] < 150


@pytest.mark.usefixtures("in_threads")
def test_renos_utilisation_breaks_at_the_buffer_that_theory_names(tmp_path: Path) -> None:
    # A fluid Reno fills 75 % without a buffer, 90 % with 0.27 BDP. 667 packets are close to a fluid; 0.05 BDP are 33 packets.
    assert float(buffers.aimd_efficiency(0.0)) == 0.75
    over = [read_dimension("queue=1..0.05bdp")]
    with writing_results(tmp_path / "out") as results:

        class Fast(Trials):
            def scenario(self, values: Any) -> scenario.Scenario:
                return super().scenario({"rate": 200e6, **values})

        made = Fast(read_property("util < 0.9"), ("reno",), 80.0, 20.0, results, 1)
        found = search(made, over, most=2 * BATCH, seed=1)
        assert found.case is not None and found.case.is_confirmed
        # The way is halved five times (0.03 BDP), and the last is the last that breaks it.
        assert float(buffers.aimd_efficiency(found.case.values["queue"])) == pytest.approx(0.9, abs=0.02)
        none = search(Fast(read_property("util < 0.74"), ("reno",), 80.0, 20.0, results, 1), over, most=2 * BATCH, seed=1)
        assert none.case is None and none.nearest is not None and 0.74 < none.nearest < 0.85


JITTER = ["--over", "last-jitter=0..40ms"]

KNOWN = {
    # BBRv1 in shallow buffers retransmits without end (Hock et al., ICNP 2017; Cardwell et al., ACM Queue 2016).
    "bbr": ("bbr", "loss", ["--over", "queue=4..0.1bdp", "--over", "flows=2..4"], lambda values: values["queue"] < 1.5),
    # Vegas takes a path that has grown for a queue (La, Walrand and Anantharam, 1999).
    "vegas": ("vegas", "utilisation", ["--over", "step=0..100ms"], lambda values: 0 < values["step"] < 0.02),
    # Scalable TCP does not converge (Li, Leith and Shorten, 2007).
    "scalable": ("scalable", "no-convergence", ["--over", "lag=1s..20s"], lambda values: values["lag"] < 20),
    # H-TCP that keeps 0.8 of its window at every loss converges as slowly as CUBIC (Leith, Shorten and McCullagh, 2008, Fig. 6): what
    # makes H-TCP itself converge is that it halves the window when the throughput has changed by a fifth. 80 % of the fair share are
    # ln 0.2 / ln 0.8 = 7.2 losses away. At 50 Mbit/s, 142 ms and as much queue each flow regains 118 segments at 0.4 f(t) in 0.25 s, f(t)
    # about 10 t: in 5 s, so that it takes 36 s; with a shorter RTT less than the 30 s of the property.
    "htcp": (
        "htcp:beta08",
        "no-convergence",
        ["--over", "rate=50Mbit..400Mbit", "--over", "rtt=40ms..300ms", "--over", "lag=1s..20s"],
        lambda values: values["rate"] == 50e6 and 0.1 < values["rtt"] < 0.2,
    ),
    # Illinois whose largest RTT is too large has alpha 10 and beta 1/8 for ever, and Reno gets next to nothing (Leith et al., 2008). The
    # full queue of 1 BDP is 40 ms: what makes a tenth of the range between smallest and largest RTT of it is a spike of some 0.4 s.
    "illinois": ("reno,illinois", "starvation", ["--over", "spike=0..3s"], lambda values: 0.1 < values["spike"] < 1.5),
    # Whoever converges to a delay is starved by jitter that is larger than what its delay varies by (Arun, Alizadeh and Balakrishnan,
    # SIGCOMM 2022). Vegas keeps 2 to 4 packets in what it takes for the queue: with J of jitter it has
    # some 4/J of 50 Mbit/s, 4167 packets/s.
    "vegas-jitter": ("vegas", "starvation", JITTER, lambda values: 4 / values["last-jitter"] < 0.2 * 4167),
    "fast-jitter": ("fast", "starvation", JITTER, lambda values: 0 < values["last-jitter"] < 0.04),
    "copa-jitter": ("copa:default-mode", "starvation", JITTER, lambda values: 0 < values["last-jitter"] < 0.04),
}


@pytest.mark.usefixtures("in_threads")
@pytest.mark.parametrize("name", list(KNOWN))
def test_known_cases_are_found_again_and_their_files_run(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    algorithms, sought, over, is_known = KNOWN[name]
    budget = ["--duration", "60s", "--trials", "40"]
    assert main(["search", sought, "--alg", algorithms, *over, *budget, "--out", str(tmp_path / "out"), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["case"]["confirmed"] and is_known(told["case"]["values"]), told
    loaded = scenario.load(told["case"]["file"])
    one = PROPERTIES[sought]
    value = one.measure().function(View(run(loaded).records, {}))  # type: ignore[misc]
    assert one.distance(value) < 0  # type: ignore[arg-type]
    head = Path(told["case"]["file"]).read_text(encoding="utf-8").splitlines()[:2]
    assert head[0].startswith(f"# Breaks: {one.text} (") and head[1].endswith("5 of 5 break it.")


@pytest.mark.usefixtures("in_threads")
def test_a_case_is_written_as_the_scenario_it_is(tmp_path: Path) -> None:
    with writing_results(tmp_path / "out") as results:
        trials = Trials(PROPERTIES["starvation"], ("vegas", "reno"), 4.0, 1.0, results, 1)
        values = {
            "rate": 2e7,
            "rtt": 0.03,
            "queue": 0.4,
            "loss": 1e-5,
            "flows": 3.0,
            "spread": 4.0,
            "lag": 0.5,
            "step": 0.01,
            "spike": 0.2,
            "jitter": 2e-4,
            "last-jitter": 3e-4,
            "load": 0.2,
        }
        made = trials.scenario(values)
        assert [flow.rtt_s for flow in made.flows] == pytest.approx([0.03, 0.06, 0.12])
        assert [(flow.algorithm, flow.start_s) for flow in made.flows] == [("vegas", 0.0), ("reno", 0.5), ("vegas", 1.0)]
        assert made.jitter_s == 2e-4 and [flow.jitter_s for flow in made.flows] == [None, None, 3e-4]
        assert [(one.at_s, one.extra_s) for one in made.bottleneck.delay_steps] == [(0.667, 0.2), (1.0, 0.0), (1.333, 0.01)]
        assert [(one.load, one.rtts_s) for one in made.arrivals] == [(0.2, (0.03,))]
        path = write_case(Case(trials.sought, made, values, (0.01, None)), tmp_path / "cases")
    assert path.name == "vegas-reno-starvation.toml"
    assert scenario.digest(scenario.load(path)) == scenario.digest(made)
    assert "fair_minmax is 0.01, none: 1 of 2 break it" in path.read_text(encoding="utf-8")


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given, line in (
        (["util < 0.5", "--alg", "nonesuch", "--over", "rtt=1ms..2ms"], "error: alg: "),
        (["nothing", "--alg", "reno", "--over", "rtt=1ms..2ms"], "error: property: 'nothing' is none"),
        (["util < 0.5", "--alg", "reno", "--over", "rtt=1ms..2ms", "--over", "rtt=1ms..3ms"], "error: over: rtt comes twice"),
        (["util < 0.5", "--alg", "reno", "--over", "rtt=1ms..2ms", "--trials", "0"], "error: trials: 0 is out of range; allowed: 1 to"),
        (["util < 0.5", "--alg", "reno", "--over", "rtt=1ms..2ms", "--duration", "soon"], "error: duration: "),
    ):
        assert main(["search", *given, "--out", str(tmp_path / "out")]) == 2
        err = capsys.readouterr().err
        assert err.startswith(line) and err.count("\n") == 1, err
    assert not (tmp_path / "out").exists()
