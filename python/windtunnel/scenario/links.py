"""A link as it is written: its rate, its queue, its losses and what of it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, field_validator, model_validator

from windtunnel.scenario import changes, checks, sizes
from windtunnel.scenario.catalogue import DROP_TAIL
from windtunnel.scenario.errors import refusal, shown
from windtunnel.scenario.losses import LossModel, read
from windtunnel.scenario.ranges import ExtraS, Probability, QueueBdp, QueueBytes, QueuePackets, QueueS, RateBps
from windtunnel.scenario.sizes import MARK_FIELDS, QUEUE_FIELDS
from windtunnel.scenario.table import Entry, Quantity, Table


class Bottleneck(Table):
    """One link: its rate, its queue and that queue's discipline, random loss.

    Parameters
    ----------
    rate_bps : float
        IP bits per second, 1 kbit/s to 1 Tbit/s.
    queue_packets, queue_bytes, queue_s, queue_bdp : optional
        The queue limit, in one of: 1500-byte packets, bytes, seconds at the link's rate, fraction of the bandwidth-delay product (BDP).
        One BDP when none is given. The limit counts the packet being serialised unless `excludes_in_service`. A computed limit below one
        packet is raised to one.
    mark_packets, mark_bytes, mark_s, mark_bdp : optional
        A step of congestion marks, in the same units: an ECN-capable packet is marked where a queue of this size would have refused it.
        No marks when none is given; for drop-tail only.
    discipline : str
        How the queue decides: ``drop-tail``, or a name of ``windtunnel queues``, with parameters as in ``codel,target=5ms``.
    discipline_parameters : dict of str to float, optional
        The discipline's parameters, in the units the catalogue gives.
    excludes_in_service : bool
        Whether the packet on the wire no longer counts against the limit.
    loss_probability : float
        Independent loss of each packet, in [0, 1), before the queue.
    losses : sequence, optional
        Models of loss with a memory, before the queue too: tables, or lines such as ``"periodic,every=5000"``. Each sees every packet.
    rate_steps, outages, delay_steps, queue_steps : sequence, optional
        Changes in time, ascending: a new rate, nothing transmitted, propagation besides the base RTT, a new queue limit. Tables, or
        ``"10s=5Mbit"``. What stands in a queue that shrinks stays in it.
    trace_ms : sequence of int, optional
        In place of any rate: milliseconds at which 1500 bytes may leave, as in mahimahi's traces. `rate_bps` is then only what the BDP is
        computed with, the trace's mean when absent.
    reorder_probability, reorder_s : float
        Probability that a data packet arrives so many seconds late, overtaken by those behind it. ACKs keep their order.
    duplicate_probability : float
        Probability that a data packet arrives twice.
    """

    SHORT: ClassVar[Mapping[str, str]] = {
        "rate": "rate_bps",
        "loss": "loss_probability",
        "reorder": "reorder_probability",
        "reorder_by": "reorder_s",
        "duplicate": "duplicate_probability",
    }
    BESIDE: ClassVar[Sequence[str]] = ("queue", "mark")

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            rate: Quantity = ...,
            rate_bps: Quantity = ...,
            queue: Quantity | None = ...,
            queue_packets: Quantity | None = ...,
            queue_bytes: Quantity | None = ...,
            queue_s: Quantity | None = ...,
            queue_bdp: Quantity | None = ...,
            mark: Quantity | None = ...,
            mark_packets: Quantity | None = ...,
            mark_bytes: Quantity | None = ...,
            mark_s: Quantity | None = ...,
            mark_bdp: Quantity | None = ...,
            discipline: str = ...,
            discipline_parameters: Mapping[str, Quantity] = ...,
            excludes_in_service: bool = ...,
            loss: Quantity = ...,
            loss_probability: Quantity = ...,
            losses: Sequence[LossModel | str | Entry] | str | Entry = ...,
            rate_steps: Sequence[changes.RateStep | str | Entry] | str | Entry = ...,
            outages: Sequence[changes.Outage | str | Entry] | str | Entry = ...,
            delay_steps: Sequence[changes.DelayStep | str | Entry] | str | Entry = ...,
            queue_steps: Sequence[changes.QueueStep | str | Entry] | str | Entry = ...,
            trace_ms: Sequence[int] = ...,
            reorder: Quantity = ...,
            reorder_probability: Quantity = ...,
            reorder_by: Quantity = ...,
            reorder_s: Quantity = ...,
            duplicate: Quantity = ...,
            duplicate_probability: Quantity = ...,
        ) -> None: ...

    rate_bps: RateBps = Field(description="IP bits per second")
    queue_packets: QueuePackets | None = Field(default=None, description="queue limit in 1500-byte packets")
    queue_bytes: QueueBytes | None = Field(default=None, description="queue limit in bytes")
    queue_s: QueueS | None = Field(default=None, description="queue limit as time at the link's rate, in seconds")
    queue_bdp: QueueBdp | None = Field(default=None, description="queue limit as a fraction of the bandwidth-delay product")
    mark_packets: QueuePackets | None = Field(default=None, description="step of congestion marks in 1500-byte packets")
    mark_bytes: QueueBytes | None = Field(default=None, description="step of congestion marks in bytes")
    mark_s: QueueS | None = Field(default=None, description="step of congestion marks as time at the link's rate, in seconds")
    mark_bdp: QueueBdp | None = Field(default=None, description="step of congestion marks as a fraction of the bandwidth-delay product")
    discipline: str = Field(default=DROP_TAIL, description="queue discipline")
    discipline_parameters: dict[str, float] = Field(default_factory=dict, description="the discipline's own parameters")
    excludes_in_service: bool = Field(default=False, description="whether the packet being serialised does not count against the limit")
    loss_probability: Probability = Field(default=0.0, description="independent loss of each packet")
    losses: tuple[LossModel, ...] = Field(default=(), description="models of loss with a memory")

    rate_steps: tuple[changes.RateStep, ...] = Field(default=(), description="rates that follow, each from its time on")
    outages: tuple[changes.Outage, ...] = Field(default=(), description="times in which nothing is transmitted")
    delay_steps: tuple[changes.DelayStep, ...] = Field(default=(), description="propagation besides the base RTT, each from its time on")
    queue_steps: tuple[changes.QueueStep, ...] = Field(default=(), description="queue limits that follow, each from its time on")
    trace_ms: tuple[int, ...] = Field(default=(), description="milliseconds at which 1500 bytes may leave, in place of a rate")
    reorder_probability: Probability = Field(default=0.0, description="probability that a data packet arrives late")
    reorder_s: ExtraS = Field(default=0.0, description="how late, in seconds")
    duplicate_probability: Probability = Field(default=0.0, description="probability that a data packet arrives twice")

    _losses = field_validator("losses", mode="before")(read)
    _rate_steps = field_validator("rate_steps", mode="before")(changes.reader(changes.RateStep))
    _outages = field_validator("outages", mode="before")(changes.reader(changes.Outage))
    _delay_steps = field_validator("delay_steps", mode="before")(changes.reader(changes.DelayStep))
    _queue_steps = field_validator("queue_steps", mode="before")(changes.reader(changes.QueueStep))
    _ascending = field_validator("rate_steps", "outages", "delay_steps", "queue_steps", mode="after")(changes.ascending)
    _trace = field_validator("trace_ms", mode="before")(changes.opportunities)

    @model_validator(mode="before")
    @classmethod
    def _rate_of_trace(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not data.get("trace_ms") or {"rate", "rate_bps"} & set(data):
            return data
        return data | {"rate_bps": changes.mean_rate_bps(changes.opportunities(data["trace_ms"]))}

    @model_validator(mode="after")
    def _one_service(self) -> Bottleneck:
        if self.trace_ms and (self.rate_steps or self.outages):
            raise refusal("a trace and steps or outages are both given; allowed: one of them", field="trace_ms")
        return self

    @model_validator(mode="before")
    @classmethod
    def _sizes(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return _read_discipline(sizes.read(sizes.read(data, "queue", QUEUE_FIELDS), "mark", MARK_FIELDS))

    @model_validator(mode="after")
    def _one_of_each(self) -> Bottleneck:
        for short, fields in (("queue", QUEUE_FIELDS), ("mark", MARK_FIELDS)):
            given = sizes.given(self, fields)
            if len(given) > 1:
                raise refusal(f"{' and '.join(given)} are all given; allowed: one of {', '.join(fields)}", field=short)
        if self.discipline != DROP_TAIL and sizes.given(self, MARK_FIELDS):
            raise refusal(f"a step of marks and {self.discipline} are both given; allowed: with {DROP_TAIL} only", field="mark")
        return self

    @model_validator(mode="after")
    def _late_by_how_much(self) -> Bottleneck:
        if (self.reorder_probability > 0) != (self.reorder_s > 0):
            problem = f"{shown(self.reorder_probability)} and {shown(self.reorder_s)} s late; allowed: both above 0, or none"
            raise refusal(problem, field="reorder_probability")
        return self


def _read_discipline(data: dict[str, Any]) -> dict[str, Any]:
    """Check the discipline, written as a name, as ``codel,target=5ms``, or as a name and a table of parameters."""
    name, table = data.get("discipline", DROP_TAIL), data.get("discipline_parameters", {})
    if not isinstance(name, str):
        raise refusal(f"{shown(name)} is a {type(name).__name__}, not a name; allowed: a queue discipline", field="discipline")
    if not isinstance(table, dict):
        problem = f"{shown(table)} is a {type(table).__name__}, not a table; allowed: key = value"
        raise refusal(problem, field="discipline_parameters")
    name, given = checks.discipline_text(name)
    parameters = checks.discipline(name, {**given, **table})
    if name == DROP_TAIL and "discipline" not in data:
        return data
    return {**data, "discipline": name, "discipline_parameters": parameters}


class Hop(Bottleneck):
    """A further forward link.

    Parameters
    ----------
    delay_s : float
        Propagation to it from the hop before, in seconds; part of the base RTT of the flows that cross both.
    """

    SHORT: ClassVar[Mapping[str, str]] = {**Bottleneck.SHORT, "delay": "delay_s"}

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            rate: Quantity = ...,
            rate_bps: Quantity = ...,
            queue: Quantity | None = ...,
            queue_packets: Quantity | None = ...,
            queue_bytes: Quantity | None = ...,
            queue_s: Quantity | None = ...,
            queue_bdp: Quantity | None = ...,
            mark: Quantity | None = ...,
            mark_packets: Quantity | None = ...,
            mark_bytes: Quantity | None = ...,
            mark_s: Quantity | None = ...,
            mark_bdp: Quantity | None = ...,
            discipline: str = ...,
            discipline_parameters: Mapping[str, Quantity] = ...,
            excludes_in_service: bool = ...,
            loss: Quantity = ...,
            loss_probability: Quantity = ...,
            losses: Sequence[LossModel | str | Entry] | str | Entry = ...,
            rate_steps: Sequence[changes.RateStep | str | Entry] | str | Entry = ...,
            outages: Sequence[changes.Outage | str | Entry] | str | Entry = ...,
            delay_steps: Sequence[changes.DelayStep | str | Entry] | str | Entry = ...,
            queue_steps: Sequence[changes.QueueStep | str | Entry] | str | Entry = ...,
            trace_ms: Sequence[int] = ...,
            reorder: Quantity = ...,
            reorder_probability: Quantity = ...,
            reorder_by: Quantity = ...,
            reorder_s: Quantity = ...,
            duplicate: Quantity = ...,
            duplicate_probability: Quantity = ...,
            delay: Quantity = ...,
            delay_s: Quantity = ...,
        ) -> None: ...

    delay_s: ExtraS = Field(default=0.0, description="propagation from the hop before, in seconds")
