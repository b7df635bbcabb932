"""A flow as it is written, as a table or on one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from windtunnel.scenario import checks, clients, hosts, receivers, writes
from windtunnel.scenario.errors import refusal, shown
from windtunnel.scenario.flowtext import parse_flow
from windtunnel.scenario.laws import Law
from windtunnel.scenario.ranges import (
    Application,
    Count,
    HopNumber,
    InstantS,
    JitterS,
    RateBps,
    RcvbufBytes,
    RequestCount,
    RttS,
    StreamCount,
    TransferBytes,
    TurnS,
    WindowBytes,
    WindowPackets,
)
from windtunnel.scenario.table import Entry, Quantity, Table
from windtunnel.scenario.windows import read_window

PACKET_BYTES = 1500
MSS_BYTES = 1448


class Flow(Table):
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
    video_bps, video_min_bps, frame_s : float, optional
        The application is video whose rate follows what the connection carries, between these payload rates (150 kbit/s the smaller, when
        absent), in a frame each so many seconds (0.04 when absent).
    response_bytes : Law, optional
        A client asks for what the flow sends: payload of a response, as whole segments; ``response=64kB`` is `fixed`.
    request_bytes, think_s : Law, optional
        Payload of a request, cut at the initial window of ten packets; seconds from the end of a response to the next request. 400 bytes,
        and an exponential second, when absent.
    requests : int, optional
        How many requests; until the end when absent.
    rcvbuf_bytes, rcvbuf_max_bytes : int, optional
        Memory of the receiver's buffer, half of which is window; with a maximum it grows to that with what the application reads. When
        absent it is never full; 128 KiB that may grow to 6 MiB, as Linux has them, where any of the next is given.
    read_rate_bps, read_every_s : float, optional
        The application at the receiver reads at this payload rate, every so many seconds (0.01 when absent).
    read_on_s, read_off_s : float, optional
        It reads what arrives for so long, then nothing for so long, in turns.
    enter, leave : int, optional
        Numbers of the first and the last hop that its packets cross in forward direction, counted from 1; all hops when absent.
    stack : str, optional
        The whole stack whose own program this flow is, as ``quinn`` (``windtunnel stacks list``); the simulator's TCP when absent.
        `algorithm` is then one of that stack's controllers. What only the simulator's TCP has, it must not give.
    streams : int, optional
        Of a whole stack: how many streams share its connection, 1 when absent. What the application writes is shared equally; it is
        complete when all of them are.
    turn_s : float, optional
        Of a whole stack: an end reads what has arrived so many seconds after the first datagram that waits there, all in one turn of its
        program, as on a busy host or with interrupts that are held back. When absent 0: each when it arrives.
    handshake : bool, optional
        It begins with a handshake, and with `bytes` its last segment ends it; when absent as the scenario says, which is not by default:
        then it is established when it starts.
    jitter_s : float, optional
        Each of its ACKs arrives later by a uniform draw up to this, in seconds, and none overtakes another; as the scenario says when
        absent.
    """

    SHORT: ClassVar[Mapping[str, str]] = {
        "rtt": "rtt_s",
        "start": "start_s",
        "stop": "stop_s",
        "jitter": "jitter_s",
        "turn": "turn_s",
        "mtu": "mtu_bytes",
        "receiver_mtu": "receiver_mtu_bytes",
        **writes.SHORT,
        **writes.VIDEO,
        **clients.SHORT,
        **receivers.SHORT,
    }
    BESIDE: ClassVar[Sequence[str]] = ("window",)

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            stack: str | None = ...,
            streams: int | str | None = ...,
            turn: Quantity = ...,
            turn_s: Quantity = ...,
            algorithm: str | PathLike[str] | type,
            parameters: Mapping[str, Quantity] = ...,
            transport: Mapping[str, bool | Quantity] = ...,
            rtt: Quantity | None = ...,
            rtt_s: Quantity | None = ...,
            start: Quantity = ...,
            start_s: Quantity = ...,
            stop: Quantity | None = ...,
            stop_s: Quantity | None = ...,
            bytes: Quantity | None = ...,
            count: int | str = ...,
            window: Quantity | None = ...,
            window_packets: Quantity | None = ...,
            window_bytes: Quantity | None = ...,
            mtu: Quantity = ...,
            mtu_bytes: Quantity = ...,
            receiver_mtu: Quantity | None = ...,
            receiver_mtu_bytes: Quantity | None = ...,
            host: hosts.Host | str | Entry | None = ...,
            profile: str | None = ...,
            direction: str = ...,
            application: int | str | None = ...,
            on: Quantity | None = ...,
            on_s: Quantity | None = ...,
            off: Quantity | None = ...,
            off_s: Quantity | None = ...,
            app_rate: Quantity | None = ...,
            app_rate_bps: Quantity | None = ...,
            chunk: Quantity | None = ...,
            chunk_s: Quantity | None = ...,
            video: Quantity | None = ...,
            video_bps: Quantity | None = ...,
            video_min: Quantity | None = ...,
            video_min_bps: Quantity | None = ...,
            frame: Quantity | None = ...,
            frame_s: Quantity | None = ...,
            response: Law | Quantity | Entry | None = ...,
            response_bytes: Law | Quantity | Entry | None = ...,
            request: Law | Quantity | Entry | None = ...,
            request_bytes: Law | Quantity | Entry | None = ...,
            think: Law | Quantity | Entry | None = ...,
            think_s: Law | Quantity | Entry | None = ...,
            requests: int | str | None = ...,
            rcvbuf: Quantity | None = ...,
            rcvbuf_bytes: Quantity | None = ...,
            rcvbuf_max: Quantity | None = ...,
            rcvbuf_max_bytes: Quantity | None = ...,
            read_rate: Quantity | None = ...,
            read_rate_bps: Quantity | None = ...,
            read_every: Quantity | None = ...,
            read_every_s: Quantity | None = ...,
            read_on: Quantity | None = ...,
            read_on_s: Quantity | None = ...,
            read_off: Quantity | None = ...,
            read_off_s: Quantity | None = ...,
            enter: int | str | None = ...,
            leave: int | str | None = ...,
            handshake: bool | str | None = ...,
            jitter: Quantity | None = ...,
            jitter_s: Quantity | None = ...,
        ) -> None: ...

    stack: str | None = Field(default=None, description="the whole stack that runs it, as quinn; the simulator's TCP when absent")
    algorithm: str = Field(description="name or name:variant; of a stack, its own name of a controller")
    parameters: dict[str, float | str] = Field(default_factory=dict, description="the algorithm's own parameters")
    transport: dict[str, bool | int | float | str] = Field(default_factory=dict, description="overrides of transport options")
    rtt_s: RttS | None = Field(default=None, description="base round-trip time in seconds")
    start_s: InstantS = Field(default=0.0, description="start in seconds")
    stop_s: InstantS | None = Field(default=None, description="stop in seconds")
    bytes: TransferBytes | None = Field(default=None, description="payload bytes to transfer")
    count: Count = Field(default=1, description="number of equal flows")
    window_packets: WindowPackets | None = Field(default=None, description="cap on the window in packets")
    window_bytes: WindowBytes | None = Field(default=None, description="cap on the window in bytes of payload")
    mtu_bytes: hosts.MtuBytes = Field(default=PACKET_BYTES, description="IP bytes of a full packet")
    receiver_mtu_bytes: hosts.MtuBytes | None = Field(default=None, description="IP bytes of the receiver's own packets")
    host: hosts.Host | None = Field(default=None, description="the sender's host")
    profile: str | None = Field(default=None, description="stack profile")
    direction: Literal["forward", "reverse"] = Field(default="forward", description="which way the data goes")
    application: Application | None = Field(default=None, description="number shared by the connections of one application")
    on_s: writes.SpanS | None = Field(default=None, description="how long the application writes, in seconds")
    off_s: writes.SpanS | None = Field(default=None, description="how long it then writes nothing, in seconds")
    app_rate_bps: RateBps | None = Field(
        default=None, description="payload rate of an application that writes in chunks, in bits per second"
    )
    chunk_s: writes.SpanS | None = Field(default=None, description="time from one chunk to the next, in seconds")
    video_bps: RateBps | None = Field(default=None, description="largest payload rate of video, in bits per second")
    video_min_bps: RateBps | None = Field(default=None, description="smallest payload rate of video, in bits per second")
    frame_s: writes.SpanS | None = Field(default=None, description="time from one frame of video to the next, in seconds")
    response_bytes: Law | None = Field(default=None, description="payload of a response in bytes, to a client that asks")
    request_bytes: Law | None = Field(default=None, description="payload of a request in bytes")
    think_s: Law | None = Field(default=None, description="seconds from the end of a response to the next request")
    requests: RequestCount | None = Field(default=None, description="number of requests")
    rcvbuf_bytes: RcvbufBytes | None = Field(default=None, description="memory of the receiver's buffer in bytes; never full when absent")
    rcvbuf_max_bytes: RcvbufBytes | None = Field(default=None, description="bytes to which that may grow")
    read_rate_bps: RateBps | None = Field(
        default=None, description="payload rate at which the receiver's application reads, in bits per second"
    )
    read_every_s: writes.SpanS | None = Field(default=None, description="time from one of its reads to the next, in seconds")
    read_on_s: writes.SpanS | None = Field(default=None, description="how long it reads what arrives, in seconds")
    read_off_s: writes.SpanS | None = Field(default=None, description="how long it then pauses, in seconds")
    enter: HopNumber | None = Field(default=None, description="number of the first hop, counted from 1")
    leave: HopNumber | None = Field(default=None, description="number of the last hop, counted from 1")
    handshake: bool | None = Field(default=None, description="whether it begins with a handshake")
    jitter_s: JitterS | None = Field(default=None, description="largest delay of one of its ACKs in seconds; the scenario's when absent")
    streams: StreamCount | None = Field(default=None, description="number of streams that share the connection of a whole stack")
    turn_s: TurnS = Field(default=0.0, description="seconds after which an end of a whole stack reads what has arrived since the first")

    @field_validator("stack", mode="before")
    @classmethod
    def _stack(cls, value: Any) -> Any:
        return None if value is None else checks.stack_name(value)

    @field_validator("algorithm", mode="before")
    @classmethod
    def _algorithm(cls, value: Any, given: ValidationInfo) -> Any:
        stack = given.data.get("stack")
        return checks.algorithm_name(value) if stack is None else checks.stack_algorithm(stack, value)

    _profile = field_validator("profile", mode="before")(checks.profile_name)
    _handshake = field_validator("handshake", mode="before")(checks.truth)

    @model_validator(mode="before")
    @classmethod
    def _tables(cls, data: Any) -> Any:
        if isinstance(data, str):
            data = parse_flow(data)
        if not isinstance(data, dict):
            return data
        full = read_window(receivers.with_defaults(clients.with_defaults(writes.with_chunk(data))))
        if "window_packets" in full:
            full = full | {"window_packets": writes.window_packets(full["window_packets"], MSS_BYTES)}
        return checks.flow_tables(full)

    @field_validator(*clients.LAWS, mode="before")
    @classmethod
    def _law(cls, value: Any, info: Any) -> Any:
        return clients.law(value, info.field_name)

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
    def _streams_share_a_stacks_connection(self) -> Flow:
        if self.streams is not None and self.stack is None:
            raise refusal(
                f"{self.streams} is given, and TCP has one stream; allowed: with stack=NAME; count=N makes N flows", field="streams"
            )
        return self

    @model_validator(mode="after")
    def _turns_are_a_stacks(self) -> Flow:
        if self.turn_s and self.stack is None:
            raise refusal(f"{shown(self.turn_s)} s is given, and TCP's flows have no turns; allowed: with stack=NAME", field="turn_s")
        return self

    @model_validator(mode="after")
    def _writes(self) -> Flow:
        if (self.on_s is None) != (self.off_s is None):
            missing, other = ("off", "on") if self.off_s is None else ("on", "off")
            raise refusal(f"is missing, and {other} is given; allowed: both, or none", field=f"{missing}_s")
        if self.chunk_s is not None and self.app_rate_bps is None:
            raise refusal("is missing, and chunk is given; allowed: both, or app_rate alone", field="app_rate_bps")
        if self.on_s is not None and self.app_rate_bps is not None:
            raise refusal("on and off, and app_rate are both given; allowed: one of them", field="app_rate_bps")
        writes.check_video(self)
        return self

    @model_validator(mode="after")
    def _asks(self) -> Flow:
        if self.response_bytes is None:
            given = next((key for key in ("request_bytes", "think_s", "requests") if getattr(self, key) is not None), None)
            if given:
                raise refusal(f"is missing, and {given} is given; allowed: both, or none", field="response_bytes")
            return self
        other = next((key for key in ("bytes", "on_s", "app_rate_bps") if getattr(self, key) is not None), None)
        if other:
            raise refusal(f"and {other} are both given; allowed: one of them", field="response_bytes")
        return self

    @model_validator(mode="after")
    def _receives(self) -> Flow:
        receivers.check(self)
        return self

    @model_validator(mode="after")
    def _stops_after_start(self) -> Flow:
        if self.stop_s is not None and self.stop_s <= self.start_s:
            raise refusal(f"{shown(self.stop_s)} s is not after the start; allowed: above {shown(self.start_s)} s", field="stop_s")
        return self
