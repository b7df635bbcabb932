"""Which algorithm for a path: runs made on the spot, a table of trade-offs, and who is better at what beyond noise."""

from windtunnel.advise.columns import Column, columns
from windtunnel.advise.page import write
from windtunnel.advise.path import Network, network, network_of
from windtunnel.advise.ranking import Advice, Leaders, Row, advise
from windtunnel.advise.study import ALGORITHMS, Study, advice_json, carry_out, make

__all__ = [
    "ALGORITHMS",
    "Advice",
    "Column",
    "Leaders",
    "Network",
    "Row",
    "Study",
    "advice_json",
    "advise",
    "carry_out",
    "columns",
    "make",
    "network",
    "network_of",
    "write",
]
