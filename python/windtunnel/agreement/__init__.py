"""The simulator against the Linux backend, or one kernel against another: the same scenarios on both, compared as distributions."""

from windtunnel.agreement.compare import Row, compare, row_json, with_beside
from windtunnel.agreement.grid import ALGORITHMS, GRIDS, experiments
from windtunnel.agreement.judging import VERDICTS
from windtunnel.agreement.page import keys, write
from windtunnel.agreement.sides import SIMULATOR, Side
from windtunnel.agreement.study import Study, carry_out, make

__all__ = [
    "ALGORITHMS",
    "GRIDS",
    "SIMULATOR",
    "VERDICTS",
    "Row",
    "Side",
    "Study",
    "carry_out",
    "compare",
    "experiments",
    "keys",
    "make",
    "row_json",
    "with_beside",
    "write",
]
