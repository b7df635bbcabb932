"""The answer of the battery as a page of Markdown, with the portrait beside it."""

from __future__ import annotations

from pathlib import Path

from windtunnel.battery.carried_out import Battery
from windtunnel.battery.histories import LEAST_ACKS
from windtunnel.battery.words import value
from windtunnel.version import __version__


def text(battery: Battery, *, figure: str, command: str) -> str:
    """Return the page.

    Parameters
    ----------
    battery : Battery
        What was found.
    figure : str
        The portrait's file, beside the page.
    command : str
        What makes it again.
    """
    verdict = "Nothing was broken." if battery.holds else "**Something was broken**, so that nothing was measured."
    lines = [
        f"# What `{battery.algorithm}` is like",
        "",
        f"Made by Windtunnel {__version__}: `{command}`",
        "",
        "## What no history may break",
        "",
        f"{verdict} Each history is runs of the simulator's transport with {LEAST_ACKS:,} ACKs or more,",
        "unless the controller sends next to nothing.",
        "",
        "| history | what happens | ACKs | times | broken |",
        "|---|---|---:|---:|---|",
    ]
    for answer in battery.answers:
        broken = "<br>".join(answer.broken) or "nothing"
        lines.append(f"| {answer.history} | {answer.what} | {answer.acks:,} | {answer.happened:,} | {broken} |")
    if battery.traits:
        names = [f"`{battery.algorithm}`", *battery.beside]
        lines += ["", "## What it is, measured", "", "Means over seeds, with the smallest and the largest value.", ""]
        lines += [f"| | where | {' | '.join(names)} |", f"|---|---|{'---:|' * len(names)}"]
        for row in zip(battery.traits, *battery.beside.values(), strict=True):
            lines.append(f"| {row[0].trait.name} | {row[0].trait.path} | {' | '.join(value(one) for one in row)} |")
        lines += [
            "",
            "## Its portrait",
            "",
            f"![Window and queue of one flow, goodput of two, and throughput against random loss]({figure})",
        ]
    return "\n".join(lines) + "\n"


def write(battery: Battery, algorithm: str, target: Path, *, command: str) -> None:
    """Write the page and, where something was measured, the portrait beside it.

    Parameters
    ----------
    battery : Battery
        What was found.
    algorithm : str
        The controller, as scenarios know it.
    target : Path
        The page; the figure has its name with ``.svg``.
    command : str
        What makes it again.
    """
    from windtunnel.plots import save
    from windtunnel.portrait import portrait

    figure = target.with_suffix(".svg")
    if battery.traits:
        save(portrait(algorithm), figure)
    target.write_text(text(battery, figure=figure.name, command=command), encoding="utf-8")
