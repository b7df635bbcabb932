"""The host of a sender: what its processor, its device and its interrupts cost, and how much it sends or takes at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, field_validator, model_validator

from windtunnel.scenario import changes
from windtunnel.scenario.errors import refusal, shown
from windtunnel.scenario.lines import pairs
from windtunnel.scenario.ranges import QueuePackets, Range, RateBps
from windtunnel.scenario.table import Table

if TYPE_CHECKING:
    from windtunnel.scenario.models import Flow, Scenario

CostS = Annotated[float, Range(0, 1, "s")]
PacketRate = Annotated[float, Range(1, 1e9, "packets per second")]
MtuBytes = Annotated[int, Range(576, 9000, "bytes", whole=True)]

HEADER_BYTES = 52
"""IP, TCP and timestamps: what of a packet is no payload."""
DEVICE_QUEUE_PACKETS = 1000
"""Linux's default `txqueuelen`."""
_STUCK_AT_BYTES = 3_148_472
"""Where the window of a receiver of larger packets stopped growing in Linux 2.4.22 (Hegde et al. 2004, IV.B.2)."""
_WINDOW_UNIT_BYTES = 1024


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
        "nic": "nic_bps",
        "ack_tick": "ack_tick_s",
    }

    cpu_packet_s: CostS = Field(0.0, description="processor time to send a packet, in seconds")
    cpu_pps: PacketRate | None = Field(None, description="packets per second that the processor can send")
    cpu_ack_s: CostS = Field(0.0, description="processor time of an ACK, in seconds")
    cpu_sack_s: CostS = Field(0.0, description="processor time of an ACK with SACK information per packet outstanding, in seconds")
    stalls: tuple[changes.Outage, ...] = Field((), description="times in which the processor does nothing")
    nic_bps: RateBps | None = Field(None, description="rate of the network device, IP bits per second")
    txqueuelen: QueuePackets | None = Field(None, description="packets that wait for the device")
    ack_tick_s: CostS = Field(0.0, description="interval at which ACKs are handled, in seconds")
    shared: bool = Field(False, description="whether all flows without a host of their own are on this one")

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
        return self


def of_flow(flow: Flow, scenario: Scenario) -> Host | None:
    """Return a flow's own host with the fields it does not give taken from the scenario's; none if it has none of its own.

    A scenario's host that is not shared is copied for every flow.
    """
    common, own = scenario.host, flow.host
    if own is None:
        return None if common is None or common.shared else common
    if common is None:
        return own
    given = {name: getattr(own, name) for name in own.model_fields_set}
    replaced = {"cpu_packet_s": "cpu_pps", "cpu_pps": "cpu_packet_s"}
    inherited = {
        name: getattr(common, name)
        for name in common.model_fields_set - {"shared"}
        if name not in given and replaced.get(name) not in given
    }
    return Host(**inherited, **given)


def check(scenario: Scenario) -> None:
    """Refuse flows that share a host and differ in base RTT, hosts of transfers, and receivers' packet sizes that mean nothing.

    Raises
    ------
    pydantic_core.PydanticCustomError
        Naming the field.
    """
    if scenario.host is not None and (scenario.arrivals or scenario.sessions):
        raise refusal("is given beside arrivals or sessions, which have none; allowed: a host of each flow", field="host")
    if scenario.host is not None and scenario.host.shared:
        rtts = {flow.rtt_s or scenario.rtt_s for flow in scenario.flows if flow.host is None}
        if len(rtts) > 1:
            listed = ", ".join(f"{rtt:g}" for rtt in sorted(rtt or 0.0 for rtt in rtts))
            raise refusal(f"flows of {listed} s are on it; allowed: one base RTT for all flows on one host", field="host.shared")
    for index, flow in enumerate(scenario.flows):
        if flow.host is not None and flow.host.shared:
            raise refusal("belongs to a scenario's host; allowed: false for a flow's own", field=f"flows[{index}].host.shared")
        if flow.receiver_mtu_bytes is not None and (flow.profile or scenario.profile) != "linux-2.4":
            problem = f"{shown(flow.receiver_mtu_bytes)} bytes matter to linux-2.4 only; allowed: with that profile"
            raise refusal(problem, field=f"flows[{index}].receiver_mtu_bytes")


def window_packets(flow: Flow) -> int | None:
    """Return the cap on a flow's window in its own packets: the least of those given, at least one.

    A Linux 2.4.22 receiver of packets larger than those it gets lets its window grow to 3,148,472 bytes, rounded down to whole segments,
    then to the 1024 bytes that its window scale can say: 3,147,776 with segments of 1448 bytes (Hegde et al. 2004, IV.B.2).
    """
    mss = flow.mtu_bytes - HEADER_BYTES
    caps = [] if flow.window_packets is None else [flow.window_packets]
    if flow.window_bytes is not None:
        caps.append(max(1, flow.window_bytes // mss))
    if flow.receiver_mtu_bytes is not None and flow.receiver_mtu_bytes > flow.mtu_bytes:
        stuck = _STUCK_AT_BYTES // mss * mss
        caps.append(max(1, stuck // _WINDOW_UNIT_BYTES * _WINDOW_UNIT_BYTES // mss))
    return min(caps, default=None)


def engine(full: Scenario) -> tuple[list[dict[str, Any]], list[int | None]]:
    """Return what the engine takes: the hosts, times in integer nanoseconds, and the number of each flow's host."""
    made: list[dict[str, Any]] = []
    numbers: dict[object, int] = {}
    of_flows: list[int | None] = []
    for index, flow in enumerate(full.flows):
        host = flow.host if flow.host is not None else full.host
        if host is None:
            of_flows.append(None)
            continue
        # The connections of one application are on one host.
        shares = "all" if flow.host is None else ("application", flow.application) if flow.application is not None else index
        if shares not in numbers:
            numbers[shares] = len(made)
            made.append(_engine(host))
        of_flows.append(numbers[shares])
    return made, of_flows


def _engine(host: Host) -> dict[str, Any]:
    def ns(seconds: float) -> int:
        return round(seconds * 1e9)

    device = None
    if host.nic_bps is not None:
        queue = DEVICE_QUEUE_PACKETS if host.txqueuelen is None else host.txqueuelen
        device = {"rate_bps": round(host.nic_bps), "queue_packets": queue}
    return {
        "packet_ns": ns(host.cpu_packet_s if host.cpu_pps is None else 1 / host.cpu_pps),
        "ack_ns": ns(host.cpu_ack_s),
        "sack_ns": ns(host.cpu_sack_s),
        "stalls": [{"at_ns": ns(stall.at_s), "length_ns": ns(stall.length_s)} for stall in host.stalls],
        "device": device,
        "ack_tick_ns": ns(host.ack_tick_s),
    }
