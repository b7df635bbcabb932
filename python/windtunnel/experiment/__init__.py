"""Experiments: declared as data, carried out here."""

from windtunnel.experiment.choices import Alternative, Choice, Point
from windtunnel.experiment.elsewhere import LeftOut
from windtunnel.experiment.functions import MeasureFailed
from windtunnel.experiment.model import Draws, Experiment, Measure, Quick, Scale
from windtunnel.experiment.plan import Plan, plan
from windtunnel.experiment.runner import Part, RunsFailed, Step, execute, execute_all
from windtunnel.experiment.varying import varied
from windtunnel.pool import WorkerLost

__all__ = [
    "Alternative",
    "Choice",
    "Draws",
    "Experiment",
    "LeftOut",
    "Measure",
    "MeasureFailed",
    "Part",
    "Plan",
    "Point",
    "Quick",
    "RunsFailed",
    "Scale",
    "Step",
    "WorkerLost",
    "execute",
    "execute_all",
    "plan",
    "varied",
]
