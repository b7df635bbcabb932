"""The tests of RFC 8867, sections 5 and 6."""

from __future__ import annotations

from typing import Any

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Compared, Histories
from windtunnel.scenario import Scenario
from windtunnel.suites.rfc8867 import measured
from windtunnel.suites.rfc8867.common import HEADINGS, MEDIA, QUEUE_S, SUBJECTS, Steps, jitter, link, scenario, video

VARIABLE: Steps = ((0.0, 1.0), (40.0, 2.5), (60.0, 0.6), (80.0, 1.0))
SEVERAL: Steps = ((0.0, 4.0), (25.0, 2.0), (50.0, 3.5), (75.0, 1.0), (100.0, 2.0))
FORWARD: Steps = ((0.0, 2.0), (20.0, 1.0), (40.0, 0.5), (60.0, 2.0))
BACKWARD: Steps = ((0.0, 2.0), (35.0, 0.8), (70.0, 2.0))
RTT_OWDS_MS = (10, 25, 50, 100, 150)
SHORT_BYTES, SHORT_IDLE_S, SHORT_COUNT = 40_000, 10.0, 10
ECN_PACKETS = 25
"""300 ms of 1 Mbit/s: a queue given in time and a discipline do not go together where the rate changes."""


def variable(point: Point, draws: Draws) -> Scenario:
    """Return one flow of video on a link whose capacity changes (5.1)."""
    rtt_s = 2e-3 * point["owd"]
    return scenario(link(VARIABLE, delay_steps=jitter(draws, 100.0)), [video(point["alg"], draws, 1)], duration_s=100.0, rtt_s=rtt_s)


def several(point: Point, draws: Draws) -> Scenario:
    """Return two flows of video on a link whose capacity changes (5.2)."""
    flows = [video(point["alg"], draws, number) for number in (1, 2)]
    return scenario(link(SEVERAL, delay_steps=jitter(draws, 125.0)), flows, duration_s=125.0)


def feedback(point: Point, draws: Draws) -> Scenario:
    """Return a flow of video each way; the backward capacity changes too, or never binds (5.3)."""
    flows = [video(point["alg"], draws, 1), video(point["alg"], draws, 2, direction="reverse")]
    backward = link(BACKWARD if point["way"] == "congested" else ((0.0, 100.0),), delay_steps=jitter(draws, 100.0, "reverse"))
    return scenario(link(FORWARD, delay_steps=jitter(draws, 100.0)), flows, duration_s=100.0, reverse=backward)


def same(point: Point, draws: Draws) -> Scenario:
    """Return three flows of video, one each 20 s (5.4)."""
    flows = [video(point["alg"], draws, number, 20.0 * (number - 1)) for number in (1, 2, 3)]
    return scenario(link(((0.0, 3.5),), delay_steps=jitter(draws, 120.0)), flows, duration_s=120.0)


def rtts(point: Point, draws: Draws) -> Scenario:
    """Return five flows of video of different delays, one each 10 s (5.5)."""
    flows = [video(point["alg"], draws, number, 10.0 * (number - 1), rtt_s=2e-3 * owd) for number, owd in enumerate(RTT_OWDS_MS, start=1)]
    return scenario(link(((0.0, 4.0),), delay_steps=jitter(draws, 300.0)), flows, duration_s=300.0)


def beside_long(point: Point, draws: Draws) -> Scenario:
    """Return a flow of video from 5 s on beside a long one of NewReno (5.6)."""
    tcp = {"algorithm": "reno", "start_s": round(0.1 * draws.uniform("start of TCP"), 4)}
    flows = [tcp, video(point["alg"], draws, 1, 5.0)]
    return scenario(link(((0.0, 2.0),), queue_s=point["queue"] * 1e-3, delay_steps=jitter(draws, 120.0)), flows, duration_s=120.0)


def beside_short(point: Point, draws: Draws) -> Scenario:
    """Return two flows of video from 5 s on beside ten short ones of NewReno that come and go (5.7)."""
    flows = [video(point["alg"], draws, number, 5.0) for number in (1, 2)]
    short = {
        "algorithm": "reno",
        "count": SHORT_COUNT,
        "think": {"law": "exponential", "mean": SHORT_IDLE_S},
        "sizes": {"law": "fixed", "mean": SHORT_BYTES},
    }
    return scenario(link(((0.0, 2.0),), delay_steps=jitter(draws, 300.0)), flows, duration_s=300.0, sessions=[short])


def pause(point: Point, draws: Draws) -> Scenario:
    """Return three flows of video, the second of which is away from 40 to 60 s (5.8)."""
    flows = [
        video(point["alg"], draws, 1),
        video(point["alg"], draws, 2, stop_s=40.0),
        video(point["alg"], draws, 3),
        video(point["alg"], draws, 4, 60.0),
    ]
    return scenario(link(((0.0, 3.5),), delay_steps=jitter(draws, 120.0)), flows, duration_s=120.0)


def ecn(point: Point, draws: Draws) -> Scenario:
    """Return the first test under a discipline with ECN or without (6.2)."""
    flows = [video(point["alg"], draws, 1, transport={"ecn": "classic" if point["ecn"] == "on" else "off"})]
    made = link(VARIABLE, queue_packets=ECN_PACKETS, discipline=point["aqm"], delay_steps=jitter(draws, 100.0))
    return scenario(made, flows, duration_s=100.0)


def hops(point: Point, draws: Draws) -> Scenario:
    """Return video over three links of 2, 8 and 1.5 Mbit/s: a flow over all, one over the first, one over the last (6.3)."""
    flows = [
        video(point["alg"], draws, 1, rtt_s=0.2),
        video(point["alg"], draws, 2, rtt_s=0.08, enter=1, leave=1),
        video(point["alg"], draws, 3, rtt_s=0.08, enter=3, leave=3),
    ]
    further = [{"rate_bps": mbps * 1e6, "queue_s": QUEUE_S, "delay_s": 0.01} for mbps in (8.0, 1.5)]
    return scenario(link(((0.0, 2.0),)), flows, duration_s=300.0, hops=further)


def _experiment(name: str, title: str, question: str, source: str, build: Any, own: tuple[Any, ...], **given: Any) -> Experiment:
    """Return a test with the figures that all have: delays of frames, what was lost, and goodput and RTT over time."""
    points = {"alg": SUBJECTS, **given.pop("points", {})}
    others = [key for key in points if key != "alg"]
    panels = others[0] if others else None
    fixed = {key: points[key][0] for key in others[1:]}
    shown: dict[str, Any] = {"panels": panels, "fixed": fixed}
    steps, duration_s = given.pop("steps"), given.pop("duration_s")
    over = {"panels": "alg", "algs": SUBJECTS, "steps": steps}
    return Experiment(
        id=f"rfc8867.{name}",
        title=title,
        question=question,
        source=f"RFC 8867, {source}",
        duration_s=duration_s,
        points=points,
        scenario=build,
        measures=(*measured.measures(*own), *given.pop("more", ())),
        figures=(
            Histories("goodput", "Goodput of each flow, and capacity", quantity="goodput_mbps", y_label="Goodput (Mbit/s)", **over),
            Histories("rtt", "Smoothed RTT", quantity="srtt_s", y_label="RTT (ms)", panels="alg", algs=SUBJECTS),
            Compared("delay", "Delay of frames, 95th percentile", metric="frame_p95_ms", y_label="ms", y_log=True, **shown),
            Compared("lost", "Frames skipped or late", metric="lost_frames", y_label="share", y_limits=(0, 1), **shown),
            Compared("use", "Use of the capacity", metric="media_use", y_label="share", y_limits=(0, 1), **shown),
            *given.pop("figures", ()),
        ),
        parameters=(
            MEDIA,
            ("queue", "drop-tail, 300 ms" if "queue" not in points else "drop-tail"),
            ("jitter", "RFC 8868's that keeps the order, 5 ms, drawn each 12 ms"),
            ("duration", f"{duration_s:g} s, measured from {measured.FIRST_S:g} s"),
        ),
        repeats=10,
        kept="all",
        quick=Quick(points={"alg": ("ledbat", "cubic", "bbr3")}, repeats=3),
        headings=HEADINGS,
        **given,
    )


EXPERIMENTS = (
    _experiment(
        "variable",
        "One flow, capacity varies",
        "How closely does the rate follow the capacity, and what do frames wait?",
        "5.1",
        variable,
        (measured.rise_s, measured.calm_s),
        points={"owd": (50, 100)},
        steps=VARIABLE,
        duration_s=100.0,
    ),
    _experiment(
        "several",
        "Two flows, capacity varies",
        "Do two flows of video follow the capacity, and share it?",
        "5.2",
        several,
        (measured.rise_s, measured.calm_s, measured.share_20s, measured.share_5s),
        steps=SEVERAL,
        duration_s=125.0,
    ),
    _experiment(
        "feedback",
        "Congested feedback",
        "What does a congested reverse path do to video?",
        "5.3",
        feedback,
        (measured.rise_s, measured.calm_s),
        points={"way": ("congested", "free")},
        steps=FORWARD,
        duration_s=100.0,
    ),
    _experiment(
        "same",
        "Three flows of the same algorithm",
        "Do flows of video that come one after the other share?",
        "5.4",
        same,
        (measured.share_20s, measured.share_5s),
        steps=((0.0, 3.5),),
        duration_s=120.0,
    ),
    _experiment(
        "rtt",
        "Round-trip-time fairness",
        "Do flows of video with one-way delays of 10 to 150 ms share?",
        "5.5",
        rtts,
        (measured.share_20s, measured.share_5s),
        steps=((0.0, 4.0),),
        duration_s=300.0,
    ),
    _experiment(
        "long",
        "Beside a long TCP flow",
        "What do video and a long NewReno flow leave each other?",
        "5.6",
        beside_long,
        (measured.tcp_share,),
        points={"queue": (300, 1000)},
        steps=((0.0, 2.0),),
        duration_s=120.0,
        figures=(
            Compared("tcp", "The TCP flow over an equal share", metric="tcp_share", panels="queue", y_label="ratio", baseline=(1.0,)),
        ),
    ),
    _experiment(
        "short",
        "Beside short TCP flows",
        "What do video and ten short flows that come and go do to each other?",
        "5.7; RFC 8868, 7.1",
        beside_short,
        (measured.share_20s, measured.page_s_mean),
        steps=((0.0, 2.0),),
        duration_s=300.0,
        notes=(
            "Each short flow fetches 40 kB, the middle of the text's 30 to 50 kB, then pauses for 10 s on average; the text "
            "starts two of them "
            "in a transfer, here all start in a pause.",
        ),
    ),
    _experiment(
        "pause",
        "Pause and resume",
        "Does a flow of video that comes back get its share, without harm to the others?",
        "5.8",
        pause,
        (),
        steps=((0.0, 3.5),),
        duration_s=120.0,
        more=(Measure("share_20s", function=measured.resumed),),
        notes=(
            "The flow that resumes is a new connection: the simulator's video has no pause. The text's prose and table "
            "differ in which flow it is.",
        ),
    ),
    _experiment(
        "ecn",
        "With ECN",
        "Do frames wait less, and are fewer lost, where the queue marks?",
        "6.2",
        ecn,
        (measured.rise_s, measured.calm_s),
        points={"ecn": ("off", "on"), "aqm": ("codel", "fq-codel", "red")},
        steps=VARIABLE,
        duration_s=100.0,
        only=lambda point: point["alg"] != "ledbat",
        notes=("LEDBAT here has no answer to a mark and is left out; the first basic case stands for all.",),
    ),
    _experiment(
        "hops",
        "Two bottlenecks",
        "Is the flow over both bottlenecks starved?",
        "6.3",
        hops,
        (measured.first_share,),
        steps=((0.0, 2.0),),
        duration_s=300.0,
        notes=("The way between two hops takes 10 ms, which the one-way delays include. Without jitter: the hops' would add up.",),
    ),
)
