"""A new flow's ramp (5.2) and releases and uses of bandwidth (5.3)."""

from __future__ import annotations

import functools

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Compared, Histories
from windtunnel.scenario import Scenario
from windtunnel.suites.tcpeval.basic import STACK, TRAFFIC
from windtunnel.suites.tcpeval.common import HEADINGS, RUNS, SUBJECTS, chosen
from windtunnel.suites.tcpeval.traffic import base_rtts_s, sessions

RATES = (10, 1000)
PAIRS = {"80/80": (0.08, 0.08), "120/30": (0.12, 0.03), "30/120": (0.03, 0.12)}
"""Base RTTs of the flow that is there and of the new one, seconds."""
NEW_S, RAMP_S = 30.0, 90.0
BACKGROUND = 0.5
INITIAL_WINDOW = 10
STEADY_S, AFTER_S = 60.0, 100.0
PACKETS = 1024
CASES = ("fall", "rise", "steps")


def rampup(point: Point, draws: Draws) -> Scenario:
    """Return a flow that is there and, after 30 s, a new one whose slow start ends at its initial window; half the link is background."""
    there, new = PAIRS[point["pair"]]
    rate_bps, name = point["rate"] * 1e6, chosen(point)
    flows = [
        {"algorithm": name, "rtt_s": there},
        {
            "algorithm": name,
            "rtt_s": new,
            "start_s": round(NEW_S + draws.uniform("start of the new flow"), 4),
            "transport": {"initial_ssthresh": INITIAL_WINDOW},
        },
    ]
    return Scenario.model_validate(
        {
            "bottleneck": {"rate_bps": rate_bps, "queue_s": 0.08},
            "flows": flows,
            "sessions": [sessions(name, BACKGROUND, rate_bps, base_rtts_s(0.002))],
            "rtt_s": 0.08,
            "duration_s": NEW_S + RAMP_S,
            "warmup_s": NEW_S / 2,
            "sample_s": 0.02,
        }
    )


def reached(view: View, n: int) -> float | None:
    """Return how long after its start the new flow's first 1500 10^n bytes are acknowledged, seconds; infinite where they never are."""
    rows = view.series(1)
    there = np.flatnonzero(np.nan_to_num(rows.delivered_bytes) >= 1500 * 10**n)
    return float(rows.t_s[there[0]]) - view.start_s(1) if there.size else float("inf")


def transients(point: Point, draws: Draws) -> Scenario:
    """Return one flow on 100 Mbit/s and 100 ms, and datagrams of 75 Mbit/s that fall, rise, or rise by steps of 2.5."""
    begin = STEADY_S + round(draws.uniform("time of the change"), 3)
    end = begin + AFTER_S
    traffic = {
        "fall": [{"kind": "udp", "rate": 75e6, "stop": begin}],
        "rise": [{"kind": "udp", "rate": 75e6, "start": begin}],
        "steps": [{"kind": "udp", "rate": 2.5e6, "start": begin + number} for number in range(30)],
    }[point["case"]]
    return Scenario.model_validate(
        {
            "bottleneck": {"rate_bps": 100e6, "queue_packets": PACKETS},
            "flows": [{"algorithm": chosen(point)}],
            "traffic": traffic,
            "rtt_s": 0.1,
            "duration_s": end,
            "warmup_s": STEADY_S / 2,
            "sample_s": SAMPLE_S,
        }
    )


SAMPLE_S = 0.1
_LINK_MBPS, _LEFT_MBPS = 100 * 1448 / 1500, 25 * 1448 / 1500


def _change(view: View) -> float:
    sources = view.scenario["traffic"]
    return float(sources[0]["stop_s"] if sources[0]["stop_s"] is not None else sources[0]["start_s"])


def _seconds(view: View) -> list[tuple[float, float]]:
    begin, rows = _change(view), view.series(0)
    times = np.arange(begin, view.duration_s - 0.5, 1.0)
    at = np.interp(np.append(times, times[-1] + 1.0), rows.t_s, np.nan_to_num(rows.delivered_bytes))
    return [(float(t) - begin + 1.0, float(got) * 8e-6) for t, got in zip(times, np.diff(at), strict=True)]


def take(view: View, share: float) -> float | None:
    """Return how long after the datagrams have gone a second's goodput is this share of the link; infinite where it never is."""
    if view.scenario["traffic"][0]["stop_s"] is None:
        return None
    return next((t for t, got in _seconds(view) if got >= share * _LINK_MBPS), float("inf"))


def yield80_s(view: View) -> float | None:
    """Return how long after the datagrams came a second's goodput is within a quarter of what they leave, and does not fall again."""
    if view.scenario["traffic"][0]["stop_s"] is not None or len(view.scenario["traffic"]) > 1:
        return None
    above = [t for t, got in _seconds(view) if got > 1.25 * _LEFT_MBPS]
    return max(above) if above else 1.0


def udp_lost(view: View) -> float | None:
    """Return the datagrams that were dropped after they began to rise; none where they fall."""
    if view.scenario["traffic"][0]["stop_s"] is not None:
        return None
    return float(view.background["lost_packets"].sum())


EXPERIMENTS = (
    Experiment(
        id="tcpeval.rampup",
        title="Ramp of a completing flow",
        question="How long does a new flow without slow start take to its first 15 kB, 150 kB, 1.5 MB and 15 MB?",
        source="draft-irtf-iccrg-tcpeval-01, 5.2",
        duration_s=RAMP_S,
        points={"alg": SUBJECTS, "rate": RATES, "pair": tuple(PAIRS), "place": RUNS},
        scenario=rampup,
        measures=(*(Measure(f"reach{n}_s", function=functools.partial(reached, n=n)) for n in (1, 2, 3, 4)), Measure("util")),
        figures=tuple(
            Compared(
                f"reach{n}",
                f"Time to {1500 * 10**n} bytes",
                metric=f"reach{n}_s",
                panels="pair",
                y_label="s",
                y_log=True,
                fixed={"place": "it", "rate": rate},
                censored_at=RAMP_S,
            )
            for n, rate in ((3, 10), (4, 1000))
        ),
        parameters=(
            TRAFFIC,
            STACK,
            ("network", "10 Mbit/s and 1 Gbit/s, buffer 80 ms; half of the link is background in the direction of the flows"),
            ("flows", "one from the beginning, a new one at 30 s with ssthresh at its initial window; RTTs in ms, there/new"),
        ),
        repeats=3,
        kept="rates",
        quick=Quick(points={"pair": ("80/80", "30/120")}, repeats=3),
        headings=HEADINGS,
        notes=("120 s; the draft runs 600.",),
    ),
    Experiment(
        id="tcpeval.transients",
        title="Releases and uses of bandwidth",
        question="How soon does a flow take what datagrams leave, and give what they take?",
        source="draft-irtf-iccrg-tcpeval-01, 5.3",
        duration_s=AFTER_S,
        points={"alg": SUBJECTS, "case": CASES, "place": RUNS},
        scenario=transients,
        measures=(
            *(Measure(f"take{share}_s", function=functools.partial(take, share=share / 100)) for share in (60, 80, 90)),
            Measure("yield80_s", function=yield80_s),
            Measure("udp_lost", function=udp_lost),
        ),
        figures=(
            Histories(
                "goodput", "Goodput of the flow and of the datagrams", quantity="goodput_mbps", panels="case", y_label="Goodput (Mbit/s)"
            ),
            Compared("take", "Time to 80 % of the link", metric="take80_s", y_label="s", y_log=True, fixed={"place": "it", "case": "fall"}),
            Compared("lost", "Datagrams dropped in 100 s", metric="udp_lost", panels="case", y_label="packets", fixed={"place": "it"}),
        ),
        parameters=(
            STACK,
            ("network", f"100 Mbit/s, 100 ms, {PACKETS} packets (123 % BDP)"),
            ("datagrams", "75 Mbit/s to nothing, nothing to 75, thirty steps of 2.5 a second apart; after a minute"),
        ),
        repeats=3,
        kept="all",
        quick=Quick(repeats=3),
        headings=HEADINGS,
        notes=("The largest change of the window in a round trip is in the samples, not in a table.",),
    ),
)
