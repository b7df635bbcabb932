"""The command that writes the page of a study: ``python -m MODULE RESULTS PAGE.md``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from windtunnel.store import Results, ResultsError, open_results


def write_page(make: Callable[[Results, Path], str]) -> None:
    """Write the page that the command line names; one line and exit code 2 where that cannot be.

    Parameters
    ----------
    make : callable
        From the results and the folder of the page, where figures may lie, to its text.
    """
    if len(sys.argv) != 3:
        print("error: takes two arguments; allowed: RESULTS PAGE.md", file=sys.stderr)
        raise SystemExit(2)
    target = Path(sys.argv[2])
    try:
        target.write_text(make(open_results(Path(sys.argv[1])), target.parent), encoding="utf-8")
    except (ResultsError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
