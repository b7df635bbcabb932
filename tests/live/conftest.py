"""Tests of the machine's own kernel: `make test-live` runs them, `make test` does not. Traffic stays between their namespaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from windtunnel.backends.live.backend import missing_right

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = missing_right()
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.live)
            if missing is not None:
                item.add_marker(pytest.mark.skip(reason=missing))
