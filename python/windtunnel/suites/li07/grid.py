"""The benchmark's whole grid (IV.B-G): four rates, five round-trip times, two queues."""

from windtunnel.experiment import Experiment
from windtunnel.plots.declared import Curves
from windtunnel.suites.li07.common import BESIDE, NETWORK, PAIR_MEASURES, RTT_LABEL, TWO_FLOWS, points, same_rtt_in_minutes


def _curves(name: str, title: str, metric: str, label: str, **shape: object) -> tuple[Curves, Curves]:
    small, large = (
        Curves(
            f"{name}-{queue}",
            f"{title}, queue {text}",
            metric=metric,
            fixed={"q": q},
            x="rtt",
            panels="rate",
            x_label=RTT_LABEL,
            y_label=label,
            x_log=True,
            **shape,  # type: ignore[arg-type]
        )
        for queue, text, q in (("q20", "20 % BDP", 0.2), ("q100", "1 BDP", 1.0))
    )
    return small, large


EXPERIMENTS = (
    Experiment(
        id="li07.grid",
        title="The whole grid",
        question="How do the protocols use and share links from 1 to 250 Mbit/s and 16 to 320 ms?",
        source="IV.B to IV.G",
        points=points(rate=(1, 10, 100, 250), rtt=(16, 40, 80, 160, 320), q=(0.2, 1.0)),
        beside=BESIDE,
        scenario=same_rtt_in_minutes,
        measures=PAIR_MEASURES,
        figures=(
            *_curves("utilisation", "Utilisation by two flows", "util", "Utilisation", baseline=(1.0,)),
            *_curves("fairness", "Throughput ratio of two equal flows", "fair_minmax", "Smaller / larger throughput", y_limits=(0, 1.05)),
        ),
        parameters=(*NETWORK, *TWO_FLOWS[:1], ("duration", "600 s"), *TWO_FLOWS[2:]),
        notes=("Ten minutes are too short for reno where an epoch takes longer; figure 4 gives it an hour.",),
        kept="rates",
        quick=None,
    ),
)
