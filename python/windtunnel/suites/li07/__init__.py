"""Li, Leith, Shorten 2007: the benchmark of high-speed TCP protocols, figure by figure."""

from windtunnel.suites.li07.findings import findings

TITLE = "Y.-T. Li, D. Leith, R. N. Shorten: Experimental Evaluation of TCP Protocols for High-Speed Networks. IEEE/ACM ToN 15(5), 2007"
ORDER = (
    "li07.fig1",
    "li07.wan",
    "li07.fig4",
    "li07.fig4q100",
    "li07.fig5",
    "li07.fig5q100",
    "li07.fig6",
    "li07.fig7",
    "li07.ticks",
    "li07.fig8",
    "li07.fig9",
    "li07.fig10",
    "li07.fig11",
    "li07.fig12",
    "li07.fig13",
    "li07.fig14",
    "li07.fig15",
    "li07.fig16",
    "li07.fig17",
    "li07.fig18",
    "li07.grid",
    "li07.tab",
)

METRICS = {
    "alpha_step": (
        "packets/RTT; per ACK where the rule is per ACK",
        "growth of cwnd by the law, in the named state: none, per ACK; max_per_rtt, the largest in one round trip; per_rtt_before_1s and "
        "per_rtt_at_5s, in one round trip of 100 ms that long after a back-off",
    ),
    "beta_step": ("1", "cwnd after / cwnd before one loss, in the named state (cwnd 1000, or as the state says)"),
    "param": ("as the table", "default parameters of the implementation by name; compared by param_match"),
}
"""Unit and meaning of the measures that are this suite's own."""

__all__ = ["METRICS", "ORDER", "TITLE", "findings"]
