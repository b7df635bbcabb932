"""Two flows: coexistence in DualPI2 and in one queue, and independence of the round-trip time."""

from __future__ import annotations

import functools

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Compared, Curves, Published, Value
from windtunnel.scenario import Scenario
from windtunnel.suites.l4s.common import (
    HEADINGS,
    LAST_S,
    STACK,
    SUBJECTS,
    flow,
    group_rate,
    link,
    rate_mbps,
    scenario,
    share,
    waited_ms,
)
from windtunnel.suites.l4s.published import shares

QUEUES = ("dualpi2", "drop-tail", "fq-codel")
RTTS = ("20/20", "80/80", "80/20", "160/10")
PACKETS = {10: 200, 50: 1000}
OTHERS = ("prague", "cubic")
DUAL_PACKETS = 10_000
ONE_QUEUE = ("drop-tail", "red", "pie", "codel", "codel,target=1ms", "step")
BOTH = ("1:1", "2:2", "8:8", "1:9", "9:1")
EQUAL_RTTS_MS = (5, 10, 20, 25, 50, 100)


def pair(point: Point, draws: Draws) -> Scenario:
    """Return a flow of the point's protocol and another, each with its RTT."""
    one, two = point["rtts"].split("/")
    packets = PACKETS[point["rate"]] if point["queue"] == "drop-tail" else DUAL_PACKETS
    flows = (flow(point["alg"], draws, 1, rtt=f"{one}ms"), flow(point["other"], draws, 2, rtt=f"{two}ms"))
    return scenario(link(point["queue"], point["rate"], packets), flows, rtt_ms=float(two))


def one_queue(point: Point, draws: Draws) -> Scenario:
    """Return a flow of the point's protocol beside CUBIC in one queue that knows nothing of L4S."""
    name, _, target = point["queue"].partition(",")
    given = {"discipline_parameters": {"target": 0.001}} if target else {}
    made = link("drop-tail" if name == "step" else name, 50, 1000, **given, **({"mark_packets": 65} if name == "step" else {}))
    return scenario(made, (flow(point["alg"], draws, 1), flow("cubic", draws, 2)), rtt_ms=20)


def crowd(point: Point, draws: Draws) -> Scenario:
    """Return so many flows of the point's protocol beside so many CUBIC flows in DualPI2."""
    own, others = map(int, point["mix"].split(":"))
    flows = tuple(flow(point["alg"] if number <= own else "cubic", draws, number) for number in range(1, own + others + 1))
    return scenario(link("dualpi2", 50, DUAL_PACKETS), flows, rtt_ms=20)


def two_rtts(point: Point, draws: Draws) -> Scenario:
    """Return two flows of the point's protocol in DualPI2, one of 20 ms and one of the point's RTT."""
    flows = (flow(point["alg"], draws, 1, rtt="20ms"), flow(point["alg"], draws, 2, rtt=f"{point['rtt']}ms"))
    return scenario(link("dualpi2", 50, DUAL_PACKETS), flows, rtt_ms=20)


def mean_share(view: View) -> float | None:
    """Return the mean goodput of the protocol's flows over the sum of that and CUBIC's mean."""
    own, other = group_rate(view, scalable=True), group_rate(view, scalable=False)
    return None if own is None or other is None or not own + other else own / (own + other)


def first_wait(view: View, level: float | None = None) -> float | None:
    """Return how long the first flow's packets waited in the last minute, ms."""
    return waited_ms(view, 0, level)


def last_wait(view: View) -> float | None:
    """Return how long the last flow's packets waited in the last minute, mean, ms."""
    return waited_ms(view, len(view.scenario["flows"]) - 1)


def second_over_first(view: View) -> float | None:
    """Return the goodput of the second flow over that of the first, last minute."""
    one, two = rate_mbps(view, 0), rate_mbps(view, 1)
    return two / one if one and two is not None else None


WAITS = (
    Measure("first_wait_ms", function=first_wait),
    Measure("first_wait_p99_ms", function=functools.partial(first_wait, level=0.99)),
    Measure("last_wait_ms", function=last_wait),
)
_PUBLISHED = tuple(
    Published({"rate": rate, "queue": queue, "alg": first, "other": second, "rtts": rtts}, value)
    for (rate, queue, first, second, rtts), value in shares().items()
)


def _shares(rate: int, opponent: str) -> tuple[Compared, ...]:
    fixed: dict[str, Value] = {"rate": rate, "other": opponent}
    return tuple(
        Compared(
            f"share-{rate}-{opponent}-{queue}",
            f"Share of the first flow beside {opponent}, {queue}, {rate} Mbit/s",
            metric="share",
            x="rtts",
            series="alg",
            x_label="RTTs of both flows (ms)",
            y_label="share",
            y_limits=(0, 1),
            baseline=(0.5,),
            fixed={**fixed, "queue": queue},
            published=tuple(one for one in _PUBLISHED if {**fixed, "queue": queue}.items() <= one.at.items()),
            caption="Hollow: heistp/l4s-tests (2020), on Linux, one run each.",
        )
        for queue in QUEUES
    )


EXPERIMENTS = (
    Experiment(
        id="l4s.pairs",
        title="Two flows in DualPI2, in a FIFO and under FQ-CoDel",
        question="How do Prague and CUBIC share a link with each other and with themselves?",
        source="heistp/l4s-tests, scenario 1; RFC 9332, 2.5.1 and appendix C",
        duration_s=LAST_S,
        points={"alg": SUBJECTS, "other": OTHERS, "queue": QUEUES, "rate": (10, 50), "rtts": RTTS},
        scenario=pair,
        measures=(Measure("share", function=share), Measure("util"), *WAITS),
        figures=tuple(figure for rate in (50, 10) for opponent in OTHERS for figure in _shares(rate, opponent)),
        parameters=(
            STACK,
            ("network", "dumbbell, 10 or 50 Mbit/s; the first flow has the first RTT"),
            ("queue", "FIFO of 200 and 1000 packets (240 ms); dualpi2 and fq-codel with their texts' defaults and 10000 packets"),
            ("duration", "180 s, measured in the last 60 s"),
        ),
        repeats=3,
        kept="all",
        quick=Quick(points={"alg": ("prague", "cubic")}, repeats=1),
        headings=HEADINGS,
        notes=(
            "The published Prague of August 2020 had no independence of the RTT; the simulator's is that of draft-briscoe-iccrg-prague-04.",
        ),
    ),
    Experiment(
        id="l4s.mixes",
        title="Many flows in DualPI2",
        question="Do flows of both kinds get equal rates in DualPI2, and does the one kind wait less?",
        source="RFC 9332, 2.5.1 and appendix C",
        duration_s=LAST_S,
        points={"alg": ("prague", "dctcp"), "mix": BOTH},
        scenario=crowd,
        measures=(Measure("mean_share", function=mean_share), Measure("util"), *WAITS),
        figures=(
            Compared(
                "share",
                "Mean rate of the scalable flows over the sum of both means",
                metric="mean_share",
                x="mix",
                y_label="share",
                y_limits=(0, 1),
                baseline=(0.5,),
            ),
            Compared("wait", "Mean wait of a scalable flow's packets", metric="first_wait_ms", x="mix", y_label="ms"),
            Compared("others", "Mean wait of a CUBIC flow's packets", metric="last_wait_ms", x="mix", y_label="ms"),
        ),
        parameters=(
            STACK,
            ("network", "50 Mbit/s, 20 ms, dualpi2"),
            ("mix", "scalable to CUBIC flows"),
            ("duration", "180 s, measured in the last 60 s"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(points={"alg": ("prague",)}),
        headings={"mix": "flows"},
    ),
    Experiment(
        id="l4s.rtt",
        title="Independence of the round-trip time",
        question="Do flows of different round-trip times get equal rates where these are short?",
        source="RFC 9331, 4.3; draft-briscoe-iccrg-prague-congestion-control-04",
        duration_s=LAST_S,
        points={"alg": SUBJECTS, "rtt": EQUAL_RTTS_MS},
        scenario=two_rtts,
        measures=(Measure("second_over_first", function=second_over_first), Measure("util"), *WAITS),
        figures=(
            Curves(
                "ratio",
                "Goodput of the second flow over that of one of 20 ms",
                metric="second_over_first",
                x="rtt",
                x_label="RTT of the second flow (ms)",
                y_label="ratio",
                x_log=True,
                y_log=True,
                baseline=(1.0,),
            ),
        ),
        parameters=(
            STACK,
            ("network", "50 Mbit/s, dualpi2"),
            ("flows", "2 of the same protocol, 20 ms and the RTT"),
            ("duration", "180 s, measured in the last 60 s"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(points={"alg": ("prague", "cubic")}),
        headings={"rtt": "RTT of the second flow (ms)"},
    ),
    Experiment(
        id="l4s.onequeue",
        title="Beside CUBIC in one queue",
        question="Does a scalable flow leave CUBIC its share where both are in one queue that knows nothing of L4S?",
        source="RFC 9331, 4.3 and 6; heistp/sce-l4s-ect1, scenario 2",
        duration_s=LAST_S,
        points={"alg": SUBJECTS, "queue": ONE_QUEUE},
        scenario=one_queue,
        measures=(Measure("share", function=share), Measure("util"), *WAITS),
        figures=(
            Compared(
                "share",
                "Share beside CUBIC in one queue",
                metric="share",
                x="queue",
                series="alg",
                x_label="queue",
                y_label="share",
                y_limits=(0, 1),
                baseline=(0.5,),
            ),
        ),
        parameters=(
            STACK,
            ("network", "50 Mbit/s, 20 ms, 1000 packets"),
            ("step", "a FIFO that marks from 65 packets on"),
            ("flows", "1 of the protocol, 1 CUBIC with classic ECN"),
            ("duration", "180 s, measured in the last 60 s"),
        ),
        repeats=5,
        kept="all",
        quick=Quick(points={"alg": ("prague", "cubic")}),
        headings=HEADINGS,
    ),
)
