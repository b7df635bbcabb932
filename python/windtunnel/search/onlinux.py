"""A found case on a Linux kernel: whether the kernel's own code breaks the property there too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.backends import backend as backend_of
from windtunnel.metrics import View
from windtunnel.scenario import Scenario
from windtunnel.search.properties import Property


@dataclass(frozen=True)
class OnLinux:
    """What a kernel says of a case.

    Parameters
    ----------
    kernel : str
        Which, with its version.
    values : tuple of float
        What the property measures with each seed; None where there is none. Empty where the kernel cannot run the case.
    reason : str
        Why it cannot; empty where it ran.
    """

    kernel: str
    values: tuple[float | None, ...]
    reason: str = ""

    def broken(self, sought: Property) -> int:
        """With how many seeds it breaks the property there."""
        return sum(sought.distance(value) < 0 for value in self.values)


def on_linux(scenario: Scenario, sought: Property, seeds: Sequence[int], *, kernel: str = "linux") -> OnLinux:
    """Run a case on a kernel.

    Parameters
    ----------
    scenario : Scenario
        The case.
    sought : Property
        What is measured.
    seeds : sequence of int
        Of the guest's draws.
    kernel : str
        ``linux``, or ``linux:KERNEL``.

    Raises
    ------
    KernelError, GuestFailed
        When no kernel is built, or a guest fails.
    """
    chosen = backend_of(kernel)
    lacking = chosen.unsupported(scenario)
    if lacking:
        return OnLinux(chosen.title, (), lacking[0])
    function = sought.measure().function
    assert function is not None, "a property measures by a function"
    values: list[float | None] = []
    for seed in seeds:
        value = function(View(chosen.run(scenario.model_copy(update={"seed": seed})), {}))
        values.append(None if isinstance(value, str) else value)
    return OnLinux(chosen.title, tuple(values))
