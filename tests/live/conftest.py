"""Tests of the machine's own kernel: `make test-live` runs them, `make test` does not. Traffic stays between their namespaces."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from windtunnel.backends.live.backend import missing_right

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KEPT = ROOT / "target/tmp/linux-6.1/net/ipv4"
SOURCE = Path("/usr/src/linux-source-6.1.tar.xz")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = missing_right()
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.live)
            if missing is not None:
                item.add_marker(pytest.mark.skip(reason=missing))


@pytest.fixture(scope="session")
def linux(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The congestion controllers of Linux 6.1 as C files."""
    if KEPT.is_dir():
        return KEPT
    if not SOURCE.is_file():
        pytest.skip(f"neither {KEPT.relative_to(ROOT)} nor {SOURCE} is there")
    folder = tmp_path_factory.mktemp("linux")
    names = ["--wildcards", "linux-source-6.1/net/ipv4/tcp_*"]
    subprocess.run(["tar", "-xJf", str(SOURCE), "-C", str(folder), *names], check=True)
    return folder / "linux-source-6.1/net/ipv4"
