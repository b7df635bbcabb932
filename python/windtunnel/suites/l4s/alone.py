"""One kind of flow: on a classic queue, with bleached ECN, where the rate falls, and too many of them."""

from __future__ import annotations

import functools

import numpy as np

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Compared, Curves, Histories
from windtunnel.scenario import Scenario
from windtunnel.suites.l4s.common import LAST_S, STACK, SUBJECTS, flow, group_rate, link, scenario, share, waited_ms

CLASSIC = ("dualpi2", "drop-tail", "red", "pie", "codel", "fq-codel")
STEP_S = 30.0
CROWDS = (1, 10, 50, 100, 200)
FLOODS = (0.5, 0.9, 1.1)


def classic(point: Point, draws: Draws) -> Scenario:
    """Return one flow alone on a queue."""
    return scenario(link(point["queue"], 50, 1000), (flow(point["alg"], draws, 1),), rtt_ms=20)


def bleached(point: Point, draws: Draws) -> Scenario:
    """Return a flow beside CUBIC in DualPI2; on the forward path its ECN field was cleared, or changed to ECT(0)."""
    ecn = {"none": "l4s", "cleared": "off", "ECT(0)": "classic"}[point["field"]]
    flows = (flow(point["alg"], draws, 1, ecn=ecn), flow("cubic", draws, 2))
    return scenario(link("dualpi2", 50, 1000), flows, rtt_ms=20)


def slower(point: Point, draws: Draws) -> Scenario:
    """Return one flow of 80 ms whose link falls from 50 Mbit/s at 30 s and stays there."""
    made = link(point["queue"], 50, 10_000, rate_steps=[{"at": STEP_S, "rate": point["to"] * 1e6}])
    return scenario(made, (flow(point["alg"], draws, 1),), rtt_ms=80, duration_s=90.0, warmup_s=20.0)


def crowded(point: Point, draws: Draws) -> Scenario:
    """Return ever more scalable flows, and one CUBIC, on 10 Mbit/s."""
    flows = tuple(flow(point["alg"], draws, number) for number in range(1, point["flows"] + 1))
    return scenario(link("dualpi2", 10, 1000), (*flows, flow("cubic", draws, 0)), rtt_ms=20)


def flooded(point: Point, draws: Draws) -> Scenario:
    """Return one scalable flow and one CUBIC beside datagrams that do not answer and are not ECN-capable."""
    source = {"kind": "udp", "rate_bps": point["load"] * 50e6}
    flows = (flow(point["alg"], draws, 1), flow("cubic", draws, 2))
    return scenario(link("dualpi2", 50, 1000), flows, rtt_ms=20, traffic=(source,))


def spike_ms(view: View) -> float | None:
    """Return the largest smoothed RTT after the link fell, less the base RTT, ms."""
    return waited_ms(view, 0, 1.0, STEP_S, 90.0)


def spike_s(view: View) -> float | None:
    """Return how long after the link fell the smoothed RTT was last above base RTT and 50 ms, s; 0 where it never was."""
    rows = view.series(0)
    late = rows.t_s[(rows.t_s >= STEP_S) & (rows.srtt_s > view.base_rtt_s(0) + 0.05)]
    return float(late[-1] - STEP_S) if late.size else 0.0


def classic_rate(view: View) -> float | None:
    """Return the mean goodput of the flows without L4S, Mbit/s."""
    return group_rate(view, scalable=False)


def wait(view: View, level: float | None = None) -> float | None:
    """Return how long the first flow's packets waited in the last minute, ms."""
    return waited_ms(view, 0, level)


def pooled_wait(view: View) -> float | None:
    """Return how long packets of the scalable flows waited in the last minute, mean over flows, ms."""
    found = [waited_ms(view, number) for number in range(len(view.scenario["flows"]) - 1)]
    known = [one for one in found if one is not None]
    return float(np.mean(known)) if known else None


WAITS = (Measure("wait_ms", function=wait), Measure("wait_p99_ms", function=functools.partial(wait, level=0.99)))
MEASURED = ("duration", "180 s, measured in the last 60 s")

EXPERIMENTS = (
    Experiment(
        id="l4s.fallback",
        title="Alone on each queue",
        question="What does a scalable flow make of a queue that is not made for it?",
        source="RFC 9331, 4.3",
        duration_s=LAST_S,
        points={"alg": SUBJECTS, "queue": CLASSIC},
        scenario=classic,
        measures=(Measure("util"), Measure("loss_ovh"), Measure("qdelay_mean_ms"), *WAITS),
        figures=(
            Compared("util", "Use of the link", metric="util", x="queue", series="alg", x_label="queue", y_label="share", y_limits=(0, 1)),
            Compared("wait", "Mean wait", metric="wait_ms", x="queue", series="alg", x_label="queue", y_label="ms", y_log=True),
        ),
        parameters=(STACK, ("network", "50 Mbit/s, 20 ms, 1000 packets"), ("flows", "1"), MEASURED),
        repeats=5,
        kept="all",
        quick=Quick(points={"alg": ("prague", "cubic")}),
    ),
    Experiment(
        id="l4s.bleached",
        title="Bleached ECN",
        question="What becomes of a scalable flow whose ECN field is cleared or changed on the way to DualPI2?",
        source="RFC 9331, 4.1 and 5; RFC 9743, 6.2 and 7.1",
        duration_s=LAST_S,
        points={"alg": ("prague", "dctcp"), "field": ("none", "cleared", "ECT(0)")},
        scenario=bleached,
        measures=(Measure("share", function=share), Measure("util"), Measure("loss_ovh"), *WAITS),
        figures=(
            Compared(
                "share",
                "Share beside CUBIC in DualPI2",
                metric="share",
                x="field",
                series="alg",
                x_label="change of the field",
                y_label="share",
                y_limits=(0, 1),
                baseline=(0.5,),
            ),
            Compared(
                "wait", "Mean wait of its packets", metric="wait_ms", x="field", series="alg", x_label="change of the field", y_label="ms"
            ),
        ),
        parameters=(
            STACK,
            ("network", "50 Mbit/s, 20 ms, dualpi2 of 1000 packets"),
            ("cleared", "its packets are not ECN-capable: in the classic queue they are dropped"),
            ("ECT(0)", "its packets are in the classic queue and marked; the sender takes the marks as it takes those of classic ECN"),
            MEASURED,
        ),
        repeats=5,
        kept="all",
        quick=Quick(points={"alg": ("prague",)}),
        headings={"field": "ECN field on the way"},
        notes=(
            "A device before the bottleneck that changes the field is expressed by the sender: its packets reach the queue as they would, "
            "and no mark comes back that was not made. A device behind the bottleneck, which wipes marks, is not modelled.",
        ),
    ),
    Experiment(
        id="l4s.step",
        title="A link that becomes slower",
        question="How long and how far does the round-trip time rise where the link falls from 50 Mbit/s?",
        source="heistp/l4s-tests, scenario 2",
        duration_s=90.0,
        points={"alg": ("prague", "cubic"), "queue": ("fq-codel", "dualpi2"), "to": (25, 5, 1)},
        scenario=slower,
        measures=(Measure("spike_ms", function=spike_ms), Measure("spike_s", function=spike_s)),
        figures=(
            Compared(
                "height",
                "Largest rise of the smoothed RTT",
                metric="spike_ms",
                x="to",
                panels="queue",
                series="alg",
                x_label="rate after the step (Mbit/s)",
                y_label="ms",
                y_log=True,
            ),
            Compared(
                "length",
                "Time until the RTT stays within 50 ms of its base",
                metric="spike_s",
                x="to",
                panels="queue",
                series="alg",
                x_label="rate after the step (Mbit/s)",
                y_label="s",
            ),
            Histories("rtt", "Smoothed RTT", quantity="srtt_s", panels="to", algs=("prague",), y_label="RTT (ms)"),
        ),
        parameters=(STACK, ("network", "50 Mbit/s, 80 ms; the step comes at 30 s"), ("flows", "1"), ("duration", "90 s")),
        repeats=3,
        kept="all",
        quick=Quick(),
        headings={"to": "rate after the step (Mbit/s)"},
    ),
    Experiment(
        id="l4s.crowd",
        title="More and more scalable flows",
        question="What do delay and CUBIC's share become where windows fall to the least there are?",
        source="RFC 9331, 4.3; RFC 9332, 4.2",
        duration_s=LAST_S,
        points={"alg": ("prague", "dctcp"), "flows": CROWDS},
        scenario=crowded,
        measures=(
            Measure("pooled_wait_ms", function=pooled_wait),
            Measure("classic_mbps", function=classic_rate),
            Measure("util"),
            Measure("drop_share"),
            Measure("mark_share"),
        ),
        figures=(
            Curves(
                "wait",
                "Mean wait of the scalable flows' packets",
                metric="pooled_wait_ms",
                x="flows",
                x_label="scalable flows",
                y_label="ms",
                x_log=True,
                y_log=True,
            ),
            Curves(
                "classic",
                "Goodput of the CUBIC flow",
                metric="classic_mbps",
                x="flows",
                x_label="scalable flows",
                y_label="Mbit/s",
                x_log=True,
                y_log=True,
            ),
        ),
        parameters=(
            STACK,
            ("network", "10 Mbit/s, 20 ms (BDP 17 packets), dualpi2 of 1000 packets"),
            ("flows", "1 to 200 of the protocol, 1 CUBIC"),
            MEASURED,
        ),
        repeats=3,
        kept="all",
        quick=Quick(points={"alg": ("prague",)}),
        headings={"flows": "scalable flows"},
    ),
    Experiment(
        id="l4s.overload",
        title="Overload by traffic that does not answer",
        question="Does DualPI2 still bound the scalable flow's delay where datagrams overload the link?",
        source="RFC 9332, 4.2",
        duration_s=LAST_S,
        points={"alg": ("prague", "dctcp"), "load": FLOODS},
        scenario=flooded,
        measures=(
            *WAITS,
            Measure("classic_mbps", function=classic_rate),
            Measure("util"),
            Measure("drop_share"),
            Measure("qdelay_mean_ms"),
        ),
        figures=(
            Compared(
                "wait",
                "Mean wait of the scalable flow's packets",
                metric="wait_ms",
                x="load",
                series="alg",
                x_label="datagrams over the link's rate",
                y_label="ms",
            ),
            Compared(
                "queue",
                "Mean delay of both queues' bytes",
                metric="qdelay_mean_ms",
                x="load",
                series="alg",
                x_label="datagrams over the link's rate",
                y_label="ms",
            ),
        ),
        parameters=(
            STACK,
            ("network", "50 Mbit/s, 20 ms, dualpi2 of 1000 packets"),
            ("flows", "1 of the protocol, 1 CUBIC"),
            ("datagrams", "not ECN-capable, in the classic queue"),
            MEASURED,
        ),
        repeats=3,
        kept="all",
        quick=Quick(points={"alg": ("prague",)}),
        headings={"load": "load of datagrams"},
        notes=("Datagrams that claim ECT(1) and do not answer are not modelled: the simulator's are never ECN-capable.",),
    ),
)
