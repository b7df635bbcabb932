"""Statistics over repeats: means with their interval, and the indices of resamples."""

from windtunnel.stats.bootstrap import bootstrap_indices
from windtunnel.stats.summary import Summary, summarise

__all__ = ["Summary", "bootstrap_indices", "summarise"]
