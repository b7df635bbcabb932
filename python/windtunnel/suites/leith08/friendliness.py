"""Figures 8, 9 and 12: what a flow of a hybrid algorithm takes from one of Reno."""

from __future__ import annotations

import functools

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared, Curves, Histories, Published
from windtunnel.scenario import Scenario
from windtunnel.scenario.hosts import Host
from windtunnel.suites.leith08.common import ONE_RUN, STACK, drawn_start_s, queue_packets, run

RATE = 100
DURATION_S = 600.0
FIRST_START_S, START_SPAN_S = 20.0, 40.0
STALL_S, EVERY_S = 0.01, 10.0
"""The sending hosts stop for so long, so often. Linux 2.6.23 runs two tasks in turn for 10 ms each; the paper gives no numbers."""


def against_reno(point: Point, draws: Draws, *, rtt: float, q: float) -> Scenario:
    """Return a Reno flow and, from 20 s to 60 s on, one of the point's protocol."""
    start_s = drawn_start_s(draws, earliest_s=FIRST_START_S, span_s=START_SPAN_S)
    return run(
        draws,
        rate=RATE,
        rtt=rtt,
        queue=queue_packets(RATE, rtt, q),
        algorithms=("reno", point["alg"]),
        starts_s=(0.0, start_s),
        duration_s=DURATION_S,
    )


def on_hosts_that_stop(point: Point, draws: Draws, *, rtt: float, q: float) -> Scenario:
    """Return the same from hosts whose processors stop now and then: ACKs wait, and the RTT samples of that moment are too long."""
    times = range(round(EVERY_S / 2), round(DURATION_S), round(EVERY_S))
    host = Host.model_validate({"stalls": [{"at_s": float(at_s), "length_s": STALL_S} for at_s in times]})
    return against_reno(point, draws, rtt=rtt, q=q).model_copy(update={"host": host})


def with_outliers(point: Point, draws: Draws) -> Scenario:
    """Return a Reno flow and an Illinois flow that takes its largest RTT for this much larger; 400 Mbit/s, 120 ms, 1 BDP."""
    start_s = drawn_start_s(draws, earliest_s=FIRST_START_S, span_s=START_SPAN_S)
    return run(
        draws,
        rate=400,
        rtt=120,
        queue=queue_packets(400, 120, 1.0),
        algorithms=("reno", "illinois"),
        parameters=({}, {"max_rtt_bias": point["maxrtt_err"] * 1e-3}),
        starts_s=(0.0, start_s),
        duration_s=1200.0,
    )


EMULATES = f"the hosts of 2008, by processors that stop for {STALL_S * 1e3:g} ms every {EVERY_S:g} s"
STOPS = (
    "The paper lays its result to RTT outliers of the sending host, which make Illinois take the largest RTT for too large, and gives no "
    "number. What a stop adds depends on the queue it meets."
)


def _figure(alg: str, label: str, figure: str, rtt: int, q: float, published: tuple[float, ...], *, stops: bool = False) -> Experiment:
    text = f"{label} and Reno, 100 Mbit/s, {rtt} ms, queue {q:g} BDP"
    return Experiment(
        id=f"leith08.{figure}",
        title=f"{label} beside Reno at {rtt} ms",
        question=f"How much does a flow of {label} get beside one of Reno at {rtt} ms?",
        source=f"Fig. {figure.removeprefix('fig')[0]}({figure[-1]}); VI",
        source_repeats=1,
        points={"alg": (alg,)},
        along={"flow": (alg, "reno")},
        scenario=functools.partial(on_hosts_that_stop if stops else against_reno, rtt=rtt, q=q),
        measures=(
            Measure("new_over_reno"),
            *(Measure(name, flow=flow) for name in ("thr_mbps", "thr_norm") for flow in (alg, "reno")),
            Measure("util"),
        ),
        figures=(
            Compared(
                "throughput",
                f"{text}: throughput",
                metric="thr_mbps",
                x="flow",
                series="flow",
                y_label="Throughput (Mbit/s)",
                published=tuple(Published({"flow": flow}, value) for flow, value in zip((alg, "reno"), published, strict=False)),
                caption="" if published else "The paper gives no numbers here.",
            ),
            Histories("cwnd", f"{text}: windows", quantity="cwnd_packets", y_label="cwnd (packets)"),
            Histories("goodput", f"{text}: goodput", quantity="goodput_mbps", y_label="Goodput (Mbit/s)"),
        ),
        parameters=(
            *STACK,
            ("flows", f"reno from 0 s, {alg} from a random time between 20 s and 60 s; the paper does not say when"),
            ("rate, RTT, queue", f"100 Mbit/s, {rtt} ms, {q:g} BDP"),
            ("duration", "600 s"),
            *((("hosts", f"stop for {STALL_S * 1e3:g} ms every {EVERY_S:g} s"),) if stops else ()),
        ),
        kept="all",
        quick=Quick(repeats=3),
        notes=(ONE_RUN, *((STOPS,) if stops else ())),
        emulates=EMULATES if stops else "",
    )


EXPERIMENTS = (
    _figure(
        "illinois",
        "Illinois",
        "fig8a",
        30,
        0.5,
        (65.0, 24.0),
        stops=True,
    ),
    _figure("illinois", "Illinois", "fig8b", 100, 0.6, (53.0, 37.0)),
    _figure("ctcp", "Compound", "fig9a", 30, 0.5, (47.0, 42.0)),
    _figure("ctcp", "Compound", "fig9b", 100, 0.6, ()),
    Experiment(
        id="leith08.fig12",
        title="Illinois that takes the largest RTT for too large",
        question="What becomes of Reno beside Illinois when single RTT samples are too large?",
        source="Fig. 12; VIII.A",
        source_repeats=1,
        points={"alg": ("illinois",), "maxrtt_err": (0, 50, 200, 1000)},
        scenario=with_outliers,
        measures=(Measure("new_over_reno"), Measure("delta_used", flow="illinois"), Measure("delta_used"), Measure("util")),
        figures=(
            Curves(
                "friendliness",
                "Illinois over Reno against the error of the largest RTT",
                metric="new_over_reno",
                x="maxrtt_err",
                x_label="Error of the largest RTT (ms)",
                y_label="Throughput, Illinois / Reno",
                y_log=True,
                baseline=(1.0,),
                caption="1 is equal sharing.",
            ),
            Curves(
                "decrease",
                "Part of the window that Illinois gives up at a back-off",
                metric="delta_used",
                x="maxrtt_err",
                x_label="Error of the largest RTT (ms)",
                y_label="Decrease (part of cwnd)",
                y_limits=(0, 0.55),
                baseline=(0.125, 0.5),
                caption="Between 1/8 where the queue counts as empty and 1/2 where it counts as full.",
            ),
        ),
        parameters=(
            *STACK,
            ("flows", "reno from 0 s, illinois from a random time between 20 s and 60 s"),
            ("rate, RTT, queue", "400 Mbit/s, 120 ms, 1 BDP"),
            ("duration", "1200 s (not stated)"),
        ),
        kept="rates",
        quick=Quick(repeats=3, longest_s=600.0),
        notes=(
            "The error stands for what host models would bring about: RTT outliers after a loss. It is not judged.",
            "The paper shows one run.",
        ),
    ),
)
