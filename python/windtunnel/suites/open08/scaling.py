"""Section IV.1: whether shares and convergence, counted in epochs, change with the link's rate."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Curves
from windtunnel.scenario import Bottleneck, Flow, Scenario
from windtunnel.suites.open08.common import DUMBBELL, PROFILE, STACK
from windtunnel.suites.paths import bdp_packets, drawn_rtt_s, jitter_s, reno_epoch_s

RTT, SHORTER_RTT, Q = 100, 50, 1.0
RENO_EPOCHS = 8


def unequal(point: Point, draws: Draws) -> Scenario:
    """Return two flows of 100 and 50 ms, the second (50 ms) from anywhere within an epoch of the first."""
    rate = point["rate"]
    jitter = jitter_s(rate, SHORTER_RTT)
    # Each ACK counts once: Reno's increase is half a packet per round trip, its epoch twice as long.
    epoch_s = 2 * reno_epoch_s(rate, RTT, Q)
    start_s = round(5.0 + epoch_s * draws.uniform("start of flow 2"), 3)
    rtts = [drawn_rtt_s(rtt, jitter=jitter, draws=draws) for rtt in (RTT, SHORTER_RTT)]
    return Scenario(
        bottleneck=Bottleneck(rate_bps=rate * 1e6, queue_packets=round(Q * bdp_packets(rate, RTT))),
        flows=tuple(Flow(algorithm=point["alg"], rtt_s=rtt, start_s=at) for rtt, at in zip(rtts, (0.0, start_s), strict=True)),
        duration_s=max(900.0, start_s + RENO_EPOCHS * epoch_s),
        warmup_s=start_s + 10.0,
        sample_s=0.1,
        jitter_s=jitter,
        profile=PROFILE,
    )


EXPERIMENTS = (
    Experiment(
        id="open08.scaling",
        title="Scaling with the link's rate",
        question="Do two flows of unequal round-trip times share alike at 10 and at 100 Mbit/s, and settle in as many epochs?",
        source="IV.1 (text)",
        duration_s=900.0,
        points={"alg": ("reno", "htcp", "cubic"), "rate": (10, 100)},
        scenario=unequal,
        measures=tuple(Measure(name) for name in ("conv_epochs", "thr_ratio", "conv80_s", "epoch_s", "util")),
        figures=(
            Curves(
                "epochs",
                "Epochs until the second flow has 80 % of its throughput",
                metric="conv_epochs",
                x="rate",
                x_label="Bottleneck rate (Mbit/s)",
                y_label="Congestion epochs",
                x_log=True,
            ),
            Curves(
                "ratio",
                "Throughput of the flow of 50 ms over that of 100 ms",
                metric="thr_ratio",
                x="rate",
                x_label="Bottleneck rate (Mbit/s)",
                y_label="Throughput, short / long RTT",
                x_log=True,
                baseline=(1.0,),
            ),
        ),
        parameters=(
            *STACK,
            *DUMBBELL,
            ("flows", "2, of 100 and 50 ms; the second starts at random within an epoch of the first"),
            ("queue", "1 BDP of the longer path"),
            ("duration", "eight Reno epochs of both flows, at least 900 s"),
        ),
        kept="rates",
        quick=Quick(repeats=3),
        notes=("The shorter round-trip time is ours; the paper says only that the round-trip times differ.",),
    ),
)
