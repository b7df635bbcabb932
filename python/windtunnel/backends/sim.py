"""The packet-level simulator."""

from __future__ import annotations

import json
import time
from functools import cache
from typing import Any

from windtunnel import native
from windtunnel.backends.host import host
from windtunnel.records import Records, RunFacts, build
from windtunnel.scenario import Scenario, asked
from windtunnel.version import __version__


class Simulator:
    """The simulator as a backend."""

    @property
    def name(self) -> str:
        """Its name: ``sim``."""
        return "sim"

    @property
    def exact(self) -> str:
        """Its name: there is one."""
        return self.name

    @property
    def title(self) -> str:
        """The simulator and its engine's version."""
        return f"simulator, engine {self.version()}"

    @property
    def stack(self) -> str | None:
        """None: it has the stack of every profile."""
        return None

    def version(self) -> int:
        """Return the engine's version number."""
        return engine_version()

    def unsupported(self, scenario: Scenario) -> list[str]:
        """Return nothing: whatever a scenario can say it can run, or `check` refuses it as bad."""
        del scenario
        return []

    def check(self, scenario: Scenario) -> None:
        """Ask the engine whether it takes the scenario.

        Raises
        ------
        ScenarioError
            When it does not; the engine's own line.
        """
        asked(native.check, scenario)

    def run(self, scenario: Scenario) -> Records:
        """Run the scenario; the interpreter lock is released while it runs.

        Parameters
        ----------
        scenario : Scenario
            What to run.

        Returns
        -------
        Records
            The records; the same scenario gives the same `Records.digest`.

        Raises
        ------
        ScenarioError
            When the engine refuses it.
        """
        began_cpu = time.process_time()
        measured = asked(native.run, scenario)
        counters = {"cpu_s": time.process_time() - began_cpu, **measured["counters"]}
        facts = RunFacts(
            scenario=json.loads(measured["scenario"]),
            digest=measured["digest"],
            backend=self.name,
            engine_version=self.version(),
            code_version=__version__,
            counters=counters,
            host=host(),
            notes=tuple(measured["notes"]),
        )
        return build(measured["frames"], facts)


def catalogue_json() -> str:
    """Return the engine's catalogue as JSON text."""
    return native.catalogue()


@cache
def engine_version() -> int:
    """Return the engine's version number; the catalogue that says it is read once a process."""
    return int(json.loads(native.catalogue())["engine_version"])


def conform(text: str, file: str) -> dict[str, Any]:
    """Replay one file of kernel vectors against the ``linux-6.1`` variant.

    Parameters
    ----------
    text : str
        The file's text.
    file : str
        Its name, for the report.

    Returns
    -------
    dict
        `file`, `algorithm`, `rows`, `rows_matched`, `first_mismatch` (None when every row matches).

    Raises
    ------
    ValueError
        When the file is damaged or its algorithm is not implemented; one line.
    """
    report: dict[str, Any] = json.loads(native.conform(text, file))
    return report


def conform_rows(stimulus: str, rows: str, *, algorithm: str) -> dict[str, Any]:
    """Replay what a kernel answered segment by segment against the ``linux-6.1`` stack.

    Parameters
    ----------
    stimulus : str
        Text of a script in packetdrill's language that prints rows.
    rows : str
        What the kernel printed, a line per row.
    algorithm : str
        Name of the sender's algorithm, with ``:variant`` where it is not the profile's own.

    Returns
    -------
    dict
        `rows`, `rows_matched`, `first_mismatch` (None when every row matches).

    Raises
    ------
    ValueError
        When the script cannot be driven, or the rows are not its; one line.
    """
    name, _, variant = algorithm.partition(":")
    report: dict[str, Any] = json.loads(native.conform_rows(stimulus, rows, name, variant or None))
    return report


def conform_segments(text: str) -> dict[str, Any]:
    """Replay a file of recorded segments, on the profile that stands for the kernel that its first line names.

    Parameters
    ----------
    text : str
        The file's text, see ``data/kernel-segments/recorded/README.md``.

    Returns
    -------
    dict
        `scripts`, `scripts_matched`, `rows`, `rows_matched`, `first_mismatch` (None when every row matches).

    Raises
    ------
    ValueError
        When a line cannot be read, or a recording asks for what the stack has not; one line.
    """
    report: dict[str, Any] = json.loads(native.conform_segments(text))
    return report
