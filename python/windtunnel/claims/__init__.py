"""Checkable claims of published evaluations: reading a register of them, and judging each from measures.

A register holds a paper's experiments and claims; each claim has a predicate over measured quantities. `register` and
`packaged_register` read one strictly, `judge` evaluates every predicate on the measures and on bootstrap resamples of their repeats.
Nothing here runs anything: claims read measures, and measures come from stored records.
"""

from windtunnel.claims.loading import packaged_register, register
from windtunnel.claims.model import (
    Cell,
    Claim,
    Experiment,
    Metric,
    PredicateError,
    PublishedTable,
    Reason,
    Register,
    RegisterError,
    Verdict,
)
from windtunnel.claims.verdicts import claims_json, judge

__all__ = [
    "Cell",
    "Claim",
    "Experiment",
    "Metric",
    "PredicateError",
    "PublishedTable",
    "Reason",
    "Register",
    "RegisterError",
    "Verdict",
    "claims_json",
    "judge",
    "packaged_register",
    "register",
]
