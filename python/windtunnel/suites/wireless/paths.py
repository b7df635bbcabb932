"""Paths made of the parts, one effect each: jitter, aggregation, suspension, handovers, a cellular link."""

from __future__ import annotations

from typing import Any

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Compared, Histories
from windtunnel.scenario import Flow, Scenario
from windtunnel.suites.wireless.c4 import SUBJECTS
from windtunnel.suites.wireless.parts import (
    PACKET_BITS,
    SLOT_S,
    batches,
    cellular,
    delays,
    drawing,
    handovers,
    ordered_jitter_s,
    suspensions,
    wifi_latency_s,
)

PARTS = ("none", "wifi", "rfc8868", "frames", "acks", "suspension", "leo", "cellular")
RATE_MBPS, RTT_S = 20, 0.04
QUEUE_PACKETS = 133
"""Two BDP."""
DURATION_S, WARMUP_S = 32.0, 5.0
TXOP_MS = 4


def fields(part: str, draws: Draws) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a part as fields of the bottleneck and of the reverse link."""
    stream = drawing(draws, part)
    inside = (SLOT_S, DURATION_S - SLOT_S)
    if part == "wifi":
        return {"delay_steps": delays(stream, wifi_latency_s, [(*inside, 7e-3)], SLOT_S)}, {}
    if part == "rfc8868":
        return {"delay_steps": delays(stream, ordered_jitter_s, [(*inside, 5e-3)], SLOT_S)}, {}
    if part == "frames":
        return {"trace_ms": batches(RATE_MBPS, TXOP_MS)}, {}
    if part == "acks":
        return {}, {"trace_ms": [TXOP_MS]}
    if part == "suspension":
        return {"outages": suspensions(DURATION_S)}, {"outages": suspensions(DURATION_S)}
    if part == "leo":
        made = handovers(stream, DURATION_S)
        rates = [{"at": at, "rate": share * RATE_MBPS * 1e6} for at, share in made.pop("shares")]
        return {**made, "rate_steps": rates}, {"outages": made["outages"]}
    if part == "cellular":
        return {"trace_ms": cellular(stream, DURATION_S)}, {}
    return {}, {}


def one(point: Point, draws: Draws) -> Scenario:
    """Return one long flow over the path with the point's part."""
    down, up = fields(point["part"], draws)
    begin = round(0.02 * draws.uniform("start"), 4)
    given: dict[str, Any] = {"reverse": {"rate_bps": RATE_MBPS * 1e6, "queue_packets": QUEUE_PACKETS, **up}} if up else {}
    return Scenario.model_validate(
        {
            "bottleneck": {"rate_bps": RATE_MBPS * 1e6, "queue_packets": QUEUE_PACKETS, **down},
            "flows": (Flow.model_validate({"algorithm": point["alg"], "start_s": begin}),),
            "rtt_s": RTT_S,
            "duration_s": DURATION_S,
            "warmup_s": WARMUP_S,
            "sample_s": 0.02,
            **given,
        }
    )


def use(view: View) -> float | None:
    """Return what the link carried over what it could have carried, after the warm-up: its rate, its outages and deliveries counted."""
    carried = view.link["window_delivered_bytes"]
    return None if carried is None else carried * 8 / offered_bits(view.scenario, WARMUP_S, DURATION_S)


def offered_bits(scenario: Any, t0: float, t1: float) -> float:
    """Return what a link could carry between two times: the integral of its rate less its outages, or its deliveries."""
    link = scenario["bottleneck"]
    trace = link.get("trace_ms") or ()
    if trace:
        period = trace[-1]
        whole = int((t1 * 1e3) // period) + 1
        moments = (at + turn * period for turn in range(whole) for at in trace)
        return float(sum(PACKET_BITS for at in moments if t0 * 1e3 <= at < t1 * 1e3))
    steps = [(0.0, float(link["rate_bps"])), *((float(one["at_s"]), float(one["rate_bps"])) for one in link.get("rate_steps") or ())]
    ends = [at for at, _ in steps[1:]] + [t1]
    bits = 0.0
    for (begin, rate), end in zip(steps, ends, strict=True):
        low, high = max(begin, t0), min(end, t1)
        if high <= low:
            continue
        silent = sum(max(0.0, min(high, out["at_s"] + out["length_s"]) - max(low, out["at_s"])) for out in link.get("outages") or ())
        bits += rate * (high - low - silent)
    return bits


def wait_ms(view: View) -> float | None:
    """Return the mean RTT less the base RTT, ms, of all samples of the run: queue, jitter and aggregation together."""
    seen = view.row(0)["mean_rtt_s"]
    return None if seen is None else (seen - RTT_S) * 1e3


EXPERIMENTS = (
    Experiment(
        id="wireless.parts",
        title="One long flow over each wireless part",
        question="How much of a path does a flow use, and how long does it wait, with each effect of wireless links by itself?",
        source="RFC 9743, 6.2 (wireless); RFC 8868, 6; draft-huitema-ccwg-c4-test; heistp/l4s-tests; Sprout (NSDI 2013)",
        duration_s=DURATION_S,
        points={"alg": SUBJECTS, "part": PARTS},
        scenario=one,
        measures=(Measure("use", function=use), Measure("rtt_over_ms", function=wait_ms), Measure("loss_ovh"), Measure("goodput_mbps")),
        figures=(
            Compared(
                "use",
                "Use of what the path could carry",
                metric="use",
                x="part",
                series="alg",
                x_label="part",
                y_label="share",
                y_limits=(0, 1),
            ),
            Compared(
                "wait",
                "Mean RTT above the base RTT",
                metric="rtt_over_ms",
                x="part",
                series="alg",
                x_label="part",
                y_label="ms",
                y_log=True,
            ),
            Histories("goodput", "Goodput of CUBIC", quantity="goodput_mbps", panels="part", alg="cubic", y_label="Goodput (Mbit/s)"),
        ),
        parameters=(
            ("network", f"{RATE_MBPS} Mbit/s, {RTT_S * 1e3:g} ms, {QUEUE_PACKETS} packets (2 BDP)"),
            ("wifi", "the law of draft-huitema-ccwg-c4-test, mean 7 ms"),
            ("rfc8868", "NR-RBPDV, std 5 ms"),
            ("frames", f"data leaves every {TXOP_MS} ms"),
            ("acks", f"ACKs leave every {TXOP_MS} ms"),
            ("suspension", "nothing for 0.2 s of every 2 s, both ways"),
            ("leo", "every 15 s a gap, another delay and rate"),
            ("cellular", "Sprout's model, 0 to 12 Mbit/s"),
            ("duration", f"{DURATION_S:g} s, measured from {WARMUP_S:g} s"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(points={"alg": ("bbr3", "cubic")}, repeats=3),
        headings={"part": "path"},
        notes=("Use of the cellular link counts its deliveries, of the LEO path its rates less its gaps.",),
    ),
)
