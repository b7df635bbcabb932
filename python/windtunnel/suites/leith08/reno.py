"""Section IV: how standard TCP's epochs grow with the rate, and how many of them two flows need to share."""

from windtunnel.experiment import Draws, Experiment, Measure, Point, Quick
from windtunnel.metrics import View, measure
from windtunnel.plots.declared import Curves, Histories, Overlay
from windtunnel.scenario import Scenario
from windtunnel.suites.leith08.common import ONE_RUN, STACK, drawn_start_s, queue_packets, run
from windtunnel.theory.overlays import reno_epoch_s

RTT, Q = 100, 1.0
SLOW_START_S = 10.0
EPOCHS_ALONE, EPOCHS_TOGETHER = 2.2, 3.5
"""Of one flow. Two flows reach a full queue twice as often: seven events of both."""


def epoch_s(rate: float) -> float:
    """Return the epoch of one Reno flow, seconds; `rate` in Mbit/s."""
    return float(reno_epoch_s(rate, rtt_ms=RTT, q=Q))


def alone_then_joined(point: Point, draws: Draws) -> Scenario:
    """Return a Reno flow that is alone for two epochs, and a second one from anywhere in its third."""
    epoch = epoch_s(point["rate"])
    start_s = drawn_start_s(draws, earliest_s=EPOCHS_ALONE * epoch, span_s=epoch)
    return run(
        draws,
        rate=point["rate"],
        rtt=RTT,
        queue=queue_packets(point["rate"], RTT, Q),
        algorithms=(point["alg"],) * 2,
        starts_s=(0.0, start_s),
        duration_s=start_s + EPOCHS_TOGETHER * epoch,
    )


def epoch_alone_s(view: View) -> float | None:
    """Return the time between the first flow's back-offs while it is alone, seconds."""
    value = measure("epoch_s", view, flow="1", t0=SLOW_START_S, t1=view.start_s(view.foreground[1]))
    return value if isinstance(value, float) else None


EXPERIMENTS = (
    Experiment(
        id="leith08.reno",
        title="Epochs of standard TCP",
        question="How long are the epochs of standard TCP at 10 to 1000 Mbit/s, and how many of them do two flows need to share equally?",
        source="IV, IV.A",
        duration_s=7500.0,
        points={"alg": ("reno",), "rate": (10, 100, 1000)},
        scenario=alone_then_joined,
        measures=(Measure("epoch_s", function=epoch_alone_s), Measure("conv_err_after_4_epochs"), Measure("fair_final"), Measure("util")),
        figures=(
            Curves(
                "epochs",
                "Time from one back-off of a flow that is alone to the next",
                metric="epoch_s",
                x="rate",
                x_label="Bottleneck rate (Mbit/s)",
                y_label="Congestion epoch (s)",
                x_log=True,
                y_log=True,
                baseline=(1800.0,),
                theory=(Overlay("1.5 BDP round trips of the base", function="reno_epoch_s", arguments={"rtt_ms": float(RTT), "q": Q}),),
                caption="The line is half an hour.",
            ),
            Histories("cwnd", "Standard TCP, 100 ms: congestion windows", quantity="cwnd_packets", panels="rate", y_label="cwnd (packets)"),
        ),
        parameters=(
            *STACK,
            ("flows", "1, then 2: the second starts at random within the third epoch of the first"),
            ("RTT, queue", "100 ms, 1 BDP"),
            ("duration", "3.5 epochs of one flow after that; two hours at 1 Gbit/s"),
        ),
        kept="all",
        quick=Quick(points={"rate": (10, 100)}, repeats=3),
        notes=(ONE_RUN, "The paper's remark on utilisation is of web traffic and not asked here."),
    ),
)
