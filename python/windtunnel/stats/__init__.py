"""Statistics over repeats: means with their interval, their differences, many of these at once, the indices of resamples, distances."""

from windtunnel.stats.bootstrap import bootstrap_indices, mean_interval
from windtunnel.stats.difference import Difference, difference, p_value, welch
from windtunnel.stats.distance import ks_distance
from windtunnel.stats.several import fisher_exact, holm
from windtunnel.stats.summary import Summary, summarise

__all__ = [
    "Difference",
    "Summary",
    "bootstrap_indices",
    "difference",
    "fisher_exact",
    "holm",
    "ks_distance",
    "mean_interval",
    "p_value",
    "summarise",
    "welch",
]
