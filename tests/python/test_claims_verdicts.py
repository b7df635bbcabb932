"""From the truth of a predicate to a verdict: repeats, resamples, estimates, intervals, sensitivity. Rules: docs/concepts/claims.md."""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from windtunnel.claims import Verdict, claims_json, judge, packaged_register
from windtunnel.claims.loading import build
from windtunnel.claims.reading import read_document

DOCUMENT = read_document(Path(__file__).parents[1] / "formats/register/small.yaml")
COLUMNS = {
    **dict.fromkeys(("alg", "metric", "flow", "state", "run", "digest"), pl.String()),
    **dict.fromkeys(("rtt", "rate", "q", "p", "t0", "t1", "value"), pl.Float64()),
    "seed": pl.Int64(),
}

Row = dict[str, Any]


def point(metric: str, values: Sequence[float | None], *, digests: Sequence[str] | None = None, **where: Any) -> list[Row]:
    """One row per repeat, seeds from 1; each repeat is a run of its own."""
    label = "/".join(f"{key}={value}" for key, value in where.items())
    names = [f"{label}#{seed}" for seed in range(1, len(values) + 1)]
    facts = zip(values, names, digests or names, strict=True)
    rows = [{**where, "metric": metric, "value": value, "run": run, "digest": digest} for value, run, digest in facts]
    return [{**row, "seed": seed} for seed, row in enumerate(rows, start=1)]


def decide(
    predicate: str,
    tables: Mapping[str, list[Row]],
    *,
    experiment: str = "lab.main",
    emulations: Mapping[str, str] | None = None,
    **entry: str,
) -> Verdict:
    document = copy.deepcopy(DOCUMENT)
    document["claims"] = [{**document["claims"][0], "experiment": experiment, "check": {"predicate": predicate}, **entry}]
    frames = {name: pl.DataFrame(rows, schema=COLUMNS) for name, rows in tables.items()}
    return judge(build(document, file="small"), frames, emulations=emulations)[0]


def about(values: Sequence[float | None], predicate: str = "M('util',alg='reno',rtt=20) > 10", **facts: Any) -> Verdict:
    return decide(predicate, {"lab.main": point("util", values, alg="reno", rtt=20.0, **facts)})


def test_repeats_that_agree_hold_or_fail() -> None:
    assert about([11, 12, 13]).verdict == "holds"
    assert about([7, 8, 9]).verdict == "fails"


def test_repeats_that_disagree_are_inconclusive() -> None:
    # Mean 10.4. A resample with two 8s or more has at most 9.8, and 26 % of them have (binomial, five draws at 1 in 5).
    verdict = about([8, 11, 11, 11, 11])
    assert verdict.verdict == "inconclusive"
    assert verdict.reason.startswith("it holds on the estimates, and holds in ")
    assert about([9, 9, 9, 12]).reason.startswith("it fails on the estimates, and holds in ")


def test_at_least_95_percent_of_the_resamples_must_agree() -> None:
    # A resample of five has a mean below 2 only when it draws the 0 every time: 1 in 3125.
    assert about([0, 10, 10, 10, 10], "M('util',alg='reno',rtt=20) > 1.9").verdict == "holds"
    # It has 6 or less with two 0s or more: 26 %.
    assert about([0, 10, 10, 10, 10], "M('util',alg='reno',rtt=20) > 6.1").verdict == "inconclusive"


def test_fewer_than_three_repeats_where_five_are_asked_decide_nothing() -> None:
    verdict = about([11, 12])
    assert (verdict.verdict, verdict.runs) == ("inconclusive", 2)
    assert verdict.reason == "2 of 5 repeats at lab.main: util at alg=reno, rtt=20; at least 3 are needed"
    assert verdict.estimate == [11.5]
    assert about([11]).verdict == "inconclusive"
    assert about([9, 8]).verdict == "inconclusive"


def test_two_seeds_with_the_same_records_need_no_third() -> None:
    assert about([11, 11], digests=["same", "same"]).verdict == "holds"
    assert about([9, 9], digests=["same", "same"]).verdict == "fails"
    # One run cannot show that it is deterministic.
    assert about([11], digests=["same"]).verdict == "inconclusive"


def test_a_closed_form_needs_no_repeats() -> None:
    rows = [{**row, "seed": 0} for row in point("util", [0.5], alg="reno")]
    verdict = decide("M('util',alg='reno') == 0.5", {"lab.law": rows}, experiment="lab.law")
    assert (verdict.verdict, verdict.estimate, verdict.interval) == ("holds", [0.5], None)


def test_a_single_repeat_where_one_is_asked_decides_without_an_interval() -> None:
    verdict = decide("M('util') > 0.9", {"lab.once": point("util", [0.95])}, experiment="lab.once")
    assert (verdict.verdict, verdict.estimate, verdict.interval, verdict.runs) == ("holds", [0.95], None, 1)
    assert decide("M('util') > 0.96", {"lab.once": point("util", [0.95])}, experiment="lab.once").verdict == "fails"


def test_more_repeats_than_the_one_asked_are_all_used() -> None:
    verdict = decide("M('util') > 0.5", {"lab.once": point("util", [0, 1, 1, 0])}, experiment="lab.once")
    assert (verdict.estimate, verdict.runs) == ([0.5], 4)
    assert verdict.verdict == "inconclusive"


@pytest.mark.parametrize("how", ["needs-host-model", "wan-only"])
def test_a_judge_that_was_not_attempted_leaves_a_claim_unjudged(how: str) -> None:
    verdict = decide("M('util') > 0.9", {"lab.once": point("util", [0.95])}, experiment="lab.once", judge=how)
    assert (verdict.verdict, verdict.estimate, verdict.runs, verdict.sensitivity) == ("not_run", None, 0, {})
    assert verdict.reason.endswith("which was not run")
    assert verdict.judged_on == ""


@pytest.mark.parametrize("how", ["needs-host-model", "wan-only"])
def test_a_claim_that_only_an_emulation_can_judge_is_judged_on_one_and_says_so(how: str) -> None:
    tables = {"lab.once": point("util", [0.95])}
    verdict = decide("M('util') > 0.9", tables, experiment="lab.once", judge=how, emulations={"lab.once": "a slow host"})
    assert (verdict.verdict, verdict.estimate, verdict.judged_on) == ("holds", [0.95], "an emulation: a slow host")
    elsewhere = decide("M('util') > 0.9", tables, experiment="lab.once", judge=how, emulations={"lab.main": "a slow host"})
    assert elsewhere.verdict == "not_run"
    missing = decide("M('util') > 0.9", {}, experiment="lab.once", judge=how, emulations={"lab.once": "a slow host"})
    assert (missing.verdict, missing.judged_on) == ("not_run", "")


def test_a_claim_that_simulation_judges_is_not_said_to_be_judged_on_an_emulation() -> None:
    tables = {"lab.once": point("util", [0.95])}
    verdict = decide("M('util') > 0.9", tables, experiment="lab.once", emulations={"lab.once": "a slow host"})
    assert (verdict.verdict, verdict.judged_on) == ("holds", "")


def test_what_was_not_run_says_so() -> None:
    assert decide("M('util') > 0", {}, experiment="lab.once").reason == "lab.once was not run"
    verdict = about([11, 12, 13], "M('util',alg='reno',rtt=20) > M('util',alg='cubic',rtt=20)")
    assert (verdict.verdict, verdict.reason) == ("not_run", "lab.main: util has no value at alg=cubic, rtt=20")


def test_repeats_without_a_value_are_left_out_and_counted() -> None:
    verdict = about([11, None, 12, 13])
    assert (verdict.verdict, verdict.estimate) == ("holds", [12.0])
    assert verdict.reason == "1 of 4 repeats have no value at lab.main: util at alg=reno, rtt=20"
    assert about([11, None, None, 13]).verdict == "inconclusive"
    assert about([None, None, None]).verdict == "not_run"


def test_a_seed_that_comes_twice_is_not_two_repeats() -> None:
    rows = point("util", [11], alg="reno", rtt=20.0) * 3
    verdict = decide("M('util',alg='reno',rtt=20) > 10", {"lab.main": rows})
    assert verdict.verdict == "not_run"
    assert "a seed comes twice" in verdict.reason


def test_a_table_without_a_needed_column_is_refused() -> None:
    register = build(copy.deepcopy(DOCUMENT), file="small")
    with pytest.raises(ValueError, match=r"lab\.main: the table of measures has no column metric"):
        judge(register, {"lab.main": pl.DataFrame({"seed": [1], "value": [1.0]})})


def test_points_of_one_experiment_are_resampled_together() -> None:
    # The same repeats are drawn at both points, so a difference that is 1 in every repeat is 1 in every resample.
    rows = point("util", [1, 5, 30, 2, 80], alg="reno", rtt=20.0) + point("util", [2, 6, 31, 3, 81], alg="cubic", rtt=20.0)
    verdict = decide("M('util',alg='cubic',rtt=20) - M('util',alg='reno',rtt=20) >= 0.999", {"lab.main": rows})
    assert verdict.verdict == "holds"
    assert verdict.interval is not None
    assert verdict.interval[0] == pytest.approx([1, 1])


def test_a_second_evaluation_is_identical() -> None:
    first, second = (about([8, 11, 9, 14, 11]) for _ in range(2))
    assert first == second
    assert first.interval is not None


def test_the_interval_is_that_of_the_resampled_mean() -> None:
    # The mean of n draws from values of standard deviation s has one of s / sqrt(n), and 1.96 of them make a 95 % interval. With 30
    # repeats and 200 resamples the ends are good to a third of the half width.
    values = [float(value) for value in range(30)]
    half = 1.96 * float(np.std(values)) / math.sqrt(30)
    verdict = about(values)
    assert verdict.interval is not None
    low, high = verdict.interval[0]
    assert low == pytest.approx(14.5 - half, abs=half / 3)
    assert high == pytest.approx(14.5 + half, abs=half / 3)


def test_an_estimate_for_each_operand_that_was_measured() -> None:
    # Constant operands are skipped, a middle operand comes once, of a distance from a constant the measured side is reported.
    values = [4.0, 4.0, 4.0]
    assert about(values, "1 <= M('util',alg='reno',rtt=20) <= 5").estimate == [4]
    assert about(values, "abs(M('util',alg='reno',rtt=20)-5) <= 0.25*5").estimate == [4]
    assert about(values, "abs(5-M('util',alg='reno',rtt=20)) <= 0.25*5").estimate == [4]
    assert about(values, "abs(M('util',alg='reno',rtt=20)-2*M('util',alg='reno',rtt=20)) <= 5").estimate == [4]
    # What is compared twice is reported once.
    twice = "M('util',alg='reno',rtt=20) > 1 and 2*M('util',alg='reno',rtt=20) < M('util',alg='reno',rtt=20)"
    assert about(values, twice).estimate == [4, 8]
    assert about(values, "0 < 1 or frac_inf(R('util',alg='reno',rtt=20)) >= 0.5").estimate == [0]
    assert about(values, "mean([1,2]) > 1 and M('util',alg='reno',rtt=20) > 1").estimate == [4]


def test_all_reports_the_element_nearest_to_failing() -> None:
    rows = [row for rtt, value in ((20.0, 50), (40.0, 11), (80.0, 30)) for row in point("util", [value] * 3, alg="reno", rtt=rtt)]
    assert decide("all(x > 10 for x in V('util',over='rtt',alg='reno'))", {"lab.main": rows}).estimate == [11]
    # Elements of different size are compared in ratio: 50 is 4 % from 52, 11 is 21 % from 14.
    assert decide("all(x < b for x,b in zip(V('util',over='rtt',alg='reno'),[52,14,90]))", {"lab.main": rows}).estimate == [50]
    # Of several that fail, the one that fails by most.
    failing = decide("all(M('util',alg='reno',rtt=r) < 20 for r in [20,40,80])", {"lab.main": rows})
    assert (failing.verdict, failing.estimate) == ("fails", [50])


def test_runs_are_counted_once() -> None:
    # Two metrics of the same five runs, and one point of another experiment that shares a run with them.
    rows = point("util", [1] * 5, alg="reno", rtt=20.0) + point("conv80_s", [1] * 5, alg="reno", rtt=20.0)
    other = [{**row, "run": rows[0]["run"]} for row in point("util", [1])]
    predicate = "M('util',alg='reno',rtt=20) == 1 and M('conv80_s',alg='reno',rtt=20) == 1 and M('util',exp='lab.once') == 1"
    assert decide(predicate, {"lab.main": rows, "lab.once": other}).runs == 5


def test_a_verdict_that_changes_under_a_variant_says_so() -> None:
    where = {"alg": "reno", "rtt": 20.0}
    rows = point("conv80_s", [30, 31, 32], **where) + point("conv80_s@long_memory", [90, 91, 92], **where)
    rows += point("conv80_s@short_memory", [20, 21, 22], **where) + point("util", [1] * 3, **where)
    verdict = decide("M('conv80_s',alg='reno',rtt=20) < 60", {"lab.main": rows})
    assert (verdict.verdict, verdict.estimate) == ("holds", [31])
    assert verdict.sensitivity == {"long_memory": "fails", "short_memory": "holds"}
    assert verdict.reason == "the verdict changes: fails under long_memory"
    # A predicate that does not touch the metric has no variants; one that a variant leaves without a value is not run under it.
    assert decide("M('util',alg='reno',rtt=20) == 1", {"lab.main": rows}).sensitivity == {}
    more = [*rows, *point("conv80_s", [5] * 3, alg="cubic", rtt=20.0)]
    both = decide("M('conv80_s',alg='cubic',rtt=20) < M('conv80_s',alg='reno',rtt=20)", {"lab.main": more})
    assert (both.verdict, both.sensitivity["long_memory"]) == ("holds", "not_run")


def test_json_holds_every_key_and_spells_out_infinity() -> None:
    verdict = decide("M('conv80_s') > 50", {"lab.once": point("conv80_s", [math.inf])}, experiment="lab.once")
    row = claims_json([verdict])[0]
    assert json.loads(json.dumps(row, allow_nan=False)) == row
    assert row == {
        "id": "lab.c01",
        "verdict": "holds",
        "estimate": ["inf"],
        "interval": None,
        "labels": ["conv80_s"],
        "runs": 1,
        "experiment": "lab.once",
        "claim": "Reno fills the link at 40 ms",
        "published": "about 0.95",
        "reason": "",
        "sensitivity": {},
        "backend": "sim",
        "judged_on": "",
        "by_construction": "",
        "predicate": "M('conv80_s') > 50",
        "tolerance": "",
        "caveat": "",
        "why": None,
    }


def test_an_interval_may_end_at_infinity() -> None:
    # Three of five repeats are infinite: most resamples are, the others are near (600 + 600 + 3 x 10) / 5.
    verdict = decide(
        "M('conv80_s',alg='reno',rtt=20) > 600", {"lab.main": point("conv80_s", [math.inf] * 3 + [10, 10], alg="reno", rtt=20.0)}
    )
    assert verdict.estimate == [math.inf]
    row = claims_json([verdict])[0]
    assert row["interval"][0][1] == "inf"
    assert row["interval"][0][0] < 600


def li07_tables() -> dict[str, pl.DataFrame]:
    """Measures of every experiment of the packaged register at full scale: 5 seeds, 7 protocols, its whole grid."""
    register = packaged_register("li07")
    rng = np.random.default_rng(1)
    tables = {}
    for experiment in register.experiments.values():
        points = {name: values if name != "alg" else (*values, "extra") for name, values in experiment.points.items()}
        grid = pl.DataFrame({"seed": range(1, max(1, experiment.repeats) + 1)}, schema={"seed": pl.Int64()})
        for name, values in points.items():
            grid = grid.join(pl.DataFrame({name: list(values)}), how="cross")
        names = [
            *experiment.measures,
            "conv80_s@short_memory",
            "conv80_s@long_memory",
            "conv80_s@fair_share",
            *(f"other{n}" for n in range(8)),
        ]
        table = grid.join(pl.DataFrame({"metric": names}), how="cross")
        value = pl.Series("value", rng.uniform(0.1, 1.0, table.height))
        run = pl.concat_str([pl.lit(experiment.id), *(pl.col(name).cast(pl.String) for name in ("seed", *points))], separator="/").alias(
            "run"
        )
        tables[experiment.id] = table.with_columns(value, run).with_columns(pl.col("run").alias("digest"))
    return tables


def test_the_full_register_is_judged_within_seconds_and_twice_the_same() -> None:
    register, tables = packaged_register("li07"), li07_tables()
    began = time.perf_counter()
    first = judge(register, tables)
    spent = time.perf_counter() - began
    # A third of the 180 published claims: 5 s for all of them leaves about 1.5 s; a loaded machine gets four times that.
    assert spent < 6
    assert first == judge(register, tables)
    assert [verdict.id for verdict in first] == [claim.id for claim in register.claims]
    outcomes = {verdict.id: verdict for verdict in first}
    assert outcomes["li07.c01"].verdict == "not_run"  # wan-only
    touched = [verdict for verdict in first if "conv80_s" in verdict.predicate]
    assert touched
    assert all(set(verdict.sensitivity) == {"fair_share", "long_memory", "short_memory"} for verdict in touched)
    # Every simulable claim has its points in these tables, but for parameters and unit checks, which have states of their own.
    assert {verdict.id for verdict in first if verdict.verdict == "not_run" and verdict.judge == "sim"} == {
        "li07.c60",
        "li07.c62",
        "li07.c63",
    }
    json.dumps(claims_json(first), allow_nan=False)


def test_an_element_of_a_list_is_said_where_it_was_measured_and_once() -> None:
    of = {"reno": (0.5, 0.4, 0.3), "cubic": (0.9, 0.35, 0.8)}
    places = [(alg, rtt, value) for alg, values in of.items() for rtt, value in zip((20.0, 40.0, 80.0), values, strict=True)]
    rows = [row for alg, rtt, value in places for row in point("util", [value] * 3, alg=alg, rtt=rtt)]
    paired = "all(x >= y - 0.1 for x,y in zip(V('util',over='rtt',alg='cubic'),V('util',over='rtt',alg='reno')))"
    assert decide(paired, {"lab.main": rows}).labels == ("util (cubic, rtt 40)", "util (reno, rtt 40) - 0.1")
    twice = "M('util',alg='reno',rtt=20) > 0.2 and M('util',alg='reno',rtt=20) < 2*M('util',alg='cubic',rtt=20)"
    found = decide(twice, {"lab.main": rows})
    assert found.labels == ("util (reno, rtt 20)", "2 * util (cubic, rtt 20)") and found.estimate == [0.5, 1.8]
