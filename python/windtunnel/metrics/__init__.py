"""Metrics: pure functions over the frames of a run, and the register's metrics by name."""

from windtunnel.metrics.applications import applications
from windtunnel.metrics.arrivals import transfers
from windtunnel.metrics.deliveries import deliveries_ms
from windtunnel.metrics.exchanges import exchanges
from windtunnel.metrics.fairness import jain, ratio_min_max
from windtunnel.metrics.named.request import Defined
from windtunnel.metrics.pageloads import pages
from windtunnel.metrics.rates import epoch_s, goodput_bps, loss_overhead, lost_fraction, throughput_bps
from windtunnel.metrics.registry import FAMILIES, MEASURES, measure, measured
from windtunnel.metrics.summary import summary
from windtunnel.metrics.video import video
from windtunnel.metrics.view import View

__all__ = [
    "FAMILIES",
    "MEASURES",
    "Defined",
    "View",
    "applications",
    "deliveries_ms",
    "epoch_s",
    "exchanges",
    "goodput_bps",
    "jain",
    "loss_overhead",
    "lost_fraction",
    "measure",
    "measured",
    "pages",
    "ratio_min_max",
    "summary",
    "throughput_bps",
    "transfers",
    "video",
]
