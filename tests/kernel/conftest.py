"""Tests that need a built kernel: `make test-kernel` runs them, `make test` does not.

They use the newest 6.1 of the user's cache, or where there is none the newest kernel.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from windtunnel.backends.linux import store
from windtunnel.backends.linux.errors import KernelError
from windtunnel.backends.linux.profiles import numbers

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.kernel)


@pytest.fixture(scope="session")
def kernel() -> Iterator[store.Kernel]:
    """The newest built 6.1, the reference, or the newest kernel; whoever names none gets it too."""
    known = store.kernels
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "kernels", lambda: sorted(known(), key=lambda one: numbers(one.version) != (6, 1)))
        try:
            yield store.find()
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
