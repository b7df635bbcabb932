"""Tables I and II: whether the laws do what their parameters say."""

import functools
import itertools

import numpy as np
import polars as pl

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View
from windtunnel.plots.declared import Histories
from windtunnel.scenario import Flow, Scenario, catalogue
from windtunnel.suites.li07.common import PROFILE, bottleneck

RTT_S = 0.1
WARMUP_S = 20.0


def step(point: Point, _draws: Draws) -> Scenario:
    """Return one flow over 1 Gbit/s, 100 ms and a queue of one BDP, every packet acknowledged: its back-offs and growth show the law."""
    return Scenario(
        bottleneck=bottleneck({"rate": 1000, "q": 1.0}, rtt=RTT_S * 1e3),
        flows=(Flow(algorithm=point["alg"], rtt_s=RTT_S, transport={"ack_every": 1}),),
        duration_s=120.0,
        warmup_s=WARMUP_S,
        sample_s=0.05,
        jitter_s=0.0,
        profile=PROFILE,
    )


def _backoffs(view: View) -> pl.DataFrame:
    return view.records.events.filter((pl.col("kind") == "loss_episode") & (pl.col("t_s") > WARMUP_S))


def kept_share(view: View) -> float | None:
    """Return ssthresh after over cwnd before a back-off, mean over the run."""
    backoffs = _backoffs(view)
    return None if backoffs.is_empty() else float((backoffs["value2"] / backoffs["value"]).mean())  # type: ignore[arg-type]


def _growth(view: View, after_s: float, until_s: float) -> tuple[float, float, float] | None:
    """Return growth of cwnd, packets delivered and round trips passed, between two times after a back-off that leaves room."""
    times = _backoffs(view)["t_s"].to_numpy()
    epochs = [(start, end) for start, end in itertools.pairwise(times) if end - start > until_s]
    if not epochs:
        return None
    series = view.series(0)
    start = epochs[0][0]
    marks = np.array([start + after_s, start + until_s])
    cwnd = np.interp(marks, series.t_s, series.cwnd_packets)
    delivered = np.interp(marks, series.t_s, series.delivered_bytes) / 1448
    inside = (series.t_s >= marks[0]) & (series.t_s <= marks[1])
    rounds = (until_s - after_s) / float(series.srtt_s[inside].mean())
    return float(cwnd[1] - cwnd[0]), float(delivered[1] - delivered[0]), rounds


def growth_per_ack(view: View) -> float | None:
    """Return growth of cwnd per acknowledged packet, from 0.5 s to 1 s after a back-off."""
    grown = _growth(view, 0.5, 1.0)
    return None if grown is None else grown[0] / grown[1]


def growth_before_1s(view: View) -> float | None:
    """Return growth per round trip from 0.4 s to 0.9 s after a back-off, packets."""
    grown = _growth(view, 0.4, 0.9)
    return None if grown is None else grown[0] / grown[2]


def growth_at_5s(view: View) -> float | None:
    """Return growth per round trip around 5 s after a back-off, packets."""
    grown = _growth(view, 4.8, 5.2)
    return None if grown is None else grown[0] / grown[2]


def largest_growth(view: View) -> float | None:
    """Return the largest growth of cwnd in one round trip outside recovery, packets."""
    series = view.series(0)
    calm = (series.state == 0) & (series.t_s > WARMUP_S)
    later = np.interp(series.t_s + series.srtt_s, series.t_s, series.cwnd_packets)
    growth = (later - series.cwnd_packets)[calm & (series.cwnd_packets >= series.ssthresh_packets)]
    return float(growth.max()) if growth.size else None


TABLE_II = {
    "hstcp": {"High_P": ("high_p", 1), "Low_Window": ("low_window", 1), "High_Window": ("high_window", 1)},
    "scalable": {"alpha": ("a", 1), "beta": ("beta", 1), "Low_Window": ("low_window", 1)},
    "htcp": {"Delta_L_s": ("delta_l", 1), "Delta_B": ("delta_b", 1)},
    "bic": {
        "S_max": ("s_max", 1),
        "B": ("b", 1),
        "sigma": ("smooth_part", 1),
        "beta": ("beta", 1),
        "Low_Util_pct": ("low_utilisation", 100),
        "Util_Check": ("utilisation_check", 1),
        "Low_Window": ("low_window", 1),
    },
    "fast": {
        "gamma_pct": ("gamma", 100),
        "m0a": ("alpha_low", 1),
        "m1a": ("alpha_middle", 1),
        "m2a": ("alpha_high", 1),
        "m0u_kBps": ("up_from_low", 1),
        "m1l_kBps": ("down_from_middle", 1),
        "m1u_kBps": ("up_from_middle", 1),
        "m2l_kBps": ("down_from_high", 1),
    },
}
"""The table's names, by protocol: our name, and how many of the table's units ours is."""
_NAMES = tuple(dict.fromkeys(name for names in TABLE_II.values() for name in names))


def default(name: str, view: View) -> float | None:
    """Return what the point's protocol has for a name of Table II on the benchmark's profile, in the table's unit."""
    alg = view.point["alg"]
    ours, scale = TABLE_II.get(alg, {}).get(name, (None, 1))
    if ours is None:
        return None
    algorithm = catalogue().algorithms[alg]
    variant = algorithm.profiles[PROFILE]
    parameter = algorithm.parameters.get(ours)
    known = parameter.defaults.get(variant) if parameter is not None else None
    value = algorithm.constants.get(variant, {}).get(ours) if known is None else known
    return round(value * scale, 12) if isinstance(value, float) else None


EXPERIMENTS = (
    Experiment(
        id="li07.tab",
        title="Constants of the protocols",
        question="Does each law back off and grow as Table II says?",
        source="Tables I and II; X",
        duration_s=0.0,
        points={"alg": ("reno", "scalable", "hstcp", "bic", "fast", "htcp")},
        scenario=step,
        measures=(
            Measure("beta_step", function=kept_share),
            Measure("alpha_step", function=growth_per_ack),
            Measure("alpha_step", state="per_rtt_before_1s", function=growth_before_1s),
            Measure("alpha_step", state="per_rtt_at_5s", function=growth_at_5s),
            Measure("alpha_step", state="max_per_rtt", function=largest_growth),
            *(Measure("param", state=name, function=functools.partial(default, name)) for name in _NAMES),
        ),
        figures=(
            Histories(
                "cwnd", "One flow of each protocol, 1 Gbit/s, 100 ms", quantity="cwnd_packets", panels="alg", y_label="cwnd (packets)"
            ),
        ),
        parameters=(
            ("network", "one drop-tail queue of 1 BDP, 1500-byte packets, no jitter"),
            ("stack", "profile altaimd-2.6.6, every packet acknowledged"),
            ("rate", "1 Gbit/s"),
            ("RTT", "100 ms"),
        ),
        repeats=0,
        kept="all",
        quick=Quick(),
    ),
)
