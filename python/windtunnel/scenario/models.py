"""The scenario: what is run, in SI units, frozen and checked when it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, field_validator, model_validator

from windtunnel.scenario import applications, checks, hosts
from windtunnel.scenario.arrivals import Arrivals
from windtunnel.scenario.errors import refusal, shown
from windtunnel.scenario.flows import Flow
from windtunnel.scenario.hops import check_flow, check_source, check_stretch, read_hops, with_rates
from windtunnel.scenario.links import Bottleneck, Hop
from windtunnel.scenario.notebook import table_html
from windtunnel.scenario.ranges import MOST, DurationS, InstantS, JitterS, RttS, SampleS, Seed
from windtunnel.scenario.sessions import Sessions
from windtunnel.scenario.table import Entry, Quantity, Table
from windtunnel.scenario.traffic import Udp, check_within
from windtunnel.scenario.traffic import read as read_traffic
from windtunnel.scenario.transfers import Source
from windtunnel.scenario.transfers import reader as sources_of

MOST_FLOWS = MOST["flows"]
MOST_SAMPLES = MOST["samples"]


class Scenario(Table):
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
    handshake : bool, optional
        Whether flows and transfers that do not say so begin with a handshake; when absent, transfers of `arrivals` and `sessions` do.
    host : Host, optional
        The host of the senders: one for each, or one for all if it is `shared`.
    per_ack, record_drops, record_marks : bool
        Whether to record every ACK, every drop, and every congestion mark.

    Raises
    ------
    ScenarioError
        When a field is out of range or fields contradict each other; the message names field, value and allowed range.
    """

    SHORT: ClassVar[Mapping[str, str]] = {
        "rtt": "rtt_s",
        "duration": "duration_s",
        "warmup": "warmup_s",
        "sample": "sample_s",
        "jitter": "jitter_s",
    }

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            bottleneck: Bottleneck | Entry,
            hops: Sequence[Hop | str | Entry] = ...,
            flows: Sequence[Flow | str | Entry] = ...,
            reverse: Bottleneck | Entry | None = ...,
            rtt: Quantity | None = ...,
            rtt_s: Quantity | None = ...,
            duration: Quantity = ...,
            duration_s: Quantity = ...,
            warmup: Quantity = ...,
            warmup_s: Quantity = ...,
            seed: int | str = ...,
            sample: Quantity = ...,
            sample_s: Quantity = ...,
            jitter: Quantity | None = ...,
            jitter_s: Quantity | None = ...,
            profile: str = ...,
            handshake: bool | str | None = ...,
            host: hosts.Host | str | Entry | None = ...,
            per_ack: bool = ...,
            record_drops: bool = ...,
            record_marks: bool = ...,
            arrivals: Sequence[Arrivals | str | Entry] | Arrivals | str | Entry = ...,
            sessions: Sequence[Sessions | str | Entry] | Sessions | str | Entry = ...,
            traffic: Sequence[Udp | str | Entry] | Udp | str | Entry = ...,
        ) -> None: ...

    bottleneck: Bottleneck
    hops: tuple[Hop, ...] = Field(default=(), description="further forward links in a row behind the bottleneck")
    flows: tuple[Flow, ...]
    reverse: Bottleneck | None = None
    rtt_s: RttS | None = Field(default=None, description="base round-trip time of flows that name none, in seconds")
    duration_s: DurationS = Field(default=60.0, description="length of the run in seconds")
    warmup_s: InstantS = Field(default=0.0, description="first part left out of every mean, in seconds")
    seed: Seed = Field(default=1, description="seed of every random draw")
    sample_s: SampleS = Field(default=0.01, description="sampling interval in seconds, 0 for none")
    jitter_s: JitterS | None = Field(default=None, description="largest delay of an ACK in seconds; null for the default rule")
    profile: str = Field(default="linux-6.1", description="stack profile of flows that name none")
    handshake: bool | None = Field(default=None, description="whether flows and transfers that do not say so begin with a handshake")
    host: hosts.Host | None = Field(default=None, description="the host of the senders")
    per_ack: bool = Field(default=False, description="record every ACK")
    record_drops: bool = Field(default=False, description="record every drop")
    record_marks: bool = Field(default=False, description="record every congestion mark")
    arrivals: tuple[Arrivals, ...] = Field(default=(), description="sources of transfers that come and go")
    sessions: tuple[Sessions, ...] = Field(default=(), description="sessions of people who look at pages")
    traffic: tuple[Udp, ...] = Field(default=(), description="sources of datagrams beside the flows")

    _profile = field_validator("profile", mode="before")(checks.profile_name)
    _handshake = field_validator("handshake", mode="before")(checks.truth)
    _arrivals = field_validator("arrivals", mode="before")(sources_of(Arrivals))
    _sessions = field_validator("sessions", mode="before")(sources_of(Sessions))
    _traffic = field_validator("traffic", mode="before")(read_traffic)

    def _repr_html_(self) -> str:
        return table_html(self)

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
        self._check_hops()
        self._check_hosts()
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

    def _check_hops(self) -> None:
        """Refuse sources of datagrams whose hops do not exist."""
        for index, source in enumerate(self.traffic):
            check_stretch(f"traffic[{index}]", source, len(self.hops) + 1)

    def _check_hosts(self) -> None:
        """Refuse flows and transfers that share a host and differ in base RTT, and receivers' packet sizes that mean nothing."""
        sources = [(f"{name}[{index}]", source) for name in ("arrivals", "sessions") for index, source in enumerate(getattr(self, name))]
        if self.host is not None and self.host.shared:
            rtts = {flow.rtt_s or self.rtt_s for flow in self.flows if flow.host is None}
            rtts |= {rtt_s for _, source in sources if source.host is None for rtt_s in source.rtts_s or (self.rtt_s,)}
            if len(rtts) > 1:
                listed = ", ".join(f"{rtt:g}" for rtt in sorted(rtt or 0.0 for rtt in rtts))
                raise refusal(f"flows of {listed} s are on it; allowed: one base RTT for all flows on one host", field="host.shared")
        for path, one in (*((f"flows[{index}]", flow) for index, flow in enumerate(self.flows)), *sources):
            if one.host is not None and one.host.shared:
                raise refusal("belongs to a scenario's host; allowed: false for any other", field=f"{path}.host.shared")
        for index, flow in enumerate(self.flows):
            if flow.receiver_mtu_bytes is not None and (flow.profile or self.profile) != "linux-2.4":
                problem = f"{shown(flow.receiver_mtu_bytes)} bytes matter to linux-2.4 only; allowed: with that profile"
                raise refusal(problem, field=f"flows[{index}].receiver_mtu_bytes")

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
