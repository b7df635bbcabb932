"""Sections III.B and IV.A: transfers from Atlanta to Japan, far below the line's rate and at it."""

from __future__ import annotations

from functools import partial

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.metrics.datagrams import sources
from windtunnel.metrics.throughput import binned_bps, throughput_bps, variation
from windtunnel.plots.declared import Histories
from windtunnel.scenario import Scenario
from windtunnel.suites.fast04.common import DURATION_S, VARIATION_SETTLING_S
from windtunnel.suites.fast04.single import ALPHA, NOTES, PARAMETERS, to_japan
from windtunnel.suites.linux24 import flow

RTT_S = 0.18
QUARTER_PACKETS = 3750
"""A quarter of the 15000 packets that the path holds."""
STATES = ("quarter_line", "near_line")
"""One transfer of ten minutes after the other: with a window of a quarter of the path, and without a limit."""


def two_transfers(point: Point, _draws: Draws) -> Scenario:
    """Return ten minutes of the point's protocol far below the line's rate, then ten at it."""
    length, both = DURATION_S, 2 * DURATION_S
    if point["alg"] == "udp":
        path = to_japan(flow("reno", bytes=1448), duration_s=both, warmup_s=0.0, rtt_s=RTT_S)
        traffic = (
            {"kind": "udp", "rate_bps": path.bottleneck.rate_bps / 4, "stop_s": length},
            {"kind": "udp", "rate_bps": path.bottleneck.rate_bps, "start_s": length},
        )
        return Scenario.model_validate(path.model_dump() | {"traffic": traffic})
    own = {"alpha": ALPHA} if point["alg"] == "fast" else {}
    first = flow(point["alg"], parameters=own, window_packets=QUARTER_PACKETS, stop_s=length)
    second = flow(point["alg"], parameters=own, start_s=length)
    return to_japan(first, second, duration_s=both, warmup_s=0.0, rtt_s=RTT_S)


def _row(state: str, view: View) -> int:
    """Return the number of the flow, or source, of a state: a run of UDP has a flow of one packet before its sources."""
    return STATES.index(state) + int(view.point["alg"] == "udp")


def _window(state: str) -> tuple[float, float]:
    begin = STATES.index(state) * DURATION_S
    return begin + VARIATION_SETTLING_S, begin + DURATION_S


def mbps(state: str, view: View) -> float | None:
    """Return the throughput of a transfer from a minute after its beginning, Mbit/s; a source's over all its time."""
    if view.point["alg"] == "udp":
        delivered = sources(view.records)["delivered_packets"][STATES.index(state)]
        return float(delivered) * view.packet_bits(0) / DURATION_S / 1e6
    rate = throughput_bps(view, _row(state, view), *_window(state))
    return None if rate is None else rate / 1e6


def cov(state: str, view: View) -> float | None:
    """Return standard deviation over mean of a transfer's throughput in seconds, from a minute after its beginning."""
    return variation(binned_bps(view, (_row(state, view),), *_window(state), 1.0))


def lost_share(state: str, view: View) -> float:
    """Return the part of a transfer's packets that were lost."""
    row = view.row(_row(state, view))
    return float(row["lost_packets"]) / float(row["sent_packets"])


EXPERIMENTS = (
    Experiment(
        id="fast04.haystack",
        title="To Japan, far below the line's rate and at it",
        question="How steady is a transfer with a window far below what the path holds, and how steady at the line's rate?",
        source="III.B; IV.A",
        points={"alg": ("reno", "hstcp", "udp", "fast")},
        scenario=two_transfers,
        measures=tuple(
            Measure(metric, state=state, function=partial(function, state))
            for metric, function in (("thr_mbps", mbps), ("thr_cov", cov), ("loss_ovh", lost_share))
            for state in STATES
        ),
        figures=(
            Histories(
                "goodput", "Ten minutes below the line's rate, ten at it", quantity="goodput_mbps", panels="alg", y_label="Goodput (Mbit/s)"
            ),
        ),
        parameters=(
            *PARAMETERS[:-1],
            ("RTT", "180 ms (the paper: 170 to 200 ms)"),
            ("transfers", "one of ten minutes with a window of 3750 packets, a quarter of the path; then one without a limit"),
            ("UDP", "250 Mbit/s, then 1 Gbit/s"),
            ("duration", "1200 s; variation and throughput from a minute after the beginning of each transfer"),
        ),
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
        notes=(
            *NOTES,
            "The paper prints no numbers here: it says that standard TCP was steady well below the line's rate and lost packets near it.",
            "`loss_ovh` is packets lost over packets sent, of a transfer or a source.",
        ),
        emulates="the path to Japan, by one queue of 10000 packets without losses of its own; below the line's rate by a window",
    ),
)
