"""What predicates mean and when a claim holds, on tables small enough to work out by hand. Rules: docs/concepts/claims.md."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from windtunnel.claims import Verdict, judge
from windtunnel.claims.loading import build
from windtunnel.claims.reading import read_document

DOCUMENT = read_document(Path(__file__).parents[1] / "formats/register/small.yaml")
INF, NAN = math.inf, math.nan
COLUMNS = {
    **dict.fromkeys(("alg", "site", "win", "metric", "flow", "state", "text", "run", "digest"), pl.String()),
    **dict.fromkeys(("rtt", "q", "p", "t0", "t1", "value"), pl.Float64()),
    "seed": pl.Int64(),
}

Row = dict[str, Any]


def point(metric: str, values: Sequence[float | str | None], **where: Any) -> list[Row]:
    """One row per repeat, seeds from 1; each repeat is a run of its own."""
    label = "/".join(f"{key}={value}" for key, value in where.items() if key not in ("flow", "state", "t0", "t1"))
    rows = []
    for seed, value in enumerate(values, start=1):
        column = "text" if isinstance(value, str) else "value"
        rows.append({**where, "metric": metric, "seed": seed, column: value, "run": f"{label}#{seed}", "digest": f"{label}#{seed}"})
    return rows


def frame(rows: Iterable[Row]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=COLUMNS)


def decide(predicate: str, tables: Mapping[str, list[Row]], *, experiment: str = "lab.main") -> Verdict:
    document = copy.deepcopy(DOCUMENT)
    document["claims"] = [{**document["claims"][0], "experiment": experiment, "check": {"predicate": predicate}}]
    return judge(build(document, file="small"), {name: frame(rows) for name, rows in tables.items()})[0]


def truth(predicate: str, values: Sequence[float | None] = (1.0,)) -> str:
    """The verdict on one point with repeats of `values`, read as M('util') or M('conv80_s')."""
    rows = point("util", values) + point("conv80_s", values)
    return decide(predicate, {"lab.once": rows}, experiment="lab.once").verdict


# Selectors


@pytest.mark.parametrize(
    ("rtt", "verdict"),
    [
        (40, "holds"),
        (44, "holds"),
        (44.1, "not_run"),
        (36.4, "holds"),
        (36.3, "not_run"),
        (36, "not_run"),
        (0, "not_run"),
        (-40, "not_run"),
    ],
)
def test_a_number_takes_the_point_within_10_percent_in_ratio(rtt: float, verdict: str) -> None:
    # 40 x 1.1 = 44; 40 / 1.1 = 36.36.
    rows = point("util", [0.5] * 3, alg="reno", rtt=40.0)
    assert decide(f"M('util',alg='reno',rtt={rtt}) == 0.5", {"lab.main": rows}).verdict == verdict


def test_of_two_points_in_reach_the_nearer_in_ratio_is_taken() -> None:
    document = copy.deepcopy(DOCUMENT)
    document["experiments"][0]["points"]["rtt"] = [100, 110]
    # 104.9 / 100 = 1.049 and 110 / 104.9 = 1.0486: nearer to 110 in ratio, to 100 in difference.
    document["claims"][0]["check"]["predicate"] = "M('util',alg='reno',rtt=104.9) == 2"
    rows = point("util", [1.0] * 3, alg="reno", rtt=100.0) + point("util", [2.0] * 3, alg="reno", rtt=110.0)
    assert judge(build(document, file="small"), {"lab.main": frame(rows)})[0].verdict == "holds"


def test_a_name_matches_exactly() -> None:
    rows = point("util", [0.5] * 3, alg="reno", rtt=40.0)
    verdict = decide("M('util',alg='Reno',rtt=40) == 0.5", {"lab.main": rows})
    assert (verdict.verdict, verdict.reason) == ("not_run", "lab.main: alg='Reno' is out of reach of its points")


def test_selectors_left_out_are_averaged_after_the_repeats() -> None:
    # Means of the points are 1, 2 and 6, whatever the number of repeats behind each: (1 + 2 + 6) / 3 = 3.
    rows = (
        point("util", [0, 1, 2], alg="reno", rtt=20.0)
        + point("util", [2] * 5, alg="reno", rtt=40.0)
        + point("util", [6] * 3, alg="reno", rtt=80.0)
    )
    assert decide("M('util',alg='reno') == 3", {"lab.main": rows}).estimate == [3.0]
    assert decide("M('util',alg='cubic') == 3", {"lab.main": rows}).verdict == "not_run"


def test_v_runs_in_ascending_order_within_closed_bounds() -> None:
    rows = [row for rtt, value in ((80.0, 3), (20.0, 1), (40.0, 2)) for row in point("util", [value] * 3, alg="reno", rtt=rtt)]
    tables = {"lab.main": rows}
    assert decide("all(a == b for a,b in zip(V('util',over='rtt',alg='reno'),[1,2,3]))", tables).verdict == "holds"
    assert decide("all(a == b for a,b in zip(V('util',over='rtt',lo=40,hi=80,alg='reno'),[2,3]))", tables).verdict == "holds"
    # Bounds are compared without snapping: 41 leaves out 40.
    assert decide("mean(V('util',over='rtt',lo=41,alg='reno')) == 3", tables).verdict == "holds"
    assert "no point" in decide("mean(V('util',over='rtt',lo=90,alg='reno')) == 3", tables).reason


def test_v_takes_names_in_the_order_of_points() -> None:
    rows = point("util", [7] * 3, alg="reno", rtt=20.0) + point("util", [5] * 3, alg="cubic", rtt=20.0)
    assert decide("all(a == b for a,b in zip(V('util',over='alg',rtt=20),[7,5]))", {"lab.main": rows}).verdict == "holds"


def test_a_window_that_a_site_does_not_offer_is_no_point() -> None:
    rows = [
        row
        for site, win, value in (("near", "1MB", 1), ("far", "1MB", 2), ("far", "8MB", 6))
        for row in point("util", [value], site=site, win=win, alg="reno")
    ]
    tables = {"lab.sites": rows}
    for predicate in (
        "M('util') == 3",
        "M('util',site='far') == 4",
        "M('util',win='8MB') == 6",
        "mean(V('util',over='win',site='near')) == 1",
    ):
        assert decide(predicate, tables, experiment="lab.sites").verdict == "holds", predicate
    assert decide("M('util',site='near',win='8MB') == 6", tables, experiment="lab.sites").verdict == "not_run"


def test_flow_state_and_window_select_rows_of_their_own() -> None:
    rows = (
        point("util", [1], flow=None) + point("util", [2], flow="1") + point("util", [3], flow="sum") + point("util", [4], t0=0.0, t1=9.0)
    )
    rows += point("util", [5], state="idle")
    tables = {"lab.once": rows}
    predicate = "M('util')==1 and M('util',flow=1)==2 and M('util',flow='sum')==3 and M('util',t0=0,t1=9)==4 and M('util',state='idle')==5"
    assert decide(predicate, tables, experiment="lab.once").verdict == "holds"
    assert decide("M('util',t0=0) == 4", tables, experiment="lab.once").verdict == "not_run"


def test_exp_reads_another_experiment() -> None:
    tables = {"lab.main": point("util", [1] * 3, alg="reno", rtt=20.0), "lab.once": point("util", [2])}
    verdict = decide("M('util',alg='reno',rtt=20) < M('util',exp='lab.once')", tables)
    assert (verdict.verdict, verdict.runs) == ("holds", 4)
    assert decide("M('util',exp='lab.once') == 2", {"lab.main": []}).reason == "lab.once was not run"


def test_rows_of_no_point_of_the_register_are_left_alone() -> None:
    # A protocol that the paper did not have does not enter its means.
    rows = [row for alg, value in (("reno", 1), ("cubic", 3), ("fast", 100)) for row in point("util", [value] * 3, alg=alg, rtt=20.0)]
    assert decide("mean(V('util',over='alg',rtt=20)) == 2 and M('util',rtt=20) == 2", {"lab.main": rows}).verdict == "holds"


def test_a_value_of_a_whole_dimension_holds_along_it() -> None:
    # The metric is given once per protocol: a coordinate it does not depend on is null.
    rows = point("util", [0.5] * 3, alg="reno", rtt=None)
    assert decide("M('util',alg='reno',rtt=80) == 0.5 and M('util',alg='reno') == 0.5", {"lab.main": rows}).verdict == "holds"


# Infinity and nan


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        ([10, 20, INF, INF, INF], INF),  # More than half.
        ([10, 20, 30, INF, INF], 252),  # (10 + 20 + 30 + 600 + 600) / 5.
        ([10, INF, INF, 30], 310),  # Exactly half is not more than half: (10 + 600 + 600 + 30) / 4.
        ([900, 300, 600], 600),  # A repeat longer than the run keeps its value.
    ],
)
def test_m_counts_an_infinite_repeat_as_the_runs_length_unless_most_are(values: list[float], mean: float) -> None:
    assert decide("M('conv80_s',alg='reno',rtt=20) < 1", {"lab.main": point("conv80_s", values, alg="reno", rtt=20.0)}).estimate == [mean]


def test_means_cap_infinite_elements_and_the_other_functions_do_not() -> None:
    rows = point("conv80_s", [INF] * 3, alg="reno", rtt=20.0) + point("conv80_s", [6] * 3, alg="reno", rtt=40.0)
    tables = {"lab.main": rows}
    both = "[M('conv80_s',alg='reno',rtt=r) for r in [20,40]]"
    assert decide(f"mean({both}) == 303", tables).verdict == "holds"  # (600 + 6) / 2
    assert decide(f"abs(gmean({both})-60) < 1e-9", tables).verdict == "holds"  # sqrt(600 x 6)
    assert decide(f"mean({both},exp='lab.once') == 53", tables).verdict == "holds"  # (100 + 6) / 2
    assert decide(f"max({both}) == inf and min({both}) == 6 and median({both}) == inf", tables).verdict == "holds"
    assert decide("frac_inf(R('conv80_s',alg='reno',rtt=20)) == 1", tables).verdict == "holds"


def test_r_keeps_infinities_and_the_order_of_seeds() -> None:
    rows = point("conv80_s", [3, INF, 1], alg="reno", rtt=20.0)[::-1]
    predicate = "all(a == b for a,b in zip(R('conv80_s',alg='reno',rtt=20),[3,inf,1]))"
    # The estimates are as given; resamples reorder them.
    assert decide(predicate, {"lab.main": rows}).reason.startswith("it holds on the estimates")


@pytest.mark.parametrize(
    ("predicate", "verdict"),
    [
        ("inf == inf", "holds"),
        ("inf < inf", "fails"),
        ("1 / 0 == inf", "holds"),
        ("-1 / 0 == -inf", "holds"),
        ("log10(inf) == inf and log10(0) == -inf", "holds"),
        ("0 / 0 == 0 / 0", "inconclusive"),
        ("inf - inf >= 0", "inconclusive"),
        ("inf / inf < 1 or 1 < 2", "holds"),
        ("inf / inf < 1 and 1 < 2", "inconclusive"),
        ("inf / inf < 1 and 2 < 1", "fails"),
        ("log10(-1) < 5", "inconclusive"),
        ("gmean([1,0]) > -1", "inconclusive"),
        ("max([0/0,1]) >= 1", "inconclusive"),
        ("median([1,0/0,3]) >= 1", "inconclusive"),
        ("spearman([1,2,3],[5,5,5]) < 2", "inconclusive"),
    ],
)
def test_a_comparison_with_nan_is_false_and_false_only_for_nan_decides_nothing(predicate: str, verdict: str) -> None:
    assert truth(f"M('util') == 1 and ({predicate})") == verdict


def test_a_value_that_is_nan_is_not_a_missing_one() -> None:
    assert truth("M('util') > 0", [NAN]) == "inconclusive"
    assert truth("M('util') > 0", [None]) == "not_run"


# Constructs and functions


@pytest.mark.parametrize(
    "predicate",
    [
        "1 <= M('util') < 2",
        "-M('util') == -1 and 3 - 2*M('util')/4 + 0.5 == 3",
        "min(3,M('util'),2) == 1 and max([3,M('util')]) == 3",
        "mean(x*y for x in [1,2] for y in [3,4]) == 5.25",  # (3 + 4 + 6 + 8) / 4
        "mean([1]+[2]+[6]) == 3",
        "all(M('util') >= e for a,e in [('x',1),('y',0.5)])",
        "median([5,1,3]) == 3 and median([4,1,3,2]) == 2.5",
        "abs(gmean([1,10,100])-10) < 1e-12",
        "spearman([1,2,3,4],[10,20,40,30]) == 0.8",  # 1 - 6 x 2 / (4 x 15)
        "abs(spearman([1,2,3],[1,inf,inf])-0.8660254037844386) < 1e-12",  # Ranks 1, 2.5, 2.5: sqrt(3) / 2.
        "abs(loglog_slope([1,10,100],[1000,100,10])+1) < 1e-12",
        "frac_inf([1,inf,inf,2]) == 0.5",
        "log10(1000) == 3 and abs(-2.5) == 2.5",
        "all(a < b for a,b in zip([1,2],[2,3]))",
        "mean([0.7,0.7,0.7]) >= 0.7",
        "all(x == 2 for x in (2,2))",
    ],
)
def test_the_grammar_computes(predicate: str) -> None:
    assert truth(f"M('util') == 1 and {predicate}") == "holds"


@pytest.mark.parametrize(
    ("predicate", "reason"),
    [
        ("all(x > 1 for x in [])", "all of an empty list"),
        ("all([])", "all of an empty list"),
        ("mean([]) > 1", "mean of an empty list"),
        ("all(a < b for a,b in zip([1,2],[1]))", "zip: lists of length 2 and 1; allowed: the same length"),
        ("spearman([1,2],[1,2,3]) > 0", "spearman: lists of length 2 and 3; allowed: the same length, not 0"),
        ("M('util') + 1", "the predicate is a number; allowed: a comparison, or several joined by and, or, all"),
        ("'a' < 'b'", "a comparison takes a number, not a name"),
        ("3 * [1] == 1", "Mult takes a number, not a list"),
        ("'a' * 999999999 == 1", "Mult takes a number, not a name"),
        ("(1 < 2) + 1 > 0", "Add takes a number, not a truth value"),
        ("1 and 2 < 3", "and, or takes comparisons, not a number"),
        ("all([1,2])", "all takes comparisons, not a number"),
        ("all(x < 1 for x,y in [(1,2,3)])", "for: 3 elements for 2 names"),
        ("all(x < 1 for x in 5)", "for takes a list, not a number"),
        ("M('util',flow=M('util')) > 0", "selector flow is a number; allowed: a constant number or name"),
        ("all(M(m) > 0 for m in ['nonsense'])", "'nonsense' is not a known metric"),
    ],
)
def test_what_cannot_be_evaluated_is_not_run_and_says_why(predicate: str, reason: str) -> None:
    verdict = decide(predicate, {"lab.once": point("util", [1])}, experiment="lab.once")
    assert (verdict.verdict, verdict.reason) == ("not_run", reason)


@pytest.mark.parametrize("predicate", ["M('util') == 1 or M('conv80_s') > 0", "M('util') == 2 and M('conv80_s') > 0"])
def test_every_operand_is_evaluated_so_a_missing_point_is_always_seen(predicate: str) -> None:
    verdict = decide(predicate, {"lab.once": point("util", [1])}, experiment="lab.once")
    assert (verdict.verdict, verdict.reason) == ("not_run", "lab.once: conv80_s has no value at its only point")


def test_a_huge_comprehension_is_refused_before_it_takes_time() -> None:
    digits = "[0,1,2,3,4,5,6,7,8,9]"
    loops = " ".join(f"for x{n} in {digits}" for n in range(8))
    began = time.process_time()
    verdict = decide(f"all(x0 >= 0 {loops})", {"lab.once": point("util", [1])}, experiment="lab.once")
    assert (verdict.verdict, "steps" in verdict.reason) == ("not_run", True)
    assert time.process_time() - began < 5  # 10^8 elements would take minutes.


def test_lists_that_double_are_refused() -> None:
    doubling = " ".join(f"for a{n} in [a{n - 1}+a{n - 1}]" for n in range(1, 40))  # 2^40 elements.
    verdict = decide(f"mean(x for a0 in [[1,1]] {doubling} for x in a39) == 1", {"lab.once": point("util", [1])}, experiment="lab.once")
    assert (verdict.verdict, "steps" in verdict.reason) == ("not_run", True)


def test_names_are_compared_and_the_most_frequent_repeat_counts() -> None:
    rows = point("shape_sign", ["convex", "concave", "convex"], alg="reno", rtt=20.0)
    rows += [row for rtt in (40.0, 80.0) for row in point("shape_sign", ["linear"] * 3, alg="reno", rtt=rtt)]
    tables = {"lab.main": rows}
    assert decide("M('shape_sign',alg='reno',rtt=40) == 'linear'", tables).verdict == "holds"
    verdict = decide("M('shape_sign',alg='reno',rtt=20) == 'convex'", tables)
    # Two of three repeats say so, and not 95 % of the resamples; a name has no estimate.
    assert (verdict.verdict, verdict.estimate) == ("inconclusive", None)
    assert "names have no mean" in decide("M('shape_sign',alg='reno') == 'linear'", tables).reason


def test_frac_within_takes_the_wider_of_the_two_bounds_and_skips_cells_not_given() -> None:
    # Published 100 +- 10 and 200 +- 10. Measured 119 is within 2 sd; 229 is within 15 % (30), not within 2 sd (20).
    tables = {"lab.law": point("thr_mbps", [119], alg="reno") + point("thr_mbps", [229], alg="cubic")}

    def share(text: str) -> list[float] | None:
        return decide(f"frac_within('lab.law',{text}) >= 0", tables, experiment="lab.law").estimate

    assert share("'rates.with_sd',k_sd=2") == [0.5]
    assert share("'rates.with_sd',k_sd=2,rel=0.15") == [1.0]
    assert share("'rates.with_sd',k_sd=2,alg='cubic'") == [0.0]
    assert share("'rows',k_sd=9,rel=0.2") == [1.0]  # One cell is null; without sd only rel counts: 20.
    empty = decide("frac_within('lab.law','rates.empty',rel=1) >= 0", tables, experiment="lab.law")
    assert (empty.verdict, empty.reason) == ("not_run", "frac_within: no cell is left of rates.empty of lab.law")


def test_param_match_wants_every_parameter_of_the_table() -> None:
    rows = point("param", [0.4], alg="cubic", state="C") + point("param", [0.7], alg="cubic", state="beta")
    predicate = "param_match('lab.law')"
    assert decide(predicate, {"lab.law": rows}, experiment="lab.law").verdict == "holds"
    assert decide(predicate, {"lab.law": rows[:1]}, experiment="lab.law").verdict == "not_run"
    rows[1]["value"] = 0.8
    assert decide(predicate, {"lab.law": rows}, experiment="lab.law").verdict == "fails"


def test_the_knee_and_the_response_slope_are_computed_from_repeats_of_the_same_seed() -> None:
    # Slope of util per ln q: from 0.05 to 0.1 it is 0.2 / 0.693 = 0.29, from 0.1 to 0.2 0.05 / 0.693 = 0.07: the knee is at 0.1.
    utils = [row for q, util in ((0.05, 0.7), (0.1, 0.9), (0.2, 0.95)) for row in point("util", [util] * 3, alg="reno", q=q)]
    # One decade of loss costs one decade of throughput; the point at 99 Mbit/s is within 3 % of the link rate.
    rates = [row for p, rate in ((1e-5, 99), (1e-4, 10), (1e-3, 1)) for row in point("thr_mbps", [rate] * 3, alg="reno", p=p)]
    verdict = decide("M('knee_q',alg='reno') == 0.1", {"lab.sweep": utils}, experiment="lab.sweep")
    assert (verdict.verdict, verdict.estimate, verdict.runs) == ("holds", [0.1], 9)
    tables = {"lab.sweep": rates}
    assert decide("-1.001 <= M('rf_slope',alg='reno',p=(1e-5,1e-3)) <= -0.999", tables, experiment="lab.sweep").verdict == "holds"
    assert decide("M('knee_q',alg='reno') == 0.1", {"lab.sweep": utils[:6]}, experiment="lab.sweep").verdict == "not_run"
