"""The store: runs once computed, and what was measured on them, in one results folder."""

from windtunnel.store.errors import QueryError, ResultsError
from windtunnel.store.objects import address_of
from windtunnel.store.packing import PACK_AT
from windtunnel.store.packs import is_packed, read, read_several
from windtunnel.store.results import CHOICES, CHOSEN, SIMULATOR, Results, open_results, writing_results
from windtunnel.store.runs import KEPT, RunStore, run_key
from windtunnel.store.settling import Settling

__all__ = [
    "CHOICES",
    "CHOSEN",
    "KEPT",
    "PACK_AT",
    "SIMULATOR",
    "QueryError",
    "Results",
    "ResultsError",
    "RunStore",
    "Settling",
    "address_of",
    "is_packed",
    "open_results",
    "read",
    "read_several",
    "run_key",
    "writing_results",
]
