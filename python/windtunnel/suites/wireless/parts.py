"""Laws of wireless paths, each as fields of a link that the engine has: steps of delay and rate, outages, deliveries.

All of it is drawn before the run, from a seed, and kept in order: what left a link earlier arrives no later. A law that draws for each
packet is drawn for each slot of 1.2 ms, a packet's time at 10 Mbit/s: two packets at 20 Mbit/s share a draw.
"""

from __future__ import annotations

import random
from typing import Any

from windtunnel.experiment import Draws

PACKET_BITS = 12_000
SLOT_S = 1.2e-3
"""A packet's time at 10 Mbit/s: how long a draw of a law lasts. Packets that leave within one share it."""
RETRY_S, RETRANSMISSION_S = 1e-3, 7.5e-3
"""Intervals of the Wi-Fi law: of a deferral, and of a retransmission."""
DEFERRALS, RETRANSMISSIONS = 1.0, 12.0
"""Means of their Poisson numbers."""
_GRAIN_S = 1e-6


def drawing(draws: Draws, name: str) -> random.Random:
    """Return a stream of a repeat's own, the same for every protocol."""
    return random.Random(f"{name}/{draws.seed}")


def poisson(stream: random.Random, mean: float) -> int:
    """Return a Poisson number: how many exponential gaps of mean 1 fit into `mean`."""
    count, total = 0, stream.expovariate(1.0)
    while total < mean:
        count += 1
        total += stream.expovariate(1.0)
    return count


def wifi_latency_s(stream: random.Random, mean_s: float) -> float:
    """Return one packet's latency on Wi-Fi among neighbours on the same channel, seconds.

    Parameters
    ----------
    stream : random.Random
        Where it is drawn from.
    mean_s : float
        The mean asked for: at 1 ms or less no packet is retransmitted, from 91 ms on every one is.

    Notes
    -----
    Source: draft-huitema-ccwg-c4-test, "Handling of High Jitter Environments": N1 intervals of 1 ms, N1 ~ Poisson(1), less r ~ U(0, 1 ms)
    where N1 is 1 at least; for a fraction x = (mean - 1 ms)/90 ms of the packets also N2 intervals of 7.5 ms, N2 ~ Poisson(12).
    """
    deferred = poisson(stream, DEFERRALS)
    latency = deferred * RETRY_S
    share = min(max((mean_s - 1e-3) / 90e-3, 0.0), 1.0)
    if stream.random() < share:
        latency += poisson(stream, RETRANSMISSIONS) * RETRANSMISSION_S
    if deferred >= 1:
        latency -= stream.random() * 1e-3
    return latency


def ordered_jitter_s(stream: random.Random, deviation_s: float = 5e-3) -> float:
    """Return one packet's delay by the jitter of RFC 8868 that keeps the order (NR-RBPDV), without its mean, seconds.

    z = |max(min(N(0, std^2), 3 std), -3 std)|; the text's std is 5 ms. That a packet never overtakes another is the link's own rule.
    """
    return abs(max(min(stream.gauss(0.0, deviation_s), 3 * deviation_s), -3 * deviation_s))


def delays(stream: random.Random, law: Any, spans: list[tuple[float, float, float]], slot_s: float) -> list[dict[str, float]]:
    """Return steps of delay: in each slot a draw of a law.

    Parameters
    ----------
    stream : random.Random
        Where they are drawn from.
    law : callable
        From the stream and the span's parameter to seconds.
    spans : list of (float, float, float)
        Begin and end in seconds, and the law's parameter between them; ascending.
    slot_s : float
        How long a draw lasts, seconds.
    """
    steps: list[dict[str, float]] = []
    for begin, end, parameter in spans:
        for number in range(round((end - begin) / slot_s)):
            at = begin + number * slot_s
            steps.append({"at_s": round(at, 9), "extra_s": round(law(stream, parameter) / _GRAIN_S) * _GRAIN_S})
    return steps


def suspensions(duration_s: float, *, every_s: float = 2.0, length_s: float = 0.2) -> list[dict[str, float]]:
    """Return outages of the last part of every interval: draft-huitema-ccwg-c4-test, "Wifi suspension trial", 0.2 s of 2 s."""
    count = int(duration_s / every_s)
    return [{"at_s": round((number + 1) * every_s - length_s, 6), "length_s": length_s} for number in range(count)]


def batches(rate_mbps: float, every_ms: int) -> list[int]:
    """Return deliveries of a link that sends aggregated frames: every `every_ms` all that the rate has come to, at once.

    802.11n and later send frames of up to some 4 ms (TXOP) of packets; heistp/l4s-tests emulates such bursts. The list is in mahimahi's
    form, a number for each 1500 bytes, and starts over after its last: after 250 frames.
    """
    found: list[int] = []
    sent = 0
    for number in range(1, 251):
        due = int(rate_mbps * 1e3 * number * every_ms / PACKET_BITS)
        found += [number * every_ms] * (due - sent)
        sent = due
    return found if found and found[-1] == 250 * every_ms else [*found, 250 * every_ms]


def handovers(
    stream: random.Random, duration_s: float, *, every_s: float = 15.0, rtt_s: tuple[float, float] = (0.0, 0.04)
) -> dict[str, Any]:
    """Return the changes of a path over satellites of low orbit: every 15 s a new one, with another delay and rate, after a short gap.

    Starlink assigns satellites anew every 15 s (N. Mohan et al., WWW 2024; numbers from memory): here a gap of 20 to 120 ms, a delay drawn
    evenly between two bounds beside the base RTT, and half to all of the rate.
    """
    steps, outages, shares = [], [], []
    for number in range(1, int(duration_s / every_s) + 1):
        at, gap = number * every_s, round(0.02 + 0.1 * stream.random(), 3)
        if at + gap < duration_s:
            outages.append({"at_s": at, "length_s": gap})
            steps.append({"at_s": at, "extra_s": round(rtt_s[0] + (rtt_s[1] - rtt_s[0]) * stream.random(), 4)})
            shares.append((at, round(0.5 + 0.5 * stream.random(), 3)))
    return {"delay_steps": steps, "outages": outages, "shares": shares}


def cellular(stream: random.Random, duration_s: float, *, mean_pps: float = 500.0, most_pps: float = 1000.0) -> list[int]:
    """Return deliveries of a cellular link by Sprout's model of one, milliseconds in mahimahi's form.

    The rate of a Poisson process moves as a Brownian motion of 200 packets/s per root second between 0 and 1000 packets/s; at 0 it stays
    with an escape rate of 1/s (K. Winstein, A. Sivaraman, H. Balakrishnan, NSDI 2013, section 3; numbers from memory).
    """
    tick_s, rate, found = 0.02, mean_pps, []
    waiting = False
    for number in range(round(duration_s / tick_s)):
        if waiting and stream.random() > tick_s * 1.0:
            continue
        rate += stream.gauss(0.0, 200.0 * tick_s**0.5)
        waiting = rate <= 0
        rate = min(max(rate, 0.0), most_pps)
        moments = sorted(stream.random() for _ in range(poisson(stream, rate * tick_s)))
        found += [max(1, round((number + moment) * tick_s * 1e3)) for moment in moments]
    return [*found, round(duration_s * 1e3)]
