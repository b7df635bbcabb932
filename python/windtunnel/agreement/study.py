"""One comparison: which algorithms, on which grid, of which two sides, and how it is carried out."""

from __future__ import annotations

import datetime
import itertools
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from windtunnel import experiment
from windtunnel.agreement.compare import Row, compare, with_beside
from windtunnel.agreement.grid import ALGORITHMS, experiments
from windtunnel.agreement.judging import INCONCLUSIVE
from windtunnel.agreement.sides import SIMULATOR, Side, Sides, of_kernel, of_kernels, of_live
from windtunnel.backends.linux import store, usermodules
from windtunnel.backends.linux.errors import KernelError
from windtunnel.backends.linux.modules import MODULES
from windtunnel.backends.linux.profiles import profile_of
from windtunnel.backends.linux.store import Kernel
from windtunnel.backends.live.backend import has
from windtunnel.campaign import Campaign
from windtunnel.experiment import Experiment, Scale, Step
from windtunnel.foreign import is_made, shown
from windtunnel.scenario import ScenarioError, catalogue
from windtunnel.store import Results, open_results, writing_results
from windtunnel.version import __version__


@dataclass(frozen=True)
class Study:
    """What is compared.

    Parameters
    ----------
    grid : str
        Its name.
    experiments : tuple of Experiment
        The arrangements of flows, with their points.
    algorithms : tuple of str
        The protocols.
    sides : tuple of (Side, Side)
        What is judged, and what by.
    seeds : int, optional
        Repeats in place of the experiments' own.
    left_out : tuple of str
        What was not asked for by name and cannot be compared, each with its reason.
    beside : Side, optional
        A third side, which is run and shown between the two, and not judged.
    files : mapping of str to str
        Controllers from files that kernels run in place of protocols; the simulator runs the protocols.
    """

    grid: str
    experiments: tuple[Experiment, ...]
    algorithms: tuple[str, ...]
    sides: Sides
    seeds: int | None = None
    left_out: tuple[str, ...] = ()
    beside: Side | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> tuple[Side, ...]:
        """The sides as they stand beside each other."""
        ours, theirs = self.sides
        return self.sides if self.beside is None else (ours, self.beside, theirs)

    def scale(self, side: Side) -> Scale:
        """Return how much of the experiments is run on a side, and by which files."""
        return Scale(repeats=self.seeds, files={} if side == SIMULATOR else self.files)


def make(
    grid: str,
    algorithms: Sequence[str] | None = None,
    *,
    kernels: Sequence[str] = (),
    seeds: int | None = None,
    live: bool = False,
    files: Mapping[str, str] | None = None,
) -> Study:
    """Say what is compared.

    Parameters
    ----------
    grid : str
        A name of `GRIDS`.
    algorithms : sequence of str, optional
        The protocols; those of `ALGORITHMS` that both sides have when absent.
    kernels : sequence of str, optional
        Name, version or digest of a built kernel; the newest when there is none. Two are compared with each other, without the simulator.
    seeds : int, optional
        Repeats.
    live : bool
        This machine's own kernel is what the simulator is judged by; a built one, the newest when none is named, is shown between the two.
    files : mapping of str to str, optional
        Controllers from files that kernels run in place of protocols, by the protocol.

    Returns
    -------
    Study
        Not carried out yet.

    Raises
    ------
    KernelError
        When no kernel is built, or none of that name, or two names are of one kernel.
    ScenarioError
        When one of the protocols is a controller from a file, but not in C.
    ForeignError
        When a file does not become a module of a kernel.
    """
    files = files or {}
    from_files = [name for name in (*(algorithms or ()), *files.values()) if is_made(name)]
    others = [shown(name) for name in from_files if not usermodules.is_module(name)]
    if others:
        raise ScenarioError(
            "alg", f"{others[0]} is no C file in the kernel's dialect, which a kernel runs too; allowed: names and such files"
        )
    if live:
        return _live(grid, algorithms, seeds, kernels, files)
    chosen = [store.find(name) for name in kernels] or [store.find()]
    for kernel, name in itertools.product(chosen, from_files):
        usermodules.made(kernel, name)
    left_out: list[str] = []
    if algorithms is None:
        algorithms = [name for name in ALGORITHMS if name in catalogue().algorithms]
        left_out += [f"{name}: the simulator has none" for name in ALGORITHMS if name not in algorithms]
        missing = [name for name in algorithms if any(MODULES[name].name not in kernel.algorithms for kernel in chosen)]
        left_out += [f"{name}: {'the kernel' if len(chosen) == 1 else 'one of the kernels'} has none" for name in missing]
        algorithms = [name for name in algorithms if name not in missing]
    # Kernels run their own stacks whatever is asked for; the simulator runs the profile that stands for the kernel.
    return Study(
        grid=grid,
        experiments=experiments(grid, algorithms, profile_of(chosen[0].version)),
        algorithms=tuple(algorithms),
        sides=_sides(chosen),
        seeds=seeds,
        left_out=tuple(left_out),
        files=files,
    )


def _live(grid: str, algorithms: Sequence[str] | None, seeds: int | None, kernels: Sequence[str], files: Mapping[str, str]) -> Study:
    left_out = [] if algorithms is not None else [f"{name}: this kernel has none" for name in ALGORITHMS if not has(MODULES[name].name)]
    named = algorithms if algorithms is not None else [name for name in ALGORITHMS if has(MODULES[name].name)]
    own = profile_of(platform.release())
    try:
        built = store.find(*kernels)
    except KernelError:
        if kernels:
            raise
        built = None
    own_modules = [] if built is None else [name for name in named if not is_made(name) and name not in files]
    lacking = [name for name in own_modules if built is not None and MODULES[name].name not in built.algorithms]
    if built is not None and lacking:
        if kernels:
            raise KernelError(f"kernel {built.name} has no {lacking[0]}; allowed: --alg without it, or another --kernel")
        left_out.append(f"Linux {built.version} in virtual time: it has no {lacking[0]}")
        built = None
    beside = None if built is None else replace(of_kernel(built), name="virtual-time kernel")
    return Study(grid, experiments(grid, named, own), tuple(named), (SIMULATOR, of_live()), seeds, tuple(left_out), beside, files)


def _sides(kernels: Sequence[Kernel]) -> Sides:
    if len(kernels) == 1:
        return SIMULATOR, of_kernel(kernels[0])
    first, second = kernels
    if first.digest == second.digest:
        raise KernelError(f"kernel {first.name} is named twice; allowed: one kernel, or two that differ")
    return of_kernels(first, second)


def carry_out(
    study: Study, folder: Path, *, jobs: int, command: str, on_step: Callable[[Step], None], campaign: Campaign | None = None
) -> list[Row]:
    """Run what is missing on both sides and compare.

    Parameters
    ----------
    study : Study
        What is compared.
    folder : Path
        Holds a results folder for each side; what they hold already is not run again.
    jobs : int
        Worker processes.
    command : str
        The command line that asks for all of it.
    on_step : callable
        Told of progress.
    campaign : Campaign, optional
        Whose workers make the runs of both sides. For a kernel's they need that kernel, by its digest.

    Returns
    -------
    list of Row
        The comparison.

    Raises
    ------
    ScenarioError, KernelError
        When a side cannot run something, before anything runs.
    ResultsError
        When a folder cannot be used.
    WorkerLost, GuestFailed
        When a run died; what was finished is kept.
    CampaignError
        When a campaign's cluster cannot be used.
    """
    plans = [experiment.plan(study.experiments, study.scale(side), backend=side.backend) for side in study.shown]
    for side, plan in zip(study.shown, plans, strict=True):
        for one in (entry for entries in plan.left_out.values() for entry in entries):
            named = side.backend.partition(":")[0]
            raise ScenarioError("backend", f"{named} cannot express {one.where or 'the comparison'}: {one.reason}")
    escaped = command.replace("{", "{{").replace("}", "}}")
    for side, plan in zip(study.shown, plans, strict=True):
        with writing_results(folder / side.folder) as results:
            experiment.execute(plan, results, jobs=jobs, command=escaped, on_step=on_step, campaign=campaign)
            _store_facts(results, study, side, command)
    first, second = (open_results(folder / side.folder) for side in study.sides)
    called = study.sides[0].called, study.sides[1].called
    rows = compare(first, second, [one.id for one in study.experiments], study.algorithms, called)
    if study.beside is not None:
        rows = with_beside(rows, open_results(folder / study.beside.folder))
    return [_noise(row) for row in rows] if study.sides[1].backend == "live" else rows


def _noise(row: Row) -> Row:
    """Say where the live machine's repeats are further apart than the two sides are."""
    found = row.found
    if found.verdict != INCONCLUSIVE or found.note or found.difference is None or found.low is None or found.high is None:
        return row
    half = (found.high - found.low) / 2
    if half <= abs(found.difference):
        return row
    return replace(row, found=replace(found, note="the repeats are further apart than the two sides: noise, the machine's own among it"))


def _store_facts(results: Results, study: Study, side: Side, command: str) -> None:
    """Store what a report of this side alone needs."""
    results.store_facts(
        {
            "title": "A comparison: one side",
            "subtitle": side.title,
            "suites": ["agree"],
            "order": [one.id for one in study.experiments],
            "command": command,
            "made": f"Windtunnel {__version__}, {datetime.date.today().isoformat()}",
            "facts": [["grid", study.grid], *([name, f"run by {shown(file)}"] for name, file in study.scale(side).files.items())],
            "findings": [],
        }
    )
