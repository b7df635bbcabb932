"""A capture from anywhere as the frames and figures of a run: rate, RTT, estimated window, losses, each with how it was estimated."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from windtunnel import native
from windtunnel.frames import pl
from windtunnel.records import frame_of
from windtunnel.scenario import ScenarioError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SAMPLE_S = 0.01
"""From one sample to the next, seconds: that of a run."""
DELIVERIES_S = 0.001
"""The same for deliveries."""
OPPORTUNITY_BYTES = 1500
HEADER_BYTES = 52
"""Of IP and TCP with timestamps, in each packet."""


@dataclass(frozen=True)
class Trace:
    """What a capture says.

    Parameters
    ----------
    file : str
        The capture.
    figures : dict
        Of the capture: `packets`, `others` (no TCP), `interface`, `interfaces`, `application`, and `flows` (list of dict): of each
        direction of a connection that has data its ends, its figures (units by suffix, None where unknown), and `how` each was estimated.
    flow_samples, events : polars.DataFrame
        As of a run; what a capture cannot say is null. `cwnd_packets` is the estimated window.
    """

    file: str
    figures: dict[str, Any]
    flow_samples: pl.DataFrame
    events: pl.DataFrame

    @property
    def flows(self) -> pl.DataFrame:
        """One row per flow, with the columns of a run's."""
        given = self.figures["flows"]
        names = [name for name in _FLOWS if name != "flow"]
        columns: dict[str, Any] = {name: [flow[_FLOWS[name]] for flow in given] for name in names}
        columns = {name: [float("nan") if value is None else value for value in values] for name, values in columns.items()}
        return frame_of("flows", {"flow": list(range(len(given))), **columns})

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, a line each: what is unknown, and what was left out."""
        found = [f"flow {number}: handshake {flow['how']['handshake']}" for number, flow in enumerate(self.figures["flows"], 1)]
        notes = [line for line in found if not line.endswith("handshake seen")]
        others = [name for name in self.figures["interfaces"] if name != self.figures["interface"]]
        if others:
            notes.append(f"read at {self.figures['interface']!r} alone; --interface reads {', '.join(others)}")
        if self.figures["others"]:
            notes.append(f"{self.figures['others']} of {self.figures['packets']} packets are no TCP that can be read")
        return tuple(notes)

    def deliveries_ms(self) -> tuple[int, ...]:
        """Return what the path delivered, as opportunities to deliver 1500 bytes: a trace that a scenario's link plays.

        Returns
        -------
        tuple of int
            Ascending milliseconds since the first data, each that by whose end another 1500 bytes of IP, of all flows together, had been
            acknowledged. Of a path that was full all the time it is what the path can carry; the receiver's own capture shows it best,
            since elsewhere the delay of the ACKs moves them.

        Raises
        ------
        ScenarioError
            When the capture was not read with samples of a millisecond, or is shorter than one.

        Notes
        -----
        Source of the format: Netravali et al., "Mahimahi: accurate record-and-replay for HTTP", USENIX ATC 2015.
        """
        rows = self.flows
        steps = self.flow_samples["t_s"].unique().sort().diff().drop_nulls()
        if not len(steps) or float(steps.median()) > DELIVERIES_S * 1.01:
            raise ScenarioError("sample", "of the capture are too far apart for deliveries; allowed: read with samples of 1ms")
        edges = np.arange(0, round(1e3 * float(self.flow_samples["t_s"].max())) + 1)  # type: ignore[arg-type]
        total = np.zeros(edges.size)
        for flow, delivered, packets in rows.select("flow", "delivered_bytes", "delivered_packets").iter_rows():
            own = self.flow_samples.filter((pl.col("flow") == flow) & pl.col("delivered_bytes").is_not_null()).sort("t_s")
            if own.height and delivered:
                at_ms, counted = own["t_s"].to_numpy() * 1e3, own["delivered_bytes"].to_numpy().astype(np.float64)
                index = np.searchsorted(at_ms, edges + 1e-6, side="right") - 1
                total += np.where(index >= 0, counted[np.maximum(index, 0)], 0.0) * (1 + HEADER_BYTES * packets / delivered)
        fresh = np.diff(np.floor(total / OPPORTUNITY_BYTES + 1e-9).astype(np.int64))
        return tuple(np.repeat(edges[1:], np.maximum(fresh, 0)).tolist())

    def overview(self, path: str | Path | None = None) -> Figure:
        """Draw estimated window, goodput, smoothed RTT and retransmissions on one time axis.

        Parameters
        ----------
        path : str or Path, optional
            Also write it there: svg, pdf or png by the suffix.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        ScenarioError
            When the file cannot be written.
        """
        flows = [f"{flow['from']} to {flow['to']}" for flow in self.figures["flows"]]
        from windtunnel import plots

        figure = plots.captured(
            self.flow_samples, flows=flows, title=f"{Path(self.file).name}, at the {self.figures['interface'] or 'sender'}"
        )
        if path is not None:
            plots.save(figure, Path(path))
        return figure


_FLOWS = {
    "flow": "flow",
    "start_s": "start_s",
    "end_s": "end_s",
    "delivered_bytes": "delivered_bytes",
    "delivered_packets": "delivered_packets",
    "sent_packets": "sent_packets",
    "retransmitted_packets": "retransmitted_packets",
    "marked_packets": "marked_packets",
    "loss_episodes": "loss_episodes",
    "timeouts": "timeouts",
    "mean_rtt_s": "mean_rtt_s",
    "receive_window_bytes": "receive_window_bytes",
}
"""Columns of a run's flows that a capture has, and the figures they are."""


def read_capture(path: str | Path, *, interface: str | None = None, sample_s: float = SAMPLE_S) -> Trace:
    """Read a capture, pcap or pcapng.

    Parameters
    ----------
    path : str or Path
        The file.
    interface : str, optional
        Name or number of the interface whose packets are read; the first that has TCP when absent.
    sample_s : float
        From one sample to the next, seconds; above 0.

    Returns
    -------
    Trace
        Frames and figures.

    Raises
    ------
    ScenarioError
        When it is no capture, is damaged, is cut off, or holds no data of TCP.
    """
    if not 1e-6 <= sample_s <= 3600:
        raise ScenarioError("sample", f"{sample_s:g} s is not allowed; allowed: 1us to 1h")
    try:
        found = native.read_capture(str(path), round(sample_s * 1e9), interface)
    except ValueError as error:
        file, what = error.args
        raise ScenarioError(file, what) from None
    t_s, flows, kinds, windows = zip(*found["events"], strict=True) if found["events"] else ((), (), (), ())
    events = {"t_s": list(t_s), "flow": list(flows), "link": [-1] * len(t_s), "kind": list(kinds), "value": list(windows)}
    return Trace(
        file=str(path),
        figures=json.loads(found["figures"]),
        flow_samples=frame_of("flow_samples", found["flow_samples"]),
        events=frame_of("events", events),
    )
