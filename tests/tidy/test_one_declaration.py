"""What is declared once: names of classes that stood for two things, and experiments, which only suites know."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "python" / "windtunnel"
ONE_EXPERIMENT = re.compile(r"\b(?:li07|leith08|open08|slac03|fast04)\.(?:fig|tab|wan|ticks|grid|udp|paix|gig|vista)\w*")
HELP = ("cli/",)
"""Where one experiment may be an example: in the help of commands."""


@pytest.mark.parametrize("name", ["Measure", "Experiment", "Cell", "Scenario", "Claim"])
def test_a_name_that_is_read_everywhere_is_one_class(name: str) -> None:
    made = re.compile(rf"^(?:class {name}\b|{name}: TypeAlias\b|{name} = )", re.MULTILINE)
    found = [path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if made.search(path.read_text(encoding="utf-8"))]
    assert len(found) == 1, found


def test_nothing_but_suites_names_an_experiment() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        if place.startswith(("suites/", *HELP)):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs]
        found += [f"{place}:{node.lineno}: {named[0]}" for node in texts if (named := ONE_EXPERIMENT.search(str(node.value))) is not None]
    assert found == []
