"""What the experiments of the 2007 benchmark share: its network, its grid, and how a run is laid out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windtunnel.experiment import Draws, Measure, Point
from windtunnel.scenario import Bottleneck, Flow, Scenario

PROTOCOLS = ("reno", "scalable", "hstcp", "bic", "fast", "htcp", "cubic")
"""The paper's six and, beside them, CUBIC, which came after."""
BESIDE = {"alg": ("cubic",)}
RATES = (10, 250)
RTTS = (16, 22, 42, 82, 162, 324)
PROFILE = "altaimd-2.6.6"

DURATION_S = 600.0
LONG_DURATION_S = 3600.0
"""An hour of both flows together, for standard TCP (V.F) and where FAST loses nothing."""
LONG_EPOCH_S = 12.0
"""Above this a reno flow alone leaves two of them fewer than a hundred epochs in 600 s, and their mean shares are still chance."""
FAST_PACKETS = 400
"""Two FAST flows keep up to this many packets queued; in a queue that holds them they lose so little that ten minutes show no loss."""
SETTLING_S = 10.0
FIRST_START_S = 50.0
START_SPAN_S = 100.0
"""Flow 2 starts at random within this span, which holds an epoch of flow 1 for every protocol but reno."""
LONGEST_SPAN_S = 1800.0
"""And for reno within an epoch of flow 1, up to this: half an hour."""

NETWORK = (
    ("network", "dumbbell, one drop-tail queue, 1500-byte packets; ACKs delayed by up to one packet time"),
    ("stack", "profile altaimd-2.6.6: SACK, rate halving, delayed ACKs, ABC (RFC 3465), initial window 3"),
)
TWO_FLOWS = (
    ("flows", "2; flow 2 starts at random between 50 s and 150 s (reno: over one epoch of flow 1 where that is longer)"),
    ("duration", "600 s; an hour of both flows for reno where its epoch exceeds 12 s, and for fast where the queue holds 400 packets"),
    ("window", "from 10 s after the start of flow 2 to the end"),
)

TABLE = "the testbed's hosts, by HighSpeed TCP's table in whole rows; the hosts cost nothing"
"""What the claims on HighSpeed TCP's imbalance at 42 ms are judged on: the register asks for the lookup table, and for no more."""

QUICK_S = 450.0
"""Runs of the quick scale that are not about how two equal flows share end then: no verdict is another at 600 s."""
FEW_MINUTES_S = 300.0
SHORT_RTT = 22
"""Up to this, ms, a reno epoch takes less than eight seconds at 250 Mbit/s: five minutes hold tens of them."""
QUICKLY = (
    f"At the quick scale no run is longer than {DURATION_S:g} s; those of up to {SHORT_RTT} ms, where an epoch of reno takes seconds, "
    f"last {FEW_MINUTES_S:g} s."
)

RTT_LABEL = "Round-trip time (ms)"
RATE_PANELS = "rate"


def reno_epoch_s(*, rate: float, rtt: float, q: float) -> float:
    """Return the time one reno flow takes from half a full pipe to a full one: (P + B)^2 packets over twice the rate, seconds.

    Parameters
    ----------
    rate : float
        Mbit/s.
    rtt : float
        ms; of the longest path.
    q : float
        Buffer in BDP.
    """
    packets_s = rate * 1e6 / 12_000
    full = packets_s * rtt * 1e-3 * (1 + q)
    return full**2 / (2 * packets_s)


def bottleneck(point: Point, *, rtt: float, loss: float = 0.0) -> Bottleneck:
    """Return the bottleneck of a point: `q` BDP of the longest path, at least two packets."""
    packets = point["q"] * point["rate"] * 1e6 * rtt * 1e-3 / 12_000
    return Bottleneck(rate_bps=point["rate"] * 1e6, queue_packets=max(2, round(packets)), loss_probability=loss)


def jitter_s(rate: float, rtt: float) -> float:
    """Return the largest delay of an ACK, seconds: a packet's time on the bottleneck, at most a tenth of the round trip.

    Floyd and Jacobson (1992) show that less leaves two flows locked in phase. The default of one per cent of the round trip is less at
    10 Mbit/s, where 42 ms is exactly 35 packet times: two reno flows then share 0.71 to 1 for ever, whichever loses.
    """
    return min(12_000 / (rate * 1e6), 0.1 * rtt * 1e-3)


def two_flows(
    point: Point,
    draws: Draws,
    *,
    algorithms: tuple[str, str],
    rtts: tuple[float, float] | None = None,
    start_s: float | None = None,
    may_take_an_hour: bool = True,
) -> Scenario:
    """Return the benchmark's run of two flows, the second started at random.

    Parameters
    ----------
    point : mapping
        With `rate`, `q`, and `rtt` unless `rtts` are given.
    draws : Draws
        Of the repeat: the start of flow 2, and by how much less than half a packet time the path differs from its nominal delay, so that no
        round trip is a whole number of packet times in every repeat.
    algorithms : tuple of str, shape (2,)
        Of flow 1 and flow 2.
    rtts : tuple of float, shape (2,), optional
        ms; both are the point's when absent.
    start_s : float, optional
        Start of flow 2 in place of the random one, seconds.
    may_take_an_hour : bool
        Whether the run may be longer than 600 s.
    """
    rtts = rtts or (point["rtt"], point["rtt"])
    epoch_s = reno_epoch_s(rate=point["rate"], rtt=max(rtts), q=point["q"]) if set(algorithms) == {"reno"} else 0.0
    link = bottleneck(point, rtt=max(rtts))
    is_lossless = set(algorithms) == {"fast"} and (link.queue_packets or 0) >= FAST_PACKETS
    is_long = may_take_an_hour and (epoch_s > LONG_EPOCH_S or is_lossless)
    if start_s is None:
        span_s = min(max(START_SPAN_S, epoch_s), LONGEST_SPAN_S) if is_long else START_SPAN_S
        start_s = round(FIRST_START_S + span_s * draws.uniform("start of flow 2"), 3)
    longest_jitter_s = jitter_s(point["rate"], min(rtts))
    offset_s = longest_jitter_s * (draws.uniform("delay of the path") - 0.5)
    flows = [
        Flow(algorithm=name, rtt_s=round(rtt * 1e-3 + offset_s, 9), start_s=start)
        for name, rtt, start in zip(algorithms, rtts, (0.0, start_s), strict=True)
    ]
    return Scenario(
        bottleneck=link,
        flows=tuple(flows),
        duration_s=start_s + LONG_DURATION_S if is_long else DURATION_S,
        warmup_s=start_s + SETTLING_S,
        sample_s=0.1,
        jitter_s=longest_jitter_s,
        profile=PROFILE,
    )


def same_rtt(point: Point, draws: Draws) -> Scenario:
    """Return two flows of the point's protocol with the point's round-trip time (IV.C i)."""
    return two_flows(point, draws, algorithms=(point["alg"], point["alg"]))


def same_rtt_in_minutes(point: Point, draws: Draws) -> Scenario:
    """Return the run of `same_rtt`, of at most ten minutes."""
    return two_flows(point, draws, algorithms=(point["alg"], point["alg"]), may_take_an_hour=False)


def same_rtt_quickly(point: Point, draws: Draws) -> Scenario:
    """Return the run of `same_rtt` at the quick scale."""
    return quickly(same_rtt_in_minutes(point, draws), point)


def quickly(scenario: Scenario, point: Point) -> Scenario:
    """Return a run of ten minutes, or the first five of them where the round-trip time is short."""
    return scenario.model_copy(update={"duration_s": FEW_MINUTES_S}) if point["rtt"] <= SHORT_RTT else scenario


def with_memories(metric: str) -> tuple[Measure, ...]:
    """Return the measure of a convergence time and of its variants, which the verdicts are checked against."""
    variants = ("short_memory", "long_memory", "fair_share")
    return (Measure(metric), *(Measure(f"{metric}@{variant}") for variant in variants))


PAIR_MEASURES = (
    *(Measure(name) for name in ("fair_minmax", "fair_final", "jain", "util", "loss_ovh", "epoch_s", "goodput_mbps")),
    Measure("thr_mbps", flow="sum"),
    Measure("thr_mbps"),
    *with_memories("conv80_s"),
)
"""Measured on every run of two equal flows; figures 4, 9 and 11 are read off the same runs."""


def points(**changed: Sequence[Any]) -> dict[str, Sequence[Any]]:
    """Return the benchmark's grid (protocols, 10 and 250 Mbit/s, six RTTs, 20 % BDP) with some dimensions changed."""
    return {"alg": PROTOCOLS, "rate": RATES, "rtt": RTTS, "q": (0.2,)} | changed
