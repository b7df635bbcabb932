"""Controllers in Python: the base class with its hooks, what a class declares, and the check that it passes when it is handed over."""

from windtunnel.controllers.base import Controller
from windtunnel.controllers.declared import Needs, Parameter
from windtunnel.controllers.described import Description, describe
from windtunnel.controllers.errors import ControllerError
from windtunnel.controllers.jit import compiled

__all__ = ["Controller", "ControllerError", "Description", "Needs", "Parameter", "compiled", "describe"]
