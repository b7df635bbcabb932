"""What a kernel says of the papers' claims: stored with the project, and shown beside the simulator's verdicts."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest
from stored import DECLARATION

from windtunnel.claims import packaged_register
from windtunnel.report import kernelcolumn, validation
from windtunnel.report.cells import TableCell, cell_of, joined, reasons_of, split
from windtunnel.report.kernelcolumn import Stored, cells_of, with_column
from windtunnel.store import Results, open_results, writing_results

ROOT = Path(__file__).parents[2]
ROW = "| c14 | Almost all | almost all | {said} | {runs} | {on} | {verdict} |"
PAGE = f"""# Leith and Shorten 2008 (`open08`)

<!-- generated: open08 -->

{ROW.format(said="0.287 (0.28 to 0.29)", runs="2", on="simulator", verdict="**fails**: emulation")}
| c15 | Twice as fast | ~2 | 2.83; 2.81 (2.63 to 3.15) | 20; 3 | simulator, linux | holds; holds |

<!-- end -->

### c14

*Emulation: its hosts.* Shares are counted over 30 s.
"""
SHARES = {"cubic": (0.3, 0.31, 0.32), "htcp": (0.3, 0.29, 0.28)}


def folder(
    path: Path, backend: str, shares: dict[str, tuple[float, ...]] = SHARES, title: str = "Linux 6.1.192 (37f454704a55)", run: str = ""
) -> Results:
    """A folder in which a backend measured the first flow's share, and something that no claim asks for."""
    rows = [
        (name, seed, metric, value, f"{run}{name}{seed}{'0' * 40}")
        for name, own in shares.items()
        for seed, value in enumerate(own, start=1)
        for metric in ("share_first", "util")
    ]
    with writing_results(path) as results:
        measures = pl.DataFrame(rows, schema=["alg", "seed", "metric", "value", "run"], orient="row")
        declaration = DECLARATION | {"repeats": 3, "backend": backend, "backend_title": title}
        results.store_experiment("open08.fig8", declaration, measures, backend=backend)
        facts = [["backend", title], ["experiments", 1], ["distinct runs", 6]]
        results.store_facts({"suites": ["open08"], "order": ["open08.fig8"], "facts": facts, "findings": []})
    return open_results(path)


def keep(stored: Stored, results: Results) -> list[str]:
    return stored.keep(results, [packaged_register("open08")])


def test_measures_that_claims_ask_for_are_kept_and_judged_as_those_of_a_folder(tmp_path: Path) -> None:
    stored = Stored(tmp_path / "stored")
    assert keep(stored, folder(tmp_path / "results", "linux")) == ["open08.fig8"]
    frame = stored.measures("open08.fig8")
    assert set(frame["metric"]) == {"share_first"} and frame.height == 6 and frame["run"].str.len_chars().max() == 12
    assert frame.filter(pl.col("alg") == "cubic")["value"].to_list() == list(SHARES["cubic"])
    judged = stored.judged(packaged_register("open08"))
    assert judged["open08.c14"].verdict == "fails" and judged["open08.c14"].runs == 6 and "open08.c15" not in judged
    assert judged["open08.c14"].backend == "linux" and judged["open08.c14"].estimate[0] == pytest.approx(0.31)
    # The same again changes nothing.
    before = {path.name: path.read_bytes() for path in stored.folder.iterdir()}
    assert keep(stored, open_results(tmp_path / "results")) == []
    assert {path.name: path.read_bytes() for path in stored.folder.iterdir()} == before


def test_repeats_of_one_kernel_add_up_and_another_kernel_begins_anew(tmp_path: Path) -> None:
    stored = Stored(tmp_path / "stored")
    keep(stored, folder(tmp_path / "a", "linux"))
    keep(stored, folder(tmp_path / "b", "linux", {"reno": (0.5,)}))
    assert set(stored.measures("open08.fig8")["alg"]) == {"cubic", "htcp", "reno"}
    # What was measured again replaces what it was.
    keep(stored, folder(tmp_path / "c", "linux", {"reno": (0.6,)}, run="again"))
    assert stored.measures("open08.fig8").filter(pl.col("alg") == "reno")["value"].to_list() == [0.6]
    keep(stored, folder(tmp_path / "d", "linux", {"reno": (0.5,)}, "Linux 6.12.117 (c0ffee)"))
    assert set(stored.measures("open08.fig8")["alg"]) == {"reno"}


def test_the_simulators_measures_are_not_kept(tmp_path: Path) -> None:
    stored = Stored(tmp_path / "stored")
    assert keep(stored, folder(tmp_path / "results", "sim")) == [] == stored.experiments()


def test_the_column_is_written_beside_the_simulators_which_stays(tmp_path: Path) -> None:
    page = tmp_path / "validation" / "open08.md"
    page.parent.mkdir()
    page.write_text(PAGE, encoding="utf-8")
    folder(tmp_path / "results", "linux")
    kernelcolumn.main(str(tmp_path / "results"), str(tmp_path), str(tmp_path / "stored"))
    text = page.read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| c14"))
    assert row.startswith("| c14 | Almost all | almost all | 0.287 (0.28 to 0.29); 0.310 (") and row.endswith(
        "| 2; 6 | simulator, linux | **fails**: emulation; **fails**: emulation |"
    )
    # Nothing is stored of c15, which keeps its cell; and so does every other line.
    assert [line for line in text.splitlines() if not line.startswith("| c14")] == [
        line for line in PAGE.splitlines() if not line.startswith("| c14")
    ]
    kernelcolumn.main(str(tmp_path / "results"), str(tmp_path), str(tmp_path / "stored"))
    assert page.read_text(encoding="utf-8") == text


def test_a_full_run_of_the_simulator_keeps_the_kernels_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "with_reasons", lambda page, registers: page)
    stored = Stored(tmp_path / "stored")
    keep(stored, folder(tmp_path / "kernel", "linux"))
    page = PAGE + "\n### c05\n\n*Headline.* So it is.\n\n### c15\n\n*Headline.* So it is.\n"
    found = validation.renewed({"page": page}, folder(tmp_path / "sim", "sim", title="engine 9"), date(2026, 1, 2), stored)
    text = found.pages["page"]
    rows = {line.split(" | ")[0]: line for line in text.splitlines() if line.startswith("| c")}
    assert rows["| c14"].endswith("| 6; 6 | simulator, linux | **fails**: emulation; **fails**: emulation |")
    # The simulator has not run c15 here, and of the kernel nothing is stored: what the page said of it stays.
    assert rows["| c15"].endswith("| 2.81 (2.63 to 3.15) | 3 | linux | holds |")


def test_cells_part_and_join(tmp_path: Path) -> None:
    first, second = TableCell("1 (0 to 2), 3", "4", "emulation", "**fails**: artefact"), TableCell("5", "6", "linux", "holds")
    for pair in ((first, second), (first, None), (None, second)):
        assert split(joined(pair, "**not run**")) == pair
    assert joined((None, None), "**not run**")[-1] == "**not run**" and split(joined((None, None), "**not run**")) == (None, None)


def test_the_committed_column_is_that_of_the_committed_measures() -> None:
    page = "\n\n".join(validation.read_pages(ROOT / "docs").values())
    stored = Stored(ROOT / "data" / "validation" / "kernel")
    reasons = reasons_of(page)
    cells = {}
    for paper in sorted({id.partition(".")[0] for id in stored.experiments()}):
        for id, verdict in stored.judged(packaged_register(paper)).items():
            cells[id] = cell_of(verdict, reasons)
    assert cells and with_column(page, cells) == page
    assert len(cells_of(page)) >= len(cells)
