"""The scenarios of draft-huitema-ccwg-c4-test, with BBR, CUBIC and whatever is brought as the main connection."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Compared, Published
from windtunnel.scenario import Flow, Scenario
from windtunnel.suites.wireless.parts import PACKET_BITS, SLOT_S, delays, drawing, suspensions, wifi_latency_s
from windtunnel.suites.wireless.specs import COMPLETION_S, SPECS, Spec

SUBJECTS = ("bbr3", "bbr", "cubic", "reno")
PRINTED: Mapping[str, int] = {"bbr3": 0, "cubic": 1}
"""Which printed column a protocol is compared with: picoquic's BBR is the draft's third version."""
BAD_MEAN_S, FADED_MEAN_S, CLEAR_MEAN_S = 7e-3, 12e-3, 0.999e-3
FADED_SHARE = 0.9
"""picoquic_ns lowers the rate to nine tenths where the draft's text says 2 of 20 Mbit/s."""
LONGEST_S = 120.0
HEADINGS = {"case": "scenario"}


def link(spec: Spec, draws: Draws, duration_s: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the two directions of a scenario's link do over time, as fields of the bottleneck and of the reverse link."""
    if spec.link in ("wifi_bad", "wifi_fade"):
        spans = [(SLOT_S, duration_s - SLOT_S, BAD_MEAN_S)]
        rates: dict[str, Any] = {}
        if spec.link == "wifi_fade":
            spans = [(SLOT_S, 1.0, CLEAR_MEAN_S), (1.0, 3.0, FADED_MEAN_S), (3.0, duration_s - SLOT_S, CLEAR_MEAN_S)]
            rates = {"rate_steps": [{"at": 1.0, "rate": FADED_SHARE * spec.rate_mbps * 1e6}, {"at": 3.0, "rate": spec.rate_mbps * 1e6}]}
        ways = [delays(drawing(draws, f"Wi-Fi {way}"), wifi_latency_s, spans, SLOT_S) for way in ("down", "up")]
        return {**rates, "delay_steps": ways[0]}, {**rates, "delay_steps": ways[1]}
    both: dict[str, Any] = {}
    if spec.link == "wifi_suspension":
        both = {"outages": suspensions(duration_s)}
    elif spec.link == "low_and_up":
        return {"rate_steps": [{"at": 2.5, "rate": spec.rate_mbps * 1e6}], "rate_bps": spec.rate_mbps * 0.5e6}, {}
    elif spec.link == "drop_and_back":
        return {"rate_steps": [{"at": 1.5, "rate": spec.rate_mbps * 0.5e6}, {"at": 3.5, "rate": spec.rate_mbps * 1e6}]}, {}
    elif spec.link == "blackhole":
        both = {"outages": [{"at_s": 2.0, "length_s": 2.0}]}
    elif spec.link == "short_long":
        # One way takes 15 ms, and 100 ms after a second: an RTT of 200 ms, where the draft's text says 100.
        both = {"delay_steps": [{"at_s": 1.0, "extra_s": 0.085}]}
    elif spec.link == "dualpi2":
        return {"discipline": "dualpi2"}, {}
    return both, both


def duration_s(name: str) -> float:
    """Return how long a scenario is given, seconds: two and a half times what was printed, two minutes where nothing was; Wi-Fi less."""
    if SPECS[name].link.startswith("wifi"):
        return 20.0 if SPECS[name].other else 12.0
    printed = COMPLETION_S.get(name)
    return LONGEST_S if printed is None else min(LONGEST_S, round(2.5 * max(printed) + 5.0))


def run(point: Point, draws: Draws) -> Scenario:
    """Return a scenario: the main connection is the first flow, the background one the second."""
    spec, long_s = SPECS[point["case"]], duration_s(point["case"])
    down, up = link(spec, draws, long_s)
    # picoquic's link takes a packet while the wait is below the limit: the packet that reaches it is still in.
    packets = max(2, math.ceil(spec.queue_ms * spec.rate_mbps * 1e3 / PACKET_BITS - 1e-9))
    late = 0.02 * draws.uniform("start")
    flows = [_download(point["alg"], spec.mbytes, spec.start_s + late)]
    if spec.other:
        flows.append(_download(spec.other, spec.other_mbytes, spec.other_start_s))
    given: dict[str, Any] = {"reverse": {"rate_bps": spec.rate_mbps * 1e6, "queue_packets": packets, **up}} if up else {}
    fields = {"rate_bps": spec.rate_mbps * 1e6, "queue_packets": packets, **down}
    return Scenario.model_validate(
        {
            "bottleneck": fields,
            "flows": flows,
            "rtt_s": spec.rtt_ms * 1e-3,
            "duration_s": long_s,
            "sample_s": 0.02,
            "handshake": True,
            **given,
        }
    )


def _download(name: str, mbytes: float, start_s: float) -> Flow:
    return Flow.model_validate({"algorithm": name, "bytes": round(mbytes * 1e6), "start_s": round(start_s, 4)})


def completion_s(view: View) -> float | None:
    """Return how long the main connection took from its start to the acknowledgement of its last byte, s."""
    done = view.completed_s(0)
    return None if done is None else done - view.start_s(0)


def mean_rtt_ms(view: View) -> float | None:
    """Return the mean of all RTT samples of the main connection, ms."""
    seen = view.row(0)["mean_rtt_s"]
    return None if seen is None else seen * 1e3


def load(view: View) -> float | None:
    """Return the main connection's share of what both carried while both were there."""
    if len(view.scenario["flows"]) < 2:
        return None
    begin, end = max(view.start_s(0), view.start_s(1)), min(view.end_s(0), view.end_s(1))
    carried = []
    for flow in (0, 1):
        rows = view.series(flow)
        if not rows.t_s.size or end <= begin:
            return None
        at = np.interp((begin, end), rows.t_s, np.nan_to_num(rows.delivered_bytes))
        carried.append(float(at[1] - at[0]))
    return carried[0] / sum(carried) if sum(carried) else None


def _path(case: str) -> str:
    one = SPECS[case]
    return f"{case}: {one.rate_mbps:g} Mbit/s, RTT {one.rtt_ms:g} ms, queue {one.queue_ms:g} ms, {one.mbytes:g} MB"


def _group(name: str, title: str, question: str, cases: tuple[str, ...], notes: tuple[str, ...] = ()) -> Experiment:
    printed = tuple(
        Published({"alg": alg, "case": case}, COMPLETION_S[case][column])
        for case in cases
        if case in COMPLETION_S
        for alg, column in PRINTED.items()
    )
    measures = [Measure("completion_s", function=completion_s), Measure("main_rtt_ms", function=mean_rtt_ms)]
    shown: dict[str, Any] = {"x": "case", "series": "alg", "x_label": "scenario"}
    figures = [
        Compared(
            "times",
            "Completion time of the main connection",
            metric="completion_s",
            y_label="s",
            y_log=True,
            published=printed,
            caption="Hollow: the draft's means of 100 runs of picoquic.",
            censored_at=LONGEST_S,
            **shown,
        ),
        Compared("rtts", "Mean RTT of the main connection", metric="main_rtt_ms", y_label="ms", y_log=True, **shown),
    ]
    if any(SPECS[case].other for case in cases):
        measures.append(Measure("load", function=load))
        title_of_load = "Share of the main connection while both are there"
        figures.append(Compared("load", title_of_load, metric="load", y_label="share", y_limits=(0, 1), baseline=(0.5,), **shown))
    return Experiment(
        id=f"wireless.{name}",
        title=title,
        question=question,
        source="draft-huitema-ccwg-c4-test (doc/c4-tests.md, July 2026)",
        duration_s=LONGEST_S,
        points={"alg": SUBJECTS, "case": cases},
        scenario=run,
        measures=tuple(measures),
        figures=tuple(figures),
        parameters=(
            ("paths", "; ".join(_path(case) for case in cases)),
            ("connections", "TCP with a handshake, where the draft has QUIC; the background's BBR is bbr3"),
            ("start", "within 20 ms, so that repeats differ"),
        ),
        repeats=10,
        kept="rates",
        quick=Quick(points={"alg": ("bbr3", "cubic")}, repeats=3),
        headings=HEADINGS,
        notes=(
            "The parameters are those of the authors' files in sim_specs; the draft's text differs from them in the sizes of vs_*_lg and "
            "vs_*_lg2 (exchanged), in the RTT of short_long (100 ms for 200) and in the rate of wifi_fade (2 Mbit/s for 18).",
            "C4 is not run: there is no version of it for TCP. Its own numbers are in the draft.",
            *notes,
        ),
    )


WIFI_NOTE = "The law is drawn for each 1.2 ms and way, and packets keep their order; whether they do in picoquic_ns was not read."
EXPERIMENTS = (
    _group(
        "network",
        "Alone, with changes of the path",
        "How long does a download take on paths that stay as they are, change at once, stop for a while or become longer?",
        ("alone", "alone_200", "alone_1_5M", "alone_512k", "low_and_up", "drop_and_back", "blackhole", "short_long", "satellite", "bbloat"),
        ("Careful resume, which the draft's satellite scenario seeds with a window of 18.75 MB, is not modelled.",),
    ),
    _group(
        "compete",
        "Beside another connection",
        "Does the main connection get half of the path?",
        ("vs_bbr", "vs_cubic", "vs_bbr_lg", "vs_cubic_lg", "vs_bbr_lg2", "vs_cubic_lg2", "bbloat_cubic"),
    ),
    _group(
        "wifi",
        "Bad, fading and suspended Wi-Fi",
        "How long does a download take over Wi-Fi that delays single packets by tenths of a second?",
        ("wifi_bad", "wifi_fade", "wifi_suspension", "wifi_bad_bbr", "wifi_bad_cubic"),
        (WIFI_NOTE,),
    ),
    _group(
        "ecn",
        "In DualPI2",
        "Does the main connection get its share in DualPI2?",
        ("ecn", "ecn_bbr", "ecn_cubic"),
        ("picoquic_ns calls its own marking a place holder; here it is RFC 9332's DualPI2.",),
    ),
)
