"""Suites: the experiments of papers and standards, one file each, found by name."""

from windtunnel.suites.errors import SuiteError
from windtunnel.suites.facts import store_facts
from windtunnel.suites.finding import STUDIES, Suite, chosen, default_suites, suite, suites

__all__ = ["STUDIES", "Suite", "SuiteError", "chosen", "default_suites", "store_facts", "suite", "suites"]
