"""``windtunnel cache``: what was made once and is kept for the next time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from windtunnel.cli.helping import Command, new_app

if TYPE_CHECKING:
    from windtunnel.usercache import Entry

app = new_app(help="List or remove what was built and kept: controllers from files, kernels and their programs, whole stacks.")
JSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list", cls=Command)
def list_command(json: JSON = False) -> None:
    """List what is in the cache, with its size and when it was last used."""
    from windtunnel.cli.output import print_json, print_table
    from windtunnel.usercache import cache, entries

    found = entries()
    if json:
        print_json({"folder": str(cache()), "entries": [_facts(entry) for entry in found]})
    elif not found:
        print(f"{cache()}: nothing is kept")
    else:
        rows = [(entry.kind, entry.name, _size(entry.size_bytes), _when(entry.used_s)) for entry in found]
        print_table(str(cache()), ["kind", "name", "size", "last used (UTC)"], rows)
        print(f"{len(found)} entries, {_size(sum(entry.size_bytes for entry in found))}")


@app.command("clean", cls=Command)
def clean_command(
    kernels: Annotated[bool, typer.Option("--kernels", help="Kernels too, which take minutes to build again.")] = False,
    stacks: Annotated[
        bool, typer.Option("--stacks", help="Whole stacks too, and what cargo keeps to build them; they take minutes to build again.")
    ] = False,
    unused_for: Annotated[int, typer.Option(metavar="DAYS", help="Only what was not used for so many days.")] = 0,
    json: JSON = False,
) -> None:
    """Remove what is made again in seconds when it is needed: compiled controllers, the kernels' programs, logs."""
    import time

    from windtunnel.cli.output import print_json
    from windtunnel.scenario import ScenarioError
    from windtunnel.usercache import cache, entries, remove

    if unused_for < 0:
        raise ScenarioError("unused-for", f"{unused_for} is out of range; allowed: 0 days or more")
    latest_s = time.time() - unused_for * 86_400
    kept = {kind for kind, is_asked in (("kernel", kernels), ("stack", stacks), ("stack build", stacks)) if not is_asked}
    chosen = [entry for entry in entries() if entry.kind not in kept and entry.used_s <= latest_s]
    try:
        remove(chosen)
    except OSError as error:
        raise ScenarioError(str(error.filename or cache()), f"cannot be removed: {error.strerror}") from None
    if json:
        print_json({"folder": str(cache()), "removed": [_facts(entry) for entry in chosen]})
    else:
        print(f"removed {len(chosen)} entries, {_size(sum(entry.size_bytes for entry in chosen))}")


def _facts(entry: Entry) -> dict[str, Any]:
    paths = [str(path) for path in entry.paths]
    return {"kind": entry.kind, "name": entry.name, "size_bytes": entry.size_bytes, "last_used": _when(entry.used_s), "paths": paths}


def _size(size_bytes: int) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size_bytes >= scale:
            return f"{size_bytes / scale:.3g} {unit}"
    return f"{size_bytes} B"


def _when(used_s: float) -> str:
    import datetime

    return datetime.datetime.fromtimestamp(used_s, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M")
