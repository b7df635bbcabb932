"""What all sources of transfers share: what a transfer is like, but for its size and when it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from windtunnel.scenario import checks, hosts
from windtunnel.scenario.errors import refusal, shown, unknown
from windtunnel.scenario.flowtext import parse_flow
from windtunnel.scenario.hostkeys import HOST_KEYS
from windtunnel.scenario.ranges import MOST, RANGES, HopNumber, InstantS, RttS, TransferBytes, WindowPackets
from windtunnel.scenario.table import Table

MOST_SOURCES = MOST["sources_of_transfers"]
MOST_KINDS = MOST["kinds_of_transfers"]
SHARED_KEYS = ("max", "rtt", "start", "stop", "window", "profile", "direction", "enter", "leave", "handshake", *HOST_KEYS)
_FLOW_FIELDS = ("algorithm", "parameters", "transport", "window_packets", "profile", "direction", "enter", "leave")
_LATER = ("host", "enter", "leave")
"""Fields that sources did not always have."""


class Source(Table):
    """Fields of every source of transfers; `KEYS` are those it takes on one line, `TEXT` says how."""

    KEYS: ClassVar[Sequence[str]] = ()
    TEXT: ClassVar[str] = ""
    SHORT: ClassVar[Mapping[str, str]] = {
        "max": "max_bytes",
        "max_size": "max_bytes",
        "rtt": "rtts_s",
        "rtts": "rtts_s",
        "start": "start_s",
        "stop": "stop_s",
        "window": "window_packets",
    }

    algorithm: str = Field(description="name or name:variant")
    max_bytes: TransferBytes | None = Field(default=None, description="where larger transfers are cut, in bytes")
    rtts_s: tuple[RttS, ...] = Field(default=(), description="base round-trip times in seconds, equally likely")
    start_s: InstantS = Field(default=0.0, description="when transfers begin to come, in seconds")
    stop_s: InstantS | None = Field(default=None, description="when no more come, in seconds")
    parameters: dict[str, float | str] = Field(default_factory=dict, description="the algorithm's own parameters")
    transport: dict[str, bool | int | float | str] = Field(default_factory=dict, description="overrides of transport options")
    window_packets: WindowPackets | None = Field(default=None, description="cap on the window in packets")
    profile: str | None = Field(default=None, description="stack profile")
    direction: Literal["forward", "reverse"] = Field(default="forward", description="which way the data goes")
    enter: HopNumber | None = Field(default=None, description="number of the first hop, counted from 1")
    leave: HopNumber | None = Field(default=None, description="number of the last hop, counted from 1")
    host: hosts.Host | None = Field(default=None, description="what the host of every transfer's sender is like")
    handshake: bool | None = Field(default=None, description="whether every transfer begins with a handshake; yes when absent")

    _algorithm = field_validator("algorithm", mode="before")(checks.algorithm_name)
    _profile = field_validator("profile", mode="before")(checks.profile_name)
    _handshake = field_validator("handshake", mode="before")(checks.truth)

    @model_validator(mode="before")
    @classmethod
    def _tables(cls, data: Any) -> Any:
        if isinstance(data, str):
            # What a flow's line calls start_s is start here, as in a table.
            data = {key.removesuffix("_s").removesuffix("_packets"): value for key, value in parse_flow(data, cls.KEYS).items()}
        return checks.flow_tables(data, cls.KEYS) if isinstance(data, dict) else data

    @field_validator("direction", mode="before")
    @classmethod
    def _direction(cls, value: Any) -> Any:
        if value not in ("forward", "reverse"):
            raise refusal(unknown("direction", value, ("forward", "reverse")))
        return value

    @field_validator("rtts_s", mode="before")
    @classmethod
    def _list(cls, value: Any) -> Any:
        value = value.split("+") if isinstance(value, str) else [value] if isinstance(value, (int, float)) else value
        if not isinstance(value, (list, tuple)) or len(value) > MOST_KINDS:
            raise refusal(f"{shown(value)} is not a list of RTTs; allowed: at most {MOST_KINDS}, as ['30ms', '60ms'] or 30ms+60ms")
        return [RANGES["rtt_s"].check(one) for one in value]

    @model_validator(mode="after")
    def _stops_after_start(self) -> Source:
        if self.stop_s is not None and self.stop_s <= self.start_s:
            raise refusal(f"{shown(self.stop_s)} s is not after the start; allowed: above {shown(self.start_s)} s", field="stop_s")
        return self


def reader(kind: type[Source]) -> Any:
    """Return the validator of a list of sources of one kind: tables, or lines, or a single one of either."""

    def read(value: Any) -> Any:
        entries = [value] if isinstance(value, (str, dict, Table)) else value
        if not isinstance(entries, (list, tuple)) or len(entries) > MOST_SOURCES:
            raise refusal(f"{shown(value)} is not a list of sources; allowed: at most {MOST_SOURCES} of {kind.TEXT}")
        return entries

    return read
