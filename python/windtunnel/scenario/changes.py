"""What of a link changes in time: steps of rate and delay, outages; as tables, or as ``"10s=5Mbit"``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, ClassVar

from pydantic import Field

from windtunnel.scenario.errors import refusal, shown
from windtunnel.scenario.ranges import MOST, DurationS, ExtraS, InstantS, RateBps
from windtunnel.scenario.table import Table

MOST_STEPS = MOST["steps"]
MOST_OPPORTUNITIES = MOST["trace_opportunities"]
OPPORTUNITY_BITS = 12_000
LONGEST_MS = MOST["trace_ms"]


class RateStep(Table):
    """A new rate."""

    SHORT: ClassVar[Mapping[str, str]] = {"at": "at_s", "rate": "rate_bps"}

    at_s: InstantS = Field(description="from when on, in seconds")
    rate_bps: RateBps = Field(description="IP bits per second")


class DelayStep(Table):
    """A new delay."""

    SHORT: ClassVar[Mapping[str, str]] = {"at": "at_s", "extra": "extra_s"}

    at_s: InstantS = Field(description="from when on, in seconds")
    extra_s: ExtraS = Field(description="propagation besides the base RTT, in seconds")


class Outage(Table):
    """A time in which nothing is transmitted."""

    SHORT: ClassVar[Mapping[str, str]] = {"at": "at_s", "length": "length_s"}

    at_s: InstantS = Field(description="from when on, in seconds")
    length_s: DurationS = Field(description="how long, in seconds")


CHANGES: dict[str, type[Table]] = {"rate_steps": RateStep, "delay_steps": DelayStep, "outages": Outage}


def reader(kind: type[Table]) -> Callable[[Any], list[Any]]:
    """Return what reads a list of one kind: tables, or ``"AT=VALUE"``.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When it is no list, or an entry is neither.
    """
    at, value = kind.SHORT
    form = f"a table with {at} and {value}, or AT={value.upper()}"

    def read(given: Any) -> list[Any]:
        entries = [given] if isinstance(given, (str, dict, Table)) else given
        if not isinstance(entries, (list, tuple)) or len(entries) > MOST_STEPS:
            raise refusal(f"{shown(given)} is not a list; allowed: at most {MOST_STEPS} entries, each {form}")
        return [entry(one, f"[{index}]") for index, one in enumerate(entries)]

    def entry(one: Any, path: str) -> Any:
        if isinstance(one, str):
            left, equals, right = one.partition("=")
            if not equals:
                raise refusal(f"{shown(one)} is not AT={value.upper()}; allowed: {form}", field=path)
            return {at: left.strip(), value: right.strip()}
        if not isinstance(one, (dict, Table)):
            raise refusal(f"{shown(one)} is a {type(one).__name__}; allowed: {form}", field=path)
        return one

    return read


def ascending(entries: tuple[Any, ...]) -> tuple[Any, ...]:
    """Refuse entries that are not in the order of time, or outages that touch."""
    for index, (before, after) in enumerate(pairwise(entries), 1):
        over_s = before.at_s + getattr(before, "length_s", 0.0)
        if after.at_s <= over_s:
            raise refusal(f"{shown(after.at_s)} s is not after {over_s:g} s; allowed: ascending times", field=f"[{index}].at_s")
    return entries


def opportunities(value: Any) -> Any:
    """Check a trace: ascending milliseconds, the last above zero.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When it is anything else.
    """
    allowed = f"allowed: 1 to {MOST_OPPORTUNITIES} ascending whole milliseconds, at most {LONGEST_MS}, the last above 0"
    if not isinstance(value, (list, tuple)) or len(value) > MOST_OPPORTUNITIES:
        raise refusal(f"{shown(value)} is no trace; {allowed}")
    if any(isinstance(ms, bool) or not isinstance(ms, int) for ms in value):
        raise refusal(f"{shown(value)} holds something else than whole milliseconds; {allowed}")
    if value and (value[0] < 0 or value[-1] == 0 or value[-1] > LONGEST_MS or any(a > b for a, b in pairwise(value))):
        raise refusal(f"{shown(value)} is out of order or range; {allowed}")
    return tuple(value)


def mean_rate_bps(trace_ms: tuple[int, ...]) -> float:
    """Return a trace's mean rate in IP bits per second: 1500 bytes per opportunity, over the time after which it starts over."""
    return len(trace_ms) * OPPORTUNITY_BITS / (trace_ms[-1] / 1000)
