"""Backends by name."""

from __future__ import annotations

from windtunnel.backends.base import Backend
from windtunnel.scenario import ScenarioError
from windtunnel.scenario.errors import unknown

BACKENDS = ("sim", "linux", "live")


def backend(name: str) -> Backend:
    """Return the backend of this name.

    Parameters
    ----------
    name : str
        One of `BACKENDS`; ``linux:KERNEL`` chooses among the built kernels, by name, version or digest, and ``live:FILE`` names the hosts.

    Returns
    -------
    Backend
        Ready to run.

    Raises
    ------
    ScenarioError
        When there is none of that name.
    LiveError
        When a file of hosts does not say what it has to.
    """
    kind, chosen, kernel = name.partition(":")
    if kind not in BACKENDS or (chosen and kind == "sim"):
        raise ScenarioError("backend", unknown("backend", name, BACKENDS))
    if kind == "linux":
        from windtunnel.backends.linux.backend import LinuxKernel

        return LinuxKernel(kernel or None)
    if kind == "live":
        from windtunnel.backends.live.backend import LiveKernel

        return LiveKernel(kernel or None)
    from windtunnel.backends.sim import Simulator

    return Simulator()


__all__ = ["BACKENDS", "Backend", "backend"]
