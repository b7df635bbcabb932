"""Figures 10 and 11: how Linux 2.4.22 repaired 711 losses, one in every round trip."""

from __future__ import annotations

from functools import partial

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View, measure
from windtunnel.plots.declared import Compared, Histories, Published
from windtunnel.scenario import Flow, Scenario
from windtunnel.suites.fast04.common import SETTLING_S
from windtunnel.suites.fast04.single import ALPHA, NOTES, PARAMETERS, RTT_S, to_japan
from windtunnel.suites.linux24 import flow

LOST = 711
ALONE_FROM, ALONE_AGAIN = 1_000_000, 1_013_436
"""Numbers of the first packet lost and of its retransmission, of one flow: a window of 13436 packets lies between."""
JOINED_FROM, JOINED_AGAIN = 36_245_000, 36_250_206
"""The same of the first of two flows, a tenth of a second after the second stopped."""

EMULATES = "Linux 2.4.22's repair after a timeout (rto_freeze): 711 packets and their retransmissions are lost by a script"
_SCRIPT = (
    "The losses of the published hosts are scripted: 711 packets in a row, and each once more when it is retransmitted, for a loss that "
    "fast retransmit repairs brings no timeout. There is no jitter, so that the script meets the packets it is meant for."
)
_TRICKLE = (
    "A second with no more than a packet per round trip counts as silent, as in the paper, whose silence is that very repair; by the "
    "letter of the register every repaired packet ends one (`silence_s@news`)."
)
_REPAIR = "After a timeout the window stays at one packet until everything lost is repaired."


def loser() -> Flow:
    """Return the FAST flow whose stack has the bug of 2.4.22."""
    return flow("fast", parameters={"alpha": ALPHA}, transport={"rto_freeze": True})


def losing(scenario: Scenario, first: int, again: int) -> Scenario:
    """Return a scenario whose first flow loses 711 packets from number `first` on, and from number `again` on their retransmissions."""
    packets = (*range(first, first + LOST), *range(again, again + LOST))
    script = {"model": "scripted", "flow": 0, "among": "data", "packets": packets}
    link = scenario.bottleneck.model_dump() | {"losses": (script,)}
    return Scenario.model_validate(scenario.model_dump() | {"bottleneck": link, "jitter_s": 0.0, "record_drops": True})


def alone(_point: Point, _draws: Draws) -> Scenario:
    """Return one flow that loses 711 packets after 15 s, with a window of 13436."""
    return losing(to_japan(loser(), duration_s=180.0, warmup_s=SETTLING_S), ALONE_FROM, ALONE_AGAIN)


def joined(_point: Point, _draws: Draws) -> Scenario:
    """Return a flow that is joined by another from 300 s to 600 s, and then loses 711 packets."""
    second = flow("fast", parameters={"alpha": ALPHA}, start_s=300.0, stop_s=600.0)
    return losing(to_japan(loser(), second, duration_s=900.0, warmup_s=300.0 + SETTLING_S), JOINED_FROM, JOINED_AGAIN)


def trickle_s(view: View) -> float | None:
    """Return the longest time in which the first flow delivered no more than a packet per base RTT, whole seconds; None without samples."""
    series = view.series(0)
    if not series.t_s.size:
        return None
    edges = np.arange(np.ceil(view.start_s(0)), np.floor(view.end_s(0)) + 1)
    packets = np.diff(np.interp(edges, series.t_s, series.delivered_bytes)) * 8 / view.packet_bits(0)
    silent = np.concatenate(([False], packets <= 1 / view.base_rtt_s(0) + 1, [False]))
    turns = np.flatnonzero(np.diff(silent.astype(int)))
    return float((turns[1::2] - turns[::2]).max(initial=0))


_SILENCE = (Measure("silence_s", function=trickle_s), Measure("silence_s@news", function=partial(measure, "silence_s")))


def _printed(name: str, title: str, metric: str, value: float, y_label: str) -> Compared:
    return Compared(
        name,
        title,
        metric=metric,
        y_label=y_label,
        published=(Published({"alg": "fast"}, value),),
        caption="Hollow: the published number.",
    )


EXPERIMENTS = (
    Experiment(
        id="fast04.fig10",
        title="A second FAST flow for five minutes",
        question="How do two FAST flows from one host share while both are there, and what does a burst of losses cost the first?",
        source="Fig. 10; IV.B.1",
        duration_s=900.0,
        points={"alg": ("fast",)},
        scenario=joined,
        measures=(
            Measure("jain", t0=320.0, t1=580.0),
            *(Measure("thr_mbps", flow=number, t0=320.0, t1=580.0) for number in ("1", "2")),
            *_SILENCE,
            Measure("recovery_rtts"),
        ),
        figures=(
            Histories("goodput", "Two FAST flows, 1 Gbit/s, 160 ms: goodput", quantity="goodput_mbps", y_label="Goodput (Mbit/s)"),
            Histories(
                "base", "Two FAST flows: the round-trip time each takes for the path's own", quantity="base_rtt_s", y_label="baseRTT (ms)"
            ),
            _printed("silence", "Silence after the losses", "silence_s", 100.0, "Silence (s)"),
        ),
        parameters=(
            *PARAMETERS,
            ("duration", "900 s; flow 2 from 300 s to 600 s"),
            ("losses", "711 packets of flow 1 at 600.1 s, and their retransmissions"),
        ),
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
        notes=(*NOTES, _REPAIR, _SCRIPT, _TRICKLE, "The paper prints nearly 100 s here, and 113 s where it explains them."),
        emulates=EMULATES,
    ),
    Experiment(
        id="fast04.fig11",
        title="711 losses with a window of one",
        question="How long does a flow take to repair 711 losses when its window stays at one packet?",
        source="Fig. 11; IV.B.1",
        duration_s=180.0,
        points={"alg": ("fast",)},
        scenario=alone,
        measures=(
            *_SILENCE,
            *(Measure(name) for name in ("recovery_rtts", "lost_pkts", "cwnd_max_pkts", "cwnd_in_recovery", "t_rto_ms")),
        ),
        figures=(
            Histories("cwnd", "711 losses after 15 s: congestion window", quantity="cwnd_packets", y_label="cwnd (packets)"),
            Histories("out", "711 losses after 15 s: packets outstanding", quantity="inflight_packets", y_label="Outstanding (packets)"),
            _printed("repair", "Round trips to repair 711 losses", "recovery_rtts", LOST, "Round trips"),
            _printed("silence", "Silence after 711 losses", "silence_s", LOST * RTT_S, "Silence (s)"),
            _printed("timeout", "From the first loss to the timeout", "t_rto_ms", 1000.0, "Time (ms)"),
        ),
        parameters=(
            *PARAMETERS,
            ("losses", "packets number 1000000 to 1000710 and their retransmissions"),
            ("duration", "180 s; the losses are after 15 s"),
        ),
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
        notes=(
            *NOTES,
            _REPAIR,
            _SCRIPT,
            _TRICKLE,
            "`lost_pkts` counts drops: 711 packets, twice each.",
            "The timer is the stack's own. What made the published timeout come a second after the first loss is not given.",
        ),
        emulates=EMULATES,
    ),
)
