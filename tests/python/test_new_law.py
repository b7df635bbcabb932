"""A built-in law is one file and one word: in a copy of its crate the rest follows. ``.ci/add-a-law`` does the same with the whole tree."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from windtunnel.plots import style

ROOT = Path(__file__).parents[2]
BEFORE = json.loads((ROOT / "python/windtunnel/scenario/catalogue.json").read_text(encoding="utf-8"))["algorithms"]
PROFILES = list(BEFORE[0]["profiles"])


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The crate of laws and the one below it, with one file and one word more."""
    folder = tmp_path_factory.mktemp("tree")
    for crate in ("units", "cc"):
        shutil.copytree(ROOT / "crates" / crate, folder / "crates" / crate, ignore=shutil.ignore_patterns("tests"))
    for file in ("Cargo.toml", "Cargo.lock", "crates/units/Cargo.toml", "crates/cc/Cargo.toml"):
        text = (ROOT / file).read_text(encoding="utf-8")
        text = re.sub(r"members = \[.*?\]", 'members = ["crates/units", "crates/cc"]', text, count=1, flags=re.DOTALL)
        # Under the tree's names cargo would take them for the tree's crates, and what the tree's tests have compiled for theirs.
        (folder / file).write_text(re.sub(r'"windtunnel-(units|cc)"', r'"copied-\1"', text), encoding="utf-8")
    laws = folder / "crates/cc/src/algorithms"
    shutil.copy(ROOT / "tests/registry/mild.rs", laws)
    text = (laws / "mod.rs").read_text(encoding="utf-8")
    text, found = re.subn(r"(macro_rules! registered .*?)(\n        \}\n)", r"\1\n            mild;\2", text, count=1, flags=re.DOTALL)
    assert found == 1
    (laws / "mod.rs").write_text(text, encoding="utf-8")
    (folder / "crates/cc/src/bin").mkdir()
    (folder / "crates/cc/src/bin/rows.rs").write_text('//! Prints the catalogue.\nfn main() {\n    println!("{}", cc::catalogue());\n}\n')
    return folder


@pytest.fixture(scope="module")
def rows(copy: Path) -> list[dict[str, Any]]:
    """What the catalogue says then; the crates of others are those that the tree's own tests compiled."""
    command = ["cargo", "run", "--quiet", "--offline", "--profile", "test", "-p", "copied-cc", "--bin", "rows"]
    environment = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target"), "CARGO_INCREMENTAL": "0"}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_the_catalogue_has_its_row_last_and_no_other_moved(rows: list[dict[str, Any]]) -> None:
    assert rows[:-1] == BEFORE
    mild = rows[-1]
    assert (mild["name"], [one["name"] for one in mild["variants"]]) == ("mild", ["example"])
    more = mild["parameters"][0]
    assert (more["name"], more["min"], more["max"], more["defaults"]) == ("more", 0.1, 10.0, {"example": 0.5})
    assert set(mild["profiles"]) == set(PROFILES) and set(mild["profiles"].values()) == {"example"}
    assert not any(mild["profile_belongs"].values())


def test_its_page_and_its_rows_follow_from_the_files_opening(
    copy: Path, rows: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.spec_from_file_location("algorithm_pages", ROOT / ".ci/algorithm_pages.py")
    assert spec is not None and spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    monkeypatch.setattr(pages, "LAWS", copy / "crates/cc/src/algorithms")
    page = pages.page(rows[-1])
    assert page.startswith("# mild\n") and "**Equations.** w += a/w per segment acknowledged;" in page and "| `example` |" in page
    readme = pages.with_rows((ROOT / "docs/algorithms/README.md").read_text(encoding="utf-8"), rows[-1])
    assert "| [mild](mild.md) | A fixed number of segments more per round trip" in readme
    assert re.search(r"^\| mild \|( example \* \|){5,}$", readme, flags=re.MULTILINE)


def test_figures_have_a_look_for_it() -> None:
    free = next(style._free())
    assert free not in style.LOOK.values()
