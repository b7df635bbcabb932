"""The scenario: what is run, in SI units, frozen and checked when it is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from windtunnel.scenario import applications, changes, checks, hosts, units, writes
from windtunnel.scenario.arrivals import Arrivals
from windtunnel.scenario.catalogue import DROP_TAIL
from windtunnel.scenario.errors import refusal, shown
from windtunnel.scenario.flowtext import parse_flow
from windtunnel.scenario.hops import check_flow, check_hops, check_source, read_hops, with_rates
from windtunnel.scenario.losses import LossModel, read
from windtunnel.scenario.ranges import (
    MOST,
    Application,
    Count,
    DurationS,
    ExtraS,
    HopNumber,
    InstantS,
    JitterS,
    Probability,
    QueueBdp,
    QueueBytes,
    QueuePackets,
    QueueS,
    RateBps,
    RttS,
    SampleS,
    Seed,
    TransferBytes,
    WindowBytes,
    WindowPackets,
)
from windtunnel.scenario.sessions import Sessions
from windtunnel.scenario.table import Table as _Model
from windtunnel.scenario.traffic import Udp, check_within
from windtunnel.scenario.traffic import read as read_traffic
from windtunnel.scenario.transfers import Source
from windtunnel.scenario.transfers import reader as sources_of
from windtunnel.scenario.windows import read_window

QUEUE_FIELDS = ("queue_packets", "queue_bytes", "queue_s", "queue_bdp")
MARK_FIELDS = ("mark_packets", "mark_bytes", "mark_s", "mark_bdp")
PACKET_BYTES = 1500
MSS_BYTES = 1448
MOST_FLOWS = MOST["flows"]
MOST_SAMPLES = MOST["samples"]


class Bottleneck(_Model):
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
    rate_steps, outages, delay_steps : sequence, optional
        Changes in time, ascending: a new rate, nothing transmitted, propagation besides the base RTT. Tables, or ``"10s=5Mbit"``.
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

    rate_bps: RateBps = Field(description="IP bits per second")
    queue_packets: QueuePackets | None = Field(None, description="queue limit in 1500-byte packets")
    queue_bytes: QueueBytes | None = Field(None, description="queue limit in bytes")
    queue_s: QueueS | None = Field(None, description="queue limit as time at the link's rate, in seconds")
    queue_bdp: QueueBdp | None = Field(None, description="queue limit as a fraction of the bandwidth-delay product")
    mark_packets: QueuePackets | None = Field(None, description="step of congestion marks in 1500-byte packets")
    mark_bytes: QueueBytes | None = Field(None, description="step of congestion marks in bytes")
    mark_s: QueueS | None = Field(None, description="step of congestion marks as time at the link's rate, in seconds")
    mark_bdp: QueueBdp | None = Field(None, description="step of congestion marks as a fraction of the bandwidth-delay product")
    discipline: str = Field(DROP_TAIL, description="queue discipline")
    discipline_parameters: dict[str, float] = Field(default_factory=dict, description="the discipline's own parameters")
    excludes_in_service: bool = Field(False, description="whether the packet being serialised does not count against the limit")
    loss_probability: Probability = Field(0.0, description="independent loss of each packet")
    losses: tuple[LossModel, ...] = Field((), description="models of loss with a memory")

    rate_steps: tuple[changes.RateStep, ...] = Field((), description="rates that follow, each from its time on")
    outages: tuple[changes.Outage, ...] = Field((), description="times in which nothing is transmitted")
    delay_steps: tuple[changes.DelayStep, ...] = Field((), description="propagation besides the base RTT, each from its time on")
    trace_ms: tuple[int, ...] = Field((), description="milliseconds at which 1500 bytes may leave, in place of a rate")
    reorder_probability: Probability = Field(0.0, description="probability that a data packet arrives late")
    reorder_s: ExtraS = Field(0.0, description="how late, in seconds")
    duplicate_probability: Probability = Field(0.0, description="probability that a data packet arrives twice")

    _losses = field_validator("losses", mode="before")(read)
    _rate_steps = field_validator("rate_steps", mode="before")(changes.reader(changes.RateStep))
    _outages = field_validator("outages", mode="before")(changes.reader(changes.Outage))
    _delay_steps = field_validator("delay_steps", mode="before")(changes.reader(changes.DelayStep))
    _ascending = field_validator("rate_steps", "outages", "delay_steps", mode="after")(changes.ascending)
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
        return _read_discipline(_read_size(_read_size(data, "queue", QUEUE_FIELDS), "mark", MARK_FIELDS))

    @model_validator(mode="after")
    def _one_of_each(self) -> Bottleneck:
        for short, fields in (("queue", QUEUE_FIELDS), ("mark", MARK_FIELDS)):
            given = [name for name in fields if getattr(self, name) is not None]
            if len(given) > 1:
                raise refusal(f"{' and '.join(given)} are all given; allowed: one of {', '.join(fields)}", field=short)
        if self.discipline != DROP_TAIL and any(getattr(self, name) is not None for name in MARK_FIELDS):
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


def _read_size(data: dict[str, Any], short: str, fields: tuple[str, ...]) -> dict[str, Any]:
    """Replace a size written under its short name, such as ``queue = "20%bdp"``, by the field of its unit."""
    if short not in data:
        return data
    full = dict(data)
    value = full.pop(short)
    given = [name for name in fields if full.get(name) is not None]
    if given:
        raise refusal(f"{short} and {given[0]} are both given; allowed: one of them", field=short)
    try:
        name, size = units.parse_queue(value)
    except ValueError as error:
        allowed = "packets (175), 20%bdp, 50ms or 256kB"
        raise refusal(f"{shown(value)} cannot be read: {error}; allowed: {allowed}", field=short) from None
    full[name.replace("queue", short)] = size
    return full


class Hop(Bottleneck):
    """A further forward link.

    Parameters
    ----------
    delay_s : float
        Propagation to it from the hop before, in seconds; part of the base RTT of the flows that cross both.
    """

    SHORT: ClassVar[Mapping[str, str]] = {**Bottleneck.SHORT, "delay": "delay_s"}

    delay_s: ExtraS = Field(0.0, description="propagation from the hop before, in seconds")


class Flow(_Model):
    """One TCP flow, or `count` equal ones.

    Parameters
    ----------
    algorithm : str
        ``name`` or ``name:variant``; kernel aliases are accepted and replaced by our name.
    parameters : dict of str to float or str, optional
        The algorithm's own parameters, in the units the catalogue gives, and the choice ``slow_start``.
    transport : dict, optional
        Overrides of the profile's transport options.
    rtt_s : float, optional
        Base (propagation) round-trip time in seconds; the scenario's when absent.
    start_s, stop_s : float, optional
        Seconds from the beginning; it starts at zero and never stops when absent.
    bytes : int, optional
        Payload bytes to transfer; unlimited when absent.
    count : int
        How many flows like this one.
    window_packets, window_bytes : int, optional
        Cap on the window, in the flow's packets, or in bytes of payload (a socket's buffer), of which whole segments count. ``window``
        reads either: ``500``, ``4MB``.
    mtu_bytes : int
        IP bytes of a full packet, 576 to 9000.
    receiver_mtu_bytes : int, optional
        IP bytes of the receiver's own packets. With profile linux-2.4 only, whose window gets stuck if they are larger than the sender's.
    host : Host, optional
        The sender's host; fields that it does not give are the scenario's.
    profile : str, optional
        Stack profile; the scenario's when absent.
    direction : {"forward", "reverse"}
        Which way the data goes.
    application : int, optional
        Flows of the same number are connections of one application, whose results are also added up. ``ptcp`` sets it.
    on_s, off_s : float, optional
        The application writes as fast as the flow takes it for so long, then nothing for so long, in turns; always when absent.
    app_rate_bps, chunk_s : float, optional
        The application writes in chunks, one every so many seconds (2 when absent), each of what this payload rate makes of that time.
    enter, leave : int, optional
        Numbers of the first and the last hop that its packets cross in forward direction, counted from 1; all hops when absent.
    """

    SHORT: ClassVar[Mapping[str, str]] = {
        "rtt": "rtt_s",
        "start": "start_s",
        "stop": "stop_s",
        "mtu": "mtu_bytes",
        "receiver_mtu": "receiver_mtu_bytes",
        **writes.SHORT,
    }

    algorithm: str = Field(description="name or name:variant")
    parameters: dict[str, float | str] = Field(default_factory=dict, description="the algorithm's own parameters")
    transport: dict[str, bool | int | float | str] = Field(default_factory=dict, description="overrides of transport options")
    rtt_s: RttS | None = Field(None, description="base round-trip time in seconds")
    start_s: InstantS = Field(0.0, description="start in seconds")
    stop_s: InstantS | None = Field(None, description="stop in seconds")
    bytes: TransferBytes | None = Field(None, description="payload bytes to transfer")
    count: Count = Field(1, description="number of equal flows")
    window_packets: WindowPackets | None = Field(None, description="cap on the window in packets")
    window_bytes: WindowBytes | None = Field(None, description="cap on the window in bytes of payload")
    mtu_bytes: hosts.MtuBytes = Field(PACKET_BYTES, description="IP bytes of a full packet")
    receiver_mtu_bytes: hosts.MtuBytes | None = Field(None, description="IP bytes of the receiver's own packets")
    host: hosts.Host | None = Field(None, description="the sender's host")
    profile: str | None = Field(None, description="stack profile")
    direction: Literal["forward", "reverse"] = Field("forward", description="which way the data goes")
    application: Application | None = Field(None, description="number shared by the connections of one application")
    on_s: writes.SpanS | None = Field(None, description="how long the application writes, in seconds")
    off_s: writes.SpanS | None = Field(None, description="how long it is then silent, in seconds")
    app_rate_bps: RateBps | None = Field(None, description="payload rate of an application that writes in chunks, in bits per second")
    chunk_s: writes.SpanS | None = Field(None, description="time from one chunk to the next, in seconds")
    enter: HopNumber | None = Field(None, description="number of the first hop, counted from 1")
    leave: HopNumber | None = Field(None, description="number of the last hop, counted from 1")

    _algorithm = field_validator("algorithm", mode="before")(checks.algorithm_name)
    _profile = field_validator("profile", mode="before")(checks.profile_name)

    @model_validator(mode="before")
    @classmethod
    def _tables(cls, data: Any) -> Any:
        if isinstance(data, str):
            data = parse_flow(data)
        if not isinstance(data, dict):
            return data
        full = read_window(writes.with_chunk(data))
        if "window_packets" in full:
            full = full | {"window_packets": writes.window_packets(full["window_packets"], MSS_BYTES)}
        return checks.flow_tables(full)

    @field_validator("direction", mode="before")
    @classmethod
    def _direction(cls, value: Any) -> Any:
        if value not in ("forward", "reverse"):
            raise refusal(f"{shown(value)} is not a direction; allowed: forward, reverse")
        return value

    @model_validator(mode="after")
    def _connections_are_made_once(self) -> Flow:
        if self.application is not None and set(self.parameters) & {"streams", "stagger"}:
            raise refusal(f"{self.application} and streams are both given; allowed: one of them", field="application")
        return self

    @model_validator(mode="after")
    def _writes(self) -> Flow:
        writes.check(self)
        return self

    @model_validator(mode="after")
    def _stops_after_start(self) -> Flow:
        if self.stop_s is not None and self.stop_s <= self.start_s:
            raise refusal(f"{shown(self.stop_s)} s is not after the start; allowed: above {shown(self.start_s)} s", field="stop_s")
        return self


class Scenario(_Model):
    """A dumbbell: flows through one bottleneck, or several in a row, and everything that decides the result.

    Parameters
    ----------
    bottleneck : Bottleneck
        The forward link.
    hops : sequence of Hop, optional
        Further forward links in a row behind it, of the bottleneck's rate if they name none; lines such as
        ``"rate=20Mbit,queue=100,delay=5ms"`` are read too.
    flows : sequence of Flow
        At least one, unless there are arrivals or sessions; strings such as ``"htcp,start=60s"`` are read too.
    arrivals : sequence of Arrivals
        Sources of transfers that come and go; strings such as ``"reno,load=10%,mean=25kB"`` are read too.
    sessions : sequence of Sessions
        Sessions of people who look at pages; strings such as ``"reno,count=25,think=exponential:1s"`` are read too.
    traffic : sequence of Udp, optional
        Sources of datagrams beside the flows; strings such as ``"udp,rate=50Mbit,start=10s"`` are read too.
    reverse : Bottleneck, optional
        The reverse link, of the bottleneck's rate if it names none. When absent, ACKs return without a queue; if data goes in
        reverse, it is a link of the same rate and queue.
    rtt_s : float, optional
        Base round-trip time of the flows that name none, in seconds.
    duration_s, warmup_s : float
        Length of the run (at most 4 hours) and of the first part left out of every mean, in seconds.
    seed : int
        Seed of every random draw, 0 to 2**64 - 1.
    sample_s : float
        Sampling interval in seconds; 0 takes no samples.
    jitter_s : float, optional
        Upper end of the uniform delay of each ACK, in seconds; by default the smaller of one packet time at the bottleneck and 1 % of
        the flow's base RTT.
    profile : str
        Stack profile of the flows that name none.
    host : Host, optional
        The host of the senders: one for each, or one for all if it is `shared`.
    per_ack, record_drops, record_marks : bool
        Whether to record every ACK, every drop, and every congestion mark.

    Raises
    ------
    pydantic.ValidationError
        When a field is out of range or fields contradict each other; the message names field, value and allowed range.
    """

    SHORT: ClassVar[Mapping[str, str]] = {
        "rtt": "rtt_s",
        "duration": "duration_s",
        "warmup": "warmup_s",
        "sample": "sample_s",
        "jitter": "jitter_s",
    }

    bottleneck: Bottleneck
    hops: tuple[Hop, ...] = Field((), description="further forward links in a row behind the bottleneck")
    flows: tuple[Flow, ...]
    reverse: Bottleneck | None = None
    rtt_s: RttS | None = Field(None, description="base round-trip time of flows that name none, in seconds")
    duration_s: DurationS = Field(60.0, description="length of the run in seconds")
    warmup_s: InstantS = Field(0.0, description="first part left out of every mean, in seconds")
    seed: Seed = Field(1, description="seed of every random draw")
    sample_s: SampleS = Field(0.01, description="sampling interval in seconds, 0 for none")
    jitter_s: JitterS | None = Field(None, description="largest delay of an ACK in seconds; null for the default rule")
    profile: str = Field("linux-6.1", description="stack profile of flows that name none")
    host: hosts.Host | None = Field(None, description="the host of the senders")
    per_ack: bool = Field(False, description="record every ACK")
    record_drops: bool = Field(False, description="record every drop")
    record_marks: bool = Field(False, description="record every congestion mark")
    arrivals: tuple[Arrivals, ...] = Field((), description="sources of transfers that come and go")
    sessions: tuple[Sessions, ...] = Field((), description="sessions of people who look at pages")
    traffic: tuple[Udp, ...] = Field((), description="sources of datagrams beside the flows")

    _profile = field_validator("profile", mode="before")(checks.profile_name)
    _arrivals = field_validator("arrivals", mode="before")(sources_of(Arrivals))
    _sessions = field_validator("sessions", mode="before")(sources_of(Sessions))
    _traffic = field_validator("traffic", mode="before")(read_traffic)

    @model_validator(mode="before")
    @classmethod
    def _no_flows(cls, data: Any) -> Any:
        return {"flows": ()} | data if isinstance(data, dict) and (data.get("arrivals") or data.get("sessions")) else data

    @model_validator(mode="before")
    @classmethod
    def _rates(cls, data: Any) -> Any:
        """Give the reverse link and the hops that name no rate the bottleneck's."""
        if not isinstance(data, dict):
            return data
        link = data.get("bottleneck")
        link = {"rate_bps": link.rate_bps} if isinstance(link, Bottleneck) else link
        rate = {key: link[key] for key in ("rate", "rate_bps") if key in link} if isinstance(link, dict) else {}
        reverse = data.get("reverse")
        if isinstance(reverse, dict) and not {"rate", "rate_bps"} & set(reverse):
            data = data | {"reverse": rate | reverse}
        return data | {"hops": with_rates(read_hops(data["hops"]), rate)} if "hops" in data else data

    @field_validator("flows", mode="before")
    @classmethod
    def _flow_list(cls, value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            raise refusal(f"{shown(value)} is a {type(value).__name__}, not a list of flows; allowed: 1 to {MOST_FLOWS} flows")
        if len(value) > MOST_FLOWS:
            raise refusal(f"{len(value)} flows are given; allowed: 1 to {MOST_FLOWS} flows")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Scenario:
        if not (self.flows or self.arrivals or self.sessions):
            raise refusal(f"0 flows are given; allowed: 1 to {MOST_FLOWS} flows", field="flows")
        total = sum(flow.count * applications.streams(flow) for flow in self.flows)
        if total > MOST_FLOWS:
            raise refusal(f"{total} flows in all (count and streams included); allowed: at most {MOST_FLOWS}", field="flows")
        if self.warmup_s >= self.duration_s:
            problem = f"{shown(self.warmup_s)} s is not within the run; allowed: 0 to below {shown(self.duration_s)} s"
            raise refusal(problem, field="warmup_s")
        check_hops(self)
        hosts.check(self)
        for index, flow in enumerate(self.flows):
            self._check_flow(f"flows[{index}]", flow)
        for name, sources in (("arrivals", self.arrivals), ("sessions", self.sessions)):
            for index, source in enumerate(sources):
                self._check_source(f"{name}[{index}]", source)
        check_within(self.traffic, self.duration_s)
        total += len(self.traffic)
        if self.sample_s > self.duration_s:
            problem = f"{shown(self.sample_s)} s is longer than the run; allowed: at most {shown(self.duration_s)} s"
            raise refusal(problem, field="sample_s")
        if self.sample_s and self.duration_s / self.sample_s * total > MOST_SAMPLES:
            shortest = self.duration_s * total / MOST_SAMPLES
            problem = f"{shown(self.sample_s)} s makes more than {MOST_SAMPLES} samples; allowed: 0, or at least {shortest:.3g} s"
            raise refusal(problem, field="sample_s")
        return self

    def _check_source(self, path: str, source: Source) -> None:
        if not source.rtts_s and self.rtt_s is None:
            raise refusal("is missing and the scenario has none either; give it for the source or for the scenario", field=f"{path}.rtts_s")
        check_source(path, source, self.hops, self.rtt_s)
        if source.start_s >= self.duration_s:
            problem = f"{shown(source.start_s)} s is not within the run; allowed: 0 to below {shown(self.duration_s)} s"
            raise refusal(problem, field=f"{path}.start_s")

    def _check_flow(self, path: str, flow: Flow) -> None:
        if flow.rtt_s is None and self.rtt_s is None:
            raise refusal("is missing and the scenario has none either; give it for the flow or for the scenario", field=f"{path}.rtt_s")
        check_flow(path, flow, self.hops, flow.rtt_s or self.rtt_s or 0.0)
        if flow.start_s >= self.duration_s:
            problem = f"{shown(flow.start_s)} s is not within the run; allowed: 0 to below {shown(self.duration_s)} s"
            raise refusal(problem, field=f"{path}.start_s")
        latest_s = flow.start_s + applications.stagger_s(flow)
        end_s = self.duration_s if flow.stop_s is None else flow.stop_s
        if latest_s >= end_s:
            problem = f"lets connections start up to {shown(latest_s)} s; allowed: below {shown(end_s - flow.start_s)} s"
            raise refusal(problem, field=f"{path}.parameters.stagger")
        if flow.stop_s is not None and flow.stop_s > self.duration_s:
            problem = f"{shown(flow.stop_s)} s is after the end; allowed: above {shown(flow.start_s)} to {shown(self.duration_s)} s"
            raise refusal(problem, field=f"{path}.stop_s")
