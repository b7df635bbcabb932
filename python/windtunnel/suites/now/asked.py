"""The seven questions of the page: what each asks, of which metric, and which values rank first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

POINT = ("rtt", "q", "queue", "opponent", "p")
"""The columns that say at which point of the grid a value was measured."""
UNITS = {
    "fair_minmax": "smaller over larger",
    "rtt_unfair": "near over far",
    "over_other": "it over the other",
    "util": "share of the link",
    "loss_ovh": "% sent again",
    "conv80_s": "seconds",
}
"""What a value of a metric is, in a few words."""


def number(value: float, digits: int) -> str:
    """Return a value with some digits behind the point, or, where these would all be zeros, with its first digit."""
    text = f"{value:.{digits}f}"
    return text if value == 0 or float(text) != 0 else np.format_float_positional(float(f"{value:.1g}"), trim="-")


@dataclass(frozen=True)
class Question:
    """One of the seven.

    Parameters
    ----------
    title, asks : str
        Heading, and what a number of the table is.
    kind : str
        Of the experiments that answer it.
    metric : str
        Their metric.
    better : {"more", "less", "equal"}
        Which values rank first; with `equal` those near 1, and a value is how many times two flows are apart.
    fixed : mapping of str to str
        Only these points.
    digits : int
        Behind the point.
    """

    title: str
    asks: str
    kind: str
    metric: str
    better: str
    fixed: Mapping[str, str] = field(default_factory=dict)
    digits: int = 2


QUESTIONS = (
    Question("Symmetric fairness", "Smaller over larger throughput of two equal flows; 1 is equal.", "same", "fair_minmax", "more"),
    Question(
        "Fairness between round trips", "How many times a flow of 162 ms and a nearer one are apart.", "rtt", "rtt_unfair", "equal", {}, 1
    ),
    Question("Beside Reno", "How many times the algorithm and Reno are apart.", "old", "over_other", "equal", {"opponent": "reno"}, 1),
    Question("Beside CUBIC", "How many times the algorithm and CUBIC are apart.", "old", "over_other", "equal", {"opponent": "cubic"}, 1),
    Question("Efficiency", "Share of the link that two flows use.", "same", "util", "more", {}, 3),
    Question("Loss overhead", "Per cent of packets sent again by two flows.", "same", "loss_ovh", "less", {}, 2),
    Question("Response function", "Share of the link that one flow uses where packets are lost at random.", "loss", "util", "more"),
    Question(
        "Convergence",
        "Seconds until a second flow has 80 % of its long-term rate; the run's length where it never does.",
        "same",
        "conv80_s",
        "less",
        {},
        0,
    ),
)
