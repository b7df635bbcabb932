"""One run as a metric sees it: which flows, which window, and the counters as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from windtunnel.frames import pl
from windtunnel.metrics.backoffs import Array, Backoffs, backoffs_by_flow
from windtunnel.metrics.rates import PACKET_BITS, UDP, UDP_HEADER_BITS, packet_bits
from windtunnel.records import Records
from windtunnel.records.names import written
from windtunnel.records.schema import FRAMES

PACKET_BYTES = 1500
MSS_BYTES = 1448
HEADER_BYTES = 52
SETTLING_S = 10.0
"""The default window begins this long after the start of the last foreground flow (the register's rule)."""
_NEAR_S = 1e-6


@dataclass(frozen=True)
class FlowSeries:
    """The samples of one flow, in order of time.

    Attributes
    ----------
    t_s, cwnd_packets, ssthresh_packets, srtt_s, delivered_bytes, state : numpy.ndarray, shape (samples,)
        As in the records; NaN where null.
    """

    t_s: Array
    cwnd_packets: Array
    ssthresh_packets: Array
    srtt_s: Array
    delivered_bytes: Array
    state: Array


@dataclass(frozen=True)
class LinkSeries:
    """The samples of one link, in order of time.

    Attributes
    ----------
    t_s, queue_packets, queue_bytes, delivered_bytes, dropped_packets, marked_packets : numpy.ndarray, shape (samples,)
        As in the records, counters from the start of the run; NaN where null.
    """

    t_s: Array
    queue_packets: Array
    queue_bytes: Array
    delivered_bytes: Array
    dropped_packets: Array
    marked_packets: Array


@dataclass(frozen=True)
class View:
    """A run, and the point of the experiment it belongs to.

    Parameters
    ----------
    records : Records
        Records of the run.
    point : mapping of str to object
        Dimension to value, in the units of the register's selectors. Only ``alg`` is read here.
    stands_for : mapping of str to str
        The protocols in place of which controllers from files run, by the controller's name.
    """

    records: Records
    point: Mapping[str, Any]
    stands_for: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def scenario(self) -> Mapping[str, Any]:
        """The canonical scenario."""
        return self.records.facts.scenario

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        return self.records.flows.to_dicts()

    def row(self, flow: int) -> dict[str, Any]:
        """Return the row of a flow in the records' frame `flows`."""
        return self._rows[flow]

    @cached_property
    def foreground(self) -> tuple[int, ...]:
        """The flows under study, numbers from 0 in order of start; flows that start together keep the scenario's order.

        These are the forward flows that the scenario lists itself; what its traffic sources make, and UDP beside TCP, is background.
        """
        listed = [row for row in self._rows[: len(self.scenario["flows"])] if row["direction"] == "forward"]
        chosen = [row for row in listed if row["algorithm"] != UDP] or listed
        return tuple(int(row["flow"]) for row in sorted(chosen, key=lambda row: (row["start_s"], row["flow"])))

    @cached_property
    def applications(self) -> tuple[tuple[int, ...], ...]:
        """The foreground flows by application, in order of start; the streams of ``ptcp`` are one, every other flow is by itself."""
        found: dict[tuple[str, int], list[int]] = {}
        for flow in self.foreground:
            number = self.scenario["flows"][flow].get("application")
            found.setdefault(("flow", flow) if number is None else ("application", int(number)), []).append(flow)
        return tuple(tuple(flows) for flows in found.values())

    @cached_property
    def background(self) -> pl.DataFrame:
        """The rows of `flows` of the forward flows that are not under study: cross traffic and UDP sources."""
        return self.records.flows.filter((pl.col("direction") == "forward") & ~pl.col("flow").is_in(self.foreground))

    @cached_property
    def passing(self) -> pl.DataFrame:
        """The rows of `transfers` of the forward sources: cross traffic that comes and goes; none where nothing does."""
        sources = (*self.scenario.get("arrivals", ()), *self.scenario.get("sessions", ()))
        forward = [number for number, source in enumerate(sources) if source["direction"] == "forward"]
        rows = self.records.transfers
        return pl.DataFrame(schema=FRAMES["transfers"]) if rows is None else rows.filter(pl.col("source").is_in(forward))

    @cached_property
    def opening(self) -> list[int]:
        """The numbers of the sources whose transfers begin with a handshake."""
        sources = (*self.scenario.get("arrivals", ()), *self.scenario.get("sessions", ()))
        return [number for number, source in enumerate(sources) if source.get("handshake")]

    @cached_property
    def reverse(self) -> pl.DataFrame:
        """The rows of `flows` of the flows whose data goes in reverse."""
        return self.records.flows.filter(pl.col("direction") == "reverse")

    def name(self, flow: int) -> str:
        """Return a flow's algorithm as the scenario writes it, ``htcp`` or ``htcp:beta08``, and of a whole stack ``cubic@quinn``."""
        return self._names[flow]

    @cached_property
    def _names(self) -> list[str]:
        return [self.stands_for.get(name, name) for name in written(self.scenario)]

    @cached_property
    def under_test(self) -> tuple[int, ...]:
        """The foreground flows that run the point's protocol; all of them when the point names none.

        A protocol without a variant also means the flows that run a variant of it.
        """
        wanted = self.point.get("alg")
        if wanted is None:
            return self.foreground
        exact = tuple(flow for flow in self.foreground if self.name(flow) == wanted)
        return exact or tuple(flow for flow in self.foreground if self.name(flow).partition(":")[0] == wanted)

    @cached_property
    def duration_s(self) -> float:
        """Length of the run, seconds."""
        return float(self.scenario["duration_s"])

    @cached_property
    def window_s(self) -> tuple[float, float]:
        """The default window, which lasts from ten seconds after the start of the last foreground flow to the end, seconds."""
        return self.start_s(self.foreground[-1]) + SETTLING_S, self.duration_s

    @cached_property
    def rate_bps(self) -> float:
        """The bottleneck's rate, bits per second."""
        return float(self.scenario["bottleneck"]["rate_bps"])

    @cached_property
    def packet_s(self) -> float:
        """The time a 1500-byte packet takes on the bottleneck, seconds."""
        return PACKET_BITS / self.rate_bps

    @cached_property
    def queue_packets(self) -> float:
        """The bottleneck's buffer in 1500-byte packets, whichever unit limits it."""
        link = self.scenario["bottleneck"]
        if link["queue_bytes"] is not None:
            return float(link["queue_bytes"]) / PACKET_BYTES
        if link["queue_s"] is not None:
            return float(link["queue_s"]) / self.packet_s
        return float(link["queue_packets"])

    def packet_bits(self, flow: int) -> int:
        """Return the IP bits of a flow's full packets, or of a source's datagrams; those of 1500 bytes where the scenario lists neither."""
        listed, sources = self.scenario["flows"], self.scenario.get("traffic", ())
        if flow < len(listed):
            return packet_bits(listed[flow])
        number = flow - len(listed)
        return 8 * int(sources[number]["packet_bytes"]) if number < len(sources) else PACKET_BITS

    def start_s(self, flow: int) -> float:
        """Return when a flow starts, seconds."""
        return float(self._rows[flow]["start_s"])

    def end_s(self, flow: int) -> float:
        """Return when a flow ends, seconds: its stop, the end of its transfer, or the end of the run, whichever comes first."""
        row = self._rows[flow]
        stop_s = self.duration_s if row["end_s"] is None else float(row["end_s"])
        done_s = self.completed_s(flow)
        return min(self.duration_s, stop_s, stop_s if done_s is None else done_s)

    def completed_s(self, flow: int) -> float | None:
        """Return when the last byte of a flow's transfer was acknowledged, seconds.

        None when the flow has no size; infinite when the transfer was not complete at the end of the run.
        """
        if self.scenario["flows"][flow]["bytes"] is None:
            return None
        done_s = self._rows[flow]["completed_s"]
        return float("inf") if done_s is None else float(done_s)

    def is_active(self, flow: int, t0: float, t1: float) -> bool:
        """Return whether a flow is open at some time between `t0` and `t1` (seconds)."""
        return self.start_s(flow) < t1 and self.end_s(flow) > t0

    def base_rtt_s(self, flow: int) -> float:
        """Return a flow's propagation round-trip time, seconds."""
        return float(self.scenario["flows"][flow]["rtt_s"])

    @cached_property
    def longest_rtt_s(self) -> float:
        """The largest base RTT of the foreground flows, seconds."""
        return max(self.base_rtt_s(flow) for flow in self.foreground)

    @cached_property
    def bdp_packets(self) -> float:
        """The bandwidth-delay product of the path, with mixed RTTs that of the longest one, 1500-byte packets."""
        return self.rate_bps * self.longest_rtt_s / PACKET_BITS

    @cached_property
    def largest_rtt_s(self) -> float:
        """The largest round trip a foreground flow can meet, seconds.

        Base RTT of the longest flow, a full queue, the second packet that a delayed ACK waits for with its own transmission, and the
        largest jitter of an ACK.
        """
        common_s = self.scenario["jitter_s"]
        if common_s is None:
            common_s = min(self.packet_s, 0.01 * self.longest_rtt_s)
        own_s = [self.scenario["flows"][flow].get("jitter_s") for flow in self.foreground]
        jitter_s = max(float(common_s if one is None else one) for one in own_s)
        return self.longest_rtt_s + (self.queue_packets + 2) * self.packet_s + jitter_s

    def is_counted(self, t0: float, t1: float) -> bool:
        """Return whether the records' window counters cover exactly `t0` to `t1` (seconds)."""
        warmup_s = float(self.scenario["warmup_s"])
        return abs(t0 - warmup_s) < _NEAR_S and abs(t1 - self.duration_s) < _NEAR_S

    @cached_property
    def sample_s(self) -> float:
        """The sampling interval, seconds; infinite when no samples were taken."""
        return float(self.scenario["sample_s"]) or float("inf")

    @cached_property
    def _by_flow(self) -> dict[int, pl.DataFrame]:
        return {}

    def _samples(self, flow: int) -> pl.DataFrame:
        if flow not in self._by_flow:
            self._by_flow[flow] = self.records.flow_samples.filter(pl.col("flow") == flow)
        return self._by_flow[flow]

    @cached_property
    def _series(self) -> dict[int, FlowSeries]:
        return {}

    def series(self, flow: int) -> FlowSeries:
        """Return the samples of a flow as arrays.

        Parameters
        ----------
        flow : int
            The flow's number.

        Returns
        -------
        FlowSeries
            Empty arrays when no samples were taken.
        """
        if flow not in self._series:
            columns = FlowSeries.__dataclass_fields__
            self._series[flow] = FlowSeries(**{name: self.variable(flow, name) for name in columns})
        return self._series[flow]

    def variable(self, flow: int, name: str) -> Array:
        """Return one sampled column of a flow, NaN where null.

        Parameters
        ----------
        flow : int
            The flow's number.
        name : str
            A column of the records' frame `flow_samples`.

        Returns
        -------
        numpy.ndarray, shape (samples,)
            In the column's own unit.
        """
        return np.asarray(self._samples(flow)[name].cast(pl.Float64).to_numpy(), dtype=np.float64)

    def delivered_bits(self, flow: int, times: Array) -> Array | None:
        """Return the IP bits of a flow newly acknowledged by given times, headers counted whole.

        Parameters
        ----------
        flow : int
            The flow's number.
        times : numpy.ndarray, shape (n,)
            Seconds. Between samples the counter is interpolated linearly; before the first it rises from zero at the flow's start.

        Returns
        -------
        numpy.ndarray, shape (n,), or None
            Bits; None when the run took no samples of the flow.
        """
        series = self.series(flow)
        if not series.t_s.size:
            return None
        t_s = np.concatenate(([self.start_s(flow)], series.t_s))
        counted = np.concatenate(([0.0], series.delivered_bytes))
        bits = self.packet_bits(flow)
        headers = UDP_HEADER_BITS if self._rows[flow]["algorithm"] == UDP else 8 * HEADER_BYTES
        return np.asarray(np.interp(times, t_s, counted)) * (bits / (bits - headers)) * 8

    @cached_property
    def _backoffs(self) -> dict[int, Backoffs]:
        return backoffs_by_flow(self.records.events)

    def backoffs(self, flow: int) -> Backoffs:
        """Return a flow's back-offs over the whole run."""
        return self._backoffs.get(flow) or Backoffs(np.empty(0), np.empty(0), np.empty(0))

    @cached_property
    def link(self) -> Mapping[str, Any]:
        """The forward bottleneck's row in the records' frame `links`."""
        return self.records.links.row(by_predicate=pl.col("name") == "forward", named=True)

    @cached_property
    def reverse_link(self) -> Mapping[str, Any] | None:
        """The reverse bottleneck's row in the records' frame `links`; None where ACKs return without a queue."""
        rows = self.records.links.filter(pl.col("name") == "reverse")
        return rows.row(0, named=True) if rows.height else None

    @cached_property
    def reverse_rate_bps(self) -> float:
        """The reverse bottleneck's rate, bits per second."""
        reverse = self.scenario.get("reverse")
        return self.rate_bps if reverse is None else float(reverse["rate_bps"])

    def link_series(self, link: Mapping[str, Any]) -> LinkSeries:
        """Return the samples of a link as arrays, empty when none were taken; `link` is its row in `links`."""
        frame = self.records.link_samples.filter(pl.col("link") == link["link"])
        columns = LinkSeries.__dataclass_fields__
        return LinkSeries(**{name: np.asarray(frame[name].cast(pl.Float64).to_numpy(), dtype=np.float64) for name in columns})

    @cached_property
    def queue_samples(self) -> tuple[Array, Array, Array]:
        """Sampled times (seconds), queue (packets) and carried bytes of the forward bottleneck; each of shape (samples,)."""
        series = self.link_series(self.link)
        return series.t_s, series.queue_packets, series.delivered_bytes
