"""The Linux kernel in virtual time as a backend: one guest per run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from windtunnel.backends.captures import Capture, Captured
from windtunnel.backends.host import host
from windtunnel.backends.linux import captured, expressible, fifos, init, plan, rows, store, traffic, usermodules
from windtunnel.backends.linux import records as guest_records
from windtunnel.backends.linux.errors import GuestFailed, KernelError
from windtunnel.backends.linux.guest import Limits, guest
from windtunnel.backends.linux.profiles import numbers, profile_of
from windtunnel.backends.linux.rows import Columns
from windtunnel.records import Records, RunFacts, build, with_sources
from windtunnel.scenario import Scenario, canonical, digest, fill
from windtunnel.version import __version__

RESULTS_VERSION = 5
"""Raised by hand when the same kernel's results may change."""
_LIMITED_VERSION = 6
"""Of kernels since 6.6: before it, their receivers forgot the limit of a flow's window."""


class LinuxKernel:
    """A built kernel as a backend.

    Parameters
    ----------
    kernel : str, optional
        Its name, its version, or the beginning of its digest; the newest one when absent.
    """

    def __init__(self, kernel: str | None = None) -> None:
        self._asked = kernel

    @cached_property
    def _kernel(self) -> store.Kernel:
        """The kernel, looked for once: all runs of a backend are by the same."""
        return store.find(self._asked)

    @property
    def name(self) -> str:
        """Its name: ``linux``."""
        return "linux"

    @property
    def exact(self) -> str:
        """Its name with the kernel's digest.

        Raises
        ------
        KernelError
            When no kernel is built.
        """
        return f"{self.name}:{self._kernel.digest}"

    @property
    def title(self) -> str:
        """The kernel's version, its name if it was given one, and the beginning of its digest."""
        kernel = self._kernel
        name = "" if kernel.name == kernel.id else f"{kernel.name}, "
        return f"Linux {kernel.version} ({name}{kernel.digest[:12]})"

    @property
    def runs_alone(self) -> bool:
        """Guests share a machine: their time is virtual."""
        return False

    @property
    def stack(self) -> str | None:
        """The profile that stands for the kernel's own stack.

        Raises
        ------
        KernelError
            When no kernel is built.
        """
        return profile_of(self._kernel.version)

    def version(self) -> int:
        """Return a number that stands for the kernel (ten digits of its digest) and for our own version (the last two decimals).

        Raises
        ------
        KernelError
            When no kernel is built.
        """
        kernel = self._kernel
        results = _LIMITED_VERSION if numbers(kernel.version) >= (6, 6) else RESULTS_VERSION
        return int(kernel.digest[:10], 16) * 100 + results

    def unsupported(self, scenario: Scenario) -> list[str]:
        """Return what a guest of this kernel cannot express, its missing congestion controls among it.

        Raises
        ------
        KernelError
            When no kernel is built.
        """
        kernel = self._kernel
        found = expressible.unsupported(scenario, profile_of(kernel.version))
        if found:
            return found
        full = fill(scenario).scenario
        found = [f"flows: kernel {kernel.name} was built without {name}" for name in plan.algorithms(full) if name not in kernel.algorithms]
        reason = usermodules.too_old(kernel) if usermodules.wanted(full) else None
        found += [] if reason is None else [f"flows: {reason}"]
        return [*found, *fifos.unsupported(kernel, full)]

    def check(self, scenario: Scenario) -> None:
        """Refuse what cannot be run, before anything starts.

        Raises
        ------
        ScenarioError
            When a guest cannot express the scenario; every field by name.
        KernelError
            When no kernel is built, or it lacks a congestion control, or takes no modules, or its guests' program cannot be compiled.
        ForeignError
            When a controller from a file does not become a module of the kernel.
        """
        try:
            kernel = self._kernel
        except KernelError:
            # What no kernel can express is said first.
            plan.check(scenario)
            raise
        plan.check(scenario, profile_of(kernel.version))
        full = fill(scenario).scenario
        for algorithm in plan.algorithms(full):
            kernel.require(algorithm)
        for module in usermodules.wanted(full).values():
            usermodules.made(kernel, module.algorithm)
        if fifos.wanted(full):
            fifos.made(kernel)
        init.binary()

    def capture(self, scenario: Scenario, capture: Capture) -> tuple[Records, Captured]:
        """Run the scenario and write its packets, whole or not at all.

        Every packet's time is read from the guest's clock, which costs 256 ns of virtual time: the records need not be those of `run`.

        Parameters
        ----------
        scenario : Scenario
            What to run.
        capture : Capture
            The file and the places.

        Returns
        -------
        tuple of (Records, Captured)
            The records, and what was written.

        Raises
        ------
        ScenarioError
            When packets of it cannot be captured, or the file cannot be written; or as `run`.
        KernelError, ForeignError, GuestFailed
            As `run`.
        """
        capture.check()
        with capture.staged() as temporary:
            records, counts = self._run(scenario, packets=temporary, places=capture.places)
        return records, Captured(file=capture.file, packets=counts, waited_packets=sum(counts.values()))

    def run(self, scenario: Scenario) -> Records:
        """Run the scenario in a guest of its own.

        Parameters
        ----------
        scenario : Scenario
            What to run; its seed is that of the guest's entropy.

        Returns
        -------
        Records
            The records; the same scenario on the same kernel gives the same `Records.digest`.

        Raises
        ------
        ScenarioError, KernelError, ForeignError
            See `check`.
        GuestFailed
            When the guest panicked, died, or was killed because it was stuck.
        """
        return self._run(scenario)[0]

    def _run(self, scenario: Scenario, packets: Path | None = None, places: Sequence[str] = ()) -> tuple[Records, dict[str, int]]:
        """Run it, and write its packets where that is asked for; return also how many there are by place."""
        self.check(scenario)
        kernel, orders, filled = self._kernel, plan.make(scenario, captures=places), fill(scenario)
        store.used(kernel)
        limits = Limits(wall_s=orders.wall_s, memory_bytes=orders.memory_bytes)
        contents = {"plan": orders.text.encode()} | usermodules.contents(kernel, orders.modules)
        contents |= fifos.contents(kernel, filled.scenario)
        with guest(kernel.binary, init.binary(), contents, seed=scenario.seed, limits=limits, extra=orders.arguments) as ended:
            failure = ended.folder / "failure"
            if failure.exists():
                raise GuestFailed(
                    f"the guest gave up: {failure.read_text(encoding='utf-8', errors='replace').strip()}", _about_modules(ended.lines)
                )
            try:
                written = rows.read((ended.folder / "records").read_bytes())
            except (OSError, rows.RecordsDamaged) as error:
                raise GuestFailed(f"the guest left no records: {error}", ended.lines) from None
            counts: dict[str, int] = {}
            if packets is not None:
                comment = f"scenario {digest(scenario)}; virtual time 0 is 2000-01-01 00:00:00 UTC"
                application = f"windtunnel {__version__}, Linux {kernel.version}"
                counts = captured.write(ended.folder / "packets", packets, places=places, application=application, comment=comment)
            report = ended.report
        frames = guest_records.frames(written, filled.scenario)
        facts = RunFacts(
            scenario=canonical(scenario),
            digest=digest(scenario),
            backend=self.name,
            engine_version=self.version(),
            code_version=__version__,
            counters={
                "data_packets": _sent(frames),
                "events": None,
                "wall_s": report.wall_s,
                "cpu_s": report.cpu_s,
            },
            host=host() | {"kernel": kernel.id, "kernel_name": kernel.name},
            notes=(*filled.notes, *_stack_notes(filled.scenario, kernel.version), *orders.notes),
        )
        sources = traffic.rows_of_sources(written, filled.scenario)
        return with_sources(build(frames, facts), sources, traffic.samples_of_sources(written, filled.scenario)), counts


def _stack_notes(full: Scenario, version: str) -> list[str]:
    """Say where the profile that a flow asks for is not the kernel's own stack: only the default is taken for it."""
    own = profile_of(version)
    others = dict.fromkeys(flow.profile for flow in full.flows if flow.profile != own)
    return [f"profile: {name}; the kernel has its own stack, {own}" for name in others]


def _about_modules(lines: Sequence[str]) -> tuple[str, ...]:
    """Return what the kernel printed about modules from files: why one does not load stands there."""
    return tuple(line for line in lines if "windtunnel_0" in line)


def _sent(frames: Mapping[str, Columns]) -> int:
    """Return how many packets with data all senders sent."""
    sent = (frames.get(name, {}).get("sent_packets", ()) for name in ("flows", "transfers"))
    return int(sum(np.nansum(np.asarray(column, dtype=np.float64)) for column in sent))
