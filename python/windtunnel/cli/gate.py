"""``windtunnel gate``: whether a change made a controller worse."""

from __future__ import annotations

import contextlib
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windtunnel.cli.grids import progress, repeats, worker_count
from windtunnel.cli.output import stoppable

if TYPE_CHECKING:
    from windtunnel.gate import GatePlan, Values, Verdict

MOST_ROWS = 40


def gate_command(
    controller: Annotated[str, typer.Argument(metavar="FILE|ALG", help="What is judged, as ./mine.c,keep=50 or cubic,beta=0.75.")],
    against: Annotated[
        str | None,
        typer.Option(metavar="BASELINE", help="FILE.toml, a folder of gate --out, git:REVISION:PATH, linux:KERNEL, or another controller."),
    ] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE.toml", help="Write what is judged as a baseline, margins beside it.")] = None,
    plan: Annotated[
        str | None, typer.Option(metavar="PLAN", help="20s, 2min or 20min on two cores; the baseline's, or 2min, when absent.")
    ] = None,
    only: Annotated[str | None, typer.Option(metavar="CELLS", help="Only these cells of the plan, by commas.")] = None,
    seeds: Annotated[int | None, typer.Option(metavar="N", help="Repeats of each cell, in place of the plan's.")] = None,
    margins: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="Margins; BASELINE.margins.toml beside the baseline when absent.")
    ] = None,
    backend: Annotated[str, typer.Option(metavar="BACKEND", help="What runs it: sim, linux.")] = "sim",
    kernel: Annotated[str | None, typer.Option(metavar="KERNEL", help="With --backend linux: which built kernel.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="What is undecided fails too.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep runs, comment.md, figures, gate.json and junit.xml here.")] = None,
    figures_at: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where the comment finds its figures; the folder when absent; with '' they are in characters."),
    ] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Worker processes, 1 to 256; one per core when absent.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Judge whether a change made a controller worse, on 28 paths, with the same random draws on both sides.

    Each quantity is worse, better, equal within its margin, or undecided. Exit code 1 when something is worse (with --strict also when
    something is undecided). Without --against nothing is judged: --save writes a baseline.
    """
    with stoppable("finished runs are kept with --out, the same command goes on where it was"):
        from windtunnel import gate, pool
        from windtunnel.cli.output import note, print_json
        from windtunnel.gate import baseline, sides
        from windtunnel.scenario import ScenarioError

        if against is None and save is None:
            raise ScenarioError("against", "is missing; allowed: --against BASELINE to judge, or --save FILE.toml to write a baseline")
        if save is not None and save.suffix != ".toml":
            raise ScenarioError("save", f"{save} is no baseline's name; allowed: a file that ends in .toml")
        runs_on, workers, count = _backend(backend, kernel), worker_count(jobs), repeats(seeds)
        cells = None if only is None else [part.strip() for part in only.split(",")]
        new = gate.subject(controller)
        given = {"plan": plan, "only": only, "seeds": seeds, "margins": margins, "kernel": kernel, "out": out}
        command = _command(controller, {"against": against, **given}, backend)
        with tempfile.TemporaryDirectory(prefix="windtunnel-") as work, pool.kept(workers), _folder(out) as folder:
            other = None if against is None else gate.against(against, new, backend=runs_on, work=Path(work))
            stored = other.stored if other is not None else None
            chosen, again = _plan(plan, cells, count, stored)
            if not json:
                size = f"{_counted(len(chosen.cells), 'cell')}, {_counted(len(chosen.seeds), 'seed')}"
                note(f"{size}: {new.name}{f' against {other.title}' if other else ''}")
            with progress(quiet=json) as on_step:
                if other is None:
                    verdict = None
                    values = gate.carry_out([new], chosen, folder / "new", backend=runs_on, jobs=workers, command=command, on_step=on_step)[
                        new.name
                    ]
                else:
                    allowed = gate.margins_for(margins, other)
                    remade = _command(controller, {**given, **again, "save": other.file}, backend)
                    verdict = gate.judged(
                        new, other, chosen, allowed, folder, backend=runs_on, jobs=workers, command=command, again=remade, on_step=on_step
                    )
                    values = verdict.new
            if out is not None:
                baseline.write(values, out / sides.STORED, command=command)
            if verdict is not None and out is not None:
                _write(verdict, out, figures_at, strict=strict)
        if save is not None:
            _save(values, save, _command(controller, {"save": save, **given}, backend))
    if verdict is None:
        print(f"baseline: {save}")
        return
    if json:
        from windtunnel.gate.shown import verdict_json

        print_json(verdict_json(verdict))
    else:
        _print(verdict)
        if out is not None:
            print(f"comment: {out / 'comment.md'}")
    if not verdict.passes(strict=strict):
        raise typer.Exit(1)


def _plan(name: str | None, cells: list[str] | None, seeds: int | None, stored: Values | None) -> tuple[GatePlan, dict[str, object]]:
    """Return what is run, and the options that say so: what the baseline has, where nothing else is asked for."""
    from windtunnel import gate

    whole = gate.plan(name or (stored.plan if stored is not None else gate.STANDARD))
    of_baseline = whole.within(stored) if stored is not None and name is None else whole
    chosen = (whole if cells is not None else of_baseline).narrowed(cells, len(of_baseline.seeds) if seeds is None else seeds)
    return chosen, {
        "plan": whole.name,
        "only": ",".join(cell.name for cell in chosen.cells) if len(chosen.cells) < len(whole.cells) else None,
        "seeds": len(chosen.seeds) if len(chosen.seeds) != len(whole.seeds) else None,
    }


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _backend(backend: str, kernel: str | None) -> str:
    from windtunnel.scenario import ScenarioError

    if backend not in ("sim", "linux"):
        raise ScenarioError("backend", f"{backend!r} is no backend of the gate; allowed: sim, linux")
    if kernel is not None and backend != "linux":
        raise ScenarioError("kernel", f"{kernel} beside backend {backend}; allowed: with --backend linux")
    return backend if kernel is None else f"{backend}:{kernel}"


@contextlib.contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="windtunnel-") as name:
        yield Path(name)


def _command(controller: str, given: dict[str, object], backend: str) -> str:
    options = {**given, "backend": None if backend == "sim" else backend}
    parts = [f"--{name} {shlex.quote(str(value))}" for name, value in options.items() if value is not None]
    return " ".join(["windtunnel gate", shlex.quote(controller), *parts])


def _write(verdict: Verdict, out: Path, figures_at: str | None, *, strict: bool) -> None:
    """Write the comment, its figures, the JSON object and the JUnit document into the gate's folder."""
    import json

    from windtunnel.gate import comment
    from windtunnel.gate.junit import junit
    from windtunnel.gate.shown import verdict_json
    from windtunnel.scenario.textfiles import put

    comment.draw(verdict, out)
    put(comment.comment(verdict, figures_at="." if figures_at is None else figures_at or None), out / "comment.md", "out")
    put(json.dumps(verdict_json(verdict), indent=2, allow_nan=False) + "\n", out / "gate.json", "out")
    put(junit(verdict, strict=strict), out / "junit.xml", "out")


def _save(values: object, path: Path, command: str) -> None:
    """Write a baseline, and margins beside it where there are none yet."""
    from windtunnel.gate import baseline, margins
    from windtunnel.scenario.textfiles import put

    baseline.write(values, path, command=command)  # type: ignore[arg-type]
    beside = margins.beside(path)
    if not beside.exists():
        put(margins.written(margins.Margins()), beside, "save")


def _print(verdict: Verdict) -> None:
    from windtunnel.cli.output import print_table
    from windtunnel.gate import BETTER, UNDECIDED, WORSE, shown

    for outcome, title in ((WORSE, "Worse"), (BETTER, "Better"), (UNDECIDED, "Undecided")):
        rows = verdict.of(outcome)
        if rows:
            print_table(title, shown.HEADS[:-1], [shown.described(row)[:-1] for row in rows[:MOST_ROWS]])
    for sentence in shown.summary(verdict):
        print(sentence)
