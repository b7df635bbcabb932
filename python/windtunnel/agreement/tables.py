"""The tables of the pages of agreement: ``python -m windtunnel.agreement.tables FOLDER PAGE`` renews them from a comparison.

The pages are docs/validation/kernel.md and kernel-6.12.md.

A block of the page from ``<!-- agreement: NAME -->`` to ``<!-- end -->`` is written anew; where differences come from is written by hand.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from windtunnel.agreement.judging import AGREES, DIFFERS, INCONCLUSIVE, NOT_MEASURED
from windtunnel.agreement.page import TITLES
from windtunnel.agreement.quantities import QUANTITIES
from windtunnel.report.text import MISSING, markdown, number
from windtunnel.version import __version__

REFERENCE = {"experiment": "agree.two", "rate_mbps": 250.0, "rtt_ms": 42.0, "queue_bdp": 0.2}
"""The path of the reference: two flows."""
COLUMNS = ("share", "util", "loss_ovh", "qocc", "cwnd_pkts", "backoff_factor", "epoch_s")
_DIGITS = 3
_MARKS = {AGREES: "", DIFFERS: " **!**", INCONCLUSIVE: " ?", NOT_MEASURED: ""}
_BLOCK = re.compile(r"(<!-- agreement: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)

Comparison = Mapping[str, Any]
"""A row of the report's ``rows.json``."""


def renewed(page: str, rows: Sequence[Comparison], facts: str) -> str:
    """Return the page with its blocks written anew.

    Parameters
    ----------
    page : str
        Markdown, with blocks named ``summary``, ``reference`` and ``differences``.
    rows : sequence of Comparison
        What was compared.
    facts : str
        What ran, and when.

    Raises
    ------
    KeyError
        When a block has another name.
    """
    blocks = {"summary": f"{facts}\n\n{_summary(rows)}", "reference": _reference(rows), "differences": _differences(rows)}
    return replaced(page, blocks)


def replaced(page: str, blocks: Mapping[str, str]) -> str:
    """Return a page with the blocks that it names; KeyError for a name that is not among them."""
    return _BLOCK.sub(lambda found: f"{found[1]}\n{blocks[found['name']]}\n\n{found[3]}", page)


def _summary(rows: Sequence[Comparison]) -> str:
    def line(name: str, own: Sequence[Comparison]) -> list[str]:
        counts = Counter(row["verdict"] for row in own)
        return [name, *(str(counts[verdict]) for verdict in (AGREES, DIFFERS, INCONCLUSIVE, NOT_MEASURED))]

    names = dict.fromkeys(row["algorithm"] for row in rows)
    lines = [line(name, [row for row in rows if row["algorithm"] == name]) for name in names]
    return markdown(["", "agree", "differ", "inconclusive", "on neither side"], [*lines, line("all", rows)])


def _reference(rows: Sequence[Comparison]) -> str:
    own = [row for row in rows if row["scenario"] == REFERENCE]
    cells = {(row["algorithm"], row["quantity"]): row for row in own}
    lines = [[name, *(_both(cells.get((name, column))) for column in COLUMNS)] for name in dict.fromkeys(row["algorithm"] for row in own)]
    return markdown(["simulator / kernel", *(QUANTITIES[column].title.lower() for column in COLUMNS)], lines)


def _differences(rows: Sequence[Comparison]) -> str:
    lines = [
        [
            row["algorithm"],
            _path(row["scenario"]),
            QUANTITIES[row["quantity"]].title.lower(),
            _both(row, mark=False),
            _apart(row),
            row["note"],
        ]
        for row in rows
        if row["verdict"] == DIFFERS
    ]
    return markdown(["", "scenario", "quantity", "simulator / kernel", "apart", ""], lines) if lines else "Nothing differs."


def _both(row: Comparison | None, *, mark: bool = True) -> str:
    if row is None:
        return MISSING
    return f"{_side(row['sim'])} / {_side(row['linux'])}{_MARKS[row['verdict']] if mark else ''}"


def _side(side: Mapping[str, Any] | None) -> str:
    if side is None:
        return MISSING
    return "never" if side["mean"] is None else number(side["mean"], digits=_DIGITS)


def _apart(row: Comparison) -> str:
    if row["difference"] is None:
        return MISSING
    return f"{number(100 * row['difference'], digits=2)} %" if row["relative"] else number(row["difference"], digits=2)


def _path(scenario: Mapping[str, Any]) -> str:
    return f"{TITLES[scenario['experiment']]}, {scenario['rate_mbps']:g} Mbit/s, {scenario['rtt_ms']:g} ms"


def _engine(folder: Path) -> str:
    """Return the engine versions of a comparison's simulated runs, as they were stored with them."""
    declared = (json.loads(one.read_text(encoding="utf-8")) for one in sorted((folder / "sim").rglob("experiment.json")))
    return " and ".join(sorted({str(one["backend_version"]) for one in declared}, key=int))


def main(folder: str, page: str) -> None:
    """Renew a page from a comparison's folder.

    Raises
    ------
    KeyError, OSError
        When the page has a block that is unknown, or one of the two cannot be read.
    """
    rows = json.loads((Path(folder) / "report" / "rows.json").read_text(encoding="utf-8"))
    kernel = json.loads((Path(folder) / "linux" / "results.json").read_text(encoding="utf-8"))["subtitle"]
    path = Path(page)
    facts = f"{date.today().isoformat()}, version {__version__}, engine {_engine(Path(folder))}, against {kernel}: {len(rows)} comparisons."
    path.write_text(renewed(path.read_text(encoding="utf-8"), rows, facts), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
