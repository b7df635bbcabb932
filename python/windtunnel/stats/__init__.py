"""Statistics over repeats: means with their interval, their differences, and the indices of resamples."""

from windtunnel.stats.bootstrap import bootstrap_indices
from windtunnel.stats.difference import Difference, difference
from windtunnel.stats.summary import Summary, summarise

__all__ = ["Difference", "Summary", "bootstrap_indices", "difference", "summarise"]
