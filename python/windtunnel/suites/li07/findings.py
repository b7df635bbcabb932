"""What strikes most in the benchmark, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import polars as pl

from windtunnel.stats import summarise
from windtunnel.suites.li07.common import DURATION_S

NAMES = {
    "reno": "Reno",
    "scalable": "Scalable TCP",
    "hstcp": "HighSpeed TCP",
    "bic": "BIC",
    "fast": "FAST",
    "htcp": "H-TCP",
    "cubic": "CUBIC",
}
NEW = ("scalable", "hstcp", "bic", "fast", "htcp")
LONGEST_RTT = 162
"""Findings leave out 324 ms, where BIC's results hang on a rule of which the paper says too little (see the validation page)."""


def findings(tables: Mapping[str, pl.DataFrame]) -> list[str]:
    """Return what was found, the most striking first: by how many times one protocol differs from another.

    Parameters
    ----------
    tables : mapping of str to polars.DataFrame
        Measures by experiment.

    Returns
    -------
    list of str
        Sentences; empty when the experiments they need were not run.
    """
    found = [*_convergence(tables), *_overhead(tables), *_compatibility(tables), *_unfairness(tables)]
    return [text for _, text in sorted(found, key=lambda pair: -pair[0])]


def _means(tables: Mapping[str, pl.DataFrame], experiment: str, metric: str) -> dict[tuple[str, float], float]:
    """Return means over repeats at 250 Mbit/s by protocol and RTT, infinite where most repeats are."""
    frame = tables.get(experiment)
    if frame is None:
        return {}
    rows = frame.filter((pl.col("metric") == metric) & (pl.col("rate") == 250) & pl.col("flow").is_null() & pl.col("value").is_not_null())
    grouped = rows.group_by("alg", "rtt", maintain_order=True).agg("value").iter_rows()
    return {(alg, rtt): summarise(values, censored_at=DURATION_S).mean for alg, rtt, values in grouped}


def _convergence(tables: Mapping[str, pl.DataFrame]) -> Iterator[tuple[float, str]]:
    times = _means(tables, "li07.fig11", "conv80_s")
    at = {alg: value for (alg, rtt), value in times.items() if rtt == 162}
    if "htcp" not in at or math.isinf(at["htcp"]) or len(at) < 2:
        return
    slowest = max((alg for alg in at if alg in NEW), key=lambda alg: at[alg])
    text = f"At 250 Mbit/s and 162 ms a second H-TCP flow reaches 80 % of its throughput after {at['htcp']:.0f} s; "
    if math.isinf(at[slowest]):
        yield 2.0, f"{text}with {NAMES[slowest]} it does not within ten minutes."
    else:
        yield math.log10(at[slowest] / at["htcp"]), f"{text}with {NAMES[slowest]} it takes {at[slowest]:.0f} s."


def _overhead(tables: Mapping[str, pl.DataFrame]) -> Iterator[tuple[float, str]]:
    lost = _means(tables, "li07.fig9", "loss_ovh")
    ratios = {key: lost[key] / lost["reno", key[1]] for key in lost if key[0] in NEW and key[1] <= LONGEST_RTT and ("reno", key[1]) in lost}
    if not ratios:
        return
    (alg, rtt), ratio = max(ratios.items(), key=lambda item: item[1])
    text = f"At 250 Mbit/s and {rtt:.0f} ms two {NAMES[alg]} flows retransmit {100 * lost[alg, rtt]:.1f} % of their packets"
    yield math.log10(ratio), f"{text}, {ratio:,.0f} times what Reno does."


def _compatibility(tables: Mapping[str, pl.DataFrame]) -> Iterator[tuple[float, str]]:
    means = _means(tables, "li07.fig6", "new_over_reno")
    ratios = {key: value for key, value in means.items() if key[0] in NEW and key[1] <= LONGEST_RTT}
    if not ratios:
        return
    (alg, rtt), ratio = max(ratios.items(), key=lambda item: item[1])
    text = f"At 250 Mbit/s and {rtt:.0f} ms one {NAMES[alg]} flow takes {ratio:.0f} times the throughput of the Reno flow beside it."
    yield math.log10(ratio), text


def _unfairness(tables: Mapping[str, pl.DataFrame]) -> Iterator[tuple[float, str]]:
    ratios = {key: value for key, value in _means(tables, "li07.fig5", "rtt_unfair").items() if key[1] < 162}
    worst = {key: value / ratios["reno", key[1]] for key, value in ratios.items() if key[0] in NEW and ("reno", key[1]) in ratios}
    if not worst:
        return
    (alg, rtt), more = max(worst.items(), key=lambda item: item[1])
    text = f"A {NAMES[alg]} flow at {rtt:.0f} ms gets {ratios[alg, rtt]:.0f} times the throughput of one at 162 ms; with Reno it is "
    yield math.log10(more), f"{text}{ratios['reno', rtt]:.0f} times."
