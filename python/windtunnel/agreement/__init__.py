"""The simulator against the Linux backend: the same scenarios on both, compared as distributions."""

from windtunnel.agreement.compare import Row, compare, row_json
from windtunnel.agreement.grid import ALGORITHMS, GRIDS, experiments
from windtunnel.agreement.judging import VERDICTS
from windtunnel.agreement.page import write
from windtunnel.agreement.study import Study, carry_out, make

__all__ = ["ALGORITHMS", "GRIDS", "VERDICTS", "Row", "Study", "carry_out", "compare", "experiments", "make", "row_json", "write"]
