"""Receivers whose buffer may be full, and applications there that read slowly or pause."""

from __future__ import annotations

from typing import Any

from windtunnel.scenario.errors import refusal

FIRST_BYTES = 131_072
"""Memory of a buffer without a size at first: the middle of Linux's ``tcp_rmem``."""
MOST_BYTES = 6_291_456
"""Memory to which it grows: the last of ``tcp_rmem``."""
EVERY_S = 0.01
"""Time between two reads of an application that reads at a rate, when none is given, seconds."""
SHORT = {
    "rcvbuf": "rcvbuf_bytes",
    "rcvbuf_max": "rcvbuf_max_bytes",
    "read_rate": "read_rate_bps",
    "read_every": "read_every_s",
    "read_on": "read_on_s",
    "read_off": "read_off_s",
}
FIELDS = tuple(SHORT.values())


def with_defaults(table: dict[str, Any]) -> dict[str, Any]:
    """Return a flow's table with what it leaves out of a buffer, where it asks for one, or for an application that reads in its own way."""
    given = {long for short, long in SHORT.items() if table.get(short) is not None or table.get(long) is not None}
    if not given & {"rcvbuf_bytes", "rcvbuf_max_bytes", "read_rate_bps", "read_on_s"}:
        return table
    missing: dict[str, Any] = {}
    if "rcvbuf_bytes" not in given:
        missing["rcvbuf_bytes"] = FIRST_BYTES
        if "rcvbuf_max_bytes" not in given:
            missing["rcvbuf_max_bytes"] = MOST_BYTES
    if "read_rate_bps" in given and "read_every_s" not in given:
        missing["read_every_s"] = EVERY_S
    return table | missing


def check(flow: Any) -> None:
    """Refuse fields of a flow's receiver that lack another, or exclude each other.

    Raises
    ------
    pydantic_core.PydanticCustomError
        With the field and what is allowed.
    """
    for missing, other in (("read_rate_bps", "read_every"), ("read_on_s", "read_off"), ("read_off_s", "read_on")):
        if getattr(flow, missing) is None and getattr(flow, SHORT[other]) is not None:
            raise refusal(f"is missing, and {other} is given; allowed: both, or none", field=missing)
    if flow.read_rate_bps is not None and flow.read_on_s is not None:
        raise refusal("and read_on and read_off are both given; allowed: one of them", field="read_rate_bps")
    if flow.rcvbuf_bytes is None:
        return
    if flow.rcvbuf_max_bytes is not None and flow.rcvbuf_max_bytes < flow.rcvbuf_bytes:
        raise refusal(f"{flow.rcvbuf_max_bytes} is below rcvbuf; allowed: {flow.rcvbuf_bytes} or more", field="rcvbuf_max_bytes")
    for field in ("window_packets", "window_bytes", "response_bytes", "host", "stack"):
        if getattr(flow, field) is not None:
            raise refusal(f"and {field} are both given; allowed: one of them", field="rcvbuf_bytes")
