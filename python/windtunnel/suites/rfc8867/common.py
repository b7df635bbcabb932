"""What the tests of RFC 8867 share: a path whose capacity changes, video with its audio, and jitter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windtunnel.experiment import Draws
from windtunnel.scenario import Scenario
from windtunnel.suites.wireless.parts import delays, drawing, ordered_jitter_s

SUBJECTS = ("ledbat", "reno", "cubic", "vegas", "bbr3")
"""LEDBAT is what SCReAM's window (RFC 8298) is made from; the others are what media over TCP or QUIC meets."""
REFERENCE_MBPS = 1.0
OWD_MS = 50
QUEUE_S = 0.3
MEDIA_BPS, MEDIA_MIN_BPS = 1.5e6, 150e3
FRAME_S = 0.04
"""25 frames a second; the text has 10 to 30."""
AUDIO_BPS, AUDIO_BYTES = 20e3, 100
JITTER_SLOT_S = 0.012
"""A packet's time at 1 Mbit/s: how long a draw of the jitter lasts."""
SAMPLE_S = 0.1
PAYLOAD = 1448 / 1500
HEADINGS = {"owd": "one-way delay (ms)", "way": "way of the feedback", "ecn": "ECN", "queue": "queue (ms)", "aqm": "queue discipline"}
MEDIA = (
    "media",
    "video of 150 kbit/s to 1.5 Mbit/s, 25 frames/s, as TCP payload; its encoder follows RFC 8298, 4.1.3, without the trend of delay; "
    "audio of 20 kbit/s as datagrams beside each",
)

Steps = Sequence[tuple[float, float]]
"""When a capacity begins, seconds, and what it is, Mbit/s; the first at 0."""


def link(capacity: Steps, **given: Any) -> dict[str, Any]:
    """Return a link of such capacities whose drop-tail queue holds 300 ms, unless something else is given."""
    fields: dict[str, Any] = {"rate_bps": capacity[0][1] * 1e6, "rate_steps": [{"at": at, "rate": mbps * 1e6} for at, mbps in capacity[1:]]}
    queue: dict[str, Any] = {} if {"queue_s", "queue_packets"} & set(given) else {"queue_s": QUEUE_S}
    return {**fields, **queue, **given}


def video(name: str, draws: Draws, number: int, start_s: float = 0.0, **given: Any) -> dict[str, Any]:
    """Return a flow of video; it starts within a frame's time after `start_s`."""
    begin = round(start_s + FRAME_S * draws.uniform(f"start of video {number}"), 4)
    fields = {"algorithm": name, "start_s": begin, "video_bps": MEDIA_BPS, "video_min_bps": MEDIA_MIN_BPS, "frame_s": FRAME_S}
    return {**fields, **given}


def audio(flows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the audio of each flow of video, as datagrams from its start to its end."""
    found = []
    for one in flows:
        if "video_bps" not in one:
            continue
        fields = {"kind": "udp", "rate": AUDIO_BPS, "packet": AUDIO_BYTES, "start": one["start_s"]}
        kept: dict[str, Any] = {key: one[key] for key in ("direction", "enter", "leave") if key in one}
        if "stop_s" in one:
            kept["stop"] = one["stop_s"]
        found.append({**fields, **kept})
    return found


def jitter(draws: Draws, duration_s: float, way: str = "forward") -> list[dict[str, float]]:
    """Return the jitter of RFC 8868 that keeps the order, standard deviation 5 ms, as steps of delay."""
    return delays(
        drawing(draws, f"jitter {way}"), lambda stream, _: ordered_jitter_s(stream), [(JITTER_SLOT_S, duration_s, 0.0)], JITTER_SLOT_S
    )


def scenario(bottleneck: dict[str, Any], flows: Sequence[dict[str, Any]], *, duration_s: float, **given: Any) -> Scenario:
    """Return a test: these flows with their audio, both ways of 50 ms unless a flow says otherwise."""
    fields: dict[str, Any] = {"rtt_s": 2e-3 * OWD_MS, "duration_s": duration_s, "sample_s": SAMPLE_S, **given}
    return Scenario.model_validate({"bottleneck": bottleneck, "flows": list(flows), "traffic": audio(flows), **fields})
