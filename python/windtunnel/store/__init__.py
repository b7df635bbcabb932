"""The store: runs once computed, and what was measured on them, in one results folder."""

from windtunnel.store.errors import QueryError, ResultsError
from windtunnel.store.results import CHOICES, CHOSEN, SIMULATOR, Results, open_results, writing_results
from windtunnel.store.runs import KEPT, RunStore, run_key

__all__ = [
    "CHOICES",
    "CHOSEN",
    "KEPT",
    "SIMULATOR",
    "QueryError",
    "Results",
    "ResultsError",
    "RunStore",
    "open_results",
    "run_key",
    "writing_results",
]
