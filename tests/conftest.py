"""What tests of several folders share."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest_plugins = ["stored", "controllers"]
"""Fixtures of tests/python/helpers, which pyproject.toml puts on the path."""


@pytest.fixture(scope="session")
def synthetic() -> ModuleType:
    """The made-up study of ``tests/python/helpers/synthetic.py``; tests are not a package, so it is loaded by its path."""
    path = Path(__file__).parent / "python" / "helpers" / "synthetic.py"
    spec = importlib.util.spec_from_file_location("synthetic", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["synthetic"] = module
    spec.loader.exec_module(module)
    return module
