"""Figure 10, Table I and section VIII.C: a long flow beside short ones that come and go."""

from __future__ import annotations

import functools
from typing import Any

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View, measure
from windtunnel.plots.declared import Compared, Histories, Published
from windtunnel.scenario import Flow, Scenario
from windtunnel.suites.leith08.common import STACK, TRANSPORT, queue_packets, run, short_flows
from windtunnel.suites.published import cells

PROTOCOLS = ("ctcp", "illinois", "reno", "cubic")
CASES = ("none", "fwd10", "fwd10_rev", "fwd10_ack")
RTTS_MS = (30, 60, 90, 120)
QUEUE = 4096
FROM_S, DURATION_S = 200.0, 1800.0
ACK_BYTES, ACKS_MBPS = 52, 5
SHORT = ("short flows", "Reno without SACK, Poisson arrivals, Pareto sizes of 25 kB with shape 1.2, RTT 30, 60, 90 or 120 ms")
HEAVY = "Sizes have an infinite variance: what a repeat offers differs from the load by several per cent."


def long_flow(point: Point, draws: Draws, *, case: str | None = None) -> Scenario:
    """Return one long flow over 400 Mbit/s and 120 ms, with what the case puts beside it."""
    beside = case or point["case"]
    reverse = (Flow(algorithm="reno", direction="reverse", transport=dict(TRANSPORT)),) if beside == "fwd10_rev" else ()
    acks: tuple[dict[str, Any], ...] = ({"kind": "udp", "rate_bps": ACKS_MBPS * 1e6, "packet_bytes": ACK_BYTES},)
    return run(
        draws,
        rate=400,
        rtt=120,
        queue=QUEUE,
        algorithms=(point["alg"],),
        duration_s=DURATION_S,
        warmup_s=FROM_S,
        beside=reverse,
        traffic=acks if beside == "fwd10_ack" else (),
        arrivals=() if beside == "none" else (short_flows(RTTS_MS, load=0.1),),
    )


def settled(metric: str, view: View) -> float | None:
    """Return a metric of 200 s to 1800 s, which the paper averages over."""
    return measure(metric, view, t0=FROM_S, t1=DURATION_S)


def gigabit(point: Point, draws: Draws) -> Scenario:
    """Return one long flow over 1 Gbit/s and 122 ms, with short flows of a twentieth of the link either way."""
    both = tuple(short_flows(RTTS_MS, load=0.05, direction=way) for way in ("forward", "reverse"))
    queue = queue_packets(1000, 122, 1.0)
    return run(draws, rate=1000, rtt=122, queue=queue, algorithms=(point["alg"],), duration_s=600.0, arrivals=both)


EXPERIMENTS = (
    Experiment(
        id="leith08.fig10",
        title="A long flow beside short flows and reverse traffic",
        question="How much does a long flow lose to short flows, to a flow in reverse, and to that flow's ACKs?",
        source="Fig. 10; VII",
        duration_s=1800.0,
        source_repeats=1,
        points={"alg": PROTOCOLS, "case": CASES},
        scenario=long_flow,
        measures=tuple(
            Measure(name, function=functools.partial(settled, name)) for name in ("thr_mbps", "xt_mbps", "rev_ack_mbps", "util")
        ),
        figures=(
            Compared(
                "throughput",
                "Throughput of the long flow, 400 Mbit/s",
                metric="thr_mbps",
                series="case",
                y_label="Throughput (Mbit/s)",
                y_limits=(0, 400),
                caption="The paper's bars have no numbers in its text.",
            ),
            Compared("short", "Throughput of what is beside it", metric="xt_mbps", series="case", y_label="Throughput (Mbit/s)"),
        ),
        parameters=(
            *STACK,
            ("flows", "1 long flow"),
            SHORT,
            ("none", "the long flow alone"),
            ("fwd10", "with short flows of 10 % of the link"),
            ("fwd10_rev", "with a long Reno flow in reverse as well; the paper does not say of which protocol"),
            ("fwd10_ack", f"in its place {ACKS_MBPS} Mbit/s of packets of {ACK_BYTES} bytes, forward"),
            ("rate, RTT, queue", "400 Mbit/s, 120 ms, 4096 packets"),
            ("duration", "1800 s, measured from 200 s"),
        ),
        repeats=3,
        kept="totals",
        quick=Quick(points={"case": ("none", "fwd10", "fwd10_rev")}, repeats=1),
        notes=("The paper shows one run of each. The repeats differ in the short flows, which are the same for every protocol.", HEAVY),
    ),
    Experiment(
        id="leith08.tab1",
        title="Rates of the short flows beside a long one",
        question="How fast are short flows beside a long flow of each protocol?",
        source="Table I; VII",
        duration_s=1800.0,
        source_repeats=1,
        points={"alg": PROTOCOLS},
        scenario=functools.partial(long_flow, case="fwd10"),
        measures=tuple(
            Measure(name) for name in ("xt_EbT_mbps", "xt_Eb_ET_mbps", "xt_EbT_mbps@handshake", "xt_Eb_ET_mbps@handshake", "xt_mbps")
        ),
        figures=(
            Compared(
                "rates",
                "Mean rate of a short flow, E[b/T]",
                metric="xt_EbT_mbps",
                y_label="Rate (Mbit/s)",
                published=cells("leith08.tab1", "table_I.E[b/T]"),
                caption="Hollow: Table I.",
            ),
            Compared("all", "Bits of all short flows over all their times, E[b]/E[T]", metric="xt_Eb_ET_mbps", y_label="Rate (Mbit/s)"),
        ),
        parameters=(
            *STACK,
            ("flows", "1 long flow"),
            SHORT,
            ("load", "10 % of the link"),
            ("rate, RTT, queue", "400 Mbit/s, 120 ms, 4096 packets"),
        ),
        repeats=3,
        kept="totals",
        quick=Quick(repeats=1),
        notes=("The runs are those of figure 10, with short flows only.", HEAVY),
    ),
    Experiment(
        id="leith08.gig",
        title="A long flow at 1 Gbit/s, short flows either way",
        question="How much of 1 Gbit/s do Compound and Illinois carry beside short flows either way?",
        source="VIII.C",
        source_repeats=1,
        points={"alg": ("ctcp", "illinois")},
        scenario=gigabit,
        measures=(Measure("thr_mbps"), Measure("xt_mbps"), Measure("util")),
        figures=(
            Compared(
                "throughput",
                "Throughput of the long flow, 1 Gbit/s",
                metric="thr_mbps",
                y_label="Throughput (Mbit/s)",
                y_limits=(0, 1000),
                published=(Published({"alg": "ctcp"}, 809.0), Published({"alg": "illinois"}, 783.0)),
                caption="Hollow: the paper's text.",
            ),
            Histories("goodput", "Goodput at 1 Gbit/s", quantity="goodput_mbps", panels="alg", y_label="Goodput (Mbit/s)"),
        ),
        parameters=(
            *STACK,
            ("flows", "1 long flow"),
            SHORT,
            ("load", "5 % of the link in each direction"),
            ("rate, RTT, queue", "1 Gbit/s, 122 ms, 1 BDP (10167 packets)"),
            ("duration", "600 s (not stated)"),
        ),
        repeats=3,
        kept="all",
        quick=Quick(repeats=1),
        notes=("The short flows' RTTs are not stated here: those of Table I are taken.", HEAVY),
        emulates="the laboratory's path of 1 Gbit/s, by hosts that cost nothing",
    ),
)
