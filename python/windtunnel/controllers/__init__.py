"""Controllers in Python: the base class with its hooks, what a class declares, and the check that it passes when it is handed over."""

from windtunnel.controllers.base import Controller
from windtunnel.controllers.declared import Needs, Parameter
from windtunnel.controllers.described import ControllerError, Description, describe

__all__ = ["Controller", "ControllerError", "Description", "Needs", "Parameter", "describe"]
