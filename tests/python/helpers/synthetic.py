"""A made-up study in the form of the real ones: measures tables, histories and verdicts, of plausible size and shape.

No number here means anything; tests take them as given and ask only whether figures and pages show them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from windtunnel import plots

PROTOCOLS = ("reno", "scalable", "hstcp", "bic", "fast", "htcp", "cubic")
RATES = (10.0, 250.0)
RTTS = (16.0, 22.0, 42.0, 82.0, 162.0, 324.0)
QUEUES = (0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
LOSSES = (1e-7, 1e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 1e-2)
SEEDS = (1, 2, 3, 4, 5)
DURATION_S = 600.0


@dataclass(frozen=True)
class Verdict:
    """The fields of a verdict as the report reads them."""

    id: str
    experiment: str
    claim: str
    predicate: str
    published: str
    strength: str
    section: str
    judge: str
    verdict: str
    estimate: list[float] | None
    interval: list[list[float]] | None
    runs: int
    reason: str = ""
    sensitivity: Mapping[str, str] = field(default_factory=dict)
    judged_on: str = ""
    by_construction: str = ""
    tolerance: str = ""
    caveat: str = ""
    why: Any = None
    labels: tuple[str, ...] = ()
    run_keys: frozenset[str] = frozenset()

    @property
    def counted(self) -> str:
        return "by_construction" if self.verdict == "holds" and self.by_construction else self.verdict


def table(metric: str, dimensions: Mapping[str, tuple[Any, ...]], value: Callable[..., float | None]) -> pl.DataFrame:
    """A measures table of one metric over the product of the dimensions and five seeds."""
    rows: list[dict[str, Any]] = []
    for point in _product(dimensions):
        for seed in SEEDS:
            rng = np.random.default_rng([seed, *(abs(hash_of(item)) for item in point.values())])
            row = {**point, "seed": seed, "metric": metric, "flow": None, "state": None, "t0": None, "t1": None}
            rows.append({**row, "value": value(rng, **point), "text": None, "run": f"{metric}-{len(rows)}", "digest": None})
    floats = {name: pl.Float64 for name, values in dimensions.items() if not isinstance(values[0], str)}
    types = {"seed": pl.Int64, "flow": pl.String, "state": pl.String, "t0": pl.Float64, "t1": pl.Float64, "value": pl.Float64}
    return pl.DataFrame(rows, schema_overrides={**floats, **types, "text": pl.String, "run": pl.String, "digest": pl.String})


def hash_of(item: object) -> int:
    """A number for a coordinate, the same in every process."""
    return sum(ord(letter) * 31**place for place, letter in enumerate(str(item)[:12])) % 2**31


def _product(dimensions: Mapping[str, tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    points: list[dict[str, Any]] = [{}]
    for name, values in dimensions.items():
        points = [{**point, name: value} for point in points for value in values]
    yield from points


_GRID: dict[str, tuple[Any, ...]] = {"alg": PROTOCOLS, "rate": RATES, "rtt": RTTS}
_FAIR = {"reno": 0.97, "scalable": 0.32, "hstcp": 0.7, "bic": 0.82, "fast": 0.76, "htcp": 0.96, "cubic": 0.93}


def fairness() -> pl.DataFrame:
    """Ratio of two flows' throughputs: linear, between 0 and 1."""

    def value(rng: np.random.Generator, alg: str, rate: float, rtt: float) -> float:
        sag = 0.16 * (1 - _FAIR[alg]) * math.log10(rtt / 16) * (1 + math.log10(rate / 10))
        return float(np.clip(_FAIR[alg] - sag + rng.normal(0, 0.02 + 0.1 * (1 - _FAIR[alg])), 0.01, 1.0))

    return table("fair_minmax", _GRID, value)


def unfairness() -> pl.DataFrame:
    """Ratio of throughputs against one flow's RTT, with the prediction beside it: logarithmic."""
    power = {"reno": 1.7, "scalable": 4.2, "hstcp": 2.6, "bic": 2.9, "fast": 0.15, "htcp": 1.0, "cubic": 0.8}

    def value(rng: np.random.Generator, alg: str, rate: float, rtt: float) -> float:
        return float((162 / rtt) ** power[alg] * math.exp(rng.normal(0, 0.12)))

    def predicted(rng: np.random.Generator, alg: str, rate: float, rtt: float) -> float:
        return ((162 + 15) / (rtt + 15)) ** 2

    return pl.concat([table("rtt_unfair", _GRID, value), table("pred_ratio_eq4", _GRID, predicted)])


def convergence() -> pl.DataFrame:
    """80 % convergence time: some repeats, and some whole points, never converge; one run is missing."""
    scale = {"reno": 1.0, "scalable": 40.0, "hstcp": 6.0, "bic": 3.0, "fast": 0.15, "htcp": 0.12, "cubic": 0.5}

    def value(rng: np.random.Generator, alg: str, rate: float, rtt: float) -> float | None:
        if alg == "bic" and rtt == 82.0:
            return None
        reached = scale[alg] * 0.0012 * rate ** (0.3 if alg in ("htcp", "fast") else 0.9) * rtt**1.25 * math.exp(rng.normal(0, 0.25)) + 1.6
        return reached if reached < 0.8 * DURATION_S else math.inf

    return table("conv80_s", _GRID, value)


def overhead() -> pl.DataFrame:
    """Loss overhead against the queue, both logarithmic; FAST loses nothing once its share of packets fits."""
    base = {"reno": 1e-5, "scalable": 8e-4, "hstcp": 1.5e-4, "bic": 9e-5, "fast": 3e-3, "htcp": 1.2e-4, "cubic": 5e-5}

    def value(rng: np.random.Generator, alg: str, q: float) -> float:
        if alg == "fast" and q >= 0.3:
            return 0.0
        return float(base[alg] * q**-0.55 * math.exp(rng.normal(0, 0.15)))

    return table("loss_ovh", {"alg": PROTOCOLS, "q": QUEUES}, value)


def response() -> pl.DataFrame:
    """Throughput against random loss: logarithmic over five decades, capped at the link."""
    power = {"reno": 0.5, "scalable": 1.0, "hstcp": 0.82, "bic": 0.6, "fast": 0.5, "htcp": 0.6, "cubic": 0.75}

    def value(rng: np.random.Generator, alg: str, p: float) -> float:
        reno = 12000 / 0.162 * 1.3 / math.sqrt(p) / 1e6
        high = 1.8 * (1e-3 / p) ** power[alg] * 1.3
        return float(min(max(reno, high if alg != "reno" else 0.0), 242.0) * math.exp(rng.normal(0, 0.04)))

    return table("thr_mbps", {"alg": PROTOCOLS, "p": LOSSES}, value)


def history(alg: str, rtt: float, *, seed: int = 1, samples: int = 6000) -> plots.History:
    """Two sawtooths of one protocol, the second from 100 s on."""
    t_s = np.arange(samples) * DURATION_S / samples
    top = 250e6 * rtt / 1e3 / 12000 * 1.2
    rng = np.random.default_rng([seed, int(rtt)])
    frames = []
    for flow, start_s in enumerate((0.0, 100.0)):
        mine = t_s[t_s >= start_s]
        period_s = 3.0 + rtt / 12
        tooth = ((mine - start_s) / period_s) % 1.0
        level = top / 2 * (1.3 if flow == 0 else 1 - math.exp(-2) * np.exp(-(mine - start_s) / 120))
        cwnd = level * (0.75 + 0.5 * tooth) + rng.normal(0, 2, mine.size)
        columns = {"t_s": mine, "flow": np.full(mine.size, flow, dtype=np.uint32), "cwnd_packets": cwnd}
        frames.append(
            pl.DataFrame(
                {**columns, "delivered_bytes": (np.cumsum(cwnd) * 1448).astype(np.uint64), "srtt_s": rtt / 1e3 * (1 + 0.2 * tooth)}
            )
        )
    flows = pl.DataFrame({"flow": [0, 1], "algorithm": [alg, alg], "start_s": [0.0, 100.0]})
    return plots.History({"alg": alg, "rtt": rtt}, seed, pl.concat(frames), flows)


FAIRNESS = plots.Curves(
    name="ratio",
    title="Throughput ratio of two flows with the same RTT",
    metric="fair_minmax",
    x="rtt",
    panels="rate",
    x_label="base RTT (ms)",
    y_label="throughput ratio, smaller / larger",
    x_log=True,
    y_limits=(0.0, 1.05),
    baseline=(1.0,),
    caption="Two flows of one protocol share a drop-tail link with a queue of 20 % of the BDP.",
)
UNFAIRNESS = plots.Curves(
    name="unfairness",
    title="Throughput ratio of two flows with different RTTs",
    metric="rtt_unfair",
    x="rtt",
    panels="rate",
    x_label="base RTT of flow 2 (ms)",
    y_label="throughput ratio, flow 2 / flow 1",
    x_log=True,
    y_log=True,
    baseline=(1.0,),
    theory=(plots.Overlay("eq. (4), reno", metric="pred_ratio_eq4", alg="reno"),),
    caption="Flow 1 has a base RTT of 162 ms.",
)
CONVERGENCE = plots.Curves(
    name="convergence",
    title="80 % convergence time after the start of a second flow",
    metric="conv80_s",
    x="rtt",
    panels="rate",
    x_label="base RTT (ms)",
    y_label="80 % convergence time (s)",
    x_log=True,
    y_log=True,
    censored_at=DURATION_S,
)
OVERHEAD = plots.Curves(
    name="overhead",
    title="Loss overhead against queue size",
    metric="loss_ovh",
    x="q",
    x_label="queue (BDP)",
    y_label="loss overhead",
    x_log=True,
    y_log=True,
)
RESPONSE = plots.Curves(
    name="response",
    title="Response function",
    metric="thr_mbps",
    x="p",
    x_label="loss probability per packet",
    y_label="throughput (Mbit/s)",
    x_log=True,
    y_log=True,
    baseline=(250.0,),
)
HISTORIES = plots.Histories(
    name="cwnd",
    title="Congestion windows after the start of a second flow",
    quantity="cwnd_packets",
    panels="rtt",
    alg="scalable",
    y_label="cwnd (packets)",
    caption="One typical run at 250 Mbit/s; the second flow starts after 100 s.",
)


def verdicts() -> list[Verdict]:
    """One of every kind, with and without an interval, and one whose verdict hangs on a definition."""
    common = {"experiment": "made.fairness", "strength": "supporting", "section": "VI.A, Fig. 4", "judge": "sim"}
    holds = Verdict(
        id="made.c01",
        claim="Two standard TCP flows with the same RTT get the same throughput",
        predicate="all(x >= 0.9 for x in V('fair_minmax',over='rtt',alg='reno',rate=250))",
        published="within 5 %",
        verdict="holds",
        estimate=[0.9487],
        interval=[[0.9312, 0.9621]],
        runs=30,
        **{**common, "strength": "headline"},
    )
    fails = Verdict(
        id="made.c02",
        claim="A second flow of Scalable TCP gets nothing",
        predicate="M('fair_minmax',alg='scalable',rate=10) < 0.1",
        published="persistent unfairness",
        verdict="fails",
        estimate=[0.2749],
        interval=[[0.2411, 0.3080]],
        runs=30,
        **common,
    )
    unsure = Verdict(
        id="made.c03",
        claim="BIC converges faster than Standard TCP on long paths",
        predicate="M('conv80_s',alg='bic',rtt=324) < M('conv80_s',alg='reno',rtt=324)",
        published="(figure)",
        verdict="inconclusive",
        estimate=[math.inf, 239.4],
        interval=[[412.0, math.inf], [178.2, 301.5]],
        runs=10,
        reason="62 % of the resamples hold",
        sensitivity={"short_memory": "inconclusive", "long_memory": "fails"},
        **common,
    )
    not_run = Verdict(
        id="made.c04",
        claim="On the production path a single flow took more than an hour to fill the link",
        predicate="M('refill_s') > 3600",
        published="1 h",
        verdict="not_run",
        estimate=None,
        interval=None,
        runs=0,
        reason="needs the calibrated wide-area emulation",
        **{**common, "judge": "wan-only"},
    )
    return [holds, fails, unsure, not_run]


def study() -> Any:
    """A report of six experiments with every kind of figure, cell and verdict."""
    from windtunnel import report

    fairness_rows, convergence_rows, overhead_rows = fairness(), convergence(), overhead()
    grid = {"rate": "rate (Mbit/s)", "rtt": "base RTT (ms)"}

    def section(name: str, declaration: plots.Declaration, question: str, **more: Any) -> Any:
        found = more.pop("verdicts", ())
        return report.Section(
            id=f"made.{name}",
            title=declaration.title,
            question=question,
            source="A made-up paper, section VI.A, figure 4",
            parameters=(("rate", "10 and 250 Mbit/s"), ("base RTT", "16, 22, 42, 82, 162, 324 ms"), ("queue", "20 % of the BDP")),
            verdicts=found,
            command=f"windtunnel suite run made.{name} --seeds 5 --out results",
            notes=("The second flow starts at a random time; the same seed gives the same time to every protocol.",),
            **more,
        )

    ratio = report.table_of(fairness_rows, dimensions=grid, metrics={"fair_minmax": "throughput ratio"}, across="alg")
    converged = {"conv80_s": "80 % convergence (s)"}
    times = report.table_of(convergence_rows, dimensions=grid, metrics=converged, across="alg", censored_at=DURATION_S)
    losses = report.table_of(overhead_rows, dimensions={"q": "queue (BDP)", "alg": "protocol"}, metrics={"loss_ovh": "loss overhead"})
    histories = [history("scalable", rtt) for rtt in (42.0, 162.0, 324.0)]
    sections = [
        section(
            "fairness",
            FAIRNESS,
            "Do two flows of one protocol that start at different times end with the same share?",
            figures=[report.Figure(FAIRNESS, fairness_rows)],
            table=ratio,
            verdicts=verdicts(),
        ),
        section("unfairness", UNFAIRNESS, "How much does a shorter RTT take?", figures=[report.Figure(UNFAIRNESS, unfairness())]),
        section(
            "convergence",
            CONVERGENCE,
            "How long does a new flow wait for its share?",
            figures=[report.Figure(CONVERGENCE, convergence_rows)],
            table=times,
        ),
        section("overhead", OVERHEAD, "What does a small queue cost?", figures=[report.Figure(OVERHEAD, overhead_rows)], table=losses),
        section("response", RESPONSE, "What does random loss leave of the link?", figures=[report.Figure(RESPONSE, response())]),
        section("cwnd", HISTORIES, "What does a typical run look like?", figures=[report.Figure(HISTORIES, histories=histories)]),
    ]
    return report.Report(
        title="Experimental evaluation of high-speed protocols",
        subtitle="A made-up study in the form of a real one: seven protocols, two rates, six round-trip times, five seeds",
        suite="made",
        command="windtunnel suite run made --seeds 5 --out results",
        made="windtunnel 0.1.0",
        facts={
            "version": "0.1.0",
            "seeds": 5,
            "scale": "full, 600 s",
            "runs": 1260,
            "wall time": "6 min 40 s on 2 cores",
            "profile": "altaimd-2.6.6",
        },
        findings=(
            "Standard TCP and H-TCP share a link equally at every round-trip time; the second flow of Scalable TCP starves beyond 42 ms.",
            "A shorter round-trip time takes more than the inverse square that eq. (4) predicts, except with H-TCP, CUBIC and FAST.",
            "At 250 Mbit/s and 162 ms Scalable TCP and HSTCP do not converge within ten minutes.",
        ),
        sections=sections,
    )
