"""Figures 12 to 17: congestion windows after the start of a second flow."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Histories
from windtunnel.scenario import Scenario
from windtunnel.suites.li07.common import NETWORK, TABLE, two_flows, with_memories

RATE = 250
START_S = 100.0
_PARAMETERS = (
    *NETWORK,
    ("flows", "2; flow 2 starts at 100 s"),
    ("rate", "250 Mbit/s"),
    ("queue", "20 % BDP"),
    ("duration", "600 s"),
)
_NAMES = ("fair_final", "fair_minmax", "fair_late_vs_best", "cwnd_cov", "cwnd_peak_to_trough", "loss_ovh", "util", "epoch_s")
_MEASURES = (*(Measure(name) for name in _NAMES), *with_memories("conv80_s"))


def joined(point: Point, draws: Draws) -> Scenario:
    """Return two flows of the point's protocol, the second from 100 s."""
    path = {"rate": RATE, "q": 0.2, "rtt": point["rtt"]}
    return two_flows(path, draws, algorithms=(point["alg"], point["alg"]), start_s=START_S, may_take_an_hour=False)


def _history(figure: str, protocol: str, label: str, question: str, rtts: tuple[int, ...]) -> Experiment:
    return Experiment(
        id=f"li07.{figure}",
        title=f"{label}: congestion windows",
        question=question,
        source=f"Fig. {figure.removeprefix('fig')}; VII.A, VII.E",
        points={"alg": (protocol,), "rtt": rtts},
        scenario=joined,
        measures=_MEASURES,
        figures=(
            Histories(
                "cwnd",
                f"{label}: congestion windows of two flows",
                quantity="cwnd_packets",
                panels="rtt",
                y_label="cwnd (packets)",
                caption="A typical run. Flow 2 starts at 100 s.",
            ),
        ),
        parameters=_PARAMETERS,
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
    )


EXPERIMENTS = (
    _history("fig12", "scalable", "Scalable TCP", "Do two Scalable flows ever reach equal windows?", (42, 162)),
    _history("fig13", "fast", "FAST TCP", "Is FAST steady once the queue holds what it wants to keep there?", (42, 162)),
    _history("fig14", "hstcp", "HighSpeed TCP", "How does HighSpeed TCP's convergence change with the round-trip time?", (42, 162, 324)),
    Experiment(
        id="li07.fig15",
        title="HighSpeed TCP: window, increase and decrease",
        question="Do two HighSpeed flows settle on different rows of the table?",
        source="Fig. 15; VII.A",
        points={"alg": ("hstcp",), "rtt": (42,)},
        scenario=joined,
        measures=(Measure("fair_final"), Measure("n_distinct_alpha"), Measure("beta_diff"), Measure("fair_minmax")),
        figures=(
            Histories("cwnd", "HighSpeed TCP at 42 ms: congestion windows", quantity="cwnd_packets", y_label="cwnd (packets)"),
            Histories("increase", "HighSpeed TCP at 42 ms: increase per round trip", quantity="a", y_label="Increase (packets per RTT)"),
            Histories("decrease", "HighSpeed TCP at 42 ms: decrease at a back-off", quantity="b", y_label="Decrease (part of cwnd)"),
        ),
        parameters=_PARAMETERS,
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
        notes=("The imbalance is here without any model of a host: the flows settle on different rows of the table.",),
        emulates=TABLE,
    ),
    _history("fig16", "bic", "BIC TCP", "How does BIC's convergence change with the round-trip time?", (42, 162, 324)),
    _history("fig17", "htcp", "H-TCP", "Do two H-TCP flows share equally at every round-trip time?", (42, 162, 324)),
)
