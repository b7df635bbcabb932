"""Applications that do not always have more to send: on and off, or in chunks."""

from __future__ import annotations

from typing import Annotated, Any

from windtunnel.scenario import units
from windtunnel.scenario.ranges import RANGES

CHUNK_S = 2.0
"""Time between two chunks when none is given, seconds: what video is commonly cut into."""
SHORT = {"on": "on_s", "off": "off_s", "app_rate": "app_rate_bps", "chunk": "chunk_s"}
SpanS = Annotated[float, RANGES["span_s"]]


def with_chunk(table: dict[str, Any]) -> dict[str, Any]:
    """Return a flow's table with the default time between chunks, where it has a rate and no such time."""
    has_rate = any(table.get(key) is not None for key in ("app_rate", "app_rate_bps"))
    has_time = any(table.get(key) is not None for key in ("chunk", "chunk_s"))
    return table | {"chunk_s": CHUNK_S} if has_rate and not has_time else table


def window_packets(value: Any, mss_bytes: int) -> Any:
    """Return a window given in bytes, as ``500kB``, in whole segments, at least one; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        field, size = units.parse_queue(value)
    except ValueError:
        return value
    return max(1, int(size // mss_bytes)) if field == "queue_bytes" and isinstance(size, float) and size > 0 else value
