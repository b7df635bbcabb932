"""Leith, Shorten 2008: open questions of the next generation of TCP, figure by figure."""

from windtunnel.suites.open08.findings import findings

TITLE = "D. J. Leith, R. N. Shorten: Next Generation TCP: Open Questions. PFLDnet 2008"
ORDER = (
    "open08.fig1",
    "open08.fig3",
    "open08.fig4",
    "open08.fig5",
    "open08.fig6",
    "open08.fig7",
    "open08.fig8",
    "open08.fig9",
    "open08.fig10a",
    "open08.fig10b",
    "open08.apps",
    "open08.scaling",
)

METRICS = {
    "ks_iterated": ("1", "Kolmogorov-Smirnov distance of the two laws, both iterated with losses of their own"),
    "ks_own_law": ("1", "Kolmogorov-Smirnov distance of the run's windows from those of its own law iterated"),
    "cwnd_level_pkts": ("packets", "quantile of the distribution of cov, by level (state); ks and ks_cubic_htcp08 compare two of them"),
    "inc_at_t": ("packets/RTT", "increase of cwnd over one RTT at time t after the backoff"),
}
"""Unit and meaning of the measures that are this suite's own."""

__all__ = ["METRICS", "ORDER", "TITLE", "findings"]
