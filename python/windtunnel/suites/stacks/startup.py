"""Where slow start ends: RFC 9438, 4.10, RFC 9002, 7.3.1, RFC 9406."""

from __future__ import annotations

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.scenario import Scenario
from windtunnel.suites.stacks.common import NETWORK, NOTE, alone, by_kind, histories_by_kind
from windtunnel.suites.stacks.subjects import EVERY

DURATION_S = 6.0
_BIN_S = 0.2
_FULL = 0.9


def beginning(point: Point, draws: Draws) -> Scenario:
    """Return the first seconds of one flow."""
    return alone(point["alg"], draws, duration_s=DURATION_S)


def fill_s(view: View) -> float:
    """Return the time from the start until the link first carries 90 % of its rate for 0.2 s, to the end of that; infinite if never."""
    t_s, _, carried = view.queue_samples
    steps = round(_BIN_S / view.sample_s)
    rate = (carried[steps:] - carried[:-steps]) * 8 / _BIN_S
    there = np.flatnonzero(rate >= _FULL * view.rate_bps)
    return float(t_s[steps:][there[0]]) - view.start_s(0) if there.size else float("inf")


def overshoot(view: View) -> float | None:
    """Return the largest window over what the path holds, its BDP and its queue."""
    cwnd = view.series(0).cwnd_packets
    return float(np.nanmax(cwnd)) / (view.bdp_packets + view.queue_packets) if cwnd.size else None


def dropped_share(view: View) -> float:
    """Return the bytes that the queue dropped over what the path holds: datagrams dropped by the mean size of those carried."""
    series = view.link_series(view.link)
    sent = float(view.row(0)["sent_packets"])
    size = float(series.delivered_bytes[-1]) / max(sent - float(view.row(0)["lost_packets"]), 1.0)
    return float(series.dropped_packets[-1]) * size / (1500 * (view.bdp_packets + view.queue_packets))


EXPERIMENTS = (
    Experiment(
        id="stacks.start",
        title="The end of slow start",
        question="How soon is the link full, and how much does the first overshoot cost?",
        source="RFC 9438, 4.10; RFC 9002, 7.3.1; RFC 9406",
        duration_s=6.0,
        points={"alg": EVERY},
        scenario=beginning,
        measures=(
            Measure("fill_s", function=fill_s),
            Measure("overshoot", function=overshoot),
            Measure("start_loss", function=dropped_share),
            Measure("util", t0=0.0, t1=DURATION_S),
        ),
        figures=(
            *by_kind(
                "overshoot",
                "Largest window of slow start over what the path holds",
                metric="overshoot",
                y_label="window / (BDP + queue)",
                baseline=(1.0,),
            ),
            *by_kind("loss", "Lost in the first six seconds, in what the path holds", metric="start_loss", y_label="lost / (BDP + queue)"),
            *by_kind("fill", "Time until the link is full", metric="fill_s", y_label="seconds"),
            *histories_by_kind(
                "cwnd", "Window in the first seconds, 20 Mbit/s, 40 ms, one BDP", quantity="cwnd_packets", y_label="cwnd (datagrams)"
            ),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1, alone"),
            ("rate", "20 Mbit/s"),
            ("RTT", "40 ms (BDP 67 packets)"),
            ("queue", "1 BDP"),
            ("duration", "6 s"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(repeats=3),
        notes=(NOTE, "A stack's handshake, one round trip, is part of the time; the simulator's flows begin with data."),
    ),
)
