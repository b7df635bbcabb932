"""The benchmark of 2007 as of today: its seven tests at four rates."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Curves
from windtunnel.scenario import Scenario, catalogue
from windtunnel.suites.everyone import SUBJECTS
from windtunnel.suites.now.grids import FAIR, FRACTION, LONG_RTT, RATES, WHOLE, Grid
from windtunnel.suites.paths import with_memories
from windtunnel.suites.rfc9743.common import NETWORK, flow, goodput_mbps, laid_out, link
from windtunnel.suites.stacks.subjects import STACKS

FOREIGN = tuple(f"{name}@{stack}" for stack, names in STACKS.items() for name in names)
"""The whole stacks' controllers, at 10 Mbit/s; those that are not built are left out."""
OTHERS = ("reno", "cubic")
FIRST, SPAN = 1 / 12, 1 / 6
"""Of a run: flow 2 starts after a twelfth and at most a quarter of it, 50 to 150 s of 600 s, as in 2007."""


def _path(point: Point, rtt: float, **given: Any) -> Any:
    if point.get("queue") == "fq-codel":
        given["discipline"] = "fq-codel"
    return link(point["rate"], rtt, point.get("q", 0.2), **given)


def _two(point: Point, draws: Draws, names: Sequence[str], rtts: Sequence[float], duration_s: float) -> Scenario:
    start_s = duration_s * (FIRST + SPAN * draws.uniform("start of flow 2"))
    flows = [flow(name, at, rtt_s=_off(rtt, point, draws)) for name, rtt, at in zip(names, rtts, (0.0, start_s), strict=True)]
    return laid_out(_path(point, max(rtts)), flows, draws, rtt_ms=max(rtts), duration_s=duration_s)


def _off(rtt_ms: float, point: Point, draws: Draws) -> float:
    """Return a repeat's round trip: less than half a packet time off the nominal one, as in every suite of ours."""
    packet_s = min(12_000 / (point["rate"] * 1e6), 1e-4 * rtt_ms)
    return float(round(rtt_ms * 1e-3 + packet_s * (draws.uniform("delay of the path") - 0.5), 9))


def same(point: Point, draws: Draws, *, duration_s: float) -> Scenario:
    """Return two flows of one algorithm and round trip."""
    return _two(point, draws, (point["alg"],) * 2, (point["rtt"],) * 2, duration_s)


def unequal(point: Point, draws: Draws, *, duration_s: float) -> Scenario:
    """Return a flow of 162 ms, joined by one of the point's round trip."""
    return _two(point, draws, (point["alg"],) * 2, (LONG_RTT, point["rtt"]), duration_s)


def old(point: Point, draws: Draws, *, duration_s: float) -> Scenario:
    """Return a flow of Reno or CUBIC, joined by the algorithm."""
    return _two(point, draws, (point["opponent"], point["alg"]), (point["rtt"],) * 2, duration_s)


def lossy(point: Point, draws: Draws, *, duration_s: float) -> Scenario:
    """Return one flow whose packets are lost at random."""
    path = _path(point, LONG_RTT, loss_probability=point["p"])
    return laid_out(path, [flow(point["alg"])], draws, rtt_ms=LONG_RTT, duration_s=duration_s)


def epochs(view: View) -> float:
    """Return the congestion epochs that the flow with fewest completes: its back-offs less one, none below."""
    return float(min(max(0, view.backoffs(one).t_s.size - 1) for one in view.foreground))


def over_other(view: View) -> float | None:
    """Return the goodput of the algorithm over that of the flow it joined; endless where that got nothing."""
    old_one, new_one = (goodput_mbps(view, (one,)) for one in (0, 1))
    if old_one is None or new_one is None:
        return None
    return new_one / old_one if old_one else float(np.inf)


def late_over_first(view: View) -> float | None:
    """Return the goodput of the flow that came late over that of the first."""
    return over_other(view)


_DRAWN: dict[str, Any] = {"x_label": "Round-trip time (ms)", "x_log": True, "x": "rtt"}


def _pick(grid: Grid, question: str) -> dict[str, Sequence[Any]]:
    if question == "loss":
        return {"p": grid.losses}
    found: dict[str, Sequence[Any]] = {"rtt": grid.rtts, "q": tuple(dict.fromkeys((*grid.queues, *grid.managed)))}
    if question == FAIR:
        found["queue"] = ("drop-tail", "fq-codel") if grid.managed else ("drop-tail",)
    return found | ({"opponent": OTHERS} if question == "old" else {})


def _is_point(point: Point, *, grid: Grid) -> bool:
    """Whether a point is one: each discipline has queues of its own, and no flow joins its like."""
    queues = grid.managed if point.get("queue") == "fq-codel" else grid.queues
    return ("q" not in point or point["q"] in queues) and point.get("opponent") != point["alg"]


def _only(question: str, grid: Grid) -> Callable[[Point], bool] | None:
    return functools.partial(_is_point, grid=grid) if question in (FAIR, "old") else None


_ASKED: dict[str, tuple[str, str, str, Any]] = {
    FAIR: ("Two equal flows", "How equally, how fully, at what loss and how soon do two flows share?", "IV.C (i), IV.E, IV.G", same),
    "rtt": ("Two round trips", "What does a flow of 162 ms lose to one that is nearer?", "IV.C (ii)", unequal),
    "old": ("Beside Reno and CUBIC", "How much more does the algorithm get than a flow of Reno, or of CUBIC, that it joins?", "IV.D", old),
    "loss": ("Random loss", "How much does one flow carry where packets are lost at random?", "IV.F", lossy),
}
_MEASURES: dict[str, tuple[Measure, ...]] = {
    FAIR: (
        *(Measure(name) for name in ("fair_minmax", "util", "loss_ovh")),
        *with_memories("conv80_s"),
        Measure("late_over_first", function=late_over_first),
        Measure("epochs", function=epochs),
    ),
    "rtt": (Measure("rtt_unfair"), Measure("util"), Measure("epochs", function=epochs)),
    "old": (Measure("over_other", function=over_other), Measure("util"), Measure("epochs", function=epochs)),
    "loss": (Measure("util"), Measure("loss_ovh"), Measure("epochs", function=epochs)),
}


def _figures(question: str, grid: Grid) -> tuple[Curves, ...]:
    if question == "loss":
        return (
            Curves(
                "response", "Use of the link against random loss", metric="util", x="p", x_label="Loss probability", x_log=True, y_log=True
            ),
        )
    if question == "rtt":
        return (
            Curves("unfair", "Near over far flow", metric="rtt_unfair", panels="q", y_log=True, baseline=(1.0,), y_label="ratio", **_DRAWN),
        )
    if question == "old":
        return tuple(
            Curves(
                f"over-{name}",
                f"Goodput over that of {name}",
                metric="over_other",
                panels="q",
                fixed={"opponent": name},
                y_log=True,
                baseline=(1.0,),
                y_label="ratio",
                **_DRAWN,
            )
            for name in OTHERS
        )
    shown = (
        ("fairness", "Smaller over larger throughput", "fair_minmax", "ratio"),
        ("use", "Use of the link", "util", "share of the link"),
        ("again", "Sent again", "loss_ovh", "share"),
        ("convergence", "Convergence to 80 %", "conv80_s", "seconds"),
    )
    return tuple(
        Curves(
            f"{name}-{kind}",
            f"{title}, {kind}",
            metric=metric,
            panels="q",
            fixed={"queue": kind},
            y_label=label,
            censored_at=grid.duration_s if name == "convergence" else None,
            **_DRAWN,
        )
        for kind in (("drop-tail", "fq-codel") if grid.managed else ("drop-tail",))
        for name, title, metric, label in shown
    )


def _experiment(question: str, rate: int) -> Experiment:
    fraction, whole = FRACTION[question, rate], WHOLE[question, rate]
    title, asked, source, scenario = _ASKED[question]
    algorithms = (*SUBJECTS, *FOREIGN) if rate == RATES[0] else SUBJECTS
    return Experiment(
        id=f"now.{question}-{rate}",
        title=f"{title}, {rate} Mbit/s",
        question=asked,
        source=f"Li, Leith, Shorten 2007, {source}",
        duration_s=fraction.duration_s,
        points={"alg": algorithms, "rate": (rate,), **_pick(fraction, question)},
        scenario=functools.partial(scenario, duration_s=fraction.duration_s),
        measures=_MEASURES[question],
        figures=_figures(question, fraction),
        parameters=(
            *NETWORK,
            ("flows", "1" if question == "loss" else "2; flow 2 starts after a twelfth to a quarter of the run"),
            ("duration", f"{fraction.duration_s:.0f} s, counted from 10 s after the last start"),
            *((("path", f"{LONG_RTT} ms, 0.2 BDP"),) if question == "loss" else ()),
        ),
        repeats=fraction.repeats,
        kept="rates",
        quick=None if rate == RATES[-1] else Quick(points={} if question == "loss" else {"rtt": fraction.rtts[:1]}, repeats=2),
        full=Quick(
            points=_pick(whole, question),
            repeats=whole.repeats,
            scenario=functools.partial(scenario, duration_s=whole.duration_s),
            only=_only(question, whole),
        ),
        only=_only(question, fraction),
        notes=("A value whose flows complete no epoch is of a run too short for one: `epochs` says how many there are.",),
        headings={"queue": "Discipline", "opponent": "Beside"},
    )


def is_of_epochs(algorithm: str) -> bool:
    """Return whether an algorithm's rate is made of epochs between losses, as its family says; of a whole stack by its law."""
    known = catalogue().algorithms.get(algorithm.partition("@")[0].partition(":")[0])
    return known is not None and known.family.startswith("loss")


EXPERIMENTS = tuple(_experiment(*key) for key in FRACTION)
