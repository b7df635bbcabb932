"""``windtunnel stacks``: whole transport stacks that share a run's links with simulated TCP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from windtunnel.cli.helping import Command, new_app

if TYPE_CHECKING:
    from windtunnel.foreign.stacks import Stack

app = new_app(help="Build, list, test and remove whole stacks, QUIC's and Linux's TCP: --flow cubic,stack=quinn.")
JSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("build", cls=Command)
def build_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="Which; all that packages hold when absent.")] = None,
    with_: Annotated[
        str | None,
        typer.Option("--with", metavar="FOLDER", help="A crate of your own with controllers for quinn, built in.", show_default=False),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            help="Of linux: a kernel's source tree or tarball, the distribution's linux-source when absent. Of picoquic: its folder."
        ),
    ] = None,
    null_cipher: Annotated[
        bool,
        typer.Option("--null-cipher", help="Packets after the handshake are not encrypted: quinn, noq, tquic; named NAME-null-cipher."),
    ] = False,
    jobs: Annotated[int | None, typer.Option(min=1, max=1024, help="Of linux: compilers at once; one per core when absent.")] = None,
    json: JSON = False,
) -> None:
    """Build stacks from their packages, linux and picoquic from a source, with your Rust toolchain, and keep them in your cache."""
    from windtunnel.cli.output import note, print_json, stoppable
    from windtunnel.foreign import fromsource, stacks
    from windtunnel.foreign.ownstack import FOR

    with stoppable("nothing was kept of what was not finished"):
        every = stacks.unencrypted() if null_cipher else [name for name in stacks.sources() if name not in (stacks.KERNEL, fromsource.FOR)]
        chosen = names or (every if with_ is None else [FOR])
        made = [
            _kernel(source, jobs)
            if name == stacks.KERNEL and with_ is None and not null_cipher
            else stacks.build(name, note, crate=with_, source=source if name == fromsource.FOR else None, has_null_cipher=null_cipher)
            for name in chosen
        ]
    if json:
        print_json([_facts(one) for one in made])
        return
    for one in made:
        print(
            f"{one.name} {one.version}: {', '.join(one.algorithms)}; built in {one.build_s:.0f} s on {one.built} UTC: {one.library.parent}"
        )


def _kernel(source: Path | None, jobs: int | None) -> Stack:
    from windtunnel.backends.linux import endpoints
    from windtunnel.cli.kernel import building, cores, source_of

    with building() as progress:
        return endpoints.make(source_of(source), jobs=cores(jobs), progress=progress)


@app.command("list", cls=Command)
def list_command(json: JSON = False) -> None:
    """List the stacks that are built, and those that can be."""
    from windtunnel.cli.output import print_json, print_table
    from windtunnel.foreign import stacks

    known = stacks.built()
    if json:
        print_json([_facts(one) for one in known])
        return
    rows = [(one.name, one.version, ", ".join(one.algorithms), one.built, one.key) for one in known]
    rows += [
        (name, "not built", f"windtunnel stacks build {name}", "", "") for name in stacks.sources() if name not in {o.name for o in known}
    ]
    print_table("Stacks", ["stack", "version", "algorithms", "built (UTC)", "key"], rows)


@app.command("test", cls=Command)
def test_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME...]", help="Which; all that are built when absent.")] = None,
    json: JSON = False,
) -> None:
    """Run each controller of a stack through what holds for any stack. Exit code 1 when something does not."""
    from windtunnel.backends import backend
    from windtunnel.battery.stacks import tested
    from windtunnel.cli.output import print_json, print_table, stoppable
    from windtunnel.foreign import stacks

    chosen = [stacks.required(name) for name in names] if names else stacks.built()
    with stoppable("nothing was left running"):
        checks = [check for one in chosen for check in tested(one, backend("sim").run, stacks.encrypted(one))]
    if json:
        print_json([vars(check) for check in checks])
    else:
        rows = [(check.stack, check.algorithm, check.check, "ok" if check.ok else "fails", check.detail) for check in checks]
        print_table("Stacks", ["stack", "algorithm", "check", "verdict", "measured"], rows)
    if not all(check.ok for check in checks):
        raise typer.Exit(1)


@app.command("remove", cls=Command)
def remove_command(name: Annotated[str, typer.Argument(metavar="NAME", help="Its name, or name and key.")], json: JSON = False) -> None:
    """Remove the builds of a stack."""
    from windtunnel.cli.output import print_json
    from windtunnel.foreign import stacks

    gone = stacks.remove(name)
    if json:
        print_json([_facts(one) for one in gone])
    else:
        print("\n".join(f"removed {one.known_as}" for one in gone))


def _facts(one: Stack) -> dict[str, Any]:
    facts = {"name": one.name, "version": one.version, "key": one.key, "algorithms": list(one.algorithms)}
    return facts | {"built": one.built, "build_s": one.build_s, "library": str(one.library)}
