"""The gate: whether a change made a controller worse, on the paths that matter, with errors bounded over all comparisons."""

from windtunnel.gate.baseline import write as write_baseline
from windtunnel.gate.carried_out import carry_out
from windtunnel.gate.judging import BETTER, EQUAL, LEVEL, OUTCOMES, UNDECIDED, WORSE, Row, judge
from windtunnel.gate.margins import Margin, Margins
from windtunnel.gate.plans import PLANS, STANDARD, GatePlan, plan
from windtunnel.gate.sides import Against, against
from windtunnel.gate.study import Verdict, judged, margins_for
from windtunnel.gate.subject import Subject, subject
from windtunnel.gate.values import Values

__all__ = [
    "BETTER",
    "EQUAL",
    "LEVEL",
    "OUTCOMES",
    "PLANS",
    "STANDARD",
    "UNDECIDED",
    "WORSE",
    "Against",
    "GatePlan",
    "Margin",
    "Margins",
    "Row",
    "Subject",
    "Values",
    "Verdict",
    "against",
    "carry_out",
    "judge",
    "judged",
    "margins_for",
    "plan",
    "subject",
    "write_baseline",
]
