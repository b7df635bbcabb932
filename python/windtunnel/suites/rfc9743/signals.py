"""Rows 9 and 14: beside video that follows its connection, and through a tunnel that does not carry the ECN field."""

from __future__ import annotations

from typing import Any

from windtunnel.experiment import Draws, Experiment, Measure, Point
from windtunnel.metrics import View, video
from windtunnel.plots.declared import Compared
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
    starts_s,
    wait_ms,
)

VIDEOS = ("reno", "ledbat")
"""What carries the video: a law of loss, and the law that SCReAM's window (RFC 8298) is made from."""
LIKE = "reno"
"""What stands in the judged flow's place beside video (RFC 8867, 5.6: long TCP flows of RFC 5681)."""
MEDIA_RATES = (2, 5)
MEDIA_QUEUE_S = 0.3
FIELDS = ("kept", "cleared", "ECT(0)")
SCALABLE = ("prague", "dctcp")


def beside_video(point: Point, draws: Draws) -> Scenario:
    """Return video of at most 1.5 Mbit/s, and from 10 s on one long flow of the judged algorithm or of NewReno (RFC 8867, 5.6)."""
    start, other = starts_s(draws, 2)
    name = point["alg"] if point["place"] == "it" else LIKE
    flows = [flow(point["video"], start, video_bps=1.5e6, video_min_bps=150e3, frame_s=0.04), flow(name, 10.0 + other)]
    path = Bottleneck(rate_bps=point["rate"] * 1e6, queue_s=MEDIA_QUEUE_S)
    return laid_out(path, flows, draws, rtt_ms=100, duration_s=120.0)


def video_mbps(view: View) -> float | None:
    """Return the goodput of the video, Mbit/s."""
    return goodput_mbps(view, (0,))


def frame_p95_ms(view: View) -> float | None:
    """Return the 95th percentile of the delay of the video's frames, ms."""
    found = video(view.records)["frame_s_p95"].to_list()
    return None if not found or found[0] is None else float(found[0]) * 1e3


def skipped(view: View) -> float | None:
    """Return the share of frames that were not encoded, for too much waited."""
    found = video(view.records)
    return float(found["skipped"][0] / found["frames"][0]) if found.height else None


def tunnelled(point: Point, draws: Draws) -> Scenario:
    """Return one flow whose ECN field a tunnel before the queue keeps, clears, or writes anew as ECT(0)."""
    asked = "l4s" if point["alg"].partition(":")[0] in SCALABLE else "classic"
    ecn: Any = {"kept": asked, "cleared": "off", "ECT(0)": "classic"}[point["field"]]
    path = Bottleneck(rate_bps=20e6, queue_packets=1000, discipline=point["queue"])
    return laid_out(path, [flow(point["alg"], draws.uniform("start"), transport={"ecn": ecn})], draws, rtt_ms=40, duration_s=60.0)


EXPERIMENTS = (
    Experiment(
        id="rfc9743.media",
        title="Beside interactive video",
        question="What is left of video that follows its connection beside one long flow, more than beside NewReno?",
        source="RFC 9743, 5.2.2; RFC 8867, 5.6",
        duration_s=120.0,
        points={"alg": SUBJECTS, "video": VIDEOS, "rate": MEDIA_RATES, "place": ("it", LIKE)},
        unasked=UNASKED,
        scenario=beside_video,
        measures=(
            Measure("video_mbps", function=video_mbps),
            Measure("frame_p95_ms", function=frame_p95_ms),
            Measure("skipped", function=skipped),
        ),
        figures=(
            Compared(
                "rate",
                "Goodput of the video, 2 Mbit/s",
                metric="video_mbps",
                x="video",
                series="place",
                y_label="Mbit/s",
                fixed={"rate": 2},
            ),
            Compared(
                "frames",
                "Delay of frames, 95th percentile, 2 Mbit/s",
                metric="frame_p95_ms",
                x="video",
                series="place",
                y_label="ms",
                fixed={"rate": 2},
            ),
        ),
        parameters=(
            *NETWORK,
            ("path", "2 and 5 Mbit/s, 100 ms, drop-tail of 300 ms"),
            ("video", "150 kbit/s to 1.5 Mbit/s as payload of TCP; the encoder follows RFC 8298, 4.1.3"),
        ),
        repeats=REPEATS,
        kept="totals",
        quick=in_minutes(),
        headings={**NAMED, "video": "Video over"},
        notes=("RTP with SCReAM, NADA or GCC is not run: there is none here.",),
    ),
    Experiment(
        id="rfc9743.tunnels",
        title="Through a tunnel that rewrites the ECN field",
        question="What becomes of rate and delay where the ECN field is cleared, or changed to ECT(0), before the queue?",
        source="RFC 9743, 6.2; RFC 9599",
        duration_s=60.0,
        points={"alg": SUBJECTS, "field": FIELDS, "queue": ("codel", "dualpi2")},
        unasked=UNASKED,
        scenario=tunnelled,
        measures=(Measure("util"), Measure("wait_ms", function=wait_ms)),
        figures=(
            Compared("util", "Use of the link", metric="util", x="field", series="queue", y_label="share", y_limits=(0, 1)),
            Compared("wait", "Mean wait in the queue", metric="wait_ms", x="field", series="queue", y_label="ms"),
        ),
        parameters=(*NETWORK, ("path", "20 Mbit/s, 40 ms, CoDel or DualPI2 with their texts' defaults")),
        repeats=REPEATS,
        kept="totals",
        quick=in_minutes(),
        headings={**NAMED, "field": "ECN field", "queue": "Queue"},
        notes=("A tunnel behind the queue that wipes marks is not run: the path has none.",),
    ),
)
