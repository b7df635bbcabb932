"""Transfers that come and go in a closed loop: sessions of people who look at pages, as tables or as one line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field, field_validator

from windtunnel.scenario import transfers
from windtunnel.scenario.laws import Law, read_law
from windtunnel.scenario.ranges import RANGES, Connections, SessionCount


class Sessions(transfers.Source):
    """Sessions: each transfers a page's objects, each over a connection of its own, then thinks (a closed loop).

    Parameters
    ----------
    algorithm : str
        ``name`` or ``name:variant``, as of a flow, with `parameters`, `transport`, `window_packets`, `profile` and `direction`.
    count : int
        How many sessions.
    objects : Law
        Objects of a page, rounded up; one when absent.
    size_bytes : Law
        Payload of an object; Pareto with a mean of ten packets and a shape of 1.2 when absent.
    connections : int
        How many objects of a page are transferred at once; one when absent, so that they follow each other. Browsers open six per host.
    think_s : Law
        Seconds from the end of a page to the start of the next, and before the first; exponential with a mean of one when absent.
    max_bytes : int, optional
        Larger objects are cut there.
    rtts_s : sequence of float, optional
        Base round-trip times in seconds, which sessions take in turn; the scenario's when absent.
    start_s, stop_s : float, optional
        Seconds between which pages begin; the whole run when absent. A page begun goes on to its end.
    enter, leave : int, optional
        Numbers of the first and the last hop that its packets cross in forward direction, counted from 1; all hops when absent.
    handshake : bool, optional
        Every transfer begins with a handshake and ends with a FIN; when absent as the scenario says, which is so by default.
    host : Host, optional
        The host of a transfer's sender: each has one like it, new and idle; fields that it does not give are the scenario's.

    Notes
    -----
    The defaults are those of web-traffic.tcl, ns-2's example (USC/ISI 1999), whose law of sizes is a Pareto shifted to begin at zero.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("count", "objects", "sizes", "think", "connections", *transfers.SHARED_KEYS)
    TEXT: ClassVar[str] = "ALG[:variant],count=N[,think=LAW][,objects=LAW][,connections=N][,sizes=LAW][,key=value...]"
    SHORT: ClassVar[Mapping[str, str]] = {"sizes": "size_bytes", "think": "think_s", **transfers.Source.SHORT}

    count: SessionCount = Field(description="number of sessions")
    objects: Law = Field(default=Law(law="fixed", mean=1.0), description="objects of a page")
    connections: Connections = Field(default=1, description="objects of a page that are transferred at once")
    size_bytes: Law = Field(default=Law(law="pareto", mean=14480.0, shape=1.2), description="payload of an object in bytes")
    think_s: Law = Field(default=Law(law="exponential", mean=1.0), description="seconds from the end of a page to the start of the next")

    @field_validator("objects", "size_bytes", "think_s", mode="before")
    @classmethod
    def _law(cls, value: Any, info: Any) -> Any:
        return value if isinstance(value, Law) else read_law(value, RANGES[info.field_name])
