"""Studies of one's own: a scenario over a grid, as a function in Python or as a file."""

from windtunnel.experiment import Measure
from windtunnel.sweeps.api import Sweep, carry_out, checked, load_sweep, sweep
from windtunnel.sweeps.figures import plot_sweep

__all__ = ["Measure", "Sweep", "carry_out", "checked", "load_sweep", "plot_sweep", "sweep"]
