"""Tests on a real S3 server. Without its program they are skipped; `make test-s3` installs it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from s3server import Server

pytest.importorskip("s3fs")


@pytest.fixture(scope="session")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    program = os.environ.get("VERSITYGW") or shutil.which("versitygw")
    if program is None:
        pytest.skip("versitygw is not here; `make test-s3` installs it")
    found = Server(program, tmp_path_factory.mktemp("s3"))
    yield found
    found.stop()


@pytest.fixture
def server(_server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Server:
    """The server, running, with an empty bucket, and this process a client of it on a machine that has seen none of it."""
    _server.stop()
    shutil.rmtree(_server.objects)
    _server.objects.mkdir()
    _server.start()
    for name, value in _server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "machine"))
    return _server
