"""What a backend is: something that turns a scenario into records."""

from __future__ import annotations

from typing import Protocol

from windtunnel.records import Records
from windtunnel.scenario import Scenario


class Backend(Protocol):
    """A way of running scenarios. Every backend writes the same records."""

    @property
    def name(self) -> str:
        """Its name, as ``--backend`` takes it."""
        ...

    def version(self) -> int:
        """Return the version of its results, raised by hand when they may change."""
        ...

    def check(self, scenario: Scenario) -> None:
        """Raise `ScenarioError` when it cannot run the scenario, before anything runs."""
        ...

    def run(self, scenario: Scenario) -> Records:
        """Run the scenario and return its records."""
        ...
