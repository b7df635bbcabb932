"""Statistics over repeats: means with their interval, their differences, the indices of resamples, the distance of distributions."""

from windtunnel.stats.bootstrap import bootstrap_indices
from windtunnel.stats.difference import Difference, difference
from windtunnel.stats.distance import ks_distance
from windtunnel.stats.summary import Summary, summarise

__all__ = ["Difference", "Summary", "bootstrap_indices", "difference", "ks_distance", "summarise"]
