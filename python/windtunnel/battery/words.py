"""How values of the battery are written."""

from __future__ import annotations

from windtunnel.battery.carried_out import Measured


def number(given: float, unit: str) -> str:
    """Return a number with three digits and its unit; spans below a second in milliseconds."""
    if unit == "s" and abs(given) < 1:
        return f"{given * 1e3:.3g} ms"
    return f"{given:.3g} {unit}".strip()


def value(measured: Measured) -> str:
    """Return the mean of a trait with its smallest and largest value; a dash where there is none."""
    mean, known, unit = measured.mean, measured.known, measured.trait.unit
    if mean is None:
        return "-"
    if len(known) == 1 or known[0] == known[-1]:
        return number(mean, unit)
    return f"{number(mean, unit)} ({number(known[0], unit)} .. {number(known[-1], unit)})"
