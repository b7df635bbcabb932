"""Metrics of several points, on measures made by hand: the sums are small enough to do in the head."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl
import pytest

from windtunnel.claims import judge
from windtunnel.claims.loading import build
from windtunnel.claims.several import SEVERAL

SITES = {"near": ["1MB", "2MB", "4MB"], "far": ["2MB", "4MB", "8MB"]}
WINDOWS = ["1MB", "2MB", "4MB", "8MB"]
BASES = ("thr_mbps", "stability", "jain", "completion_s", "cwnd_level_pkts", "asym")

Rows = Iterable[Mapping[str, Any]]


def experiment(name: str, points: Mapping[str, list[Any]], **topology: Any) -> dict[str, Any]:
    return {
        "id": name,
        "paper": "lab",
        "title": "t",
        "duration_s": 600,
        "repeats": 1,
        "points": dict(points),
        "measures": [*BASES, *SEVERAL],
        "topology": topology,
    }


def verdict(predicate: str, experiments: list[dict[str, Any]], **tables: Rows) -> Any:
    metric = {"unit": "1", "of": "x", "window": "default", "definition": "d"}
    document = {
        "version": 1,
        "papers": {"lab": "A laboratory", "slac03": "Another"},
        "metrics": dict.fromkeys([*BASES, *SEVERAL], metric),
        "experiments": experiments,
        "claims": [
            {
                "id": "lab.c",
                "experiment": experiments[0]["id"],
                "paper": "lab",
                "claim": "c",
                "judge": "sim",
                "check": {"predicate": predicate},
            }
        ],
    }
    frames = {name.replace("_", "."): pl.DataFrame([{"seed": 1, **row} for row in rows]) for name, rows in tables.items()}
    return judge(build(document, file="x.yaml"), frames)[0]


def value(metric: str, experiments: list[dict[str, Any]], selectors: str = "", **tables: Rows) -> float:
    found = verdict(f"M('{metric}'{selectors}) > -1e300", experiments, **tables)
    assert found.estimate is not None, found.reason
    return float(found.estimate[0])


BY_SITE = experiment("lab.sites", {"alg": ["reno", "htcp"], "site": list(SITES), "win": WINDOWS}, window_limit=SITES)
# reno: 1 2 3 near, 4 5 6 far; htcp: ten times that.
TABLE = [
    {"metric": "thr_mbps", "alg": alg, "site": site, "win": win, "value": scale * (3 * at + size)}
    for alg, scale in (("reno", 1.0), ("htcp", 10.0))
    for at, (site, windows) in enumerate(SITES.items())
    for size, win in enumerate(windows, 1)
]


def test_the_second_and_third_windows_of_every_site_are_averaged() -> None:
    assert value("thr_avg23_mbps", [BY_SITE], ", alg='reno'", lab_sites=TABLE) == (2 + 3 + 5 + 6) / 4
    assert value("thr_size1_mbps", [BY_SITE], ", alg='htcp'", lab_sites=TABLE) == (10 + 40) / 2


def test_a_list_along_the_protocols_has_one_mean_each() -> None:
    found = verdict("max(V('thr_avg23_mbps', over='alg')) == 10 * min(V('thr_avg23_mbps', over='alg'))", [BY_SITE], lab_sites=TABLE)
    assert found.verdict == "holds"


def test_the_spread_of_a_site_is_between_the_protocols_means() -> None:
    # near: 2.5 and 25, mean 13.75; the smallest window does not count.
    rows = [{**row, "value": 1000.0} if (row["alg"], row["win"]) == ("htcp", "1MB") else row for row in TABLE]
    assert value("spread_alg", [BY_SITE], ", site='near'", lab_sites=rows) == pytest.approx(22.5 / 13.75)


def test_a_window_that_a_site_lacks_is_not_missed_and_one_it_has_is() -> None:
    assert value("thr_avg23_mbps", [BY_SITE], lab_sites=TABLE) == pytest.approx(5.5 * 4)
    holed = [row for row in TABLE if not (row["site"] == "far" and row["win"] == "8MB")]
    assert verdict("M('thr_avg23_mbps', alg='reno') > 0", [BY_SITE], lab_sites=holed).verdict == "not_run"


def test_a_size_is_the_place_in_its_sites_list() -> None:
    sized = experiment("lab.sites", {**BY_SITE["points"], "size": [1, 2, 3]}, window_limit=SITES)
    rows = [{**row, "metric": "stability"} for row in TABLE]
    # Size 1: reno 1 and 4, htcp 10 and 40.
    assert value("stability_size", [sized], ", size=1", lab_sites=rows) == pytest.approx(55 / 4)
    assert value("stability_size", [sized], ", size=3", lab_sites=rows) == pytest.approx((3 + 6 + 30 + 60) / 4)
    assert value("stability_avg23", [sized], ", alg='reno'", lab_sites=rows) == pytest.approx(4)


def test_the_share_of_fair_points_rounds_as_the_printed_table() -> None:
    rows = [{**row, "metric": "jain", "value": 0.976 if row["alg"] == "htcp" else 0.974} for row in TABLE]
    rows[0] = {**rows[0], "value": 0.975001}
    assert value("frac_F98", [BY_SITE], lab_sites=rows) == pytest.approx(7 / 12)
    assert value("jain_avg", [BY_SITE], ", alg='htcp'", lab_sites=rows) == pytest.approx(0.976)


def test_the_gain_compares_with_the_same_point_of_the_other_experiment() -> None:
    base = experiment("lab.plain", BY_SITE["points"], window_limit=SITES)
    periods = experiment("lab.sites", {**BY_SITE["points"], "period": [30, 60]}, window_limit=SITES) | {"compared_with": "lab.plain"}
    # 1.2 times as much with a period of 30 s, 1.1 times with 60 s, everywhere.
    rows = [{**row, "period": period, "value": row["value"] * gain} for row in TABLE for period, gain in ((30.0, 1.2), (60.0, 1.1))]
    assert value("thr_gain_udp", [periods, base], lab_sites=rows, lab_plain=TABLE) == pytest.approx(0.15)
    assert value("thr_gain_udp", [periods, base], ", period=30", lab_sites=rows, lab_plain=TABLE) == pytest.approx(0.2)
    alone = verdict("M('thr_gain_udp') > 0", [{**periods, "compared_with": ""}, base], lab_sites=rows, lab_plain=TABLE)
    assert "compared_with" in alone.reason and alone.estimate is None


CASES = experiment("lab.cases", {"alg": ["fast"], "case": ["with_reverse", "without_reverse"]})


def test_a_ratio_of_cases_pairs_the_repeats_by_seed() -> None:
    rows = [
        {"metric": "thr_mbps", "alg": "fast", "case": case, "seed": seed, "value": number}
        for case, numbers in (("with_reverse", (1.0, 6.0)), ("without_reverse", (10.0, 10.0)))
        for seed, number in enumerate(numbers, 1)
    ]
    # 0.1 and 0.6, mean 0.35; pairing 1 with 2 would give the same mean, unequal denominators would not.
    assert value("rev_ratio", [CASES], lab_cases=rows) == pytest.approx(0.35)
    rows[3]["value"] = 20.0
    assert value("rev_ratio", [CASES], lab_cases=rows) == pytest.approx((0.1 + 0.3) / 2)
    assert verdict("M('rev_ratio', case='with_reverse') > 0", [CASES], lab_cases=rows).verdict == "not_run"


def test_the_effect_of_the_algorithm_is_of_means_not_of_pairs() -> None:
    apps = experiment("lab.apps", {"alg": ["cubic", "htcp"], "app": ["http", "bulk"]})
    times = {("cubic", "bulk"): (10.0, 20.0), ("htcp", "bulk"): (20.0, 10.0), ("cubic", "http"): (3.0, 3.0), ("htcp", "http"): (4.0, 4.0)}
    rows = [
        {"metric": "completion_s", "alg": alg, "app": app, "seed": seed, "value": time}
        for (alg, app), both in times.items()
        for seed, time in enumerate(both, 1)
    ]
    assert value("alg_effect", [apps], ", app='bulk'", lab_apps=rows) == pytest.approx(0.0)
    assert value("alg_effect", [apps], ", app='http'", lab_apps=rows) == pytest.approx(0.25)


def levels(alg: str, values: Iterable[float], **point: Any) -> list[dict[str, Any]]:
    return [{"metric": "cwnd_level_pkts", "alg": alg, "state": f"{i:03d}", "value": value, **point} for i, value in enumerate(values)]


def test_the_distance_of_two_distributions_is_that_of_their_levels() -> None:
    laws = experiment("lab.laws", {"alg": ["convex", "concave-convex"], "p": [0.2, 0.05]})
    # 0..99 against 10..109: at 9 a tenth lies below for the first, nothing for the second. And the same against itself.
    rows = levels("convex", range(100), p=0.2) + levels("concave-convex", range(10, 110), p=0.2)
    rows += levels("convex", range(100), p=0.05) + levels("concave-convex", range(100), p=0.05)
    rows = [{**row, "value": float(row["value"])} for row in rows]
    assert value("ks", [laws], ", p=0.2", lab_laws=rows) == pytest.approx(0.1)
    assert value("ks", [laws], ", p=0.05", lab_laws=rows) == 0.0
    assert value("ks", [laws], lab_laws=rows) == pytest.approx(0.05)


def test_distances_are_of_repeats_and_not_of_their_mean_levels() -> None:
    three = experiment("lab.laws", {"alg": ["cubic", "htcp:beta08"]})
    # Far apart in each repeat, in opposite directions: the means of the levels would be the same.
    rows = levels("cubic", [1.0, 2.0], seed=1) + levels("htcp:beta08", [11.0, 12.0], seed=1)
    rows += levels("cubic", [11.0, 12.0], seed=2) + levels("htcp:beta08", [1.0, 2.0], seed=2)
    assert value("ks_cubic_htcp08", [three], lab_laws=rows) == 1.0


def test_a_distance_needs_no_other_protocol() -> None:
    three = experiment("lab.laws", {"alg": ["cubic", "htcp:beta08", "htcp"]})
    rows = levels("cubic", [1.0, 2.0]) + levels("htcp:beta08", [1.0, 3.0]) + levels("htcp", [70.0, 80.0])
    assert value("ks_cubic_htcp08", [three], lab_laws=rows) == 0.5


def test_what_a_study_measured_itself_is_taken_as_measured() -> None:
    laws = experiment("lab.laws", {"alg": ["convex", "concave-convex"]})
    assert value("ks", [laws], lab_laws=[{"metric": "ks", "value": 0.125}]) == 0.125


PAIRS = experiment(
    "lab.pairs",
    {"alg": ["reno", "fast", "htcp"], "site": ["near", "far"], "opponent": ["reno", "fast", "htcp"]},
    opponents={"near": ["fast", "htcp"], "far": ["reno", "fast", "htcp"]},
)
ASYMMETRY = [
    {"metric": "asym", "alg": alg, "site": site, "opponent": opponent, "value": number}
    for alg, site, opponent, number in (
        ("reno", "near", "fast", 0.1),
        ("reno", "near", "htcp", 0.3),
        ("reno", "far", "fast", 0.5),
        ("reno", "far", "htcp", 0.7),
        ("fast", "near", "htcp", -0.5),
    )
]


def test_nobody_is_its_own_opponent_and_a_site_may_leave_one_out() -> None:
    assert value("asym", [PAIRS], ", alg='reno', site='near'", lab_pairs=ASYMMETRY) == pytest.approx(0.2)
    assert value("asym", [PAIRS], ", alg='reno'", lab_pairs=ASYMMETRY) == pytest.approx(0.4)
    # At the near site reno counts as nobody's opponent: fast has htcp alone.
    assert value("asym", [PAIRS], ", alg='fast', site='near'", lab_pairs=ASYMMETRY) == -0.5
    assert verdict("M('asym', alg='fast', site='far') < 9", [PAIRS], lab_pairs=ASYMMETRY).verdict == "not_run"


def test_an_undefined_ratio_decides_nothing() -> None:
    rows = [{"metric": "thr_mbps", "alg": "fast", "case": case, "value": 0.0} for case in ("with_reverse", "without_reverse")]
    found = verdict("M('rev_ratio') > 0", [CASES], lab_cases=rows)
    assert found.verdict == "inconclusive"
    assert math.isnan(found.estimate[0])
