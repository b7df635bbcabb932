"""Video that follows its connection over each wireless part: what C4's media scenarios ask of a path."""

from __future__ import annotations

from typing import Any

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View, video
from windtunnel.plots.declared import Compared
from windtunnel.scenario import Scenario
from windtunnel.suites.wireless.paths import DURATION_S, PARTS, QUEUE_PACKETS, RATE_MBPS, RTT_S, WARMUP_S, fields

SUBJECTS = ("ledbat", "cubic", "bbr3")
VIDEO_BPS, FRAME_S = 4e6, 1 / 30
"""30 frames a second, as C4's; a fifth of the link at most, so that the path makes the delay and not the video's own queue."""
LATE_S = 0.4


def watched(point: Point, draws: Draws) -> Scenario:
    """Return video alone over the path with the point's part."""
    down, up = fields(point["part"], draws)
    given: dict[str, Any] = {"reverse": {"rate_bps": RATE_MBPS * 1e6, "queue_packets": QUEUE_PACKETS, **up}} if up else {}
    begin = round(0.02 * draws.uniform("start"), 4)
    flow = {"algorithm": point["alg"], "start_s": begin, "video_bps": VIDEO_BPS, "video_min_bps": 150e3, "frame_s": FRAME_S}
    return Scenario.model_validate(
        {
            "bottleneck": {"rate_bps": RATE_MBPS * 1e6, "queue_packets": QUEUE_PACKETS, **down},
            "flows": [flow],
            "rtt_s": RTT_S,
            "duration_s": DURATION_S,
            "warmup_s": WARMUP_S,
            "sample_s": 0.1,
            **given,
        }
    )


def frame_p95_ms(view: View) -> float | None:
    """Return the 95th percentile of the delay of frames, ms."""
    found = video(view.records)["frame_s_p95"].to_list()
    return None if not found or found[0] is None else float(found[0]) * 1e3


def late_frames(view: View) -> float | None:
    """Return the share of the frames after the warm-up that were skipped, or took more than 400 ms."""
    rows = view.records.video
    if rows is None:
        return None
    inside = rows.filter((rows["start_s"] >= WARMUP_S) & (rows["start_s"] <= DURATION_S - LATE_S))
    late = inside["completion_s"].is_null() | (inside["completion_s"].fill_null(LATE_S) > LATE_S)
    return float(late.sum()) / inside.height if inside.height else None


def encoded_mbps(view: View) -> float | None:
    """Return the mean rate that frames were encoded for, Mbit/s."""
    found = video(view.records)["rate_bps_mean"].to_list()
    return None if not found or found[0] is None else float(found[0]) * 1e-6


EXPERIMENTS = (
    Experiment(
        id="wireless.media",
        title="Video over each wireless part",
        question="How late are frames, and how many are lost to a conversation, over each effect of wireless links by itself?",
        source="draft-huitema-ccwg-c4-test, media; RFC 8869",
        duration_s=DURATION_S,
        points={"alg": SUBJECTS, "part": PARTS},
        scenario=watched,
        measures=tuple(Measure(one.__name__, function=one) for one in (frame_p95_ms, late_frames, encoded_mbps)),
        figures=(
            Compared("delay", "Delay of frames, 95th percentile", metric="frame_p95_ms", x="part", series="alg", y_label="ms", y_log=True),
            Compared("late", "Frames skipped or late", metric="late_frames", x="part", series="alg", y_label="share", y_limits=(0, 1)),
            Compared("rate", "Rate of the video", metric="encoded_mbps", x="part", series="alg", y_label="Mbit/s"),
        ),
        parameters=(
            ("network", f"{RATE_MBPS} Mbit/s, {RTT_S * 1e3:g} ms, {QUEUE_PACKETS} packets (2 BDP)"),
            ("video", "150 kbit/s to 4 Mbit/s, 30 frames/s, payload of TCP; the encoder follows RFC 8298, 4.1.3"),
            ("duration", f"{DURATION_S:g} s, measured from {WARMUP_S:g} s"),
        ),
        repeats=5,
        kept="totals",
        quick=Quick(repeats=3),
        headings={"part": "path"},
        notes=(
            "C4's media has audio, a second video and priorities over QUIC datagrams; its printed latencies are of that and "
            "are no claims here.",
        ),
    ),
)
