"""House rules that a machine can check. Each failure names the file, the line and the rule."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from windtunnel.plots.style import LOOK

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
THIS = Path(__file__).resolve()
TEXT_SUFFIXES = {".rs", ".py", ".pyi", ".md", ".toml", ".json", ".yml", ".yaml", ".sh", ".svg", ".txt", ""}
MAX_LINES = 500
MAX_LAW_LINES = 160

# The crates of the simulator and the workspace crates each may know. Nothing else may be added without a decision.
EDGES = {
    "units": set(),
    "cc": {"units"},
    "endpoint": set(),
    "takeover": {"endpoint"},
    "guest": {"units", "cc", "endpoint"},
    "net": {"units"},
    "tcp": {"units", "cc"},
    "packetdrill": {"units", "cc", "tcp"},
    "sim": {"units", "cc", "endpoint", "net", "tcp"},
    "scenario": {"cc", "sim"},
    "records": {"sim"},
    "capture": {"sim", "tcp", "units"},
    "windtunnel": {"cc", "guest", "records", "scenario", "sim", "units"},
    "live": {"net", "sim", "units"},
    "web": {"records", "scenario", "sim"},
    "py": {"capture", "cc", "endpoint", "guest", "live", "packetdrill", "records", "scenario", "sim", "units"},
}


def project_files() -> list[Path]:
    """Every file that is, or is about to be, part of the project."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return sorted(path for path in paths if path.is_file())


FILES = project_files()


def files(suffixes: set[str], under: str = "") -> Iterator[Path]:
    for path in FILES:
        if path.suffix in suffixes and path.is_relative_to(ROOT / under):
            yield path


def hits(pattern: str, paths: Iterator[Path], *, code_only: bool = False) -> list[str]:
    """Lines that match, as `file:line: text`. With `code_only`, Rust comments do not count."""
    found = []
    for path in paths:
        if path == THIS:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            shown = re.sub(r"//.*", "", line) if code_only else line
            if re.search(pattern, shown):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}")
    return found


def dependencies(crate: str, section: str) -> set[str]:
    manifest = tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text(encoding="utf-8"))
    return set(manifest.get(section, {}))


def test_the_project_is_visible() -> None:
    # Every rule below would hold in an empty folder.
    assert len(list(files({".rs"}, "crates"))) > 10
    assert len(list(files({".py"}, "python"))) > 5


def test_nothing_is_left_for_later() -> None:
    pattern = r"todo!\(|unimplemented!\(|\b(TODO|FIXME|XXX|HACK)\b|raise NotImplementedError"
    assert hits(pattern, files({".rs", ".py", ".pyi", ".toml", ".sh", ".md"})) == []


def test_algorithms_compute_in_double_precision_and_with_pinned_functions() -> None:
    # The platform's libm differs between machines in the last bit; the `libm` crate does not.
    platform = r"\.(powf|powi|exp|exp2|exp_m1|ln|ln_1p|log|log2|log10|cbrt|sin|cos|tan|tanh|hypot)\("
    qualified = r"\bf64::(powf|powi|exp|exp2|exp_m1|ln|ln_1p|log|log2|log10|cbrt|sin|cos|tan|tanh|hypot)\b"
    assert hits(rf"\bf32\b|\d_?f32\b|{platform}|{qualified}", files({".rs"}, "crates/cc/src"), code_only=True) == []


def test_no_file_outgrows_one_idea() -> None:
    long = []
    for path in files({".rs", ".py"}):
        if {"golden", "data"} & set(path.relative_to(ROOT).parts):
            continue
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > MAX_LINES:
            long.append(f"{path.relative_to(ROOT)}: {lines} lines, at most {MAX_LINES}")
    assert long == []


def test_an_algorithms_file_reads_like_its_paper() -> None:
    # Some 150 lines without tests; a law that needs more is a folder of one idea a file.
    long = []
    for path in files({".rs"}, "crates/cc/src/algorithms"):
        law, _, _ = path.read_text(encoding="utf-8").partition("\n#[cfg(test)]")
        lines = len(law.splitlines())
        if lines > MAX_LAW_LINES:
            long.append(f"{path.relative_to(ROOT)}: {lines} lines, at most {MAX_LAW_LINES}")
    assert long == []


def registered() -> list[str]:
    catalogue = json.loads((ROOT / "python/windtunnel/scenario/catalogue.json").read_text(encoding="utf-8"))
    return [row["name"] for row in catalogue["algorithms"]]


def test_no_page_figure_or_golden_folder_is_orphaned() -> None:
    pages = {path.stem for path in (ROOT / "docs/algorithms").glob("*.md")} - {"README"}
    figures = {path.stem for path in (ROOT / "docs/algorithms/figures").glob("*.svg")}
    golden = {path.name for path in (ROOT / "tests/golden").iterdir() if path.is_dir()}
    assert registered()
    assert (pages, figures, golden) == (set(registered()),) * 3


@pytest.mark.parametrize("algorithm", registered())
def test_a_registered_algorithm_has_page_figure_golden_traces_law_vectors_and_a_look(algorithm: str) -> None:
    page = ROOT / f"docs/algorithms/{algorithm}.md"
    assert f"](figures/{algorithm}.svg)" in page.read_text(encoding="utf-8")
    assert (ROOT / f"docs/algorithms/figures/{algorithm}.svg").stat().st_size > 10_000
    assert f"[{algorithm}]({algorithm}.md)" in (ROOT / "docs/algorithms/README.md").read_text(encoding="utf-8")
    assert list((ROOT / f"tests/golden/{algorithm}").glob("*.txt"))
    laws = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "crates/cc/tests/laws").glob("*.rs"))
    own = ROOT / f"crates/cc/src/algorithms/{algorithm.replace('-', '_')}.rs"
    has_tests = own.is_file() and "    #[test]\n" in own.read_text(encoding="utf-8")
    # An application of Reno flows has no law of its own: the closed forms of the whole are its vectors.
    assert f'"{algorithm}:' in laws or has_tests or (ROOT / f"crates/sim/tests/closed_forms/{algorithm}.rs").is_file()
    assert list(LOOK.values()).count(LOOK[algorithm]) == 1


def test_a_registered_discipline_has_page_and_figure_and_no_page_is_orphaned() -> None:
    catalogue = json.loads((ROOT / "python/windtunnel/scenario/catalogue.json").read_text(encoding="utf-8"))
    names = {row["name"] for row in catalogue["disciplines"]}
    pages = {path.stem for path in (ROOT / "docs/queues").glob("*.md")} - {"README"}
    figures = {path.stem for path in (ROOT / "docs/queues/figures").glob("*.svg")}
    assert names and (pages, figures) == (names, names)
    listed = (ROOT / "docs/queues/README.md").read_text(encoding="utf-8")
    assert [name for name in names if f"[{name}]({name}.md)" not in listed] == []


def test_what_the_command_line_says_of_an_algorithm_is_its_page() -> None:
    from windtunnel.scenario.pages import main

    assert main([str(ROOT / "docs/algorithms"), "--check"]) == 0


def test_the_table_of_profiles_says_what_the_core_does() -> None:
    catalogue = json.loads((ROOT / "python/windtunnel/scenario/catalogue.json").read_text(encoding="utf-8"))
    profiles = {row["name"]: row["transport"] for row in catalogue["profiles"]}
    lines = (ROOT / "docs/concepts/profiles.md").read_text(encoding="utf-8").splitlines()
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    table = {row[0].strip("`"): dict(zip(header[1:-1], row[1:-1], strict=True)) for row in rows}
    assert set(table) == {option["name"] for option in catalogue["transport_options"]}
    for option, cells in table.items():
        for profile, shown in cells.items():
            value = profiles[profile][option]
            assert shown == (str(value).lower() if isinstance(value, bool) else f"{value}"), (option, profile)


@pytest.mark.parametrize("crate", ["units", "cc", "net", "tcp"])
def test_below_the_event_core_time_and_randomness_are_arguments(crate: str) -> None:
    ambient = r"\bstd::(time|env|fs|net|process|thread)\b|\b(Instant|SystemTime)::now\b"
    pattern = ambient + r"|\b(thread_rng|from_entropy|from_os_rng|OsRng|getrandom)\b"
    assert hits(pattern, files({".rs"}, f"crates/{crate}/src"), code_only=True) == []


def test_nothing_hashes_in_a_random_order() -> None:
    # std's HashMap iterates in an order of its own in every process: BTreeMap, IndexMap or a vector instead.
    assert hits(r"\bHash(Map|Set)\b", files({".rs"}, "crates"), code_only=True) == []


def test_no_path_of_a_particular_machine() -> None:
    pattern = r"(?<![\w./-])/(home|root|Users|work)/[\w.-]+"
    paths = (path for path in FILES if path.suffix in TEXT_SUFFIXES and path.name not in {"uv.lock", "Cargo.lock"})
    assert hits(pattern, paths) == []


def test_the_lock_names_the_public_index_only() -> None:
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    registries = {package["source"]["registry"] for package in lock["package"] if "registry" in package["source"]}
    assert registries == {"https://pypi.org/simple"}


@pytest.mark.parametrize("page", sorted((ROOT / "docs/decisions").glob("*.md")), ids=lambda page: page.stem)
def test_a_decision_says_what_was_chosen_given_up_and_would_change_it(page: Path) -> None:
    headings = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("## ")]
    assert headings == ["## The choice", "## What was given up", "## What would change our mind"]


def test_decisions_are_numbered_without_gaps_and_listed() -> None:
    pages = sorted((ROOT / "docs/decisions").glob("*.md"))
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    assert [page.name[:4] for page in pages] == [f"{n:04}" for n in range(1, len(pages) + 1)]
    assert [page.name for page in pages if f"decisions/{page.name}" not in index] == []


@pytest.mark.parametrize("crate", sorted(EDGES))
def test_a_crate_depends_on_no_workspace_crate_but_those_below_it(crate: str) -> None:
    assert dependencies(crate, "dependencies") & set(EDGES) == EDGES[crate]


def test_the_workspace_has_exactly_the_crates_of_the_map() -> None:
    assert {path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml")} == set(EDGES)


def test_what_an_outsider_depends_on_can_be_packaged_from_the_lock() -> None:
    crates = [f"-pwindtunnel-{name}" for name in sorted(EDGES.keys() - {"py", "web", "packetdrill", "windtunnel"})] + ["-pwindtunnel"]
    command = ["cargo", "package", "--offline", "--locked", "--allow-dirty", "--no-verify", "--quiet", *crates]
    packaged = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert packaged.returncode == 0, packaged.stderr


@pytest.mark.parametrize("crate", sorted(EDGES.keys() - {"py"}))
def test_examples_in_a_crates_documentation_run_and_no_crate_without_any_is_read_for_them(crate: str) -> None:
    """Rustdoc reads a whole crate to find none."""
    manifest = tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text(encoding="utf-8"))
    blocks = [
        path
        for path in files({".rs"}, f"crates/{crate}/src")
        if re.search(r"^\s*//[/!] ```", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert manifest.get("lib", {}).get("doctest", True) == bool(blocks)


@pytest.mark.parametrize("crate", sorted(EDGES))
def test_a_crate_says_what_it_must_never_know(crate: str) -> None:
    opening = []
    for line in (ROOT / "crates" / crate / "src/lib.rs").read_text(encoding="utf-8").splitlines():
        if not line.startswith("//!"):
            break
        opening.append(line)
    assert any("never" in line for line in opening)


def test_links_between_pages_lead_to_files() -> None:
    """The site has no page for a folder."""
    broken = []
    for page in files({".md"}):
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target) and not (page.parent / target).is_file():
                broken.append(f"{page.relative_to(ROOT)}: {target}")
    assert broken == []
