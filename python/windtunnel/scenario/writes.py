"""Applications that do not always have more to send: on and off, in chunks, or video."""

from __future__ import annotations

from typing import Annotated, Any

from windtunnel.scenario import units
from windtunnel.scenario.errors import refusal, shown
from windtunnel.scenario.ranges import RANGES

CHUNK_S = 2.0
"""Time between two chunks when none is given, seconds: what video is commonly cut into."""
VIDEO_MIN_BPS, FRAME_S = 150e3, 0.04
"""Smallest rate of video, and the time between two of its frames, when none is given (RFC 8867, 4.3)."""
VIDEO = {"video": "video_bps", "video_min": "video_min_bps", "frame": "frame_s"}
SHORT = {"on": "on_s", "off": "off_s", "app_rate": "app_rate_bps", "chunk": "chunk_s"}
SpanS = Annotated[float, RANGES["span_s"]]


def with_chunk(table: dict[str, Any]) -> dict[str, Any]:
    """Return a flow's table with the default time between chunks, where it has a rate and no such time."""
    has_rate = any(table.get(key) is not None for key in ("app_rate", "app_rate_bps"))
    has_time = any(table.get(key) is not None for key in ("chunk", "chunk_s"))
    return with_frames(table | {"chunk_s": CHUNK_S} if has_rate and not has_time else table)


def with_frames(table: dict[str, Any]) -> dict[str, Any]:
    """Return a flow's table with the smallest rate of its video and the time between frames, where it has video and not these."""

    def has(name: str) -> bool:
        return any(table.get(key) is not None for key in (name, VIDEO[name]))

    if not has("video"):
        return table
    filled = {"video_min": VIDEO_MIN_BPS, "frame": FRAME_S}
    return table | {VIDEO[name]: value for name, value in filled.items() if not has(name)}


def window_packets(value: Any, mss_bytes: int) -> Any:
    """Return a window given in bytes, as ``500kB``, in whole segments, at least one; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        field, size = units.parse_queue(value)
    except ValueError:
        return value
    return max(1, int(size // mss_bytes)) if field == "queue_bytes" and isinstance(size, float) and size > 0 else value


def check_video(flow: Any) -> None:
    """Refuse video that lacks its rate, has its bounds the wrong way, or stands beside another application."""
    if flow.video_bps is None:
        given = next((key for key in ("video_min_bps", "frame_s") if getattr(flow, key) is not None), None)
        if given:
            raise refusal(f"is missing, and {given} is given; allowed: both, or none", field="video_bps")
        return
    other = next((key for key in ("on_s", "app_rate_bps", "response_bytes", "bytes") if getattr(flow, key) is not None), None)
    if other:
        raise refusal(f"and {other} are both given; allowed: one of them", field="video_bps")
    if flow.video_bps < flow.video_min_bps:
        raise refusal(f"{shown(flow.video_bps)} is below video_min, {shown(flow.video_min_bps)}; allowed: at least that", field="video_bps")
