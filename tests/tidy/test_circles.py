"""No module needs one that needs it: in Python among all modules of the package, in Rust among the files of a crate.

import-linter keeps the layers of the Python packages, and Cargo the edges between crates; neither looks inside.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CRATES = sorted(path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml"))
Graph = dict[str, set[str]]


def circles(graph: Graph) -> list[set[str]]:
    """The sets of nodes of which each leads to each other (strongly connected components of more than one), by Tarjan's algorithm."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes: list[str] = []
    found: list[set[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        open_nodes.append(node)
        for other in sorted(graph[node]):
            if other not in order:
                visit(other)
            if other in open_nodes:
                low[node] = min(low[node], low[other])
        if low[node] == order[node]:
            at = open_nodes.index(node)
            component = set(open_nodes[at:])
            del open_nodes[at:]
            if len(component) > 1:
                found.append(component)

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return found


def edges_in_circles(graph: Graph) -> list[str]:
    """Every edge within a circle, as a reader needs them to break it."""
    return sorted(f"{node} -> {', '.join(sorted(graph[node] & own))}" for own in circles(graph) for node in own)


def test_a_circle_is_found() -> None:
    graph: Graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {"d", "a0"}, "a0": set()}
    assert sorted(map(sorted, circles(graph))) == [["a", "b", "c"], ["d", "e"]]
    assert edges_in_circles(graph) == ["a -> b", "b -> c", "c -> a", "d -> e", "e -> d"]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


# Python.


def python_modules(root: Path) -> dict[str, Path]:
    found = {}
    for path in [*root.rglob("*.py"), *root.rglob("*.pyi")]:
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def python_imports(source: str, modules: Mapping[str, Path]) -> set[str]:
    """What a file imports of some modules: at its beginning, within functions, and for its types alone."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            # A name of a package is a module of it, or its own.
            found |= {name if name in modules else node.module for name in (f"{node.module}.{alias.name}" for alias in node.names)}
    return found & set(modules)


def test_no_python_module_needs_one_that_needs_it() -> None:
    modules = python_modules(ROOT / "python")
    graph = {name: python_imports(path.read_text(encoding="utf-8"), modules) - {name} for name, path in modules.items()}
    assert len(graph) > 200 and sum(map(len, graph.values())) > 1000
    assert edges_in_circles(graph) == []


def test_imports_within_functions_and_for_types_count() -> None:
    modules = dict.fromkeys(["p", "p.a", "p.b", "p.c"], Path())
    source = "import p.a\nif TYPE_CHECKING:\n    from p import b, name\ndef f():\n    from p.c import g\n"
    assert python_imports(source, modules) == {"p", "p.a", "p.b", "p.c"}
    assert python_imports("import os\nfrom p.a import x\n", modules) == {"p.a"}


# Rust.

Place = tuple[str, ...]
MOD = re.compile(r"^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?mod[ \t]+\w+;", re.MULTILINE)
USE = re.compile(r"^[ \t]*(pub(?:\([^)]*\))?[ \t]+)?use[ \t]+([^;]+);", re.MULTILINE)
INLINE = re.compile(r"\b\w+(?:::\w+)+")


def rust_files(source: Path) -> dict[Place, Path]:
    """The files of a crate by the paths of their modules."""
    found: dict[Place, Path] = {}
    for path in source.rglob("*.rs"):
        parts = path.relative_to(source).with_suffix("").parts
        found[parts[:-1] if parts[-1] in ("mod", "lib") else parts] = path
    return found


def rust_code(text: str) -> str:
    """A file without its comments, the list of its modules, and its tests, which stand at its end."""
    return MOD.sub("", re.sub(r"//[^\n]*", "", re.split(r"\n#\[cfg\(test\)\]\nmod \w+ \{", text)[0]))


def spelled_out(tree: str) -> Iterator[list[str]]:
    """Every path of a use tree, such as ``a::{b, c::{d, e as f}}``, without the names given by ``as``."""
    tree = tree.strip()
    if "{" not in tree:
        yield re.split(r"\s+as\s+", tree)[0].strip().split("::")
        return
    head, _, inside = tree.partition("{")
    depth, part = 0, ""
    for sign in inside.rpartition("}")[0] + ",":
        depth += (sign == "{") - (sign == "}")
        if sign == "," and depth == 0:
            for rest in spelled_out(part) if part.strip() else ():
                yield [*[name for name in head.strip().split("::") if name], *rest]
            part = ""
        else:
            part += sign


class Crate:
    """The files of a crate and which of them need which."""

    def __init__(self, files: Mapping[Place, str]) -> None:
        self.code = {place: rust_code(text) for place, text in files.items()}
        # A file may name what is in these folders as if it were its own.
        self.opened: dict[Place, list[Place]] = {place: [] for place in self.code}
        for place in self.code:
            self.opened[place] = [path[:-1] for name, path in [*self.uses(place, handed_on=False)] if name == "*"]
        # What a file only hands on is needed from where it is defined.
        self.handed_on = {place: dict(self.uses(place, handed_on=True)) for place in self.code}

    def uses(self, place: Place, *, handed_on: bool) -> Iterator[tuple[str, Place]]:
        """The last name and the absolute path of everything that a file uses, or hands on."""
        for public, tree in USE.findall(self.code[place]):
            for path in spelled_out(tree) if bool(public) == handed_on else ():
                absolute = self.absolute(place, path)
                if absolute is not None:
                    yield absolute[-1], absolute

    def absolute(self, place: Place, path: list[str]) -> Place | None:
        """A path from the crate's root; None outside the crate."""
        path = path[:-1] if path[-1] == "self" else path
        if path[0] == "crate":
            return tuple(path[1:])
        if path[0] == "self":
            return (*place, *path[1:])
        if path[0] == "super":
            ups = sum(1 for name in path if name == "super")
            return (*place[: len(place) - ups], *path[ups:])
        folders = [place, *self.opened[place]]
        return next(((*folder, *path) for folder in folders if (*folder, path[0]) in self.code), None)

    def defined(self, path: Place) -> Place:
        """The file that defines what a path names."""
        home = next(path[:length] for length in range(len(path), -1, -1) if path[:length] in self.code)
        name = path[len(home)] if len(home) < len(path) else None
        onward = self.handed_on[home].get(name) if name is not None else None
        return home if onward is None or onward == path else self.defined(onward)

    def needs(self, place: Place) -> set[Place]:
        """The files that a file needs."""
        used = [path for _, path in self.uses(place, handed_on=False)]
        without = USE.sub("", self.code[place])
        used += [absolute for text in INLINE.findall(without) if (absolute := self.absolute(place, text.split("::"))) is not None]
        used += [path for name, path in self.handed_on[place].items() if re.search(rf"\b{re.escape(name)}\b", without)]
        # A file in a folder is part of the file that the folder is named by: what it takes from above is no circle, siblings can be one.
        return {home for home in map(self.defined, used) if home != place[: len(home)]}

    def graph(self) -> Graph:
        return {named(place): {named(other) for other in self.needs(place)} for place in self.code}


def named(place: Place) -> str:
    return "::".join(("crate", *place))


@pytest.mark.parametrize("crate", CRATES)
def test_no_file_of_a_crate_needs_one_that_needs_it(crate: str) -> None:
    files = {place: path.read_text(encoding="utf-8") for place, path in rust_files(ROOT / "crates" / crate / "src").items()}
    graph = Crate(files).graph()
    assert len(graph) == 1 or any(graph.values())
    assert edges_in_circles(graph) == []


def test_rust_paths_lead_to_the_file_that_defines() -> None:
    crate = Crate(
        {
            (): "mod a;\npub use a::b::{Deep, other as named};\n",
            ("a",): "//! use crate::z::Q;\npub(crate) use self::b::Deep;\nmod b;\nfn f() -> crate::z::Q { b::g() }\n",
            ("a", "b"): "use std::mem;\nuse super::{f, c::{self, X}};\n#[cfg(test)]\nmod tests {\n    use crate::z::Q;\n}\n",
            ("a", "c"): "use crate::{Deep, a::Deep as D, z::*};\n",
            ("z",): "pub use crate::a::c::X;\nstruct S(X);\n",
            ("y",): "use crate::a::*;\nstruct S(c::X);\n",
        }
    )
    assert crate.graph() == {
        "crate": set(),
        "crate::a": {"crate::a::b", "crate::z"},
        "crate::a::b": {"crate::a::c"},
        "crate::a::c": {"crate::a::b", "crate::z"},
        "crate::z": {"crate::a::c"},
        "crate::y": {"crate::a", "crate::a::c"},
    }
