"""What a project owes to those who come to it: how to cite it, whom to tell of a fault, what to say in an issue."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def test_the_citation_has_what_the_format_asks_for_and_the_packages_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= set(cited)
    for file in ("pyproject.toml", "Cargo.toml"):
        version = re.search(r'^version = "(.*)"$', (ROOT / file).read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert version is not None and version[1] == str(cited["version"]), file


@pytest.mark.parametrize("form", [form for form in FORMS if form.name != "config.yml"], ids=lambda form: form.name)
def test_an_issue_form_has_a_name_a_description_and_fields_with_labels(form: Path) -> None:
    asked = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert asked["name"] and asked["description"] and asked["body"]
    ids = [part["id"] for part in asked["body"]]
    assert len(ids) == len(set(ids))
    for part in asked["body"]:
        assert part["type"] in ("textarea", "input", "dropdown", "checkboxes") and part["attributes"]["label"]


def test_links_of_the_security_page_lead_somewhere() -> None:
    for page in ("SECURITY.md", "CITATION.cff", ".github/PULL_REQUEST_TEMPLATE.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#]+)", text):
            assert (ROOT / target).is_file(), (page, target)


def test_what_make_starts_keeps_its_byte_code() -> None:
    """Where an environment forbids that, each of hundreds of processes would compile all that it imports."""
    given = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    command = ["make", "--no-print-directory", "--eval", "seen:; @env", "seen"]
    told = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=True).stdout.splitlines()
    assert f"PYTHONPYCACHEPREFIX={ROOT}/.venv/pycache" in told
    assert not [line for line in told if line.startswith("PYTHONDONTWRITEBYTECODE")]
