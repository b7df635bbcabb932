"""Reports: a folder of HTML pages and figures made of stored results, without running anything."""

from windtunnel.report.docs import docs_address
from windtunnel.report.model import DataPoint, Estimate, Figure, Repeat, Report, Section, StoredRun, Table
from windtunnel.report.pruning import MANY_RUNS, pruned
from windtunnel.report.registers import register_for, registers_of
from windtunnel.report.sensitivity import Depending, OpenChoice, choices_of, run_choices
from windtunnel.report.stored import assemble, verdicts_of
from windtunnel.report.table import table_of, to_csv
from windtunnel.report.writer import write

__all__ = [
    "MANY_RUNS",
    "DataPoint",
    "Depending",
    "Estimate",
    "Figure",
    "OpenChoice",
    "Repeat",
    "Report",
    "Section",
    "StoredRun",
    "Table",
    "assemble",
    "choices_of",
    "docs_address",
    "pruned",
    "register_for",
    "registers_of",
    "run_choices",
    "table_of",
    "to_csv",
    "verdicts_of",
    "write",
]
