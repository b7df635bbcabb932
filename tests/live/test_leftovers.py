"""The check for what is left: it finds what a test left, waits for what is about to go, and does not mind what others do."""

from __future__ import annotations

import os
import subprocess
import time

import pytest
from leftover import LATER_S, Left, left_behind, new_since

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a namespace by unshare")


def await_sleep(process: subprocess.Popen[bytes], before: Left) -> None:
    """Until the process sleeps: while a program is being started it has no environment, by which it could be told to be ours."""
    until = time.monotonic() + LATER_S
    while not any(one.startswith(f"{process.pid} sleep") for one in left_behind()["processes"] - before["processes"]):
        assert time.monotonic() < until, "it does not sleep"
        time.sleep(0.01)


@needs_root
def test_a_process_and_its_namespace_that_stay_are_found() -> None:
    before = left_behind()
    with subprocess.Popen(["unshare", "--net", "sleep", "60"]) as process:
        await_sleep(process, before)
        found = new_since(before)
        process.kill()
    assert set(found) == {"processes", "namespaces"}
    assert [one.split()[0] for one in found["processes"]] == [str(process.pid)]
    assert new_since(before) == {}


def test_what_goes_a_little_later_is_waited_for() -> None:
    before = left_behind()
    with subprocess.Popen(["sleep", str(LATER_S / 4)]) as process:
        await_sleep(process, before)
        assert new_since(before) == {}


@needs_root
def test_what_others_run_is_not_ours() -> None:
    before = left_behind()
    with subprocess.Popen(["unshare", "--net", "sleep", "60"], env={"PATH": os.environ["PATH"]}) as process:
        assert new_since(before) == {}
        process.kill()


@needs_root
def test_what_was_there_before_and_goes_meanwhile_is_nothing_new() -> None:
    with subprocess.Popen(["unshare", "--net", "sleep", "60"]) as process:
        before = left_behind()
        process.kill()
    assert new_since(before) == {}
