"""What a measurement shows of a path: samples and losses of a capture, or of a stored run, of whatever backend."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from windtunnel.captured import HEADER_BYTES, read_capture
from windtunnel.run import load_run
from windtunnel.scenario import ScenarioError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SeenFlow:
    """One flow of a measurement.

    Parameters
    ----------
    name : str
        For a reader.
    algorithm : str or None
        Its congestion control, where the measurement says so.
    start_s, end_s : float
        Its first data packet, and its last.
    t_s, srtt_s, delivered_bits : numpy.ndarray, shape (samples,)
        Samples: seconds, the smoothed RTT in seconds (NaN where unknown), and IP bits delivered since the start.
    losses_s : numpy.ndarray, shape (episodes,)
        When losses were found, each episode once.
    sent, retransmitted : int
        Packets.
    least_rtt_s : float
        The shortest single RTT that is known, seconds; infinite where none is.
    """

    name: str
    algorithm: str | None
    start_s: float
    end_s: float
    t_s: Array
    srtt_s: Array
    delivered_bits: Array
    losses_s: Array
    sent: int
    retransmitted: int
    least_rtt_s: float


@dataclass(frozen=True)
class Seen:
    """A measurement: where it is from, and its flows in order of start."""

    source: str
    flows: tuple[SeenFlow, ...]

    @property
    def end_s(self) -> float:
        """When it ends, seconds."""
        return max(flow.end_s for flow in self.flows)


def seen(path: Path) -> Seen:
    """Read a measurement.

    Parameters
    ----------
    path : Path
        A capture, or the folder of a run with samples.

    Raises
    ------
    ScenarioError
        When it is neither, or holds no flow with ten samples and more.
    """
    if path.is_dir():
        run = load_run(path)
        algorithms: list[str | None] = [str(name) for name in run.flows["algorithm"]]
        names = [f"flow {number}" for number in range(1, run.flows.height + 1)]
        flows = _flows(run.flows, run.flow_samples, run.events, names, algorithms)
    else:
        trace = read_capture(path)
        names = [f"{flow['from']} to {flow['to']}" for flow in trace.figures["flows"]]
        flows = _flows(trace.flows, trace.flow_samples, trace.events, names, [None] * len(names))
    if not flows:
        raise ScenarioError("measurement", f"{path} has no flow of TCP with ten samples; allowed: some seconds of a bulk transfer")
    return Seen(str(path), tuple(sorted(flows, key=lambda flow: flow.start_s)))


def _flows(
    rows: pl.DataFrame, samples: pl.DataFrame, events: pl.DataFrame, names: list[str], algorithms: list[str | None]
) -> list[SeenFlow]:
    found = []
    for row in rows.iter_rows(named=True):
        number = int(row["flow"])
        own = samples.filter((pl.col("flow") == number) & pl.col("delivered_bytes").is_not_null()).sort("t_s")
        delivered, packets = row["delivered_bytes"], row["delivered_packets"]
        if own.height < 10 or not delivered or not packets or row.get("direction") == "reverse":
            continue
        bits = 8 * (1 + HEADER_BYTES * float(packets) / float(delivered))
        losses = events.filter((pl.col("flow") == number) & (pl.col("kind") == "loss_episode"))["t_s"]
        t_s = own["t_s"].to_numpy()
        found.append(
            SeenFlow(
                name=names[number],
                algorithm=algorithms[number],
                start_s=float(row["start_s"]),
                end_s=float(t_s[-1]),
                t_s=t_s,
                srtt_s=own["srtt_s"].fill_null(float("nan")).to_numpy().astype(np.float64),
                delivered_bits=own["delivered_bytes"].to_numpy().astype(np.float64) * bits,
                losses_s=losses.to_numpy().astype(np.float64),
                sent=int(row["sent_packets"] or 0),
                retransmitted=int(row["retransmitted_packets"] or 0),
                least_rtt_s=_least(own["min_rtt_s"]),
            )
        )
    return found


def _least(values: pl.Series) -> float:
    known = values.drop_nulls().drop_nans()
    return float(known.to_numpy().min()) if len(known) else float("inf")
