"""Rows 13, 15 and 16, and 19 to 21: wired, wireless, varying, slow and long paths."""

from __future__ import annotations

from typing import Any

from windtunnel.experiment import Draws, Experiment, Measure, Point
from windtunnel.plots.declared import Compared, Curves
from windtunnel.scenario import Scenario
from windtunnel.suites.rfc9743.common import NAMED, NETWORK, REPEATS, STANDARD, SUBJECTS, UNASKED, flow, in_minutes, laid_out, link, wait_ms

RADIO = ("loss 0.1 %", "loss 1 %", "bursts", "varying rate", "jitter")
LEAST_MBPS, MOST_MBPS, STEP_S = 5.0, 40.0, 0.5
FAR_S, BACK_S = 30.0, 60.0
"""When the path becomes 70 ms longer, and when it is as before."""
LEAST_PACKETS = 10
"""Of a wired queue. In two packets, one of them in service, every burst of three loses one, and every window stays at three packets."""
LEO_S = 15.0
"""Between hand-overs of a constellation in low orbit."""


def _name(point: Point) -> str:
    place = point.get("place", "it")
    return str(point["alg"] if place == "it" else place)


def wired(point: Point, draws: Draws) -> Scenario:
    """Return one flow over a fixed rate without loss of its own."""
    path = link(point["rate"], point["rtt"], point["q"])
    path = path.model_copy(update={"queue_packets": max(LEAST_PACKETS, path.queue_packets or 0)})
    flows = [flow(point["alg"], draws.uniform("start"))]
    return laid_out(path, flows, draws, rtt_ms=point["rtt"], duration_s=80.0)


def wireless(point: Point, draws: Draws) -> Scenario:
    """Return one flow over what a radio does: losses that no queue made, a rate that varies, jitter of ACKs of up to 20 ms."""
    given: dict[str, Any] = {}
    whole: dict[str, Any] = {}
    if point["case"].startswith("loss"):
        given["loss_probability"] = 0.01 if point["case"] == "loss 1 %" else 0.001
    elif point["case"] == "bursts":
        given["losses"] = [{"model": "gilbert-elliott", "to_bad": 2e-4, "to_good": 0.2}]
    elif point["case"] == "varying rate":
        span = MOST_MBPS - LEAST_MBPS
        rates = [LEAST_MBPS + span * draws.uniform(f"rate {number}") for number in range(1, 160)]
        given["rate_steps"] = [{"at_s": STEP_S * number, "rate_bps": round(rate * 1e6)} for number, rate in enumerate(rates, 1)]
    else:
        whole["jitter_s"] = 0.02
    flows = [flow(_name(point), draws.uniform("start"))]
    return laid_out(link(20, 40, 1.0, **given), flows, draws, rtt_ms=40, duration_s=80.0, **whole)


def varying(point: Point, draws: Draws) -> Scenario:
    """Return one flow whose path becomes 70 ms longer for 30 s, or changes by 15 ms at each hand-over."""
    if point["case"] == "step":
        steps = [{"at_s": FAR_S, "extra_s": 0.07}, {"at_s": BACK_S, "extra_s": 0.0}]
    else:
        steps = [{"at_s": LEO_S * number, "extra_s": round(0.03 * draws.uniform(f"way {number}"), 4)} for number in range(1, 6)]
    flows = [flow(point["alg"], draws.uniform("start"))]
    return laid_out(link(point["rate"], 30, 1.0, delay_steps=steps), flows, draws, rtt_ms=30, duration_s=90.0)


def constrained(point: Point, draws: Draws) -> Scenario:
    """Return one flow over a link so slow that a BDP is a few packets."""
    path = link(point["rate"], 100, 1.0).model_copy(update={"queue_packets": 10})
    return laid_out(path, [flow(point["alg"], draws.uniform("start"))], draws, rtt_ms=100, duration_s=180.0)


def high(point: Point, draws: Draws) -> Scenario:
    """Return one flow over a geostationary satellite."""
    flows = [flow(point["alg"], draws.uniform("start"))]
    return laid_out(link(point["rate"], 600, point["q"]), flows, draws, rtt_ms=600, duration_s=180.0)


_UTIL: dict[str, Any] = {"metric": "util", "y_label": "share of the link", "y_limits": (0.0, 1.05)}

EXPERIMENTS = (
    Experiment(
        id="rfc9743.wired",
        title="Wired paths",
        question="How much of a fixed link does one flow use?",
        source="RFC 9743, 6.1 and 6.3",
        duration_s=80.0,
        points={"alg": SUBJECTS, "rate": (10, 100, 1000), "rtt": (10, 50, 100), "q": (0.2, 1.0)},
        unasked=UNASKED,
        scenario=wired,
        measures=(Measure("util"), Measure("wait_ms", function=wait_ms), Measure("loss_ovh")),
        figures=(
            Curves(
                "util", "Use of the link, queue 1 BDP", x="rtt", panels="rate", fixed={"q": 1.0}, x_label="Round-trip time (ms)", **_UTIL
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1"),
            ("queue", f"at least {LEAST_PACKETS} packets"),
            ("duration", "80 s, counted from 10 s after the start"),
        ),
        repeats=REPEATS,
        quick=in_minutes(rate=(10, 100), rtt=(10, 100)),
    ),
    Experiment(
        id="rfc9743.wireless",
        title="Wireless paths",
        question="What is left of the link where a radio loses, varies and delays?",
        source="RFC 9743, 6.4",
        duration_s=80.0,
        points={"alg": SUBJECTS, "place": ("it", *STANDARD), "case": RADIO},
        unasked=UNASKED,
        scenario=wireless,
        measures=(Measure("util"), Measure("wait_ms", function=wait_ms)),
        figures=(Compared("util", "Use of the link", x="case", series="place", x_label="case", **_UTIL),),
        parameters=(
            *NETWORK,
            ("path", "20 Mbit/s, 40 ms, 1 BDP"),
            ("bursts", "Gilbert-Elliott: 1 in 5000 packets begins a burst of 5 on average"),
            ("varying rate", f"drawn anew each {STEP_S} s, {LEAST_MBPS:.0f} to {MOST_MBPS:.0f} Mbit/s"),
            ("jitter", "ACKs up to 20 ms late, in order"),
        ),
        headings=NAMED,
        repeats=REPEATS,
        quick=in_minutes(),
    ),
    Experiment(
        id="rfc9743.delay",
        title="Varying delay",
        question="How much of the link is used after the smallest delay has changed?",
        source="RFC 9743, 7.2",
        duration_s=90.0,
        points={"alg": SUBJECTS, "rate": (10, 100), "case": ("step", "hand-overs")},
        unasked=UNASKED,
        scenario=varying,
        measures=(
            Measure("util"),
            Measure("util", t0=FAR_S + 5, t1=BACK_S),
            Measure("util", t0=BACK_S + 5, t1=90.0),
            Measure("wait_ms", function=wait_ms),
        ),
        figures=(Compared("util", "Use of the link, whole run", x="case", panels="rate", x_label="case", **_UTIL),),
        parameters=(
            *NETWORK,
            ("path", "30 ms, 1 BDP"),
            ("case", "step: 70 ms longer from 30 to 60 s; hand-overs: 0 to 30 ms longer, drawn anew each 15 s"),
        ),
        headings=NAMED,
        kept="all",
        repeats=REPEATS,
        quick=in_minutes(),
    ),
    Experiment(
        id="rfc9743.iot",
        title="Constrained links",
        question="What does a flow make of a link of a few packets per round trip?",
        source="RFC 9743, 7.3",
        duration_s=180.0,
        points={"alg": SUBJECTS, "rate": (0.064, 0.128, 0.512)},
        unasked=UNASKED,
        scenario=constrained,
        measures=(Measure("util", t0=60.0, t1=180.0), Measure("loss_ovh"), Measure("wait_ms", function=wait_ms)),
        figures=(
            Curves(
                "again",
                "Sent again, of all that is sent",
                metric="loss_ovh",
                x="rate",
                x_label="Rate (Mbit/s)",
                y_label="share",
                x_log=True,
            ),
        ),
        parameters=(*NETWORK, ("path", "100 ms, 10 packets of queue"), ("duration", "180 s; use of the link from 60 s on")),
        kept="all",
        repeats=REPEATS,
        quick=in_minutes(),
    ),
    Experiment(
        id="rfc9743.satellite",
        title="High delay",
        question="How much of a satellite's link does one flow use after a minute?",
        source="RFC 9743, 7.4",
        duration_s=180.0,
        points={"alg": SUBJECTS, "rate": (10, 40, 250), "q": (0.25, 1.0)},
        unasked=UNASKED,
        scenario=high,
        measures=(Measure("util", t0=60.0, t1=180.0), Measure("wait_ms", function=wait_ms), Measure("loss_ovh")),
        figures=(
            Curves(
                "util",
                "Use of the link",
                x="rate",
                panels="q",
                x_label="Rate (Mbit/s)",
                x_log=True,
                fixed={"t0": 60.0, "t1": 180.0},
                **_UTIL,
            ),
        ),
        parameters=(*NETWORK, ("path", "600 ms"), ("duration", "180 s; use of the link from 60 s on")),
        kept="all",
        repeats=REPEATS,
        quick=in_minutes(rate=(10, 40)),
    ),
)
