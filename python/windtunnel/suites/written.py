"""The command that writes the page of a study: ``python -m MODULE RESULTS PAGE.md``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from windtunnel.store import ResultsError, open_results


def write_page(make: Callable[..., str], further: str | None = None) -> None:
    """Write the page that the command line names; one line and exit code 2 where that cannot be.

    Parameters
    ----------
    make : callable
        From the results and the folder of the page, where figures may lie, to its text; it takes a further folder of results after them.
    further : str, optional
        What a third argument, a further folder of results, is called; without it there is none.
    """
    given = sys.argv[1:]
    if len(given) != 2 and not (further and len(given) == 3):
        allowed = (
            "two arguments; allowed: RESULTS PAGE.md"
            if further is None
            else f"two or three arguments; allowed: RESULTS PAGE.md [{further}]"
        )
        print(f"error: takes {allowed}", file=sys.stderr)
        raise SystemExit(2)
    target = Path(given[1])
    try:
        folders = [open_results(Path(one)) for one in (given[0], *given[2:])]
        target.write_text(make(folders[0], target.parent, *folders[1:]), encoding="utf-8")
    except (ResultsError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
