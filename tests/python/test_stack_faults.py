"""A stack that breaks or stands still ends its run as one line: stack, version, flow, simulated time."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_stack import keep_small_stack

from windtunnel.battery import published
from windtunnel.battery import stacks as battery
from windtunnel.foreign import ForeignError, stacks

Cli = Callable[..., Any]
PATH = ["--rate", "20Mbit", "--rtt", "20ms", "--duration", "6s"]


@pytest.mark.parametrize(
    ("here", "said"),
    [
        ("while (!zero) ;", "wake of flow 2 at 1.000000 s did not return within 1 s"),
        ("*(volatile int *)8 = 1;", "crashed (SIGSEGV) in wake of flow 2 at 1.000000 s"),
        ("exit(3);", "ended its process (exit code 3) in wake of flow 2 at 1.000000 s"),
        ('strcpy(text, "has had enough"); return -1;', "has had enough (flow 2, 1.000000 s)"),
        ("", "sends nothing and asks for no wake-up (flow 2, 1.000000 s)"),
        (
            "end->sends = 1; end->is_woken = now / 1000000000 + 2;",
            "sends to nobody: the other end has got 2 datagrams and answers none (flow 2, 5.000000 s)",
        ),
        ("end->sends = 1; end->port = 4435;", "sends to nobody: no end of its connection is at [::1]:4435 (flow 2, 1.000000 s)"),
        ("end->is_woken = 0;", "keeps one instant busy: 1048576 events and no time passes (flow 2, 1.000000 s)"),
    ],
)
def test_a_stacks_fault_is_one_line_and_the_next_run_works(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: str, said: str
) -> None:
    monkeypatch.setenv("WINDTUNNEL_PATIENCE_S", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    keep_small_stack(here, tmp_path)
    began_s = time.monotonic()
    outcome = cli("run", *PATH, "--flow", "cubic", "--flow", "none,stack=small")
    assert outcome.code == 2 and outcome.out == "" and outcome.err.count("\n") == 1, outcome.err
    assert outcome.err.startswith(f"error: small-1: {said}; scenario "), outcome.err
    assert time.monotonic() - began_s < 60
    # Nothing half-written, and the next run has a process that works.
    assert cli("run", *PATH, "--flow", "none,stack=small", "--out", "folder").code == 2
    assert not (tmp_path / "folder").exists()
    keep_small_stack("end->is_woken = 2;", tmp_path)
    assert cli("run", *PATH, "--flow", "cubic", "--flow", "none,stack=small").code == 0


def test_a_stack_that_ends_its_own_connection_fails_its_authors_test_and_the_others_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "small-1: connection lost: too many gaps (flow 1, 1.5 s)"

    def run(_scenario: object) -> None:
        raise ForeignError("small-1", said.partition(": ")[2])

    monkeypatch.setattr(battery, "_checks", lambda *_: iter(()))
    stack = stacks.Stack("picoquic", "0123456789abcdef", "1", ("cubic",), Path("none"), "2030-01-01 00:00:00", 0.0)
    monkeypatch.setattr(published, "scenario", lambda *_: None)
    found = list(battery.tested(stack, run))  # type: ignore[arg-type]
    assert len(found) == 3 and [(one.ok, one.detail) for one in found] == [(False, said)] * 3
