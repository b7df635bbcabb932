"""Quantities with units, as people write them: ``42ms``, ``250Mbit``, ``256kB``, ``20%bdp``.

Everything here returns SI numbers (seconds, bits per second, bytes). A number without a unit is taken to be in SI already.
The core reads them.
"""

from __future__ import annotations

from windtunnel import native

EXAMPLES = {"s": "42ms or 300s", "bit/s": "250Mbit", "bytes": "256kB", "packets": "175", "Hz": "3.06GHz"}
"""How to write a quantity, by its SI unit."""


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
    return native.quantity(text, unit)


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
    return native.queue_size(value) if isinstance(value, str) else ("queue_packets", value)
