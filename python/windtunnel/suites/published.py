"""A paper's printed numbers, from its register, in the form that figures draw beside ours."""

from __future__ import annotations

from collections.abc import Mapping

from windtunnel.claims import packaged_tables
from windtunnel.plots.declared import Published, Value


def cells(experiment: str, *paths: str) -> tuple[Published, ...]:
    """Return the cells of printed tables.

    Parameters
    ----------
    experiment : str
        The experiment's id, such as ``slac03.tab1``.
    *paths : str
        Dotted paths of its tables in the register.

    Returns
    -------
    tuple of Published
        In the table's order; cells that are not given are left out.
    """
    tables = packaged_tables(experiment.partition(".")[0])[experiment]
    return tuple(_mark(cell.selectors, cell.value, cell.sd) for path in paths for cell in tables[path].cells)


def _mark(at: Mapping[str, Value], value: float, sd: float | None) -> Published:
    return Published(dict(at), value, sd)
