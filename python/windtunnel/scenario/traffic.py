"""Traffic beside the flows: sources of UDP datagrams, as tables or as one line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from windtunnel.scenario.errors import refusal, shown
from windtunnel.scenario.lines import Listed
from windtunnel.scenario.ranges import MOST, RANGES, HopNumber, InstantS, RateBps
from windtunnel.scenario.table import Table

MOST_SOURCES = MOST["sources_of_datagrams"]
HEADER_BYTES = 28
TEXT = "udp,rate=RATE[,key=value...]"

AmplitudeBps = Annotated[float, RANGES["amplitude_bps"]]
PeriodS = Annotated[float, RANGES["period_s"]]
DatagramBytes = Annotated[int, RANGES["datagram_bytes"]]


class Udp(Table):
    """A source of UDP datagrams: packets by the clock, at its link, also when they are lost.

    Parameters
    ----------
    kind : {"udp"}
        What it is.
    rate_bps : float
        IP bits per second; the mean where the rate swings.
    amplitude_bps, period_s : float, optional
        The rate swings as a sine from the start on, by so much up and down, once per period. Both, or none for a constant rate.
    packet_bytes : int
        IP bytes of a packet, 28 of them headers.
    start_s, stop_s : float, optional
        Seconds from the beginning; from zero to the end when absent.
    direction : {"forward", "reverse"}
        Which link.
    enter, leave : int, optional
        Numbers of the first and the last hop that forward packets cross, counted from 1; all hops when absent.
    """

    SHORT: ClassVar[Mapping[str, str]] = {
        "rate": "rate_bps",
        "amplitude": "amplitude_bps",
        "period": "period_s",
        "packet": "packet_bytes",
        "start": "start_s",
        "stop": "stop_s",
    }

    kind: Literal["udp"] = Field(default="udp", description="what it is")
    rate_bps: RateBps = Field(description="IP bits per second, the mean where the rate swings")
    amplitude_bps: AmplitudeBps | None = Field(default=None, description="how far the rate swings up and down, in bits per second")
    period_s: PeriodS | None = Field(default=None, description="one swing, in seconds")
    packet_bytes: DatagramBytes = Field(default=1500, description="IP bytes of a packet, headers included")
    start_s: InstantS = Field(default=0.0, description="first packet, in seconds")
    stop_s: InstantS | None = Field(default=None, description="no packet from then on, in seconds")
    direction: Literal["forward", "reverse"] = Field(default="forward", description="which link")
    enter: HopNumber | None = Field(default=None, description="number of the first hop, counted from 1")
    leave: HopNumber | None = Field(default=None, description="number of the last hop, counted from 1")

    @field_validator("direction", mode="before")
    @classmethod
    def _direction(cls, value: Any) -> Any:
        if value not in ("forward", "reverse"):
            raise refusal(f"{shown(value)} is not a direction; allowed: forward, reverse")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Udp:
        if (self.amplitude_bps is None) != (self.period_s is None):
            missing, other = ("period", "amplitude") if self.period_s is None else ("amplitude", "period")
            raise refusal(f"is missing, and {other} is given; allowed: both, or none", field=missing)
        if self.amplitude_bps is not None and self.amplitude_bps > self.rate_bps:
            raise refusal(
                f"{shown(self.amplitude_bps)} is above the rate; allowed: 0 to {shown(self.rate_bps)} bit/s", field="amplitude_bps"
            )
        if self.stop_s is not None and self.stop_s <= self.start_s:
            raise refusal(f"{shown(self.stop_s)} s is not after the start; allowed: above {shown(self.start_s)} s", field="stop_s")
        return self


KINDS: dict[str, type[Table]] = {"udp": Udp}
_LISTED = Listed("kind", "source", "kind of traffic", KINDS, MOST_SOURCES, TEXT)


def read(value: Any) -> list[Any]:
    """Read a scenario's list of sources: tables, or lines such as ``"udp,rate=50Mbit,start=10s"`` (`Listed.read`)."""
    return _LISTED.read(value)


def check_within(sources: tuple[Udp, ...], duration_s: float) -> None:
    """Refuse a source that starts or stops outside a run of so many seconds.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When one does.
    """
    for index, source in enumerate(sources):
        path = f"traffic[{index}]"
        if source.start_s >= duration_s:
            problem = f"{shown(source.start_s)} s is not within the run; allowed: 0 to below {shown(duration_s)} s"
            raise refusal(problem, field=f"{path}.start_s")
        if source.stop_s is not None and source.stop_s > duration_s:
            problem = f"{shown(source.stop_s)} s is after the end; allowed: above {shown(source.start_s)} to {shown(duration_s)} s"
            raise refusal(problem, field=f"{path}.stop_s")
