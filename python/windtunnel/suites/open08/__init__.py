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

__all__ = ["ORDER", "TITLE", "findings"]
