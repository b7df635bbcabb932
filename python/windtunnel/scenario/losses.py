"""Loss with a memory: the models of a link, as tables or as one line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import Field, field_validator

from windtunnel.scenario.errors import refusal, shown, unknown
from windtunnel.scenario.lines import Listed
from windtunnel.scenario.ranges import MOST, FlowNumber, LossIntervalS, PacketCount, PacketNumber, PositiveShare, Share
from windtunnel.scenario.table import Table

MOST_PACKETS = MOST["scripted_packets"]
MOST_MODELS = MOST["loss_models"]
Among = Literal["all", "data", "acks"]


class _Model(Table):
    among: Among = Field(default="all", description="packets the model sees and counts: all, data, acks")

    @field_validator("among", mode="before")
    @classmethod
    def _among(cls, value: Any) -> Any:
        if value not in get_args(Among):
            raise refusal(unknown("kind of packet", value, get_args(Among)))
        return value


class GilbertElliott(_Model):
    """Bursts: a good and a bad state take turns, packet by packet, and lose with probabilities of their own."""

    model: Literal["gilbert-elliott"]
    to_bad: Share = Field(description="probability per packet that the good state turns bad")
    to_good: PositiveShare = Field(description="probability per packet that the bad state turns good")
    loss_bad: Share = Field(default=1.0, description="loss probability in the bad state")
    loss_good: Share = Field(default=0.0, description="loss probability in the good state")


class Periodic(_Model):
    """Every n-th packet."""

    model: Literal["periodic"]
    every: PacketCount = Field(description="packets from one loss to the next")
    first: PacketNumber | None = Field(default=None, description="number of the first packet lost, counted from 1; `every` when absent")


class Scripted(_Model):
    """The packets on a list."""

    model: Literal["scripted"]
    packets: tuple[PacketNumber, ...] = Field(description="numbers of the packets, counted from 1")
    flow: FlowNumber | None = Field(default=None, description="whose packets are counted, counted from 0; those of all flows when absent")

    @field_validator("packets", mode="before")
    @classmethod
    def _list(cls, value: Any) -> Any:
        value = value.split("+") if isinstance(value, str) else [value] if isinstance(value, int) else value
        if not isinstance(value, (list, tuple)) or not 1 <= len(value) <= MOST_PACKETS:
            raise refusal(f"{shown(value)} is not a list of packets; allowed: 1 to {MOST_PACKETS} numbers, as [3, 40] or 3+40")
        return value

    @field_validator("packets", mode="after")
    @classmethod
    def _ascending(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(value)))


class Timed(_Model):
    """By the clock: each interval since the last loss brings the next with the same probability."""

    SHORT: ClassVar[Mapping[str, str]] = {"interval": "interval_s"}

    model: Literal["timed"]
    interval_s: LossIntervalS = Field(description="unit of time in seconds")
    probability: PositiveShare = Field(description="probability that such an interval brings a loss")


LossModel = Annotated[GilbertElliott | Periodic | Scripted | Timed, Field(discriminator="model")]
MODELS: dict[str, type[_Model]] = {"gilbert-elliott": GilbertElliott, "periodic": Periodic, "scripted": Scripted, "timed": Timed}
TEXT = "MODEL[,key=value...]"
_LISTED = Listed("model", "model", "model of loss", MODELS, MOST_MODELS, TEXT)


def read(value: Any) -> list[Any]:
    """Read a link's list of models: tables, or lines such as ``"periodic,every=5000"`` (`Listed.read`)."""
    return _LISTED.read(value)
