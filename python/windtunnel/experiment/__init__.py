"""Experiments: declared as data, carried out here."""

from windtunnel.experiment.elsewhere import LeftOut
from windtunnel.experiment.model import Draws, Experiment, Measure, Point, Quick, Scale
from windtunnel.experiment.plan import Plan, plan
from windtunnel.experiment.pool import WorkerLost
from windtunnel.experiment.runner import Step, execute

__all__ = ["Draws", "Experiment", "LeftOut", "Measure", "Plan", "Point", "Quick", "Scale", "Step", "WorkerLost", "execute", "plan"]
