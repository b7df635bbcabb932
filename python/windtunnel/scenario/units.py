"""Quantities with units, as people write them: ``42ms``, ``250Mbit``, ``256kB``, ``20%bdp``.

Everything here returns SI numbers (seconds, bits per second, bytes). A number without a unit is taken to be in SI already.
The arithmetic is decimal, so that ``42ms`` is the same float as the literal ``0.042``.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation

_QUANTITY = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?)\s*([^\d\s].*?)?\s*", re.ASCII)
_LONGEST = 64

TIME_UNITS = {"s": "1", "sec": "1", "ms": "1e-3", "us": "1e-6", "µs": "1e-6", "μs": "1e-6", "ns": "1e-9", "min": "60", "h": "3600"}
RATE_UNITS = {
    f"{prefix}{unit}": factor
    for prefixes, factor in (("", "1"), ("kK", "1e3"), ("mM", "1e6"), ("gG", "1e9"), ("tT", "1e12"))
    for prefix in (prefixes or ("",))
    for unit in ("bit", "bps", "bit/s", "b/s")
}
SIZE_UNITS = {
    "B": "1",
    "kB": "1e3",
    "KB": "1e3",
    "MB": "1e6",
    "GB": "1e9",
    "TB": "1e12",
    "KiB": "1024",
    "MiB": "1048576",
    "GiB": "1073741824",
}
CLOCK_UNITS = {"Hz": "1", "kHz": "1e3", "MHz": "1e6", "GHz": "1e9"}
PACKET_UNITS = {"packets": "1", "packet": "1", "pkts": "1", "p": "1"}
UNITS: dict[str, dict[str, str]] = {"s": TIME_UNITS, "bit/s": RATE_UNITS, "bytes": SIZE_UNITS, "packets": PACKET_UNITS, "Hz": CLOCK_UNITS}
EXAMPLES = {"s": "42ms or 300s", "bit/s": "250Mbit", "bytes": "256kB", "packets": "175", "Hz": "3.06GHz"}


def split(text: str) -> tuple[Decimal, str]:
    """Split a quantity into its number and its unit.

    Parameters
    ----------
    text : str
        For example ``"42ms"``.

    Returns
    -------
    tuple of (Decimal, str)
        The number, and the unit as written (empty when there is none).

    Raises
    ------
    ValueError
        When the text does not start with a number.
    """
    match = _QUANTITY.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise ValueError("not a number with a unit")
    try:
        return Decimal(match.group(1)), match.group(2) or ""
    except InvalidOperation as error:  # pragma: no cover - the pattern admits decimal numbers only
        raise ValueError("not a number") from error


def parse(text: str, unit: str) -> float:
    """Read a quantity of one kind and return it in SI.

    Parameters
    ----------
    text : str
        For example ``"250Mbit"``.
    unit : str
        The SI unit wanted: ``"s"``, ``"bit/s"``, ``"bytes"``, ``"packets"``, ``"Hz"``; anything else means a plain number.

    Returns
    -------
    float
        The value in `unit`.

    Raises
    ------
    ValueError
        When the number or its unit cannot be read, or the value is too large to represent.
    """
    number, written = split(text)
    units = UNITS.get(unit, {})
    if written and written not in units:
        known = ", ".join(dict.fromkeys(units)) or "no unit"
        raise ValueError(f"unit {written!r} is unknown here; known: {known}")
    value = float(number * Decimal(units[written] if written else "1"))
    if not math.isfinite(value):
        raise ValueError("too large")
    return value


def parse_queue(value: object) -> tuple[str, object]:
    """Read a queue size and say which field it belongs to.

    Parameters
    ----------
    value : object
        ``175`` or ``"175"`` (packets), ``"20%bdp"`` or ``"0.2bdp"`` (fraction of the bandwidth-delay product), ``"50ms"`` (time),
        ``"256kB"`` (bytes).

    Returns
    -------
    tuple of (str, object)
        The name of the field of `Bottleneck` and its value there (packets, a fraction, seconds, bytes).

    Raises
    ------
    ValueError
        When it is none of these.
    """
    if not isinstance(value, str):
        return "queue_packets", value
    number, unit = split(value)
    lowered = unit.replace(" ", "").lower()
    if lowered in ("%bdp", "bdp"):
        return "queue_bdp", float(number / 100 if lowered == "%bdp" else number)
    if unit in TIME_UNITS:
        return "queue_s", parse(value, "s")
    if unit in SIZE_UNITS:
        return "queue_bytes", parse(value, "bytes")
    if not unit or unit in PACKET_UNITS:
        return "queue_packets", parse(value, "packets")
    raise ValueError(f"unit {unit!r} is unknown here")
