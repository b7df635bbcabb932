"""Backends by name."""

from __future__ import annotations

from windtunnel.backends.base import Backend
from windtunnel.scenario import ScenarioError
from windtunnel.scenario.errors import unknown

BACKENDS = ("sim", "linux")


def backend(name: str) -> Backend:
    """Return the backend of this name.

    Parameters
    ----------
    name : str
        One of `BACKENDS`.

    Returns
    -------
    Backend
        Ready to run.

    Raises
    ------
    ScenarioError
        When there is none of that name.
    """
    if name not in BACKENDS:
        raise ScenarioError("backend", unknown("backend", name, BACKENDS))
    if name == "linux":
        from windtunnel.backends.linux.backend import LinuxKernel

        return LinuxKernel()
    from windtunnel.backends.sim import Simulator

    return Simulator()


__all__ = ["BACKENDS", "Backend", "backend"]
