"""Caps on a flow's window as they are written."""

from __future__ import annotations

from typing import Any

from windtunnel.scenario import units
from windtunnel.scenario.errors import refusal, shown


def read_window(full: dict[str, Any]) -> dict[str, Any]:
    """Replace a window written under its short name, such as ``window = "4MB"``, by the field of its unit.

    Bytes are packets of 1500 bytes, as they always were, unless the flow has others.
    """
    if full.get("window") is None:
        return full
    full = dict(full)
    value = full.pop("window")
    fields = {"queue_packets": "window_packets", "queue_bytes": "window_bytes"}
    try:
        unit, size = units.parse_queue(value)
        if unit not in fields:
            raise ValueError("neither packets nor bytes")
    except ValueError as error:
        raise refusal(f"{shown(value)} cannot be read: {error}; allowed: packets (500) or 4MB", field="window") from None
    given = [name for name in fields.values() if full.get(name) is not None]
    if given:
        raise refusal(f"window and {given[0]} are both given; allowed: one of them", field="window")
    if unit == "queue_bytes" and not {"mtu", "mtu_bytes"} & set(full):
        return full | {"window_packets": value}
    return full | {fields[unit]: size}
