"""The two sides of a comparison: the simulator and a kernel, or two kernels."""

from __future__ import annotations

import platform
from dataclasses import dataclass

from windtunnel.backends.linux.store import Kernel


@dataclass(frozen=True)
class Side:
    """One side.

    Parameters
    ----------
    folder : str
        Its results folder, within the comparison's.
    backend : str
        What runs it, as `windtunnel.backends.backend` takes it.
    name : str
        What stands over its numbers.
    title : str
        What a page calls it: which one it is, to the build.
    """

    folder: str
    backend: str
    name: str
    title: str

    @property
    def called(self) -> str:
        """What a sentence calls it."""
        return f"the {self.name}" if self.name[0].islower() else self.name


Sides = tuple[Side, Side]
"""What is judged, and what it is judged by: tolerances are of the second side's values."""

SIMULATOR = Side("sim", "sim", "simulator", "The packet-level simulator")


def of_kernel(kernel: Kernel) -> Side:
    """Return the only kernel of a comparison."""
    return Side("linux", f"linux:{kernel.digest}", "kernel", titled(kernel))


def of_live() -> Side:
    """Return this machine's own kernel, in real time."""
    return Side("live", "live", "live kernel", f"This machine's own kernel, Linux {platform.release()}, in real time")


def of_kernels(first: Kernel, second: Kernel) -> Sides:
    """Return the sides of two kernels, named by their versions, or where those are alike by the names their user gave them."""
    alike = first.version == second.version
    names = [one.name if alike else one.version for one in (first, second)]
    made = [
        Side(f"linux-{one.id}", f"linux:{one.digest}", f"Linux {name}", titled(one))
        for one, name in zip((first, second), names, strict=True)
    ]
    return made[0], made[1]


def titled(kernel: Kernel) -> str:
    """Return a kernel's version, its name and the beginning of its digest."""
    return f"Linux {kernel.version} ({kernel.name}, {kernel.digest[:12]})"
