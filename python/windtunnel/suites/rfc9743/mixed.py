"""Rows 5 to 8 and 10: beside other algorithms, and beside transfers that come and go."""

from __future__ import annotations

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point
from windtunnel.metrics import View
from windtunnel.plots.declared import Compared, Curves
from windtunnel.scenario import Scenario
from windtunnel.suites.rfc9743.common import (
    DEPLOYED,
    NAMED,
    NETWORK,
    PLACES,
    REPEATS,
    STANDARD,
    SUBJECTS,
    UNASKED,
    crossing_ms,
    flow,
    goodput_mbps,
    in_minutes,
    laid_out,
    link,
    starts_s,
    wait_ms,
)

MIXES = {"1:1": (1, 1), "1:4": (1, 4), "4:1": (4, 1)}
_WINDOW_S = 5.0
WATCHED_S = 40.0
LOAD = 0.2
"""Of the link, by transfers that come and go."""


def _stands(point: Point) -> str:
    """Return who stands beside the others."""
    return str(point["alg"] if point["place"] == "it" else point["opponent"])


def beside(point: Point, draws: Draws) -> Scenario:
    """Return flows of the judged algorithm, or as many of the others' own kind, beside others; they come first in the scenario."""
    here, others = MIXES[point["mix"]]
    names = [_stands(point)] * here + [str(point["opponent"])] * others
    flows = [flow(name, start) for name, start in zip(names, starts_s(draws, len(names)), strict=True)]
    return laid_out(link(50, 40, point["q"]), flows, draws, rtt_ms=40, duration_s=100.0)


def _others(view: View) -> tuple[int, ...]:
    """Return the numbers of the flows beside which the judged algorithm is run."""
    first = MIXES[view.point["mix"]][0] if "mix" in view.point else 1
    return tuple(range(first, len(view.scenario["flows"])))


def others_mbps(view: View) -> float | None:
    """Return the mean goodput of the others, Mbit/s."""
    return goodput_mbps(view, _others(view))


def others_loss(view: View) -> float | None:
    """Return what the others send again over what they send, in the counted window."""
    rows = [view.row(one) for one in _others(view)]
    sent = sum(row["window_sent_packets"] for row in rows)
    return float(sum(row["window_retransmitted_packets"] for row in rows) / sent) if sent else None


def far_away(point: Point, draws: Draws) -> Scenario:
    """Return one flow of 20 ms beside one of the others' of 200 ms."""
    starts = starts_s(draws, 2)
    flows = [flow(_stands(point), starts[0], rtt_s=0.02), flow(str(point["opponent"]), starts[1], rtt_s=0.2)]
    return laid_out(link(50, 20, point["q"]), flows, draws, rtt_ms=20, duration_s=140.0)


def worst_window(view: View) -> float | None:
    """Return the least that the other flow gets in any 5 s from 40 s on, over half the link."""
    series = view.series(1)
    times = np.arange(WATCHED_S, view.duration_s + 1e-6, _WINDOW_S)
    if not series.t_s.size or times.size < 2:
        return None
    delivered = np.interp(times, series.t_s, series.delivered_bytes)
    return float(np.diff(delivered).min() * 8 / _WINDOW_S / (view.rate_bps / 2))


def crossed(point: Point, draws: Draws) -> Scenario:
    """Return one long flow of the judged algorithm, or of the one in its place, beside short transfers of the opponent's or of its own."""
    long_one = _stands(point) if point["place"] != "none" else None
    short = point["alg"] if point["opponent"] == "its own" else point["opponent"]
    if long_one == "its own":
        long_one = "cubic"
    source = {"algorithm": short, "load": LOAD, "mean_bytes": 50_000, "shape": 1.2, "max_bytes": 5_000_000}
    flows = [] if long_one is None else [flow(long_one, draws.uniform("start"))]
    return laid_out(link(50, 40, 1.0), flows, draws, rtt_ms=40, duration_s=80.0, arrivals=[source])


def long_mbps(view: View) -> float | None:
    """Return the goodput of the long flow, Mbit/s."""
    return goodput_mbps(view, view.foreground[:1])


def _curves(name: str, title: str, metric: str, **given: object) -> tuple[Curves, ...]:
    shared = {"x": "q", "panels": "opponent", "series": "place", "x_label": "Queue (BDP)", "x_log": True, **given}
    return tuple(Curves(f"{name}-{mix.replace(':', '-')}", f"{title}, {mix}", metric=metric, fixed={"mix": mix}, **shared) for mix in MIXES)  # type: ignore[arg-type]


EXPERIMENTS = (
    Experiment(
        id="rfc9743.harm",
        title="Harm to others",
        question="What do flows of other algorithms lose in rate, delay and packets beside this one, more than beside their like?",
        source="RFC 9743, 5.2 and 5.2.1",
        duration_s=100.0,
        points={"alg": SUBJECTS, "opponent": (*STANDARD, *DEPLOYED), "place": PLACES, "mix": tuple(MIXES), "q": (0.5, 1.0, 4.0)},
        unasked=UNASKED,
        scenario=beside,
        measures=(
            Measure("others_mbps", function=others_mbps),
            Measure("others_loss", function=others_loss),
            Measure("wait_ms", function=wait_ms),
        ),
        figures=(
            *_curves("rate", "Mean goodput of the others", "others_mbps", y_label="Mbit/s"),
            *_curves("delay", "Mean wait in the queue", "wait_ms", y_label="ms"),
        ),
        parameters=(
            *NETWORK,
            ("path", "50 Mbit/s, 40 ms (BDP 167 packets)"),
            ("mix", "flows of the judged algorithm : flows of the others"),
            ("in its place", "it: the judged algorithm; own: as many more flows of the others' kind, the baseline of harm"),
            ("duration", "100 s, counted from 10 s after the last start"),
        ),
        headings=NAMED,
        repeats=REPEATS,
        quick=in_minutes(),
    ),
    Experiment(
        id="rfc9743.starvation",
        title="Starvation",
        question="What is the least that a flow of ten times the round trip gets in any five seconds?",
        source="RFC 9743, 5.2",
        duration_s=140.0,
        points={"alg": SUBJECTS, "opponent": STANDARD, "place": PLACES, "q": (1.0, 4.0, 10.0)},
        unasked=UNASKED,
        scenario=far_away,
        measures=(Measure("worst", function=worst_window), Measure("others_mbps", function=others_mbps)),
        figures=(
            Curves(
                "worst",
                "Least of the far flow in any 5 s, over half the link",
                metric="worst",
                x="q",
                panels="opponent",
                series="place",
                x_label="Queue (BDP of the near flow)",
                y_label="share of half the link",
                x_log=True,
            ),
        ),
        parameters=(*NETWORK, ("path", "50 Mbit/s; near flow 20 ms, far flow 200 ms"), ("duration", "140 s, watched from 40 s")),
        headings=NAMED,
        kept="rates",
        repeats=REPEATS,
        quick=in_minutes(),
    ),
    Experiment(
        id="rfc9743.short",
        title="Short and long flows",
        question="How long do short transfers take beside a long flow, and what does the long flow keep?",
        source="RFC 9743, 5.1.5 and 5.2.3",
        duration_s=80.0,
        points={"alg": SUBJECTS, "opponent": (*STANDARD, "its own"), "place": (*PLACES, "none")},
        unasked=UNASKED,
        scenario=crossed,
        measures=(Measure("crossing_ms", function=crossing_ms), Measure("long_mbps", function=long_mbps), Measure("drop_share")),
        figures=(
            Compared(
                "crossing",
                "Median time of transfers of at most 100 kB",
                metric="crossing_ms",
                x="place",
                panels="opponent",
                x_label="the long flow",
                y_label="ms",
            ),
            Compared(
                "long",
                "Goodput of the long flow",
                metric="long_mbps",
                x="place",
                panels="opponent",
                x_label="the long flow",
                y_label="Mbit/s",
            ),
        ),
        parameters=(
            *NETWORK,
            ("path", "50 Mbit/s, 40 ms, 1 BDP"),
            ("transfers", f"Poisson, {LOAD:.0%} of the link, Pareto sizes of mean 50 kB and index 1.2, cut at 5 MB"),
            (
                "in its place",
                "the long flow. it: the judged algorithm; own: the short transfers' own, CUBIC where those are the judged one's",
            ),
            ("duration", "80 s, counted from 10 s after the start"),
        ),
        headings={**NAMED, "opponent": "Short transfers"},
        repeats=REPEATS,
        quick=in_minutes(),
    ),
)
