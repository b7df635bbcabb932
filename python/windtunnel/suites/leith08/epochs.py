"""Figure 3: how long a congestion epoch of Illinois is, and how it grows with the bandwidth-delay product."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.plots.declared import Curves, Histories, Overlay
from windtunnel.scenario import Scenario
from windtunnel.suites.leith08.common import STACK, queue_packets, run

RTT, Q = 100, 1.0
DURATION_S = 1500.0
_LAW = {"rtt_ms": float(RTT), "q": Q}


def alone(point: Point, draws: Draws) -> Scenario:
    """Return one flow for two epochs and more."""
    return run(
        draws, rate=point["rate"], rtt=RTT, queue=queue_packets(point["rate"], RTT, Q), algorithms=(point["alg"],), duration_s=DURATION_S
    )


def _windows(alg: str, label: str) -> Histories:
    return Histories(
        f"cwnd-{alg}", f"{label}: congestion window", quantity="cwnd_packets", panels="rate", alg=alg, y_label="cwnd (packets)"
    )


EXPERIMENTS = (
    Experiment(
        id="leith08.fig3",
        title="Congestion epochs of Illinois",
        question="How long does Illinois take from one back-off to the next, at 10 and at 250 Mbit/s?",
        source="Fig. 3; IV.B, IX",
        duration_s=1500.0,
        points={"alg": ("illinois", "reno"), "rate": (10, 250)},
        scenario=alone,
        measures=tuple(Measure(name) for name in ("epoch_s", "fill_pkts", "shape_sign", "rtt_mean_ms", "util")),
        figures=(
            _windows("illinois", "Illinois"),
            _windows("reno", "Reno"),
            Curves(
                "epochs",
                "Time from one back-off to the next",
                metric="epoch_s",
                x="rate",
                x_label="Bottleneck rate (Mbit/s)",
                y_label="Congestion epoch (s)",
                x_log=True,
                y_log=True,
                theory=(
                    Overlay("Illinois, integral of RTT over increase", function="illinois_epoch_s", arguments=_LAW, alg="illinois"),
                    Overlay("Reno, 1.5 BDP round trips of the base", function="reno_epoch_s", arguments=_LAW, alg="reno"),
                ),
                caption="The paper names 600 s for Illinois and 200 s for Reno at 250 Mbit/s.",
            ),
        ),
        parameters=(*STACK, ("flows", "1"), ("RTT", "100 ms"), ("queue", "1 BDP"), ("duration", "1500 s")),
        repeats=1,
        kept="all",
        quick=Quick(repeats=1),
        notes=("The paper's 200 s for Reno neglects that the round trip doubles while the queue fills; 1.5 BDP round trips are 312 s.",),
    ),
)
