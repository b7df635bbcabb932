"""Bullot, Cottrell, Hughes-Jones 2003: new TCP stacks on production networks from SLAC, table by table."""

from windtunnel.suites.slac03.findings import findings

TITLE = (
    "H. Bullot, R. L. Cottrell, R. Hughes-Jones: Evaluation of Advanced TCP Stacks on Fast Long-Distance Production Networks. "
    "Journal of Grid Computing 1(4), 2003"
)
ORDER = (
    "slac03.scale",
    "slac03.rtt",
    "slac03.cpu",
    "slac03.txq",
    "slac03.tab1",
    "slac03.fig2",
    "slac03.fig3",
    "slac03.fig4",
    "slac03.tab2",
    "slac03.fig5",
    "slac03.tab3",
    "slac03.tab4",
    "slac03.fig6",
    "slac03.fig7",
    "slac03.paix",
    "slac03.udp",
)

__all__ = ["ORDER", "TITLE", "findings"]
