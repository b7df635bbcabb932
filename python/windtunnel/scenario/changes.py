"""What of a link changes in time: steps of rate, delay and queue, outages; as tables, or as ``"10s=5Mbit"``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

from pydantic import Field, model_validator

from windtunnel.scenario import sizes
from windtunnel.scenario.errors import refusal, shown
from windtunnel.scenario.ranges import MOST, DurationS, ExtraS, InstantS, QueueBdp, QueueBytes, QueuePackets, QueueS, RateBps
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


class QueueStep(Table):
    """A new limit of the queue, in one of its units; what stands in it stays."""

    SHORT: ClassVar[Mapping[str, str]] = {"at": "at_s"}
    BESIDE: ClassVar[Sequence[str]] = ("queue",)

    at_s: InstantS = Field(description="from when on, in seconds")
    queue_packets: QueuePackets | None = Field(default=None, description="queue limit in 1500-byte packets")
    queue_bytes: QueueBytes | None = Field(default=None, description="queue limit in bytes")
    queue_s: QueueS | None = Field(default=None, description="queue limit as time at the link's rate, in seconds")
    queue_bdp: QueueBdp | None = Field(default=None, description="queue limit as a fraction of the bandwidth-delay product")

    @model_validator(mode="before")
    @classmethod
    def _size(cls, data: Any) -> Any:
        return sizes.read(data, "queue", sizes.QUEUE_FIELDS) if isinstance(data, dict) else data

    @model_validator(mode="after")
    def _one_size(self) -> QueueStep:
        given = sizes.given(self, sizes.QUEUE_FIELDS)
        if len(given) != 1:
            found = f"{' and '.join(given)} are all given" if given else "no size is given"
            raise refusal(f"{found}; allowed: one of {', '.join(sizes.QUEUE_FIELDS)}", field="queue")
        return self


class Outage(Table):
    """A time in which nothing is transmitted."""

    SHORT: ClassVar[Mapping[str, str]] = {"at": "at_s", "length": "length_s"}

    at_s: InstantS = Field(description="from when on, in seconds")
    length_s: DurationS = Field(description="how long, in seconds")


CHANGES: dict[str, type[Table]] = {"rate_steps": RateStep, "delay_steps": DelayStep, "queue_steps": QueueStep, "outages": Outage}


def reader(kind: type[Table]) -> Callable[[Any], list[Any]]:
    """Return what reads a list of one kind: tables, or ``"AT=VALUE"``.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When it is no list, or an entry is neither.
    """
    at, value = (*kind.SHORT, *kind.BESIDE)
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
