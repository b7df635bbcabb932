"""The kernel's column of docs/validation, from measures stored with the project: they take hours to make, and do not depend on the engine.

``python -m windtunnel.report.kernelcolumn RESULTS DOCS STORED`` stores what a folder of results measured on a kernel, and writes that
column anew; the simulator's stays as it is. A claim whose measures are not stored keeps what the pages say of it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from windtunnel.claims import Register, Verdict, judge, metrics_read, packaged_register
from windtunnel.report.cells import HEADINGS, KERNEL, PAPER, TableCell, cell_of, joined, reasons_of, split
from windtunnel.report.registers import registers_of
from windtunnel.store import Results, open_results

_FACTS = ("backend_title", "scale", "repeats", "emulates", "left_out")
_OUTCOME = ("value", "text", "run", "digest")
_ROW = re.compile(r"^\| (?P<name>(?:\w+\.)?[ct]\d+) \|.*\|$")


@dataclass(frozen=True)
class Stored:
    """Measures of kernels in a folder, a table (CSV) and facts (JSON) per experiment.

    Parameters
    ----------
    folder : Path
        There or not.
    writable : bool
        Whether `keep` stores anything.
    """

    folder: Path
    writable: bool = True

    def read_only(self) -> Stored:
        """Return the same measures, to which nothing is added."""
        return Stored(self.folder, writable=False)

    def experiments(self) -> list[str]:
        """Return the ids of the experiments, sorted."""
        return sorted(path.stem for path in self.folder.glob("*.csv"))

    def facts(self, id: str) -> dict[str, Any]:
        """Return what is known of an experiment's runs: the kernel, the scale, the repeats, what they emulate and what was left out."""
        return dict(json.loads((self.folder / f"{id}.json").read_text(encoding="utf-8")))

    def measures(self, id: str) -> pl.DataFrame:
        """Return an experiment's measures: its dimensions, `seed`, `metric`, `value`, `run`, and what else of a table says anything."""
        columns = {name: getattr(pl, dtype) for name, dtype in self.facts(id)["columns"].items()}
        return pl.read_csv(self.folder / f"{id}.csv", schema=columns)

    def keep(self, results: Results, registers: Sequence[Register]) -> list[str]:
        """Store what a folder of results measured on a kernel, as far as a claim asks for it, and return the experiments that changed.

        Points and repeats that the folder lacks stay as they were, if they are of the same kernel.
        """
        if not self.writable:
            return []
        self.folder.mkdir(parents=True, exist_ok=True)
        known = {id: register for register in registers for id in register.experiments}
        changed = []
        for id in results.experiments(KERNEL):
            if id not in known:
                continue
            frame = results.measures(id, KERNEL)
            asked = pl.col("metric").str.split("@").list.first().is_in(sorted(metrics_read(known[id].claims, id)))
            frame = frame.filter(asked).with_columns(pl.col("run").str.slice(0, 12))
            declared = results.declaration(id, KERNEL)
            facts = {name: declared[name] for name in _FACTS if declared.get(name)}
            if self._store(id, frame, facts):
                changed.append(id)
        return changed

    def _store(self, id: str, frame: pl.DataFrame, facts: Mapping[str, Any]) -> bool:
        path = self.folder / f"{id}.csv"
        if path.is_file() and self.facts(id).get("backend_title") == facts.get("backend_title"):
            frame = pl.concat([frame, self.measures(id)], how="diagonal_relaxed")
            place = [name for name in frame.columns if name not in _OUTCOME]
            frame = frame.unique(place, keep="first", maintain_order=True)
        said = [name for name in frame.columns if name != "digest" and frame[name].null_count() < frame.height]
        frame = frame.select(said).sort([name for name in said if name not in _OUTCOME])
        before = path.read_text(encoding="utf-8") if path.is_file() else ""
        columns = {name: str(dtype.base_type()) for name, dtype in frame.schema.items()}
        (self.folder / f"{id}.json").write_text(json.dumps({**facts, "columns": columns}, indent=1) + "\n", encoding="utf-8")
        frame.write_csv(path)
        return path.read_text(encoding="utf-8") != before

    def judged(self, register: Register) -> dict[str, Verdict]:
        """Return the verdicts of the claims that these measures judge, by claim."""
        own = [id for id in self.experiments() if id in register.experiments]
        emulations = {id: str(self.facts(id).get("emulates", "")) for id in own}
        verdicts = judge(register, {id: self.measures(id) for id in own}, backend=KERNEL, emulations=emulations)
        return {one.id: one for one in verdicts if one.verdict != "not_run"}


def cells_of(page: str) -> dict[str, TableCell]:
    """Return what a page says of a kernel, by claim."""
    cells = {id: split(columns[-4:])[1] for id, _, columns in _rows(page)}
    return {id: cell for id, cell in cells.items() if cell is not None}


def verdicts_shown(page: str) -> dict[str, str]:
    """Return the simulator's verdict of each claim in a page's tables, without the reason; *not run* where it has none."""
    found = {}
    for id, _, columns in _rows(page):
        own = split(columns[-4:])[0]
        found[id] = "not run" if own is None else own.verdict.partition(":")[0].strip("* ")
    return found


def with_column(page: str, cells: Mapping[str, TableCell]) -> str:
    """Return the page with these cells of a kernel in its tables of claims, and the rest as it was."""
    for id, row, columns in _rows(page):
        if id in cells:
            own = joined([split(columns[-4:])[0], cells[id]], columns[-1])
            page = page.replace(row, _line([*columns[:-4], *own]))
    return page


def _rows(page: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the rows of the page's tables of claims: the claim's id, the row, its columns."""
    paper = ""
    for line in page.splitlines():
        heading, row = PAPER.match(line), _ROW.match(line)
        if heading:
            paper = heading["paper"]
        if row:
            columns = re.split(r"(?<!\\) \| ", line[2:-2])
            if len(columns) == len(HEADINGS):
                yield (row["name"] if "." in row["name"] else f"{paper}.{row['name']}"), line, columns


def _line(columns: Sequence[str]) -> str:
    return f"| {' | '.join(columns)} |"


def main(folder: str, docs: str, stored: str) -> None:
    """Store what a folder of results measured on a kernel, and write the kernel's column of the pages anew.

    Raises
    ------
    ResultsError, OSError
        When one of them cannot be read or written.
    """
    results, known = open_results(Path(folder)), Stored(Path(stored))
    changed = known.keep(results, registers_of(results))
    pages = {path: path.read_text(encoding="utf-8") for path in sorted((Path(docs) / "validation").glob("*.md"))}
    reasons = reasons_of("\n\n".join(pages.values()))
    papers = {id.partition(".")[0] for id in known.experiments()}
    judged = {id: cell_of(one, reasons) for paper in sorted(papers) for id, one in known.judged(packaged_register(paper)).items()}
    cells = {id: cell for id, cell in judged.items() if cell is not None}
    for path, text in pages.items():
        path.write_text(with_column(text, cells), encoding="utf-8")
    print(f"{len(changed)} experiments stored anew, {len(judged)} claims judged on a kernel")


if __name__ == "__main__":
    main(*sys.argv[1:])
