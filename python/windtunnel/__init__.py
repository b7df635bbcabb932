"""Windtunnel: a laboratory for TCP congestion control.

``import windtunnel as wt``, then ``wt.run(wt.Scenario(...))``. Names load on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from windtunnel.version import __version__

if TYPE_CHECKING:
    from windtunnel.controllers import Controller, Needs, Parameter, compiled
    from windtunnel.native import Connection, Window
    from windtunnel.run import Run, load_run, run, stream
    from windtunnel.scenario import Bottleneck, Flow, Hop, Scenario, ScenarioError
    from windtunnel.scenario import load as load_scenario
    from windtunnel.sweeps import Measure, load_sweep, plot_sweep, sweep

__all__ = [
    "Bottleneck",
    "Connection",
    "Controller",
    "Flow",
    "Hop",
    "Measure",
    "Needs",
    "Parameter",
    "Run",
    "Scenario",
    "ScenarioError",
    "Window",
    "__version__",
    "compiled",
    "load_run",
    "load_scenario",
    "load_sweep",
    "plot_sweep",
    "read_capture",
    "run",
    "stream",
    "sweep",
]

_HOMES = {
    "Bottleneck": ("windtunnel.scenario", "Bottleneck"),
    "Connection": ("windtunnel.native", "Connection"),
    "Controller": ("windtunnel.controllers", "Controller"),
    "Flow": ("windtunnel.scenario", "Flow"),
    "Hop": ("windtunnel.scenario", "Hop"),
    "Measure": ("windtunnel.sweeps", "Measure"),
    "Needs": ("windtunnel.controllers", "Needs"),
    "Parameter": ("windtunnel.controllers", "Parameter"),
    "Run": ("windtunnel.run", "Run"),
    "Scenario": ("windtunnel.scenario", "Scenario"),
    "ScenarioError": ("windtunnel.scenario", "ScenarioError"),
    "Window": ("windtunnel.native", "Window"),
    "compiled": ("windtunnel.controllers", "compiled"),
    "load_run": ("windtunnel.run", "load_run"),
    "load_scenario": ("windtunnel.scenario", "load"),
    "load_sweep": ("windtunnel.sweeps", "load_sweep"),
    "plot_sweep": ("windtunnel.sweeps", "plot_sweep"),
    "read_capture": ("windtunnel.captured", "read_capture"),
    "run": ("windtunnel.run", "run"),
    "stream": ("windtunnel.run", "stream"),
    "sweep": ("windtunnel.sweeps", "sweep"),
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOMES[name]
    try:
        home = importlib.import_module(module)
    except ModuleNotFoundError as error:
        from windtunnel.extras import absent, lacking

        package = absent(error)
        if package is None:
            raise
        raise lacking(f"windtunnel.{name} needs", package) from None
    value = getattr(home, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
