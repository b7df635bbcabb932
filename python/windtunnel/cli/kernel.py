"""``windtunnel kernel``: the Linux kernels whose own TCP stack runs scenarios in virtual time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windtunnel.cli.helping import Command, new_app

if TYPE_CHECKING:
    from windtunnel.backends.linux.store import Kernel
    from windtunnel.cli.steps import Steps

app = new_app(help="Build, list, test and remove the Linux kernels that run scenarios in virtual time.")

JSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]
WHICH = "Its name, its version, or the beginning of its digest."


def cores(value: int | None) -> int:
    """Return how many compilers may run at the same time: one per core where nothing is said."""
    if value is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return value


def source_of(given: Path | None) -> Path:
    """Return where the source of a kernel is: where it was said, or the distribution's."""
    from windtunnel.backends.linux import source as sources
    from windtunnel.backends.linux.errors import KernelError

    path = given or sources.distribution()
    if path is None:
        raise KernelError("no kernel source: give --source PATH, or install the distribution's (Debian: apt-get install linux-source)")
    return path


@contextlib.contextmanager
def building() -> Iterator[Steps]:
    """Show the steps of a build; exit code 1 when one fails."""
    from windtunnel.backends.linux.errors import BuildFailed
    from windtunnel.cli.steps import Steps

    with Steps() as progress:
        try:
            yield progress
        except BuildFailed as error:
            progress.fail(str(error))
            raise typer.Exit(1) from None


@app.command("build", cls=Command)
def build_command(
    source: Annotated[
        Path | None,
        typer.Option(help="A kernel source tree or tarball, Linux 5.10 or newer; only read. Without it: the distribution's linux-source."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="What to call it.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, max=1024, help="Compilers at the same time; one per core when absent.")] = None,
    json: JSON = False,
) -> None:
    """Build a kernel from any source and keep it in your cache. Exit code 1 when a step fails; nothing half-made is left."""
    from windtunnel.backends.linux import build
    from windtunnel.cli.output import print_json, stoppable

    path = source_of(source)
    with stoppable("nothing was kept"), building() as progress:
        built = build.build(path, name=name, jobs=cores(jobs), progress=progress)
    kernel = built.kernel
    if json:
        print_json({**_facts(kernel), "fresh": built.fresh})
        return
    done = f"built in {kernel.build_s:.0f} s" if built.fresh else f"built already ({kernel.built})"
    print(f"kernel {kernel.name}: Linux {kernel.version}, {len(kernel.algorithms)} algorithms, {done}: {kernel.folder}")


@app.command("list", cls=Command)
def list_command(json: JSON = False) -> None:
    """List the built kernels, the newest first; the first is the one used when none is named."""
    from windtunnel.backends.linux import store
    from windtunnel.cli.output import print_json, print_table

    known = store.kernels()
    if json:
        print_json([_facts(kernel) for kernel in known])
    elif not known:
        print(f"no kernel is built; {store.HOW_TO_BUILD}")
    else:
        rows = [(k.name, k.version, k.digest[:12], k.built, *_sizes(k), " ".join(k.algorithms), k.folder) for k in known]
        print_table("Kernels", ["name", "version", "digest", "built", "size", "for modules", "algorithms", "folder"], rows)


@app.command("test", cls=Command)
def test_command(which: Annotated[str | None, typer.Argument(metavar="[KERNEL]", help=WHICH)] = None, json: JSON = False) -> None:
    """Boot a kernel and test its clock, its virtual time, its entropy and its determinism. Exit code 1 when a check fails."""
    from windtunnel.backends.linux import selftest, store
    from windtunnel.cli.output import print_json, print_table, stoppable

    kernel = store.find(which)
    with stoppable("nothing was left running"):
        tested = selftest.self_test(kernel.binary)
    if json:
        checks = [{"check": c.check, "ok": c.ok, "detail": c.detail} for c in tested.checks]
        print_json({"kernel": kernel.name, "ok": tested.ok, "first_packet_s": tested.first_packet_s, "checks": checks})
    else:
        print_table(f"Kernel {kernel.name}", ["check", "ok", "detail"], [(c.check, c.ok, c.detail) for c in tested.checks])
    if not tested.ok:
        raise typer.Exit(1)


@app.command("record-segments", cls=Command)
def record_segments_command(
    out: Annotated[Path, typer.Option(help="The folder for the recordings; what is there already is not made again.")] = Path(
        "data/kernel-segments/recorded"
    ),
    kernel: Annotated[str | None, typer.Option(help=WHICH)] = None,
    alg: Annotated[str | None, typer.Option(help="Of these algorithms only, with commas between them.")] = None,
    each: Annotated[int, typer.Option(min=1, max=12, metavar="N", help="How many scripts of each of the 17 kinds, 1 to 12.")] = 12,
    first: Annotated[
        int, typer.Option(min=0, max=999_999, metavar="N", help="The number of the first of each kind; from 12 on none is kept here.")
    ] = 0,
) -> None:
    """Play random paths and receivers against a kernel's TCP, and record what it answers segment by segment, a file per algorithm."""
    from windtunnel.backends.linux import segments, stimuli, store
    from windtunnel.backends.linux.errors import KernelError
    from windtunnel.cli.output import stoppable

    chosen = alg.split(",") if alg else list(stimuli.ALGORITHMS)
    unknown = [name for name in chosen if name not in stimuli.ALGORITHMS]
    if unknown:
        raise KernelError(f"alg {unknown[0]!r} is refused; allowed: {', '.join(stimuli.ALGORITHMS)}")
    found = store.find(kernel)
    segments.check(found)
    scripts = len(chosen) * len(stimuli.KINDS) * each
    cost_s = scripts * segments.CPU_S_PER_SCRIPT
    print(
        f"{scripts} scripts of {len(chosen)} algorithms on kernel {found.name}: {cost_s:.0f} CPU seconds, less for what is there",
        flush=True,
    )

    def tell(made: segments.Recorded) -> None:
        print(f"{made.path}: {'recorded' if made.fresh else 'there already'}", flush=True)

    with stoppable("whole files were kept"):
        segments.record(found, out, chosen, tell, numbers=range(first, first + each))


@app.command("remove", cls=Command)
def remove_command(which: Annotated[str, typer.Argument(metavar="KERNEL", help=WHICH)], json: JSON = False) -> None:
    """Remove a built kernel."""
    from windtunnel.backends.linux import store
    from windtunnel.cli.output import print_json

    kernel = store.find(which)
    store.remove(kernel)
    if json:
        print_json({"removed": kernel.name, "digest": kernel.digest})
    else:
        print(f"removed {kernel.name} ({kernel.id})")


def _sizes(kernel: Kernel) -> tuple[str, str]:
    """Return what a kernel takes on the disk, and what of it modules are made with; a kernel built before has nothing of that."""
    of_modules = f"{kernel.against_bytes() / 2**20:.0f} MiB" if kernel.takes_modules else "none: too old"
    return f"{kernel.size_bytes() / 2**20:.0f} MiB", of_modules


def _facts(kernel: Kernel) -> dict[str, Any]:
    return {
        "name": kernel.name,
        "version": kernel.version,
        "digest": kernel.digest,
        "algorithms": list(kernel.algorithms),
        "source": kernel.source,
        "changes": list(kernel.changes),
        "compiler": kernel.compiler,
        "built": kernel.built,
        "build_s": kernel.build_s,
        "size_bytes": kernel.size_bytes(),
        "against_bytes": kernel.against_bytes(),
        "takes_modules": kernel.takes_modules,
        "path": str(kernel.binary),
    }
