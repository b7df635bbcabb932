"""What the experiments of the 2008 study of hybrid algorithms share: its stack, and how a run is laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from windtunnel.experiment import Draws
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.paths import bdp_packets, drawn_rtt_s, jitter_s

PROFILE = "linux-2.6.23"
TRANSPORT = {"abc": "rfc3465"}
"""Bytes are counted (RFC 3465), as in the same group's 2007 benchmark: "one packet per round trip", the paper says of Reno. The kernel's
own default counts ACKs, and a delayed one would halve that."""

STACK = (
    ("stack", "profile linux-2.6.23 with byte counting: SACK, rate halving, delayed ACKs; illinois with the backoff corrected"),
    ("network", "dumbbell, one drop-tail queue, 1500-byte packets; ACKs delayed by up to one packet time"),
)
ONE_RUN = "The paper shows one run; the repeats differ in when the second flow starts."


def queue_packets(rate: float, rtt: float, q: float) -> int:
    """Return `q` BDP in packets, at least two."""
    return max(2, round(q * bdp_packets(rate, rtt)))


def run(
    draws: Draws,
    *,
    rate: float,
    rtt: float,
    queue: int,
    algorithms: Sequence[str],
    duration_s: float,
    starts_s: Sequence[float] = (0.0,),
    parameters: Sequence[Mapping[str, float]] = (),
    warmup_s: float | None = None,
    loss: float = 0.0,
    beside: Sequence[Flow] = (),
    traffic: Sequence[Mapping[str, Any]] = (),
    arrivals: Sequence[Mapping[str, Any]] = (),
    rtts: Sequence[float] = (),
) -> Scenario:
    """Return flows over one bottleneck, all with the same round-trip time unless `rtts` says otherwise.

    Parameters
    ----------
    draws : Draws
        Of the repeat: how far the path is off its nominal delay.
    rate, rtt : float
        Mbit/s and ms.
    queue : int
        Packets.
    algorithms, starts_s : sequence, shape (n,)
        Of each flow; starts in seconds.
    duration_s : float
        Length of the run.
    parameters : sequence of mapping, shape (n,), optional
        The algorithms' own.
    warmup_s : float, optional
        Start of the default window; 10 s after the last start when absent.
    loss : float
        Probability that a packet is lost before the queue.
    beside : sequence of Flow
        Flows that are not under study, with the same round-trip time where they name none.
    traffic, arrivals : sequence of mapping
        Sources beside the flows, as a scenario takes them.
    rtts : sequence of float, shape (n,), optional
        Of each flow, ms, in place of `rtt`.
    """
    jitter = jitter_s(rate, rtt)
    rtt_s = drawn_rtt_s(rtt, jitter=jitter, draws=draws)
    own = parameters or [{} for _ in algorithms]
    delays_s = [drawn_rtt_s(one, jitter=jitter, draws=draws) for one in rtts] or [rtt_s] * len(algorithms)
    flows = [
        Flow(algorithm=name, parameters=dict(mine), transport=dict(TRANSPORT), rtt_s=delay_s, start_s=start)
        for name, mine, start, delay_s in zip(algorithms, own, starts_s, delays_s, strict=True)
    ]
    return Scenario(
        bottleneck=Bottleneck(rate_bps=rate * 1e6, queue_packets=queue, loss_probability=loss),
        flows=(*flows, *(flow if flow.rtt_s is not None else flow.model_copy(update={"rtt_s": rtt_s}) for flow in beside)),
        traffic=tuple(traffic),
        arrivals=tuple(arrivals),
        duration_s=duration_s,
        warmup_s=max(starts_s) + 10.0 if warmup_s is None else warmup_s,
        sample_s=0.1,
        jitter_s=jitter,
        profile=PROFILE,
    )


def short_flows(rtts_ms: Sequence[float], *, load: float, direction: str = "forward") -> dict[str, Any]:
    """Return a source of the paper's short transfers, as a scenario takes it: Poisson arrivals, Pareto sizes, Reno without SACK.

    Parameters
    ----------
    rtts_ms : sequence of float
        Round-trip times of the transfers, ms, equally likely.
    load : float
        Over the link's rate.
    direction : {"forward", "reverse"}
        Which way the data goes.
    """
    return {
        "algorithm": "reno",
        "transport": {**TRANSPORT, "sack": False},
        "load": load,
        "mean_bytes": 25_000,
        "shape": 1.2,
        "rtts_s": [rtt * 1e-3 for rtt in rtts_ms],
        "direction": direction,
        # Their times are the paper's: from the first data packet on.
        "handshake": False,
    }


def drawn_start_s(draws: Draws, *, earliest_s: float, span_s: float) -> float:
    """Return a repeat's start of the second flow, seconds: uniform over `span_s` from `earliest_s` on, the same for every protocol."""
    return round(earliest_s + span_s * draws.uniform("start of flow 2"), 3)
