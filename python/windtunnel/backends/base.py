"""What a backend is: something that turns a scenario into records."""

from __future__ import annotations

from typing import Protocol

from windtunnel.backends.captures import Capture, Captured
from windtunnel.records import Records
from windtunnel.scenario import Scenario


class Backend(Protocol):
    """A way of running scenarios. Every backend writes the same records."""

    @property
    def name(self) -> str:
        """Its name, as ``--backend`` takes it."""
        ...

    @property
    def exact(self) -> str:
        """The name by which ``--backend`` finds this very one, whatever is built or installed meanwhile."""
        ...

    @property
    def title(self) -> str:
        """What a reader calls it, with its version."""
        ...

    @property
    def runs_alone(self) -> bool:
        """Whether a run needs the machine for itself, so that one follows the other."""
        ...

    @property
    def stack(self) -> str | None:
        """The profile of the only stack it has; None when it has all of them."""
        ...

    def version(self) -> int:
        """Return the version of its results, raised by hand when they may change."""
        ...

    def unsupported(self, scenario: Scenario) -> list[str]:
        """Return what of a sound scenario it cannot express, one entry per field, beginning with the field's path."""
        ...

    def check(self, scenario: Scenario) -> None:
        """Raise `ScenarioError` when it cannot run the scenario, before anything runs."""
        ...

    def run(self, scenario: Scenario) -> Records:
        """Run the scenario and return its records."""
        ...

    def capture(self, scenario: Scenario, capture: Capture) -> tuple[Records, Captured]:
        """Run the scenario and write its packets; return the records of `run` and what was written."""
        ...
