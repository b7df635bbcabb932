"""Impact on standard TCP (6.1), fairness within the algorithm (6.2), several bottlenecks (6.3)."""

from __future__ import annotations

import polars as pl

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Compared, Curves
from windtunnel.scenario import Scenario
from windtunnel.suites.paths import bdp_packets
from windtunnel.suites.tcpeval.basic import STACK, TRAFFIC
from windtunnel.suites.tcpeval.common import HEADINGS, RUNS, STANDARD, SUBJECTS, chosen
from windtunnel.suites.tcpeval.traffic import base_rtts_s, sessions

CAMPS = ("new", "standard")
IMPACT_LOADS, PARKING_LOADS = (50, 100), (60, 80, 100)
FAIR_RTTS_MS = (10, 20, 40, 80, 160)
FAIR_BUFFERS = (25, 50, 100, 200)
FAIR_S, FAIR_WARMUP_S = 120.0, 30.0
WARMUP_S, TEST_S = 20.0, 60.0
HOPS_LOAD = {60: (0.30, 0.30), 80: (0.40, 0.40), 100: (0.50, 0.50)}
"""Of the transfers over all three links, and of those over one, shares of a link."""


def impact(point: Point, draws: Draws) -> Scenario:
    """Return two camps with the same traffic on the access link; the second is standard too, or new (6.1)."""
    rtts_s, each = base_rtts_s(0.002), point["load"] / 200
    second = point["alg"] if point["camps"] == "new" else STANDARD
    return Scenario.model_validate(
        {
            "bottleneck": {"rate_bps": 100e6, "queue_s": 0.1},
            "sessions": [sessions(name, each, 100e6, rtts_s) for name in (STANDARD, second)],
            "rtt_s": max(rtts_s),
            "duration_s": WARMUP_S + TEST_S,
            "warmup_s": WARMUP_S,
            "sample_s": 0.1,
        }
    )


def camp_mbps(view: View, source: int) -> float | None:
    """Return the payload of a camp's transfers that were completed after the warm-up, Mbit/s."""
    rows = view.records.transfers
    if rows is None:
        return None
    warmup_s = float(view.scenario["warmup_s"])
    done = rows.filter((pl.col("source") == source) & (pl.col("start_s") + pl.col("completion_s") >= warmup_s))
    return float(done["bytes"].sum()) * 8e-6 / (view.duration_s - warmup_s)


def camp_a_mbps(view: View) -> float | None:
    """Return camp A's, which is always standard."""
    return camp_mbps(view, 0)


def camp_b_mbps(view: View) -> float | None:
    """Return camp B's."""
    return camp_mbps(view, 1)


def fairness(point: Point, draws: Draws) -> Scenario:
    """Return two flows on 10 Mbit/s with half of it background: of the same RTT, or the first of 160 ms (6.2)."""
    rtt_s = point["rtt"] * 1e-3
    first = 0.16 if point["pair"] == "inter" else rtt_s
    name = chosen(point)
    starts = [0.1 * FAIR_S * draws.uniform(f"start of flow {number}") for number in (1, 2)]
    if point["pair"] == "inter":
        starts.sort()
    flows = [{"algorithm": name, "rtt_s": rtt, "start_s": round(at, 4)} for rtt, at in zip((first, rtt_s), starts, strict=True)]
    return Scenario.model_validate(
        {
            "bottleneck": {"rate_bps": 10e6, "queue_packets": max(2, round(bdp_packets(10, 100) * point["buffer"] / 100))},
            "flows": flows,
            "sessions": [sessions(name, 0.5, 10e6, base_rtts_s(0.002))],
            "rtt_s": max(first, rtt_s),
            "duration_s": FAIR_S + FAIR_WARMUP_S,
            "warmup_s": FAIR_WARMUP_S,
            "sample_s": 0.1,
        }
    )


def flow_ratio(view: View) -> float | None:
    """Return the goodput of the first flow over the second's, after the warm-up; smaller over larger where their RTTs are equal."""
    one, two = (view.row(flow)["window_goodput_bytes"] for flow in (0, 1))
    if not one or not two:
        return 0.0
    return float(min(one, two) / max(one, two) if view.point.get("pair") == "intra" else one / two)


def parking(point: Point, draws: Draws) -> Scenario:
    """Return three links of 100 Mbit/s in a row: transfers over all, and over each (6.3)."""
    name, (over_all, over_one) = chosen(point), HOPS_LOAD[point["load"]]
    sources = [sessions(name, over_all, 100e6, [0.06])]
    sources += [sessions(name, over_one, 100e6, [0.06], enter=hop, leave=hop) for hop in (1, 2, 3)]
    return Scenario.model_validate(
        {
            "bottleneck": {"rate_bps": 100e6, "queue_s": 0.1},
            "hops": [{"rate_bps": 100e6, "queue_s": 0.1, "delay_s": 0.007} for _ in range(2)],
            "sessions": sources,
            "rtt_s": 0.06,
            "duration_s": WARMUP_S + TEST_S,
            "warmup_s": WARMUP_S,
            "sample_s": 0.1,
        }
    )


def multi_over_single(view: View) -> float | None:
    """Return the mean rate of transfers above 100 kB over all links over that of those over one, from a transfer's bytes over its time."""
    rows = view.records.transfers
    if rows is None:
        return None
    warm = pl.col("start_s") >= float(view.scenario["warmup_s"])
    large = rows.filter(warm & (pl.col("bytes") > 100_000) & pl.col("completion_s").is_not_null())
    rate = pl.col("bytes") / pl.col("completion_s")
    multi = large.filter(pl.col("source") == 0).select(rate.mean()).item()
    single = large.filter(pl.col("source") > 0).select(rate.mean()).item()
    return float(multi / single) if multi and single else None


EXPERIMENTS = (
    Experiment(
        id="tcpeval.impact",
        title="Impact on standard TCP",
        question="What does half the traffic lose, or gain, when the other half becomes the algorithm's?",
        source="draft-irtf-iccrg-tcpeval-01, 6.1",
        duration_s=TEST_S,
        points={"alg": SUBJECTS, "load": IMPACT_LOADS, "camps": CAMPS},
        scenario=impact,
        measures=(Measure("camp_a_mbps", function=camp_a_mbps), Measure("camp_b_mbps", function=camp_b_mbps), Measure("util")),
        figures=tuple(
            Compared(
                f"camp-{camp}", f"Goodput of camp {camp.upper()}", metric=f"camp_{camp}_mbps", x="camps", panels="load", y_label="Mbit/s"
            )
            for camp in ("a", "b")
        ),
        parameters=(TRAFFIC, STACK, ("network", "100 Mbit/s, buffer 100 ms; two camps with equal laws, half of the load each")),
        repeats=5,
        kept="totals",
        quick=Quick(repeats=3),
        headings=HEADINGS,
        notes=("The camps have equal laws, not equal draws; the camps of both runs do. Quartiles of size are not in the table.",),
    ),
    Experiment(
        id="tcpeval.fairness",
        title="Intra-protocol and inter-RTT fairness",
        question="How do two flows share beside background traffic?",
        source="draft-irtf-iccrg-tcpeval-01, 6.2",
        duration_s=FAIR_S,
        points={"alg": SUBJECTS, "pair": ("intra", "inter"), "rtt": FAIR_RTTS_MS, "buffer": FAIR_BUFFERS, "place": RUNS},
        scenario=fairness,
        measures=(Measure("flow_ratio", function=flow_ratio), Measure("drop_share")),
        figures=tuple(
            Curves(
                pair,
                "Smaller over larger goodput, equal RTTs" if pair == "intra" else "Goodput of the flow of 160 ms over the other's",
                metric="flow_ratio",
                x="rtt",
                panels="buffer",
                x_label="RTT (ms)",
                y_label="ratio",
                x_log=True,
                baseline=(1.0,),
                fixed={"place": "it", "pair": pair},
            )
            for pair in ("intra", "inter")
        ),
        parameters=(TRAFFIC, STACK, ("network", "10 Mbit/s; a BDP of 100 ms is 83 packets; half of the link is background")),
        repeats=5,
        kept="totals",
        quick=Quick(points={"rtt": (20, 80, 160), "buffer": (50, 100)}, repeats=3),
        headings=HEADINGS,
        notes=("The draft's second capacity of 1 Gbit/s is not run.",),
    ),
    Experiment(
        id="tcpeval.parking",
        title="Several bottlenecks",
        question="What do transfers over three bottlenecks get beside those over one?",
        source="draft-irtf-iccrg-tcpeval-01, 6.3",
        duration_s=TEST_S,
        points={"alg": SUBJECTS, "load": PARKING_LOADS, "place": RUNS},
        scenario=parking,
        measures=(Measure("multi_over_single", function=multi_over_single), Measure("util"), Measure("drop_share")),
        figures=(
            Curves(
                "ratio",
                "Rate of transfers over three links over that over one",
                metric="multi_over_single",
                x="load",
                x_label="nominal load (%)",
                y_label="ratio",
                baseline=(1.0,),
                fixed={"place": "it"},
            ),
        ),
        parameters=(TRAFFIC, STACK, ("network", "three links of 100 Mbit/s, 7 ms apart, buffers of 100 ms, all RTTs 60 ms")),
        repeats=3,
        kept="totals",
        quick=Quick(repeats=3),
        headings=HEADINGS,
        notes=(
            "The draft's links are 10 ms apart; here half of an RTT lies on the reverse path, which leaves 15 ms for two. "
            "Data goes one way.",
        ),
    ),
)
