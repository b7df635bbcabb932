"""Sections 7.2, 9.1, 9.2 and 10.2: bursts of video and web, a mix of traffic, both directions, and two queues in a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Value
from windtunnel.scenario import Flow, Scenario
from windtunnel.suites.rfc7928.common import (
    BUFFER_PACKETS,
    DISCIPLINES,
    HEADINGS,
    HELD,
    LEVELS,
    NETWORK,
    QUICK,
    QUICK_REPEATS,
    RATE_MBPS,
    REPEATS,
    STEADY,
    bottleneck,
    by_discipline,
    flows,
    plane,
    scenario,
    start_s,
)

CBR_MBPS, VIDEO_MBPS, CHUNK_S = 1.0, 2.0, 4.0
VOICE_BPS, VOICE_BYTES = 80_000.0, 200
BURSTS: Mapping[str, tuple[int, int, int, int]] = {"I": (0, 1, 1, 0), "II": (0, 1, 1, 1), "III": (1, 1, 1, 0), "IV": (1, 1, 1, 1)}
"""Video, web pages, constant bit rate, bulk TCP (table of 7.2)."""
WEB = {
    "algorithm": "cubic",
    "objects": {"law": "fixed", "mean": 50},
    "sizes": "pareto:15kB:1.2",
    "think": "exponential:1s",
    "connections": 6,
    "max_bytes": 1_000_000,
    "transport": {"initial_window": 10},
}
VIDEO_NOTE = (
    "The video is a flow that gets a chunk of 1 MB every 4 s, 2 Mbit/s on average, whatever the path carries: an adaptive player would "
    "ask for less. The next page begins a thinking time of a second (exponential) after the one before it."
)


def _web(count: int) -> tuple[dict[str, Any], ...]:
    return ({**WEB, "count": count},) if count else ()


def _video(draws: Draws, number: int) -> Flow:
    given = {"algorithm": "cubic", "start_s": start_s(draws, number), "app_rate_bps": VIDEO_MBPS * 1e6, "chunk_s": CHUNK_S}
    return Flow.model_validate(given)


def bursts(point: Point, draws: Draws) -> Scenario:
    """Return one of the four mixes of section 7.2."""
    video, web, cbr, bulk = BURSTS[point["mix"]]
    those = [*(_video(draws, 1 + number) for number in range(video)), *flows("cubic", bulk, draws, first=3)]
    # A scenario has a flow; where the mix has none, one of a packet.
    those = those or [*flows("cubic", 1, draws, bytes=1448)]
    sources = ({"kind": "udp", "rate_bps": CBR_MBPS * 1e6},) * cbr
    return scenario(bottleneck(point["aqm"]), those, draws, sessions=_web(web), traffic=sources)


def datagrams_lost(view: View) -> float | None:
    """Return the share of the first source's datagrams that were lost, over the whole run."""
    row = view.row(len(view.scenario["flows"]))
    return row["lost_packets"] / row["sent_packets"] if row["sent_packets"] else None


def mix(point: Point, draws: Draws) -> Scenario:
    """Return section 9.1's mix: a call in both directions, six web downloads, constant bit rate, video, five bulk flows."""
    voice = {"kind": "udp", "rate_bps": VOICE_BPS, "packet_bytes": VOICE_BYTES}
    sources = (voice, {**voice, "direction": "reverse"}, {"kind": "udp", "rate_bps": CBR_MBPS * 1e6})
    those = (_video(draws, 1), *flows("cubic", 5, draws, first=2))
    return scenario(bottleneck(point["aqm"]), those, draws, sessions=_web(6), traffic=sources)


def both_ways(point: Point, draws: Draws) -> Scenario:
    """Return mild congestion in both directions, each under the discipline."""
    count = LEVELS["mild"]
    those = (*flows("reno", count, draws), *flows("reno", count, draws, first=count + 1, direction="reverse"))
    back = {"rate_bps": RATE_MBPS * 1e6, "queue_packets": BUFFER_PACKETS, "discipline": point["aqm"]}
    return scenario(bottleneck(point["aqm"]), those, draws, reverse=back)


def two_queues(point: Point, draws: Draws) -> Scenario:
    """Return two bottlenecks in a row, the second of four fifths of the rate; half of the flows cross both."""
    half = LEVELS["mild"] // 2
    those = (*flows("reno", half, draws, leave=2), *flows("reno", half, draws, first=half + 1, enter=2, leave=2))
    second = {"rate_bps": 0.8 * RATE_MBPS * 1e6, "queue_packets": BUFFER_PACKETS, "discipline": point["second"], "delay_s": 0.005}
    return scenario(bottleneck(point["aqm"]), those, draws, hops=(second,))


SECONDS: tuple[Value, ...] = ("drop-tail", "pie", "codel", "fq-codel")

EXPERIMENTS = (
    Experiment(
        id="rfc7928.bursts",
        title="Bursts of video and web pages",
        question="How long do pages take, and what is lost of a constant bit rate, where traffic comes in bursts?",
        source="7.2 (must)",
        duration_s=120.0,
        points={"alg": ("cubic",), "aqm": DISCIPLINES, "mix": tuple(BURSTS)},
        scenario=bursts,
        measures=(
            Measure("page_s"),
            Measure("page_s@p95"),
            Measure("datagrams_lost", function=datagrams_lost),
            Measure("qdelay_mean_ms"),
            Measure("qdelay_p95_ms"),
            Measure("drop_share"),
            Measure("util"),
        ),
        figures=(
            by_discipline("pages", "Mean time of a page of 50 objects", "page_s", "s", series="mix"),
            by_discipline("lost", "Datagrams of the constant bit rate that are lost", "datagrams_lost", "share", series="mix"),
            by_discipline("delay", "95th percentile of the queueing delay", "qdelay_p95_ms", "ms", series="mix"),
        ),
        parameters=(
            *NETWORK,
            ("mixes", "I: web, CBR; II: web, CBR, bulk; III: video, web, CBR; IV: all (table of 7.2)"),
            ("web", "pages of 50 objects, Pareto of 15 kB with shape 1.2, at most 1 MB, six connections at once, initial window of 10"),
            ("video", f"{VIDEO_MBPS:g} Mbit/s in chunks every {CHUNK_S:g} s"),
            ("CBR", f"{CBR_MBPS:g} Mbit/s of datagrams of 1500 bytes"),
            ("bulk", "1 CUBIC"),
            STEADY,
        ),
        repeats=REPEATS,
        kept="queues",
        quick=Quick(points={"aqm": QUICK}, repeats=QUICK_REPEATS),
        headings=HEADINGS,
        notes=(VIDEO_NOTE,),
    ),
    Experiment(
        id="rfc7928.mix",
        title="A mix of traffic",
        question="What do a call, pages, video and bulk transfers make of one link?",
        source="9.1 (recommended)",
        duration_s=120.0,
        points={"alg": ("cubic",), "aqm": DISCIPLINES},
        scenario=mix,
        measures=(
            Measure("page_s"),
            Measure("page_s@p95"),
            Measure("voice_lost", function=datagrams_lost),
            Measure("qdelay_mean_ms"),
            Measure("qdelay_p95_ms"),
            Measure("util"),
            Measure("goodput_mbps"),
        ),
        figures=(
            plane(),
            by_discipline("pages", "Mean time of a page of 50 objects", "page_s", "s"),
            by_discipline("voice", "Packets of the call that are lost", "voice_lost", "share"),
        ),
        parameters=(
            *NETWORK,
            ("call", "80 kbit/s of packets of 200 bytes, in both directions"),
            ("web", "6 sessions of the pages of 7.2"),
            ("others", "1 Mbit/s CBR, the video of 7.2, 5 CUBIC"),
            STEADY,
        ),
        repeats=REPEATS,
        kept="queues",
        quick=Quick(points={"aqm": QUICK}, repeats=QUICK_REPEATS),
        headings=HEADINGS,
        notes=(VIDEO_NOTE,),
    ),
    Experiment(
        id="rfc7928.bidirectional",
        title="Traffic in both directions",
        question="What delay and goodput does a discipline in both directions give mild congestion in both?",
        source="9.2 (may)",
        duration_s=120.0,
        points={"alg": ("reno",), "aqm": DISCIPLINES},
        scenario=both_ways,
        measures=(*HELD, Measure("rev_thr_mbps"), Measure("rev_drops")),
        figures=(plane(), by_discipline("reverse", "Throughput in reverse", "rev_thr_mbps", "Mbit/s")),
        parameters=(*NETWORK, ("flows", f"{LEVELS['mild']} NewReno each way"), STEADY),
        repeats=REPEATS,
        kept="queues",
        quick=Quick(points={"aqm": QUICK}, repeats=QUICK_REPEATS),
        headings=HEADINGS,
    ),
    Experiment(
        id="rfc7928.two",
        title="Two queues in a row",
        question="Does a second discipline behind the first change what the first gives?",
        source="10.2 (may)",
        duration_s=120.0,
        points={"alg": ("reno",), "aqm": ("pie", "codel", "fq-codel"), "second": SECONDS},
        scenario=two_queues,
        measures=(*HELD, Measure("jain")),
        figures=(
            by_discipline("goodput", "Goodput of all flows", "goodput_mbps", "Mbit/s", series="second"),
            by_discipline("jain", "Jain's index of all flows", "jain", "index", series="second"),
        ),
        parameters=(
            *NETWORK,
            ("links", "10 Mbit/s, then 8 Mbit/s 5 ms behind it"),
            ("flows", f"{LEVELS['mild'] // 2} NewReno cross both links, {LEVELS['mild'] // 2} the second alone"),
            STEADY,
        ),
        repeats=REPEATS,
        kept="queues",
        quick=Quick(repeats=QUICK_REPEATS),
        headings={**HEADINGS, "second": "second discipline"},
        notes=("Delay and drops are the first link's.",),
    ),
)
