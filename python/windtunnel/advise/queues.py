"""What the queue's discipline does to the latency under load, and what an operator can do about it, in a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from windtunnel.advise.arrangements import beside
from windtunnel.advise.columns import SHARE_OF_RTT
from windtunnel.advise.measures import load_mbps, load_rtt_ms
from windtunnel.advise.path import Network
from windtunnel.advise.ranking import Advice, Load
from windtunnel.experiment import Draws, Experiment, Measure, Point
from windtunnel.scenario import Scenario
from windtunnel.scenario.catalogue import DROP_TAIL
from windtunnel.stats import summarise
from windtunnel.store import Results

QUEUES = "advise.queues"
LOADS = ("cubic", "bbr")
"""What loads the link: what most senders on the Internet run."""
DISCIPLINES = (DROP_TAIL, "codel", "pie", "fq-codel")
"""What is compared: drop-tail, and those that RFC 8290, RFC 8289 and RFC 8033 describe, with their own parameters."""
FULL = 0.95
"""A discipline, or an algorithm, that carries less than this share of the best is no cure."""
SAME = ("source", "parameters", "repeats")
"""Of the declaration what the other experiments have too."""
LEAST_SAVED = 0.25
"""Latency is worth a word where a discipline saves more than this share of the base RTT."""


def _scenario(point: Point, draws: Draws, *, network: Network) -> Scenario:
    pair = beside(point, draws, network=network, others=(point["alg"],))
    link = pair.bottleneck.model_copy(update={"discipline": point["aqm"], "discipline_parameters": {}})
    return pair.model_copy(update={"bottleneck": link})


def under_load(network: Network, same: Mapping[str, Any]) -> Experiment:
    """Declare two CUBIC and two BBR flows behind each discipline, with the rest of the declaration from the others."""
    return Experiment(
        id=QUEUES,
        title="Under load",
        question="How long is the round trip while two flows load the link, behind each discipline?",
        scenario=partial(_scenario, network=network),
        measures=(Measure("load_rtt_ms", function=load_rtt_ms), Measure("load_mbps", function=load_mbps)),
        **{**same, "points": {"alg": LOADS, "aqm": DISCIPLINES}},
    )


def found(results: Results) -> tuple[Load, ...]:
    """Return what was measured, in the order of the declaration."""
    values: dict[tuple[str, str, str], list[float]] = {}
    for row in results.measures(QUEUES).sort("seed").iter_rows(named=True):
        if row["value"] is not None:
            values.setdefault((row["aqm"], row["alg"], row["metric"]), []).append(float(row["value"]))
    loads = []
    for discipline in DISCIPLINES:
        for name in LOADS:
            rtts, rates = (values.get((discipline, name, metric)) for metric in ("load_rtt_ms", "load_mbps"))
            if rtts and rates:
                loads.append(Load(discipline, name, summarise(rtts), summarise(rates)))
    return tuple(loads)


def cure(loads: Sequence[Load], rtt_ms: float) -> tuple[str, float] | None:
    """Return the discipline with the lowest latency under load and how much it saves, ms, over all algorithms the least.

    Parameters
    ----------
    loads : sequence of Load
        With drop-tail among them.
    rtt_ms : float
        The base RTT.

    Returns
    -------
    tuple of (str, float) or None
        None where none saves what is worth a word, or all cost throughput.
    """
    by = {(one.discipline, one.algorithm): one for one in loads}
    plain = {name: one for (discipline, name), one in by.items() if discipline == DROP_TAIL}
    best: tuple[str, float] | None = None
    for discipline in dict.fromkeys(one.discipline for one in loads if one.discipline != DROP_TAIL):
        pairs = [(plain[name], by[discipline, name]) for name in plain if (discipline, name) in by]
        if not pairs or any(after.rate_mbps.mean < FULL * before.rate_mbps.mean for before, after in pairs):
            continue
        saved_ms = min(before.rtt_ms.mean - after.rtt_ms.mean for before, after in pairs)
        if saved_ms > LEAST_SAVED * rtt_ms and (best is None or saved_ms > best[1]):
            best = discipline, saved_ms
    return best


def sentences(advice: Advice, loads: Sequence[Load], network: Network) -> list[str]:
    """Return what a network operator can act on: first for the owner of the queue, then for that of the senders alone."""
    rtt_ms = 1e3 * network.rtt_s
    plain = [one for one in loads if one.discipline == DROP_TAIL]
    if not plain:
        return []
    better = cure(loads, rtt_ms)
    if better is None:
        stands_ms = max(one.rtt_ms.mean for one in plain) - rtt_ms
        return [
            f"The queue adds at most {stands_ms:.0f} ms to the round trip of {rtt_ms:g} ms under load, and no other discipline takes off "
            f"more than a quarter of that round trip without costing throughput: choose by the algorithm alone."
        ]
    name = better[0]
    told = [
        f"{one.algorithm} {before.rtt_ms.mean:.0f} -> {one.rtt_ms.mean:.0f} ms"
        for before in plain
        for one in loads
        if one.discipline == name and one.algorithm == before.algorithm
    ]
    said = [
        f"The standing queue is the problem: under load the round trip of {rtt_ms:g} ms grows behind drop-tail. {name} on the bottleneck "
        f"cures it ({', '.join(told)}, throughput kept within {100 * (1 - FULL):.0f} %): tc qdisc replace dev DEV root "
        f"{name.replace('-', '_')}, behind a shaper where the bottleneck is another device's."
    ]
    return [*said, *_without_the_queue(advice, rtt_ms)]


def _without_the_queue(advice: Advice, rtt_ms: float) -> list[str]:
    known = [
        (row.found["delay"].mean, row.algorithm, row.found["goodput"].mean) for row in advice.rows if {"delay", "goodput"} <= set(row.found)
    ]
    known = [one for one in known if math.isfinite(one[0]) and math.isfinite(one[2])]
    if not known:
        return []
    most = max(rate for *_, rate in known)
    delay_ms, name, rate = min(one for one in known if one[2] >= FULL * most)
    worst_ms = max(one[0] for one in known)
    if worst_ms - delay_ms <= SHARE_OF_RTT * rtt_ms:
        return ["If the queue is not yours, no algorithm among these keeps it shorter than another."]
    return [
        f"If the queue is not yours, {name} alone keeps it shortest of those that fill the link: {delay_ms:.0f} ms for 95 % of the time at "
        f"{rate:.3g} Mbit/s, where the worst has {worst_ms:.0f} ms. Other people's flows may fill it all the same."
    ]
