"""``windtunnel suite sensitivity``: whether verdicts depend on what a paper leaves open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windtunnel.cli.grids import algorithms, campaign, each_of, options, progress, repeats, worker_count
from windtunnel.cli.output import stoppable

if TYPE_CHECKING:
    from windtunnel.report import OpenChoice


def sensitivity_command(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Suites (li07) or experiments (li07.fig5).")],
    choice: Annotated[str | None, typer.Option(metavar="NAMES", help="Only these open choices, as fast-period,queue-of-path.")] = None,
    alg: Annotated[str | None, typer.Option(metavar="NAMES", help="Only these protocols or files, as reno,./mine.c.")] = None,
    seeds: Annotated[int | None, typer.Option(metavar="N", help="Repeats, 1 to 1000.", show_default="each experiment's own")] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Worker processes, 1 to 256.", show_default="one per core")] = None,
    out: Annotated[str, typer.Option(metavar="DIR", help="Results folder; what it holds already is not run again.")] = "results",
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler whose workers make the runs.")] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Dask workers on this machine, 1 to 256.", show_default="none")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer points and repeats: minutes.")] = False,
    list_only: Annotated[bool, typer.Option("--list", help="Only say what is open and what was chosen.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run experiments once more with every other plausible value of what their papers leave open, and judge their claims with each.

    The chosen value is run beside the others at the same scale. What the folder holds of the experiments themselves stays as it is.
    """
    with stoppable("finished runs are kept, the same command goes on where it was"):
        from windtunnel import report
        from windtunnel.experiment import Scale, execute_all
        from windtunnel.scenario import ScenarioError
        from windtunnel.store import writing_results
        from windtunnel.suites import chosen, store_facts
        from windtunnel.suites.varying import open_choices, sensitivity_parts

        scale = Scale(quick=quick, algorithms=algorithms(alg), repeats=repeats(seeds))
        processes = worker_count(jobs)
        asked = [
            (known, tuple(one for one in own if not (quick and one.quick is None and one.id not in names))) for known, own in chosen(names)
        ]
        choices = open_choices(asked, None if choice is None else [one.strip() for one in choice.split(",")])
        if list_only:
            _print_open({name: own[0][0].declared() | {"experiments": [one.id for _, one in own]} for name, own in choices.items()}, json)
            return
        said = options(scale, out, "sim", alg=alg).replace("{", "{{").replace("}", "}}")
        with campaign(scheduler, workers) as cluster, writing_results(Path(out)) as results, progress(quiet=json) as on_step:
            each = each_of(names, [own.name for own, _ in asked])
            again = f"windtunnel suite sensitivity {each}{said}"
            command = f"windtunnel suite run {each}{said}"
            parts = sensitivity_parts(results, choices, scale, backend="sim", command=command, again=again)
            if not any(part.plan.jobs for part in parts):
                raise ScenarioError("alg", f"{alg!r} leaves nothing to run; allowed: protocols of the experiments asked for")
            execute_all(parts, jobs=processes, on_step=on_step, campaign=cluster)
            if parts[0].results is results:
                store_facts(results, asked, scale=scale, command=command.format(id=" ".join(names)))
        judged = [one for one in report.run_choices(results, report.registers_of(results)) if one.name in choices]
        _print_judged(judged, as_json=json)


def _print_open(choices: dict[str, dict[str, Any]], as_json: bool) -> None:
    from windtunnel.cli.output import print_json, print_table

    rows = [{**one, "name": name} for name, one in choices.items()]
    if as_json:
        print_json(rows)
        return
    cells = [(one["name"], one["question"], one["value"], "; ".join(one["alternatives"]), ", ".join(one["experiments"])) for one in rows]
    print_table("Open choices", ["choice", "what is open", "chosen", "alternatives", "experiments"], cells)


def sensitivity_json(judged: list[OpenChoice]) -> list[dict[str, Any]]:
    """Return judged choices as plain data.

    Parameters
    ----------
    judged : list of OpenChoice
        From `windtunnel.report.run_choices`.

    Returns
    -------
    list of dict
        Keys choice, question, chosen, reason, alternatives, run, claims (id, experiment, verdicts by value, the chosen one first, and
        depends), and unjudged: claims that no value could judge at this scale.
    """
    return [
        {
            "choice": one.name,
            "question": one.question,
            "chosen": one.value,
            "reason": one.reason,
            "alternatives": list(one.alternatives),
            "run": one.facts,
            "claims": [
                {
                    "id": claim.id,
                    "experiment": claim.verdicts[0].experiment,
                    "verdicts": dict(zip(one.values, [verdict.verdict for verdict in claim.verdicts], strict=True)),
                    "depends": claim.depends,
                }
                for claim in one.claims
            ],
            "unjudged": list(one.unjudged),
        }
        for one in judged
    ]


def _print_judged(judged: list[OpenChoice], *, as_json: bool) -> None:
    from windtunnel.cli.output import print_json, print_table

    if as_json:
        print_json(sensitivity_json(judged))
        return
    for one in judged:
        rows = [
            (claim.id, *(verdict.verdict.replace("_", " ") for verdict in claim.verdicts), "depends" if claim.depends else "")
            for claim in one.claims
        ]
        unjudged = f"{one.name}: not judged at this scale: {', '.join(one.unjudged) or 'any claim'}"
        if not rows:
            print(f"{unjudged} ({one.facts})")
            continue
        columns = ["claim", f"{one.value} (chosen)", *one.run, ""]
        print_table(f"{one.name}: {one.question} ({one.facts})", columns, rows)
        if one.unjudged:
            print(unjudged)
    moved = sum(claim.depends for one in judged for claim in one.claims)
    print(f"{moved} of {sum(len(one.claims) for one in judged)} verdicts depend on an open choice")
