"""Metrics: pure functions over the frames of a run."""

from windtunnel.metrics.fairness import jain, ratio_min_max
from windtunnel.metrics.rates import epoch_s, goodput_bps, loss_overhead, lost_fraction, throughput_bps
from windtunnel.metrics.summary import summary

__all__ = ["epoch_s", "goodput_bps", "jain", "loss_overhead", "lost_fraction", "ratio_min_max", "summary", "throughput_bps"]
