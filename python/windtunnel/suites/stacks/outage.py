"""A link that carries nothing for two seconds: RFC 9002, 6.2 and 7.6."""

from __future__ import annotations

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.scenario import Scenario
from windtunnel.suites.stacks.common import NETWORK, NOTE, RATE_MBPS, Path, alone, by_kind, histories_by_kind
from windtunnel.suites.stacks.subjects import EVERY

AT_S, LASTS_S = 12.0, 2.0
END_S = AT_S + LASTS_S
_BIN_S = 0.5


def interrupted(point: Point, draws: Draws) -> Scenario:
    """Return one flow whose link transmits nothing for two seconds; packets wait in its queue, and are dropped where that is full."""
    return alone(point["alg"], draws, duration_s=30.0, path=Path(link={"outages": [{"at_s": AT_S, "length_s": LASTS_S}]}))


def back_s(view: View) -> float:
    """Return the time from the end of the outage until the link carries 90 % of its rate for half a second, to the start of that."""
    t_s, _, carried = view.queue_samples
    steps = round(_BIN_S / view.sample_s)
    rate = (carried[steps:] - carried[:-steps]) * 8 / _BIN_S
    there = np.flatnonzero((rate >= 0.9 * view.rate_bps) & (t_s[:-steps] >= END_S - 1e-9))
    return float(t_s[there[0]]) - END_S if there.size else float("inf")


def lowest(view: View) -> float | None:
    """Return the smallest window from the outage to two seconds after it, packets."""
    series = view.series(0)
    within = series.cwnd_packets[(series.t_s >= AT_S) & (series.t_s < END_S + 2.0)]
    return float(np.nanmin(within)) if within.size else None


EXPERIMENTS = (
    Experiment(
        id="stacks.outage",
        title="An outage",
        question="How soon is the link full again after two seconds without any service, and how small does the window become?",
        source="RFC 9002, 6.2 and 7.6",
        duration_s=30.0,
        points={"alg": EVERY},
        scenario=interrupted,
        measures=(Measure("back_s", function=back_s), Measure("cwnd_low", function=lowest), Measure("util", t0=END_S, t1=END_S + 5.0)),
        figures=(
            *by_kind("back", "From the end of the outage to a full link", metric="back_s", y_label="seconds"),
            *by_kind(
                "lowest",
                "Smallest window around the outage",
                metric="cwnd_low",
                y_label="datagrams",
                baseline=(2.0,),
                caption="Line: the minimum window, RFC 9002 7.2.",
            ),
            *histories_by_kind("cwnd", "Window around an outage from 12 to 14 s", quantity="cwnd_packets", y_label="cwnd (datagrams)"),
        ),
        parameters=(
            *NETWORK,
            ("flows", "1, alone"),
            ("rate", f"{RATE_MBPS} Mbit/s, nothing from 12 s to 14 s"),
            ("RTT", "40 ms (BDP 67 packets)"),
            ("queue", "1 BDP; it keeps what it holds"),
            ("duration", "30 s"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(repeats=3),
        notes=(
            NOTE,
            "The queue keeps what it holds, so that its ACKs come two seconds late: the smoothed RTT then makes the duration of persistent "
            "congestion (RFC 9002, 7.6.1) longer than the outage, and no collapse to the minimum window is due.",
        ),
    ),
)
