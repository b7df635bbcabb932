"""Rows 1 to 4: an algorithm with no other: collapse, bufferbloat, loss that it makes itself, sharing with itself."""

from __future__ import annotations

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point
from windtunnel.metrics import View
from windtunnel.metrics.backoffs import Array
from windtunnel.plots.declared import Compared, Curves, Histories
from windtunnel.scenario import Scenario
from windtunnel.suites.rfc9743.common import (
    NAMED,
    NETWORK,
    REPEATS,
    STANDARD,
    SUBJECTS,
    UNASKED,
    flow,
    goodput_mbps,
    in_minutes,
    laid_out,
    link,
    starts_s,
    wait_ms,
)

CUT_S, CUT_LASTS_S = 20.0, 60.0
_NEXT_S = 0.1
"""An exchange that is later than this after another is one of its own: far below the smallest timeout, 200 ms."""


def lossy(point: Point, draws: Draws) -> Scenario:
    """Return one flow whose packets are lost at random from the start."""
    path = link(10, 50, 1.0, loss_probability=point["p"])
    return laid_out(path, [flow(point["alg"], draws.uniform("start"))], draws, rtt_ms=50, duration_s=120.0)


def per_rtt(view: View) -> float:
    """Return the packets that the flow sends per base round trip after the warm-up."""
    sent = float(view.row(0)["window_sent_packets"])
    return sent / (view.duration_s - float(view.scenario["warmup_s"])) * view.base_rtt_s(0)


def cut(point: Point, draws: Draws) -> Scenario:
    """Return one flow whose ACKs are all held back for a minute, in which its data still arrives."""
    reverse = link(10, 50, 1.0, outages=[{"at_s": CUT_S, "length_s": CUT_LASTS_S}])
    flows = [flow(point["alg"], draws.uniform("start"))]
    return laid_out(link(10, 50, 1.0), flows, draws, rtt_ms=50, duration_s=100.0, reverse=reverse, sample_s=0.01)


def _carried(view: View, begin_s: float, end_s: float) -> tuple[Array, Array]:
    t_s, _, carried = view.queue_samples
    within = (t_s >= begin_s) & (t_s <= end_s)
    return t_s[within], carried[within]


def after_second(view: View) -> float:
    """Return the packets that the link carries from one second after the last feedback to the end of the cut."""
    _, carried = _carried(view, CUT_S + 1.0, CUT_S + CUT_LASTS_S)
    return float(carried[-1] - carried[0]) / 1500


def spacing(view: View) -> float | None:
    """Return the smallest ratio of a gap between what is sent in the cut to the gap before it, from the second gap on; None below three."""
    t_s, carried = _carried(view, CUT_S + 1.0, CUT_S + CUT_LASTS_S)
    sent = t_s[1:][np.diff(carried) > 0]
    times = sent[np.concatenate(([True], np.diff(sent) > _NEXT_S))] if sent.size else sent
    gaps = np.diff(times)
    return float((gaps[1:] / gaps[:-1]).min()) if gaps.size > 1 else None


def bloated(point: Point, draws: Draws) -> Scenario:
    """Return one flow before a queue of the point's size, for a minute and, in a deep queue, two."""
    duration_s = 120.0 if point["q"] > 4 else 60.0
    path = link(point["rate"], point["rtt"], point["q"])
    flows = [flow(point["alg"], draws.uniform("start"))]
    return laid_out(path, flows, draws, rtt_ms=point["rtt"], duration_s=duration_s)


def queue_rtts(view: View) -> float | None:
    """Return the mean wait in the queue over the base round trip."""
    waits_ms = wait_ms(view)
    return None if waits_ms is None else waits_ms * 1e-3 / view.base_rtt_s(0)


def crowded(point: Point, draws: Draws) -> Scenario:
    """Return some flows of the algorithm, or of the one in its place, that start within a second."""
    name = point["alg"] if point["place"] == "it" else point["place"]
    flows = [flow(name, start) for start in starts_s(draws, int(point["n"]))]
    return laid_out(link(100, 40, point["q"]), flows, draws, rtt_ms=40, duration_s=60.0)


def together(point: Point, draws: Draws) -> Scenario:
    """Return some flows of the algorithm: alike, with one of four times the round trip, or with one that comes half a minute later."""
    number = int(point["n"])
    starts = starts_s(draws, number)
    if point["case"] == "late":
        starts[-1] += 30.0
    flows = [flow(point["alg"], start) for start in starts]
    if point["case"] == "far":
        flows[-1] = flow(point["alg"], starts[-1], rtt_s=0.16)
    return laid_out(link(50, 40, point["q"]), flows, draws, rtt_ms=40, duration_s=max(starts) + 10.0 + 100.0)


def least_of_fair(view: View) -> float | None:
    """Return the goodput of the flow that got least over an equal share of what all got."""
    rates = [goodput_mbps(view, (one,)) for one in view.foreground]
    known = [rate for rate in rates if rate is not None]
    return min(known) * len(known) / sum(known) if known and sum(known) else None


EXPERIMENTS = (
    Experiment(
        id="rfc9743.collapse",
        title="Random loss that does not end",
        question="How much does a flow send per round trip where a twentieth to nine tenths of its packets are lost?",
        source="RFC 9743, 5.1.1",
        duration_s=120.0,
        points={"alg": SUBJECTS, "p": (0.05, 0.2, 0.5, 0.9)},
        unasked=UNASKED,
        scenario=lossy,
        measures=(Measure("per_rtt", function=per_rtt), Measure("util")),
        figures=(
            Curves(
                "sent",
                "Sent per round trip against loss",
                metric="per_rtt",
                x="p",
                x_label="Loss probability",
                y_label="packets",
                y_log=True,
                baseline=(1.0,),
                caption="Line: one packet per round trip, where full backoff begins.",
            ),
        ),
        parameters=(*NETWORK, ("path", "10 Mbit/s, 50 ms, 1 BDP"), ("window", "from 10 s after the start to 120 s")),
        repeats=REPEATS,
        quick=in_minutes(),
    ),
    Experiment(
        id="rfc9743.feedback",
        title="All feedback lost",
        question="What does a flow send in a minute without any ACK?",
        source="RFC 9743, 5.1.1 and 5.2",
        duration_s=100.0,
        points={"alg": SUBJECTS},
        unasked=UNASKED,
        scenario=cut,
        measures=(Measure("after_second", function=after_second), Measure("spacing", function=spacing)),
        figures=(
            Compared("sent", "Carried from a second after the last ACK to the end of the cut", metric="after_second", y_label="packets"),
            Histories(
                "cwnd", "Window around a minute without feedback, from 20 to 80 s", quantity="cwnd_packets", y_label="cwnd (packets)"
            ),
        ),
        parameters=(*NETWORK, ("path", "10 Mbit/s, 50 ms, 1 BDP"), ("cut", "no ACK leaves the reverse link from 20 to 80 s")),
        kept="all",
        repeats=REPEATS,
        quick=in_minutes(),
    ),
    Experiment(
        id="rfc9743.bufferbloat",
        title="Bufferbloat",
        question="How long a queue does one flow keep where there is room for it?",
        source="RFC 9743, 5.1.2",
        duration_s=60.0,
        points={"alg": SUBJECTS, "rate": (5, 50), "rtt": (20, 80), "q": (1.0, 4.0, 20.0)},
        unasked=UNASKED,
        scenario=bloated,
        measures=(Measure("qdelay_rtts", function=queue_rtts), Measure("wait_ms", function=wait_ms), Measure("util")),
        figures=(
            Curves(
                "delay",
                "Mean queueing delay over the base round trip, at 50 Mbit/s",
                metric="qdelay_rtts",
                x="q",
                panels="rtt",
                fixed={"rate": 50},
                x_label="Queue (BDP)",
                y_label="base round trips",
                x_log=True,
                baseline=(1.0,),
                caption="Line: the threshold of this suite, one base round trip.",
            ),
        ),
        parameters=(*NETWORK, ("flows", "1"), ("duration", "60 s, in 20 BDP 120 s; counted from 10 s after the start")),
        repeats=REPEATS,
        quick=in_minutes(),
    ),
    Experiment(
        id="rfc9743.selfloss",
        title="Loss that flows make themselves",
        question="How much do two to thirty flows lose, from a tenth of a BDP of buffer to three?",
        source="RFC 9743, 5.1.3",
        duration_s=60.0,
        points={"alg": SUBJECTS, "place": ("it", *STANDARD), "n": (2, 10, 30), "q": (0.1, 0.5, 1.0, 1.5, 3.0)},
        unasked=UNASKED,
        scenario=crowded,
        measures=(Measure("drop_share"), Measure("util"), Measure("jain")),
        figures=(
            Curves(
                "loss",
                "Dropped share of all packets, the judged algorithm alone",
                metric="drop_share",
                x="q",
                panels="n",
                fixed={"place": "it"},
                x_label="Queue (BDP)",
                y_label="dropped over arrived",
                x_log=True,
                y_log=True,
            ),
        ),
        parameters=(
            *NETWORK,
            ("path", "100 Mbit/s, 40 ms (BDP 333 packets)"),
            ("duration", "60 s, counted from 10 s after the last start"),
        ),
        headings=NAMED,
        repeats=REPEATS,
        quick=in_minutes(),
    ),
    Experiment(
        id="rfc9743.itself",
        title="Beside its like",
        question="How do two, four and ten flows of one algorithm share, alike, with one far away, with one that comes late?",
        source="RFC 9743, 5.1.4",
        duration_s=121.0,
        points={"alg": SUBJECTS, "n": (2, 4, 10), "case": ("alike", "far", "late"), "q": (1.0, 8.0)},
        unasked=UNASKED,
        scenario=together,
        measures=(Measure("jain"), Measure("least", function=least_of_fair), Measure("util")),
        figures=(
            *(
                Curves(
                    f"{metric}-{q:.0f}",
                    f"{title}, queue {q:.0f} BDP",
                    metric=metric,
                    x="n",
                    panels="case",
                    fixed={"q": q},
                    x_label="Flows",
                    y_label=label,
                    y_limits=(0, 1.05),
                )
                for q in (1.0, 8.0)
                for metric, title, label in (
                    ("jain", "Jain's index", "Jain's index"),
                    ("least", "What the flow with least gets, over an equal share", "share of a fair share"),
                )
            ),
        ),
        parameters=(
            *NETWORK,
            ("path", "50 Mbit/s, 40 ms, 1 and 8 BDP (40 and 320 ms)"),
            ("case", "far: the last flow's base round trip is 160 ms; late: it starts 30 s after the others"),
            ("window", "100 s, from 10 s after the last start"),
        ),
        headings=NAMED,
        repeats=REPEATS,
        quick=in_minutes(),
    ),
)
