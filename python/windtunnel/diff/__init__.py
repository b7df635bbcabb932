"""What changed between two results folders, and whether it is more than noise."""

from windtunnel.diff.compare import Diff, Moved, Row, diff
from windtunnel.diff.judging import CHANCE, DIFFERS, NOT_JUDGED, OUTCOMES, SAME, WITHIN, Judgement
from windtunnel.diff.reading import Place
from windtunnel.diff.shown import diff_json

__all__ = [
    "CHANCE",
    "DIFFERS",
    "NOT_JUDGED",
    "OUTCOMES",
    "SAME",
    "WITHIN",
    "Diff",
    "Judgement",
    "Moved",
    "Place",
    "Row",
    "diff",
    "diff_json",
]
