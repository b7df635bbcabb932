"""Packages that only some commands need, the extra of `windtunnel` that brings each, and the one line that says so."""

from __future__ import annotations

import importlib.util

BROUGHT_BY = {"polars": "report", "matplotlib": "report", "jinja2": "report"}
"""A package to the extra that brings it; those of other extras are asked for where they are used."""
_WRITTEN = {"polars": "polars", "matplotlib": "Matplotlib", "jinja2": "Jinja"}


class MissingExtra(ImportError):
    """A package that is not installed; its text is one line with what needs it and how to install it."""


def lacking(what: str, package: str) -> MissingExtra:
    """Return the error that says which extra to install.

    Parameters
    ----------
    what : str
        What needs the package, with the verb: ``figures need``.
    package : str
        The package, one of `BROUGHT_BY`.
    """
    extra = BROUGHT_BY[package]
    line = f"{what} {_WRITTEN[package]}, which the extra `{extra}` brings: pip install 'windtunnel[{extra}]'"
    return MissingExtra(line, name=package)


def need(what: str, *packages: str) -> None:
    """Refuse what cannot work here, before anything is run for it.

    Parameters
    ----------
    what : str
        What needs the packages, with the verb: ``figures need``.
    *packages : str
        Each one of `BROUGHT_BY`.

    Raises
    ------
    MissingExtra
        When one is not installed.
    """
    for package in packages:
        if not is_installed(package):
            raise lacking(what, package)


def is_installed(package: str) -> bool:
    """Return whether a package can be imported; it is not loaded for that."""
    try:
        return importlib.util.find_spec(package) is not None
    except ValueError:  # What is in `sys.modules` without a specification.
        return False


def absent(error: Exception) -> str | None:
    """Return the package whose absence an error tells of, if an extra brings it; None of any other error."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    package = error.name.split(".")[0]
    return package if package in BROUGHT_BY else None
