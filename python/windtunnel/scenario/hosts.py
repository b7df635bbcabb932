"""The host of a sender: what its processor, its device and its interrupts cost, and how much it sends or takes at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator, model_validator

from windtunnel.scenario import changes
from windtunnel.scenario.errors import refusal, shown
from windtunnel.scenario.lines import pairs
from windtunnel.scenario.ranges import RANGES, QueuePackets, RateBps
from windtunnel.scenario.table import Table

CostS = Annotated[float, RANGES["cost_s"]]
ClockHz = Annotated[float, RANGES["clock_hz"]]
PacketRate = Annotated[float, RANGES["packet_rate"]]
MtuBytes = Annotated[int, RANGES["mtu_bytes"]]


class Host(Table):
    """What a sender's host costs. A field that is not given costs nothing.

    Parameters
    ----------
    cpu_packet_s, cpu_ack_s : float
        Processor time in seconds to send a packet, and to process an ACK. ACKs come first.
    cpu_pps : float, optional
        In place of `cpu_packet_s`: packets per second that the processor can send.
    cpu_sack_s : float
        Further seconds for an ACK with SACK information, for each packet outstanding (Linux 2.4 and 2.6 walk over the window).
    cpu_hz : float, optional
        Clock of the processor in Hz, for what its work is in cycles; it costs nothing.
    stalls : sequence, optional
        Times in which the processor does nothing: tables with at and length, or ``"10s=50ms"``.
    nic_bps : float, optional
        Rate of the network device in IP bits per second; none is never felt.
    txqueuelen : int, optional
        Packets that wait for the device, besides the one on the wire; 1000 when absent. What finds no room is refused, and
        the sender reduces its window as for a congestion mark (CWR).
    ack_tick_s : float
        ACKs are handled at ticks of this interval in seconds only (interrupt coalescing); 0 for at once.
    shared : bool
        Of a scenario's host: the flows without a host of their own are all on this one. Otherwise each has one like it.
    """

    SHORT: ClassVar[Mapping[str, str]] = {
        "cpu_packet": "cpu_packet_s",
        "cpu_ack": "cpu_ack_s",
        "cpu_sack": "cpu_sack_s",
        "cpu_clock": "cpu_hz",
        "nic": "nic_bps",
        "ack_tick": "ack_tick_s",
    }

    cpu_packet_s: CostS = Field(default=0.0, description="processor time to send a packet, in seconds")
    cpu_pps: PacketRate | None = Field(default=None, description="packets per second that the processor can send")
    cpu_ack_s: CostS = Field(default=0.0, description="processor time of an ACK, in seconds")
    cpu_sack_s: CostS = Field(default=0.0, description="processor time of an ACK with SACK information per packet outstanding, in seconds")
    cpu_hz: ClockHz | None = Field(default=None, description="clock of the processor, in Hz")
    stalls: tuple[changes.Outage, ...] = Field(default=(), description="times in which the processor does nothing")
    nic_bps: RateBps | None = Field(default=None, description="rate of the network device, IP bits per second")
    txqueuelen: QueuePackets | None = Field(default=None, description="packets that wait for the device")
    ack_tick_s: CostS = Field(default=0.0, description="interval at which ACKs are handled, in seconds")
    shared: bool = Field(default=False, description="whether all flows without a host of their own are on this one")

    _stalls = field_validator("stalls", mode="before")(changes.reader(changes.Outage))
    _ascending = field_validator("stalls", mode="after")(changes.ascending)

    @model_validator(mode="before")
    @classmethod
    def _line(cls, data: Any) -> Any:
        return pairs(data.split(","), shown(data), "key=value[,key=value...]") if isinstance(data, str) else data

    @model_validator(mode="after")
    def _consistent(self) -> Host:
        if self.cpu_pps is not None and self.cpu_packet_s > 0:
            raise refusal("cpu_pps and cpu_packet are both given; allowed: one of them", field="cpu_pps")
        if self.txqueuelen is not None and self.nic_bps is None:
            raise refusal(f"{shown(self.txqueuelen)} packets wait for no device; allowed: with nic only", field="txqueuelen")
        if self.cpu_hz is not None and not self.has_cpu:
            problem = f"{shown(self.cpu_hz)} Hz of a processor that costs nothing; allowed: with cpu_pps, cpu_packet, cpu_ack or cpu_sack"
            raise refusal(problem, field="cpu_hz")
        return self

    @property
    def has_cpu(self) -> bool:
        """Whether the processor's work takes time."""
        return self.cpu_pps is not None or self.cpu_packet_s + self.cpu_ack_s + self.cpu_sack_s > 0
