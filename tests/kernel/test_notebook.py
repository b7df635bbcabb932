"""The notebook that runs a scenario on a kernel as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from notebooks import run

pytestmark = [pytest.mark.kernel, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


def test_the_same_scenario_is_shown_on_both_sides(kernel: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = run("the-same-on-linux", tmp_path, monkeypatch)
    table = next(data["text/plain"] for data in shown if "text/plain" in data)
    assert table.count("simulator") == table.count("Linux") == 2
    assert any("image/png" in data for data in shown)
