"""Where pages find the documentation."""

from __future__ import annotations

from pathlib import Path

from windtunnel.scenario import ScenarioError

_START = "docs/site/index.html"


def docs_address(given: str | None) -> str:
    """Return the address that pages lead to, without a slash at its end; empty for none.

    Parameters
    ----------
    given : str or None
        An address of the web, or the folder of a site that was built (``make site``).

    Raises
    ------
    ScenarioError
        When it is neither.
    """
    if given is None:
        return ""
    if given.startswith(("https://", "http://", "file://")):
        return given.rstrip("/")
    if (Path(given) / _START).is_file():
        return Path(given).resolve().as_uri()
    raise ScenarioError("docs", f"{given!r} has no documentation; allowed: an address with https://, or the folder that `make site` writes")
