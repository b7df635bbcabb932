"""Transfers that come and go in an open loop: Poisson arrivals, as tables or as one line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, get_args

from pydantic import Field, field_validator, model_validator

from windtunnel.scenario import transfers, units
from windtunnel.scenario.errors import refusal, shown, unknown
from windtunnel.scenario.ranges import Load, MeanBytes, PerSecond, Shape

Sizes = Literal["pareto", "exponential", "fixed"]


class Arrivals(transfers.Source):
    """A source of transfers that begin at the times of a Poisson process, whether those before have ended or not (an open loop).

    Parameters
    ----------
    algorithm : str
        ``name`` or ``name:variant``, as of a flow, with `parameters`, `transport`, `window_packets`, `profile` and `direction`.
    load : float, optional
        IP bits that the transfers send, each once, over the rate of the first link that carries their data; ``"10%"`` is
        read too.
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
    enter, leave : int, optional
        Numbers of the first and the last hop that its packets cross in forward direction, counted from 1; all hops when absent.
    handshake : bool, optional
        Every transfer begins with a handshake and ends with a FIN; when absent as the scenario says, which is so by default.
    host : Host, optional
        The host of a transfer's sender: each has one like it, new and idle; fields that it does not give are the scenario's.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("load", "rate", "sizes", "mean", "shape", *transfers.SHARED_KEYS)
    TEXT: ClassVar[str] = "ALG[:variant],load=SHARE|rate=PER_SECOND,mean=SIZE[,key=value...]"
    SHORT: ClassVar[Mapping[str, str]] = {
        "rate": "per_second",
        "mean": "mean_bytes",
        "mean_size": "mean_bytes",
        **transfers.Source.SHORT,
    }

    load: Load | None = Field(default=None, description="IP bits sent once, as a share of the link's rate")
    per_second: PerSecond | None = Field(default=None, description="transfers per second, instead of a load")
    sizes: Sizes = Field(default="pareto", description="law of a transfer's payload: pareto, exponential, fixed")
    mean_bytes: MeanBytes = Field(description="mean payload of a transfer in bytes")
    shape: Shape | None = Field(default=None, description="index of the tail of Pareto sizes")

    @field_validator("sizes", mode="before")
    @classmethod
    def _law(cls, value: Any) -> Any:
        if value not in get_args(Sizes):
            raise refusal(unknown("law of sizes", value, get_args(Sizes)))
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

    @model_validator(mode="after")
    def _consistent(self) -> Arrivals:
        if (self.load is None) == (self.per_second is None):
            given = "both given" if self.load is not None else "both missing"
            raise refusal(f"load and rate are {given}; allowed: one of them, as load=10% or rate=1000", field="load")
        if self.shape is not None and self.sizes != "pareto":
            raise refusal(f"{shown(self.shape)} is given for {self.sizes} sizes; allowed: with pareto only", field="shape")
        return self
