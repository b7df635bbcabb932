"""Hegde et al. 2004: FAST TCP beside its contemporaries on an emulated path, and over oceans, figure by figure."""

from windtunnel.suites.fast04.findings import findings

TITLE = (
    "S. Hegde, D. Lapsley, B. Wydrowski, J. Lindheim, D. Wei, C. Jin, S. Low, H. Newman: FAST TCP in High-Speed Networks: "
    "An Experimental Study. GridNets, 2004"
)
ORDER = (
    "fast04.fig2",
    "fast04.ticks",
    "fast04.fig3",
    "fast04.fig4",
    "fast04.fig5",
    "fast04.fig8",
    "fast04.fig9",
    "fast04.fig10",
    "fast04.fig11",
    "fast04.rwnd",
    "fast04.fig12",
    "fast04.fig13",
    "fast04.fig14",
    "fast04.fig15",
    "fast04.udp",
    "fast04.haystack",
)

__all__ = ["ORDER", "TITLE", "findings"]
