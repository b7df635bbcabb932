"""Figure 1: throughput that stands still while the congestion window saws."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Histories
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.open08.common import DUMBBELL, PROFILE, STACK
from windtunnel.suites.paths import bdp_packets, drawn_rtt_s, jitter_s

RATE, RTT = 10, 100


def one_reno(point: Point, draws: Draws) -> Scenario:
    """Return one Reno flow over 10 Mbit/s, 100 ms and a queue of one BDP."""
    jitter = jitter_s(RATE, RTT)
    return Scenario(
        bottleneck=Bottleneck(rate_bps=RATE * 1e6, queue_packets=round(bdp_packets(RATE, RTT))),
        flows=(Flow(algorithm=point["alg"], rtt_s=drawn_rtt_s(RTT, jitter=jitter, draws=draws)),),
        duration_s=300.0,
        warmup_s=10.0,
        sample_s=0.02,
        jitter_s=jitter,
        profile=PROFILE,
    )


EXPERIMENTS = (
    Experiment(
        id="open08.fig1",
        title="Standard TCP with a queue of one BDP",
        question="Does the throughput of standard TCP follow its congestion window?",
        source="Fig. 1; II.A",
        duration_s=300.0,
        points={"alg": ("reno",)},
        scenario=one_reno,
        measures=tuple(Measure(name) for name in ("util", "thr_cov", "cwnd_peak_to_trough", "thr_cwnd_corr", "thr_mbps")),
        figures=(
            Histories("throughput", "Goodput of one Reno flow", quantity="goodput_mbps", y_label="Goodput (Mbit/s)"),
            Histories("cwnd", "Its congestion window", quantity="cwnd_packets", y_label="cwnd (packets)"),
        ),
        parameters=(*STACK, *DUMBBELL, ("rate, RTT, queue", "10 Mbit/s, 100 ms, 1 BDP (83 packets)"), ("duration", "300 s (not stated)")),
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
    ),
)
