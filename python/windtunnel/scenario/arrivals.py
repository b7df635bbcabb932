"""Transfers that come and go: sources of short flows, as tables or as one line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, get_args

from pydantic import Field, field_validator, model_validator

from windtunnel.scenario import checks, units
from windtunnel.scenario.errors import refusal, shown, unknown
from windtunnel.scenario.flowtext import parse_flow
from windtunnel.scenario.ranges import RTT, InstantS, Load, MeanBytes, PerSecond, RttS, Shape, TransferBytes, WindowPackets
from windtunnel.scenario.table import Table

MOST_SOURCES = 1000
MOST_KINDS = 1000
SHAPE = 1.2
TEXT = "ALG[:variant],load=SHARE|rate=PER_SECOND,mean=SIZE[,key=value...]"
Law = Literal["pareto", "exponential", "fixed"]
KEYS = ("load", "rate", "sizes", "mean", "shape", "max", "rtt", "start", "stop", "window", "profile", "direction")


class Arrivals(Table):
    """A source of transfers that begin at the times of a Poisson process, whatever became of those before (an open loop).

    Parameters
    ----------
    algorithm : str
        ``name`` or ``name:variant``, as of a flow, with `parameters`, `transport`, `window_packets`, `profile` and `direction`.
    load : float, optional
        IP bits that the transfers send, each once, over the rate of the link that carries their data; ``"10%"`` is read too.
    per_second : float, optional
        Transfers per second instead.
    sizes : {"pareto", "exponential", "fixed"}
        Law of a transfer's payload.
    mean_bytes : float
        Its mean before `max_bytes` cuts it.
    shape : float, optional
        Index of the tail of Pareto sizes: larger than x with probability (mean (shape - 1) / shape / x)^shape; 1.2 when absent.
    max_bytes : int, optional
        Larger transfers are cut there.
    rtts_s : sequence of float, optional
        Base round-trip times in seconds, equally likely; the scenario's when absent.
    start_s, stop_s : float, optional
        Seconds between which transfers begin; the whole run when absent. Those begun go on to their end.
    """

    SHORT: ClassVar[Mapping[str, str]] = {
        "rate": "per_second",
        "mean": "mean_bytes",
        "mean_size": "mean_bytes",
        "max": "max_bytes",
        "max_size": "max_bytes",
        "rtt": "rtts_s",
        "rtts": "rtts_s",
        "start": "start_s",
        "stop": "stop_s",
        "window": "window_packets",
    }

    algorithm: str = Field(description="name or name:variant")
    load: Load | None = Field(None, description="IP bits sent once, as a share of the link's rate")
    per_second: PerSecond | None = Field(None, description="transfers per second, instead of a load")
    sizes: Law = Field("pareto", description="law of a transfer's payload: pareto, exponential, fixed")
    mean_bytes: MeanBytes = Field(description="mean payload of a transfer in bytes")
    shape: Shape | None = Field(None, description="index of the tail of Pareto sizes")
    max_bytes: TransferBytes | None = Field(None, description="where larger transfers are cut, in bytes")
    rtts_s: tuple[RttS, ...] = Field((), description="base round-trip times in seconds, equally likely")
    start_s: InstantS = Field(0.0, description="when transfers begin to come, in seconds")
    stop_s: InstantS | None = Field(None, description="when no more come, in seconds")
    parameters: dict[str, float | str] = Field(default_factory=dict, description="the algorithm's own parameters")
    transport: dict[str, bool | int | float | str] = Field(default_factory=dict, description="overrides of transport options")
    window_packets: WindowPackets | None = Field(None, description="cap on the window in packets")
    profile: str | None = Field(None, description="stack profile")
    direction: Literal["forward", "reverse"] = Field("forward", description="which way the data goes")

    _algorithm = field_validator("algorithm", mode="before")(checks.algorithm_name)
    _profile = field_validator("profile", mode="before")(checks.profile_name)

    @model_validator(mode="before")
    @classmethod
    def _tables(cls, data: Any) -> Any:
        if isinstance(data, str):
            data = _line(data)
        return checks.flow_tables(data, KEYS) if isinstance(data, dict) else data

    @field_validator("direction", "sizes", mode="before")
    @classmethod
    def _word(cls, value: Any, info: Any) -> Any:
        what, words = ("direction", ("forward", "reverse")) if info.field_name == "direction" else ("law of sizes", get_args(Law))
        if value not in words:
            raise refusal(unknown(what, value, words))
        return value

    @field_validator("load", mode="before")
    @classmethod
    def _percent(cls, value: Any) -> Any:
        if not isinstance(value, str) or not value.strip().endswith("%"):
            return value
        try:
            return units.parse(value.strip().removesuffix("%"), "") / 100
        except ValueError as error:
            raise refusal(f"{shown(value)} cannot be read: {error}; allowed: above 0, at most 10, for example 0.1 or 10%") from None

    @field_validator("rtts_s", mode="before")
    @classmethod
    def _list(cls, value: Any) -> Any:
        value = value.split("+") if isinstance(value, str) else [value] if isinstance(value, (int, float)) else value
        if not isinstance(value, (list, tuple)) or len(value) > MOST_KINDS:
            raise refusal(f"{shown(value)} is not a list of RTTs; allowed: at most {MOST_KINDS}, as ['30ms', '60ms'] or 30ms+60ms")
        return [RTT.check(one) for one in value]

    @model_validator(mode="after")
    def _consistent(self) -> Arrivals:
        if (self.load is None) == (self.per_second is None):
            given = "both given" if self.load is not None else "both missing"
            raise refusal(f"load and rate are {given}; allowed: one of them, as load=10% or rate=1000", field="load")
        if self.shape is not None and self.sizes != "pareto":
            raise refusal(f"{shown(self.shape)} is given for {self.sizes} sizes; allowed: with pareto only", field="shape")
        if self.stop_s is not None and self.stop_s <= self.start_s:
            raise refusal(f"{shown(self.stop_s)} s is not after the start; allowed: above {shown(self.start_s)} s", field="stop_s")
        return self

    def fields_of_flow(self) -> dict[str, Any]:
        """Return what every transfer shares with a flow of the same fields."""
        names = ("algorithm", "parameters", "transport", "window_packets", "profile", "direction")
        return {name: getattr(self, name) for name in names}


def _line(text: str) -> dict[str, Any]:
    table = parse_flow(text, KEYS)
    return {{"window_packets": "window"}.get(key, key.removesuffix("_s")): value for key, value in table.items()}


def read(value: Any) -> Any:
    """Read a scenario's list of sources: tables, or lines such as ``"reno,load=10%,mean=25kB"``.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When it is no list, or too long a one.
    """
    entries = [value] if isinstance(value, (str, dict, Table)) else value
    if not isinstance(entries, (list, tuple)) or len(entries) > MOST_SOURCES:
        raise refusal(f"{shown(value)} is not a list of sources; allowed: at most {MOST_SOURCES} of {TEXT}")
    return entries


def filled(source: Arrivals, rtt_s: float | None, profile: str) -> Arrivals:
    """Return the source with the scenario's RTT and profile, and the shape, where it names none."""
    shape = SHAPE if source.sizes == "pareto" and source.shape is None else source.shape
    rtts_s = source.rtts_s or (() if rtt_s is None else (rtt_s,))
    return source.model_copy(update={"rtts_s": rtts_s, "profile": source.profile or profile, "shape": shape})


def engine(source: Arrivals, flows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the engine takes for one source, whose kinds of transfers are `flows`."""
    law: dict[str, Any] = {"law": source.sizes}
    if source.sizes == "fixed":
        law["bytes"] = round(source.mean_bytes)
    else:
        law["mean_bytes"] = source.mean_bytes
    if source.sizes == "pareto":
        law["shape"] = source.shape
    return {
        "flows": flows,
        "offered": {"load": source.load} if source.load is not None else {"per_second": source.per_second},
        "sizes": law,
        "max_bytes": source.max_bytes,
        "start_ns": round(source.start_s * 1e9),
        "stop_ns": None if source.stop_s is None else round(source.stop_s * 1e9),
    }

