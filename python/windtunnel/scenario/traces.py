"""Traces of a link's deliveries in mahimahi's format: a line per opportunity to deliver 1500 bytes, in milliseconds.

Source of the format: Netravali et al., "Mahimahi: accurate record-and-replay for HTTP", USENIX ATC 2015 (`mm-link`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from windtunnel.scenario.changes import LONGEST_MS, MOST_OPPORTUNITIES, OPPORTUNITY_BITS
from windtunnel.scenario.errors import ScenarioError, shown
from windtunnel.scenario.reading import read_text


def parse(text: str, *, name: str = "trace") -> tuple[int, ...]:
    """Read a trace.

    Parameters
    ----------
    text : str
        Ascending whole milliseconds, one a line; empty lines and lines that begin with ``#`` are skipped.
    name : str
        The file's name, for the error.

    Returns
    -------
    tuple of int
        The milliseconds.

    Raises
    ------
    ScenarioError
        With the line, when one is something else, out of order, or too late; or when there is none, or only zeros.
    """
    found: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        word = line.strip()
        if not word or word.startswith("#"):
            continue
        low = found[-1] if found else 0
        if not (word.isascii() and word.isdigit() and len(word) < 10 and low <= int(word) <= LONGEST_MS):
            raise ScenarioError(f"{name}: line {number}", f"{shown(word)} is no opportunity; allowed: {low} to {LONGEST_MS} ms")
        found.append(int(word))
    if not found or found[-1] == 0 or len(found) > MOST_OPPORTUNITIES:
        raise ScenarioError(name, f"holds {len(found)} opportunities; allowed: 1 to {MOST_OPPORTUNITIES}, the last above 0 ms")
    return tuple(found)


def read(path: str | Path) -> tuple[int, ...]:
    """Read a trace file.

    Raises
    ------
    ScenarioError
        As `parse`, or when the file cannot be read.
    """
    return parse(read_text(Path(path)), name=str(path))


def text(trace_ms: Iterable[int]) -> str:
    """Return a trace in mahimahi's format."""
    return "".join(f"{ms}\n" for ms in trace_ms)


def write(trace_ms: Iterable[int], path: str | Path) -> None:
    """Write a trace's file.

    Raises
    ------
    ScenarioError
        When it cannot be written.
    """
    try:
        Path(path).write_text(text(trace_ms), encoding="ascii")
    except OSError as error:
        raise ScenarioError(str(path), f"cannot be written: {error.strerror}; allowed: a file in a writable folder") from None


def check_target(path: str | Path) -> None:
    """Refuse a file that cannot be written, before anything runs.

    Raises
    ------
    ScenarioError
        When it is a folder, or its folder is missing.
    """
    if Path(path).is_dir() or not Path(path).parent.is_dir():
        raise ScenarioError(str(path), "cannot be written: no such file or folder; allowed: a file in a writable folder")


def of_rates(spans: Iterable[tuple[float, float]]) -> tuple[int, ...]:
    """Make a trace of rates that follow each other.

    Parameters
    ----------
    spans : iterable of (float, float)
        Length in seconds, and rate in IP bits per second, zero for an outage.

    Returns
    -------
    tuple of int
        The milliseconds at whose end another 12000 bits have become deliverable. The last is the end of the spans, where the trace starts
        over: a last opportunity falls there if less than a whole one is left.

    Raises
    ------
    ScenarioError
        When there is nothing to deliver, or too much.
    """
    found: list[int] = []
    begin_s = bits = 0.0
    for length_s, rate_bps in spans:
        while rate_bps > 0:
            at_s = begin_s + ((len(found) + 1) * OPPORTUNITY_BITS - bits) / rate_bps
            if at_s > begin_s + length_s + 1e-9:
                break
            found.append(max(1, math.ceil(at_s * 1000 - 1e-6)))
            if len(found) > MOST_OPPORTUNITIES:
                raise ScenarioError("spans", f"hold more than {MOST_OPPORTUNITIES} opportunities; allowed: at most so many")
        bits += rate_bps * length_s
        begin_s += length_s
    end = round(begin_s * 1000)
    if not found or end > LONGEST_MS:
        raise ScenarioError("spans", f"{end} ms with {len(found)} opportunities; allowed: at least one, and at most {LONGEST_MS} ms")
    return tuple(found) if found[-1] >= end else (*found, end)
