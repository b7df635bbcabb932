"""What is kept for the next time: listed with size and last use, removed."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from controllers import Write

import windtunnel as wt
from windtunnel.usercache import entries


@pytest.fixture
def filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with one thing of each kind, all used ten days ago but the log."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    place = tmp_path / "windtunnel"
    contents = {
        "controllers/0123456789abcdef.so": 3000,
        "controllers/0123456789abcdef.json": '{"name": "mine.c:0123456789abcdef"}',
        "controllers/fedcba9876543210.so": 10,
        "controllers/headers-00/linux/module.h": 500,
        "controllers/shim-00-4.o": 700,
        "init/00/init": 900,
        "kernels/6.1-00/linux": 5000,
        "kernels/.building-x/linux": 100,
        "logs/kernel.log": 20,
        "stacks/quinn-00/libstack.so": 600,
        "stacks/.target/release/.cargo-lock": 0,
        "stacks/.target/release/deps/libquinn.rlib": 800,
    }
    for name, content in contents.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else bytes(content))
    ten_days_ago = time.time() - 10 * 86_400
    for path in [*place.rglob("*")]:
        if "logs" not in path.parts:
            os.utime(path, (ten_days_ago, ten_days_ago))
    return place


def test_an_empty_cache_says_so(cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cli("cache", "list").out == f"{tmp_path / 'windtunnel'}: nothing is kept\n"
    assert cli("cache", "clean").out == "removed 0 entries, 0 B\n"


def test_everything_is_listed_with_its_size_and_last_use(cli: Callable[..., Any], filled: Path) -> None:
    listed = cli("cache", "list", "--json").json()["entries"]
    shown = [(one["kind"], one["name"], one["size_bytes"]) for one in listed]
    assert shown == [
        ("controller", "fedcba9876543210", 10),
        ("controller", "mine.c:0123456789abcdef", 3035),
        ("guest program", "00", 900),
        ("kernel", "6.1-00", 5000),
        ("build log", "kernel.log", 20),
        ("stack", "quinn-00", 600),
        ("stack build", "cargo", 800),
        ("headers", "headers-00", 500),
        ("headers", "shim-00-4", 700),
    ]
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 10 * 86_400))
    assert {one["last_used"][:10] for one in listed if one["kind"] != "build log"} == {day}
    table = cli("cache", "list").out
    assert "3.04 kB" in table and "9 entries, 11.6 kB" in table


def test_cleaning_keeps_kernels_stacks_and_what_was_used_unless_asked(cli: Callable[..., Any], filled: Path) -> None:
    assert cli("cache", "clean", "--unused-for", "30").out == "removed 0 entries, 0 B\n"
    assert {one["kind"] for one in cli("cache", "clean", "--unused-for", "9", "--json").json()["removed"]} == {
        "controller",
        "guest program",
        "headers",
    }
    assert [entry.kind for entry in entries()] == ["kernel", "build log", "stack", "stack build"]
    assert cli("cache", "clean", "--kernels").code == 0
    assert [entry.kind for entry in entries()] == ["stack", "stack build"]
    with (filled / "stacks/.target/release/.cargo-lock").open("rb") as lock:
        # A cargo that builds holds this lock.
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert [one["kind"] for one in cli("cache", "clean", "--stacks", "--json").json()["removed"]] == ["stack"]
    assert cli("cache", "clean", "--stacks").code == 0
    assert entries() == []
    # What somebody is building is theirs.
    assert (filled / "kernels/.building-x/linux").is_file()
    outcome = cli("cache", "clean", "--unused-for", "-1")
    assert outcome.code == 2 and "unused-for: -1 is out of range" in outcome.err


def test_using_a_controller_is_its_last_use(cli: Callable[..., Any], written: Write) -> None:
    wt.Flow(algorithm=written("used.c"))
    entry = next(entry for entry in entries() if entry.name.startswith("used.c:"))
    for path in entry.paths:
        os.utime(path, (1e9, 1e9))
    assert cli("run", "--rate", "20Mbit", "--rtt", "20ms", "--duration", "1s", "--flow", "./used.c").code == 0
    assert next(one for one in entries() if one.name == entry.name).used_s > time.time() - 600
