"""The packet-level simulator."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from windtunnel import foreign, native
from windtunnel.backends.captures import PLACES, Capture, Captured
from windtunnel.backends.host import host
from windtunnel.foreign import stacks
from windtunnel.records import PART_ROWS, Records, RunFacts, build
from windtunnel.scenario import Scenario, ScenarioError, asked, digest, fill, guests
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
    def runs_alone(self) -> bool:
        """Runs share a machine: nothing of a result depends on its speed."""
        return False

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
        _asked("check", scenario)

    def run(self, scenario: Scenario) -> Records:
        """Run the scenario; the interpreter lock is released while it runs. What runs a controller from a file has a process of its own.

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
        windtunnel.foreign.ForeignError
            When a controller from a file, or a whole stack, crashes, stands still, or does what none may.
        """
        return self._run(scenario, "run")

    def capture(self, scenario: Scenario, capture: Capture) -> tuple[Records, Captured]:
        """Run the scenario and write its packets while it runs, whole or not at all.

        Parameters
        ----------
        scenario : Scenario
            What to run.
        capture : Capture
            The file, and where packets are captured.

        Returns
        -------
        tuple of (Records, Captured)
            The records, which are those of `run`, and what was written.

        Raises
        ------
        ScenarioError
            When the engine refuses it, or the file cannot be written.
        windtunnel.foreign.ForeignError
            As `run`.
        """
        capture.check()
        written: list[Any] = []
        with capture.staged() as temporary:
            comment = f"scenario {digest(scenario)}; simulated time 0 is 2000-01-01 00:00:00 UTC"
            wanted = {
                "file": str(temporary),
                "places": list(capture.places),
                "application": f"windtunnel {__version__}",
                "comment": comment,
            }
            records = self._run(scenario, "run_captured", json.dumps(wanted), written=written)
        (by_place, waited), *_ = written
        return records, Captured(file=capture.file, packets=dict(zip(PLACES, by_place, strict=True)), waited_packets=waited)

    def stream(self, scenario: Scenario, take: Callable[[Mapping[str, Any]], None]) -> Records:
        """Run the scenario and hand its samples over while it runs, so that memory need not hold them.

        Parameters
        ----------
        scenario : Scenario
            What to run.
        take : callable
            Takes tables of samples; each row comes once, in order.

        Returns
        -------
        Records
            The records, with the rows of samples that come after those.

        Raises
        ------
        ScenarioError
            When the engine refuses it, or it has what does not come in parts: every ACK, or what runs in a process of its own.
        """
        if scenario.per_ack:
            raise ScenarioError("per_ack", "its rows are held in memory; allowed: without --per-ack where samples are streamed")
        named = guests(scenario)
        if named:
            raise ScenarioError("flows", f"{_known_as(named[0][0])} runs apart; allowed: algorithms of our own where samples are streamed")
        return self._run(scenario, "run_streamed", take, PART_ROWS)

    def _run(self, scenario: Scenario, function: str, *given: Any, written: list[Any] | None = None) -> Records:
        began_cpu = time.process_time()
        measured = _asked(function, scenario, *given)
        if written is not None:
            written.append(measured["captured"])
        counters = {"cpu_s": time.process_time() - began_cpu, **measured["counters"]}
        facts = RunFacts(
            scenario=_read(measured["scenario"]),
            digest=measured["digest"],
            backend=self.name,
            engine_version=self.version(),
            code_version=__version__,
            counters=counters,
            host=host(),
            notes=tuple(measured["notes"]),
        )
        return build(measured["frames"], facts)


_LONG_TEXT = 1 << 20
"""From so many characters on a scenario has very many flows, most of them alike."""


def _read(text: str) -> dict[str, Any]:
    """Return a scenario as it was run: of very many flows those alike are one object, or a million take a gigabyte."""
    known: dict[Any, dict[str, Any]] = {}

    def shared(found: dict[str, Any]) -> dict[str, Any]:
        # What is nested has been shared already. 1 and 1.0 are equal, and differ as JSON.
        parts = ((name, id(one) if isinstance(one, (dict, list)) else one, type(one)) for name, one in found.items())
        return known.setdefault(tuple(parts), found)

    read: dict[str, Any] = json.loads(text, object_hook=shared if len(text) >= _LONG_TEXT else None)
    return read


def _asked(function: str, scenario: Scenario, *given: Any) -> Any:
    """Ask the core something of a scenario: in this process, or where the code of files is loaded."""
    named = guests(scenario)
    if not named:
        return asked(functools.partial(getattr(native, function), *given), scenario)
    try:
        return asked(lambda text: _elsewhere(function, (*given, text), named), scenario)
    except foreign.Unreachable as error:
        raise _fault(scenario, _culprit(scenario, error.flow), error.said) from None
    except ScenarioError as error:
        files = {_known_as(name) for name, _ in named}
        file, colon, what = error.problem.partition(": ")
        if function != "check" and not error.field and colon and file in files:
            raise _fault(scenario, file, what) from error.__cause__
        raise


def _elsewhere(function: str, given: tuple[Any, ...], named: list[tuple[str, str]]) -> Any:
    """Ask in the process for foreign code; what is handed over as a class has no file to be loaded there and runs in this one."""
    files = [name for name, _ in named if foreign.is_made(name)]
    described = {name: found.described for name in files if (found := foreign.required(name)).described is not None}
    if not described:
        from windtunnel.foreign.process import ask

        return ask(function, *given, named)
    from windtunnel.foreign import here

    apart = [foreign.shown(name) for name, _ in named if name not in described]
    if apart:
        raise ValueError(
            "flows", f"a class runs in this process and {apart[0]} in one of its own; write the class to a file, as ./mine.py:Mine"
        )
    return here.ask(function, *given, classes=described)


def _culprit(scenario: Scenario, flow: int | None) -> str:
    """Return the file, or the stack, that a flow runs; all those of the scenario where it is not known."""
    flows = fill(scenario).scenario.flows
    whose = flows[flow] if flow is not None and flow < len(flows) else None
    known = [name for name, _ in guests(scenario)] if whose is None else [whose.stack or whose.algorithm]
    return " or ".join(dict.fromkeys(map(_known_as, known)))


def _known_as(name: str) -> str:
    """Return what a line calls a file, ``mine.c``, or a stack, ``quinn-0.11.19``."""
    if not stacks.is_keyed(name) or foreign.is_made(name):
        return foreign.shown(name)
    own = stacks.required(name)
    return f"{own.name}-{own.version}"


def _fault(scenario: Scenario, file: str, what: str) -> foreign.ForeignError:
    return foreign.ForeignError(file, f"{what}; scenario {digest(scenario)[:12]}")


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


def conform_file(text: str, file: str, controller: foreign.Controller) -> dict[str, Any]:
    """Replay one file of kernel vectors against a controller from a file, in a process of its own.

    Parameters
    ----------
    text, file : str
        As for `conform`.
    controller : foreign.Controller
        What answers.

    Returns
    -------
    dict
        As `conform`.

    Raises
    ------
    ValueError
        When the vectors are damaged; one line.
    windtunnel.foreign.ForeignError
        When the controller crashes or stands still.
    """
    from windtunnel.foreign.process import ask

    try:
        report: dict[str, Any] = json.loads(ask("guest_conform", text, file, (controller.name, str(controller.library))))
    except foreign.Unreachable as error:
        raise foreign.ForeignError(controller.file, f"{error.said}, with {file}") from None
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


def conform_rows_file(stimulus: str, rows: str, file: str, controller: foreign.Controller) -> dict[str, Any]:
    """Replay what a kernel answered segment by segment against the ``linux-6.1`` stack with a controller from a file.

    Parameters
    ----------
    stimulus, rows : str
        As for `conform_rows`.
    file : str
        Name of the rows, for the error.
    controller : foreign.Controller
        What moves the window.

    Returns
    -------
    dict
        As `conform_rows`.

    Raises
    ------
    ValueError
        When the script cannot be driven, or the rows are not its; one line.
    windtunnel.foreign.ForeignError
        When the controller does what none may, crashes or stands still.
    """
    named = [(controller.name, str(controller.library))]
    return _asked_with(controller, file, "conform_rows", stimulus, rows, controller.name, None, named)


def _asked_with(controller: foreign.Controller, file: str, function: str, *given: Any) -> dict[str, Any]:
    """Return what the controller's process answers; what it does wrong is said of it, with the name of the recording."""
    from windtunnel.foreign.process import ask

    try:
        report: dict[str, Any] = json.loads(ask(function, *given))
    except foreign.Unreachable as error:
        raise foreign.ForeignError(controller.file, f"{error.said}, with {file}") from None
    except ValueError as error:
        whose, _, said = str(error).partition(": ")
        if whose != controller.file:
            raise
        raise foreign.ForeignError(controller.file, f"{said}, with {file}") from None
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


def conform_segments_file(text: str, file: str, controller: foreign.Controller) -> dict[str, Any]:
    """Replay a file of recorded segments with a controller from a file in place of the recorded one.

    Parameters
    ----------
    text : str
        As for `conform_segments`. Scripts that were recorded without HyStart set the parameter ``hystart``, where there is one, to 0.
    file : str
        Name of the recordings, for the error.
    controller : foreign.Controller
        What moves the window.

    Returns
    -------
    dict
        As `conform_segments`.

    Raises
    ------
    ValueError
        As `conform_segments`.
    windtunnel.foreign.ForeignError
        When the controller does what none may, crashes or stands still.
    """
    named = [(controller.name, str(controller.library))]
    return _asked_with(controller, file, "conform_segments", text, controller.name, named)
