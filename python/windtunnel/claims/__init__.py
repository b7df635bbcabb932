"""Checkable claims of published evaluations: reading a register of them, and judging each from measures.

A register holds claims about experiments that a suite declares; each claim has a predicate over measured quantities. `register` and
`packaged_register` read one strictly, `judge` evaluates every predicate on the measures and on bootstrap resamples of their repeats.
Nothing here runs anything: claims read measures, and measures come from stored records.
"""

from windtunnel.claims.completing import DECLARED, completed, packaged_declarations, text_of
from windtunnel.claims.loading import build, packaged_register, packaged_tables, register, whole_text
from windtunnel.claims.model import (
    Claim,
    Metric,
    PredicateError,
    PublishedCell,
    PublishedTable,
    Reason,
    Register,
    Registered,
    RegisterError,
    Verdict,
)
from windtunnel.claims.references import experiments_read, metrics_read
from windtunnel.claims.verdicts import claims_json, judge

__all__ = [
    "DECLARED",
    "Claim",
    "Metric",
    "PredicateError",
    "PublishedCell",
    "PublishedTable",
    "Reason",
    "Register",
    "RegisterError",
    "Registered",
    "Verdict",
    "build",
    "claims_json",
    "completed",
    "experiments_read",
    "judge",
    "metrics_read",
    "packaged_declarations",
    "packaged_register",
    "packaged_tables",
    "register",
    "text_of",
    "whole_text",
]
