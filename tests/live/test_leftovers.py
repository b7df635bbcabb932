"""The check for what is left: it finds what a test left, waits for what is about to go, and does not mind what others do."""

from __future__ import annotations

import os
import subprocess

import pytest
from leftover import LATER_S, left_behind, new_since

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a namespace by unshare")


@needs_root
def test_a_process_and_its_namespace_that_stay_are_found() -> None:
    before = left_behind()
    with subprocess.Popen(["unshare", "--net", "sleep", "60"]) as process:
        found = new_since(before)
        process.kill()
    assert set(found) == {"processes", "namespaces"}
    assert [one.split()[0] for one in found["processes"]] == [str(process.pid)]
    assert new_since(before) == {}


def test_what_goes_a_little_later_is_waited_for() -> None:
    before = left_behind()
    with subprocess.Popen(["sleep", str(LATER_S / 4)]):
        assert left_behind()["processes"] - before["processes"]
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
