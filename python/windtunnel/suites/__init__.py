"""Suites: the experiments of papers and standards, one file each, found by name."""

from windtunnel.suites.errors import SuiteError
from windtunnel.suites.facts import store_facts
from windtunnel.suites.finding import Suite, chosen, suite, suites

__all__ = ["Suite", "SuiteError", "chosen", "store_facts", "suite", "suites"]
