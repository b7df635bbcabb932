"""Numbers as a reader wants them: few digits, real minus signs, errors that set the digits of their means."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from windtunnel.foreign import shown
from windtunnel.report.model import CellValue, Estimate, Table

MINUS, TIMES, MISSING = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}", "\N{EN DASH}"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGEST_DECIMALS = 6
_MOST_DIGITS = 5


def number(value: float, *, digits: int = 3) -> str:
    """Write a number with a few significant digits.

    Parameters
    ----------
    value : float
        The number.
    digits : int
        Significant digits; whole numbers below a million keep all of theirs.

    Returns
    -------
    str
        A dash for NaN, the sign for infinity, a power of ten for the very large and the very small.
    """
    if math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else MINUS + "∞"
    size = abs(value)
    if size != 0 and not 1e-3 <= size < 1e6:
        lead, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        return f"{_sign(lead)} {TIMES} 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    if float(value).is_integer():
        return _sign(f"{value:.0f}")
    decimals = max(digits - 1 - math.floor(math.log10(size)), 0)
    return _sign(f"{value:.{decimals}f}")


def mean_and_error(mean: float, sem: float) -> str:
    """Write a mean and its standard error; two digits of the error set the digits of both, unless the mean would have more than five.

    Parameters
    ----------
    mean, sem : float
        In the same unit; a NaN error means that there is none.

    Returns
    -------
    str
        Such as ``0.953 ± 0.012``.
    """
    if not math.isfinite(mean) or not math.isfinite(sem):
        return number(mean, digits=4)
    if sem == 0:
        return f"{number(mean, digits=4)} ± 0"
    decimals = 1 - math.floor(math.log10(sem))
    size = max(abs(mean), sem)
    if size >= 1e-3 and decimals + math.floor(math.log10(size)) > _MOST_DIGITS - 1:
        return f"{number(mean, digits=_MOST_DIGITS)} ± {number(sem, digits=2)}"
    if decimals > _LARGEST_DECIMALS or size >= 1e6:
        exponent = math.floor(math.log10(size))
        decimals = max(decimals + exponent, 0)
        if decimals > _MOST_DIGITS - 1:
            return f"{number(mean, digits=_MOST_DIGITS)} ± {number(sem, digits=2)}"
        scaled = f"({mean / 10**exponent:.{decimals}f} ± {sem / 10**exponent:.{decimals}f})"
        return f"{_sign(scaled)} {TIMES} 10{str(exponent).translate(_SUPERSCRIPTS)}"
    decimals = max(decimals, 0)
    return _sign(f"{mean:.{decimals}f} ± {sem:.{decimals}f}")


def interval(low: float, high: float) -> str:
    """Write an interval, as ``[0.91, 0.98]``; empty when an end is NaN."""
    return "" if math.isnan(low) or math.isnan(high) else f"[{number(low)}, {number(high)}]"


def cell(value: CellValue) -> str:
    """Write the main text of a table's cell."""
    if isinstance(value, Estimate):
        return mean_and_error(value.mean, value.sem)
    if value is None:
        return MISSING
    return number(value) if isinstance(value, int | float) else shown(value)


def detail(value: CellValue, *, usual: int | None = None) -> str:
    """Write the second line of an estimate's cell: interval, repeats unless as many as `usual`, and how many of them are infinite."""
    if not isinstance(value, Estimate):
        return ""
    parts = [interval(value.low, value.high), "" if value.n == usual else f"n = {value.n}"]
    if value.infinite:
        parts.append(f"{value.infinite} of {value.n} not reached")
    return ", ".join(part for part in parts if part)


def usual_repeats(table: Table) -> int | None:
    """Return the number of repeats most of a table's estimates have; None in a table without estimates."""
    counts = Counter(value.n for row in table.rows for value in row if isinstance(value, Estimate))
    return counts.most_common(1)[0][0] if counts else None


def is_number(value: CellValue) -> bool:
    """Whether a cell is set flush right."""
    return not isinstance(value, str)


def estimates(values: Sequence[float] | None, intervals: Sequence[Sequence[float]] | None) -> list[tuple[str, str]]:
    """Pair the estimates of a verdict with their intervals.

    Parameters
    ----------
    values : sequence of float, optional
        Estimates.
    intervals : sequence of pairs, optional
        Lowest and highest value of each.

    Returns
    -------
    list of (str, str)
        Estimate and interval; the interval is empty where there is none.
    """
    if values is None:
        return []
    ends: Sequence[Any] = intervals if intervals is not None else [None] * len(values)
    return [(number(float(value)), "" if pair is None else interval(*pair)) for value, pair in zip(values, ends, strict=True)]


def prose(markdown: str) -> Markup:
    """Return a paragraph of Markdown as HTML: emphasis and code; links into the documentation keep their words only."""
    text = str(escape(" ".join(markdown.split()))).removesuffix(":").rstrip(".") + "."
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
    return Markup(re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text))


def _sign(text: str) -> str:
    return text.replace("-", MINUS)


def markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown; bars in cells are escaped, and line breaks become spaces."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(' '.join(cell.replace('|', chr(92) + '|').split()) for cell in line)} |" for line in lines)
