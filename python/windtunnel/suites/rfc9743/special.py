"""Rows 17, 18, 23, 24 and 26: queues that mark and drop early, policers, disorder, changes of the path, a data centre."""

from __future__ import annotations

from typing import Any

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point
from windtunnel.metrics import View
from windtunnel.plots.declared import Compared, Curves, Histories
from windtunnel.scenario import Bottleneck, Scenario
from windtunnel.suites.rfc9743.common import (
    NAMED,
    NETWORK,
    REPEATS,
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

QUEUES = ("fq-codel", "pie", "dualpi2")
AT_S = 40.0
CHANGES = ("rate / 10", "rate x 10", "outage", "longer way")
_BIN_S = 0.5
SENDERS, ANSWER_BYTES = 32, 256_000


def managed(point: Point, draws: Draws) -> Scenario:
    """Return one flow beside CUBIC, which asks for no ECN, or alone, before a queue that is managed."""
    given: dict[str, Any] = {} if point["ecn"] == "off" else {"transport": {"ecn": "l4s" if point["alg"] == "prague" else "classic"}}
    starts = starts_s(draws, 2)
    flows = [flow(point["alg"], starts[0], **given)]
    if point["case"] == "beside cubic":
        flows.append(flow("cubic", starts[1]))
    path = Bottleneck(rate_bps=50e6, queue_packets=1000, discipline=point["queue"])
    return laid_out(path, flows, draws, rtt_ms=40, duration_s=60.0)


def share(view: View) -> float | None:
    """Return the judged flow's share of the goodput of both; None where it is alone."""
    if len(view.foreground) < 2:
        return None
    first, second = (goodput_mbps(view, (one,)) for one in (0, 1))
    return None if first is None or second is None or not first + second else first / (first + second)


def policed(point: Point, draws: Draws) -> Scenario:
    """Return one flow over a fast link behind a policer."""
    bucket = {"rate_bps": point["rate"] * 1e6, "burst_bytes": 45_000.0}
    path = Bottleneck(rate_bps=100e6, queue_packets=400, discipline="policer", discipline_parameters=bucket)
    return laid_out(path, [flow(point["alg"], draws.uniform("start"))], draws, rtt_ms=40, duration_s=80.0)


def disordered(point: Point, draws: Draws) -> Scenario:
    """Return one flow of whose packets some arrive late by a part of the round trip."""
    path = link(20, 40, 1.0, reorder_probability=point["p"], reorder_s=round(0.04 * point["depth"], 4))
    return laid_out(path, [flow(point["alg"], draws.uniform("start"))], draws, rtt_ms=40, duration_s=60.0)


def changed(point: Point, draws: Draws) -> Scenario:
    """Return one flow whose path changes after 40 s."""
    case = point["case"]
    rate_mbps = 10 if case == "rate x 10" else 50
    given: dict[str, Any] = {}
    if case.startswith("rate"):
        given["rate_steps"] = [{"at_s": AT_S, "rate_bps": (100 if case == "rate x 10" else 5) * 1e6}]
    elif case == "outage":
        given["outages"] = [{"at_s": AT_S, "length_s": 2.0}]
    else:
        given["delay_steps"] = [{"at_s": AT_S, "extra_s": 0.1}]
    flows = [flow(point["alg"], draws.uniform("start"))]
    return laid_out(link(rate_mbps, 40, 1.0, **given), flows, draws, rtt_ms=40, duration_s=100.0)


def back_s(view: View) -> float:
    """Return the time from the change until the link carries 90 % of its rate for half a second; endless where it never does."""
    case = view.point["case"]
    rate_bps = {"rate / 10": 5e6, "rate x 10": 100e6}.get(case, view.rate_bps)
    t_s, _, carried = view.queue_samples
    steps = round(_BIN_S / view.sample_s)
    rate = (carried[steps:] - carried[:-steps]) * 8 / _BIN_S
    begin_s = AT_S + (2.0 if case == "outage" else 0.0)
    there = np.flatnonzero((rate >= 0.9 * rate_bps) & (t_s[:-steps] >= begin_s - 1e-9))
    return float(t_s[there[0]]) - begin_s if there.size else float("inf")


def drain_s(view: View) -> float:
    """Return the time from the change until the queue is first at most half full again; endless where it never is."""
    t_s, queue, _ = view.queue_samples
    there = np.flatnonzero((queue <= view.queue_packets / 2) & (t_s >= AT_S + 0.2))
    return float(t_s[there[0]]) - AT_S if there.size else float("inf")


def incast(point: Point, draws: Draws) -> Scenario:
    """Return 32 senders that answer within 100 microseconds, over one port of 10 Gbit/s."""
    name = point["alg"] if point["place"] == "it" else point["place"]
    flows = [flow(name, start, bytes=ANSWER_BYTES) for start in starts_s(draws, SENDERS, 1e-4)]
    path = Bottleneck(rate_bps=10e9, queue_packets=int(point["qpkt"]))
    return laid_out(path, flows, draws, rtt_ms=0.1, duration_s=3.0, warmup_s=0.0, sample_s=0.01)


def slowest_ms(view: View) -> float | None:
    """Return the 99th percentile of the senders' completion times, ms; endless where more are not done."""
    done = [view.completed_s(one) for one in view.foreground]
    times = sorted(float("inf") if one is None else one - view.start_s(number) for number, one in zip(view.foreground, done, strict=True))
    return times[min(len(times) - 1, int(0.99 * len(times)))] * 1e3


EXPERIMENTS = (
    Experiment(
        id="rfc9743.aqm",
        title="Managed queues",
        question="What does a flow get, and how long is the queue, under FQ-CoDel, PIE and DualPI2, with and without ECN?",
        source="RFC 9743, 7.1",
        duration_s=60.0,
        points={"alg": SUBJECTS, "queue": QUEUES, "ecn": ("off", "on"), "case": ("alone", "beside cubic")},
        unasked=UNASKED,
        scenario=managed,
        measures=(
            Measure("share", function=share),
            Measure("util"),
            Measure("wait_ms", function=wait_ms),
            Measure("mark_share"),
            Measure("drop_share"),
        ),
        figures=(
            Compared(
                "delay",
                "Mean wait in the queue, alone",
                metric="wait_ms",
                x="queue",
                panels="ecn",
                fixed={"case": "alone"},
                x_label="queue",
                y_label="ms",
            ),
            Compared(
                "share",
                "Share beside CUBIC without ECN",
                metric="share",
                x="queue",
                panels="ecn",
                fixed={"case": "beside cubic"},
                x_label="queue",
                y_label="share of both",
                y_limits=(0, 1),
                baseline=(0.5,),
            ),
        ),
        parameters=(
            *NETWORK,
            ("path", "50 Mbit/s, 40 ms, 1000 packets"),
            ("ecn", "asked for by the judged flow: ECT(0), by prague ECT(1)"),
        ),
        headings={**NAMED, "queue": "Discipline", "ecn": "ECN"},
        repeats=REPEATS,
        quick=in_minutes(),
    ),
    Experiment(
        id="rfc9743.policer",
        title="Behind a policer",
        question="How much of its traffic does a flow keep losing to a policer?",
        source="RFC 9743, 7.1.1",
        duration_s=80.0,
        points={"alg": SUBJECTS, "rate": (5, 20)},
        unasked=UNASKED,
        scenario=policed,
        measures=(Measure("loss_ovh"), Measure("goodput_mbps"), Measure("drop_share")),
        figures=(
            Curves(
                "loss", "Sent again, of all that is sent", metric="loss_ovh", x="rate", x_label="Policed rate (Mbit/s)", y_label="share"
            ),
        ),
        parameters=(*NETWORK, ("path", "100 Mbit/s, 40 ms; a policer without a queue, burst 30 packets")),
        headings={"rate": "Policed rate (Mbit/s)"},
        repeats=REPEATS,
        quick=in_minutes(),
    ),
    Experiment(
        id="rfc9743.reordering",
        title="Reordering",
        question="What is left of the link where packets are overtaken?",
        source="RFC 9743, 7.6",
        duration_s=60.0,
        points={"alg": SUBJECTS, "p": (0.01, 0.1), "depth": (0.1, 0.5, 1.0)},
        unasked=UNASKED,
        scenario=disordered,
        measures=(Measure("util"), Measure("loss_ovh")),
        figures=(
            Curves(
                "util",
                "Use of the link",
                metric="util",
                x="depth",
                panels="p",
                x_label="Lateness (round trips)",
                y_label="share",
                y_limits=(0, 1.05),
            ),
        ),
        parameters=(*NETWORK, ("path", "20 Mbit/s, 40 ms, 1 BDP"), ("recovery", "RACK, the profile's: it waits, and undoes")),
        headings={"depth": "Lateness (RTT)", "p": "Share of late packets"},
        repeats=REPEATS,
        quick=in_minutes(),
    ),
    Experiment(
        id="rfc9743.transients",
        title="Changes of the path",
        question="How soon is the link full again, and its queue no longer, after the path has changed?",
        source="RFC 9743, 7.7 and 7.7.1",
        duration_s=60.0,
        points={"alg": SUBJECTS, "case": CHANGES},
        unasked=UNASKED,
        scenario=changed,
        measures=(Measure("back_s", function=back_s), Measure("drain_s", function=drain_s)),
        figures=(
            Compared(
                "back", "From the change until the link carries 90 % of its rate", metric="back_s", x="case", x_label="change", y_label="s"
            ),
            Histories("rates", "Goodput around a change at 40 s", quantity="goodput_mbps", panels="case", y_label="Mbit/s"),
        ),
        parameters=(
            *NETWORK,
            ("path", "40 ms, 1 BDP of 50 Mbit/s; of 10 Mbit/s where the rate grows"),
            ("change", "at 40 s: 50 to 5 Mbit/s, 10 to 100 Mbit/s, nothing for 2 s, 100 ms longer"),
        ),
        kept="all",
        headings={**NAMED, "case": "Change"},
        repeats=REPEATS,
        quick=in_minutes(),
    ),
    Experiment(
        id="rfc9743.incast",
        title="A data centre's incast",
        question="How long do 32 senders take that answer at once?",
        source="RFC 9743, 7.9",
        duration_s=3.0,
        points={"alg": SUBJECTS, "place": ("it", "cubic", "dctcp"), "qpkt": (100, 700)},
        unasked=UNASKED,
        scenario=incast,
        measures=(Measure("slowest_ms", function=slowest_ms), Measure("drop_share")),
        figures=(
            Curves(
                "slowest",
                "99th percentile of completion",
                metric="slowest_ms",
                x="qpkt",
                series="place",
                x_label="Queue (packets)",
                y_label="ms",
                y_log=True,
            ),
        ),
        parameters=(*NETWORK, ("path", "10 Gbit/s, 100 us, one port, drop-tail"), ("flows", f"{SENDERS} of {ANSWER_BYTES // 1000} kB")),
        headings=NAMED,
        repeats=REPEATS,
        quick=in_minutes(),
    ),
)
