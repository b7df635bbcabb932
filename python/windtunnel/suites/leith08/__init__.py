"""Leith, Andrew, Quetchenbach, Shorten, Lavi 2008: delay/loss-based algorithms, figure by figure."""

from windtunnel.suites.leith08.findings import findings

TITLE = (
    "D. J. Leith, L. L. H. Andrew, T. Quetchenbach, R. N. Shorten, K. Lavi: Experimental Evaluation of Delay/Loss-based TCP Congestion "
    "Control Algorithms. PFLDnet 2008"
)
ORDER = (
    "leith08.algo",
    "leith08.reno",
    "leith08.fig1",
    "leith08.fig2a",
    "leith08.fig2b",
    "leith08.fig3",
    "leith08.fig4",
    "leith08.fig5",
    "leith08.fig6",
    "leith08.fig7",
    "leith08.fig8a",
    "leith08.fig8b",
    "leith08.fig9a",
    "leith08.fig9b",
    "leith08.fig10",
    "leith08.tab1",
    "leith08.fig11",
    "leith08.fig12",
    "leith08.fig13",
    "leith08.vista0",
    "leith08.hs400",
    "leith08.gig",
)

METRICS = {"base_rtt_error_ms": ("ms", "by how much the second flow's smallest RTT exceeds its propagation time (VII)")}
"""Unit and meaning of the measures that are this suite's own."""

__all__ = ["METRICS", "ORDER", "TITLE", "findings"]
