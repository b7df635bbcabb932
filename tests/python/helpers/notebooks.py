"""Run a notebook from beginning to end, as Jupyter does."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[3] / "docs/notebooks"


def run(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Run a notebook in a folder; return the data of what its cells show, in order. A cell that raises, raises here."""
    import nbformat
    from nbclient import NotebookClient

    # Its commands are those under test, and so is the package that its kernel imports.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    client = NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert [output for output in outputs if output.output_type == "error"] == []
    return [dict(output.data) if "data" in output else {"text": output.text} for output in outputs]
