"""Tests that need a built kernel: `make test-kernel` runs them, `make test` does not. They use the newest kernel of the user's cache."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from windtunnel.backends.linux import store
from windtunnel.backends.linux.errors import KernelError

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.kernel)


@pytest.fixture(scope="session")
def kernel() -> store.Kernel:
    """The newest built kernel."""
    try:
        return store.find()
    except KernelError as error:
        pytest.skip(str(error))


@pytest.fixture
def init(tmp_path: Path) -> Callable[[str], Path]:
    """Make a guest's only program of the body of its main function."""

    def made(body: str) -> Path:
        headers = "".join(f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "string", "unistd", "sys/reboot", "sys/stat"))
        source, program = tmp_path / "init.c", tmp_path / "init"
        source.write_text(f"{headers}int main(void)\n{{\n{body}\n}}\n")
        subprocess.run(["cc", "-O1", "-static", "-w", "-o", str(program), str(source)], check=True)
        return program

    return made
