"""How a guest may end, and how not."""

from __future__ import annotations

import signal

import pytest

from windtunnel.backends.linux.errors import GuestFailed
from windtunnel.backends.linux.guest import Limits, _judge
from windtunnel.backends.linux.kept import Report

HALTED = ("Run /init as init process", "reboot: System halted")


def _report(code: int, why: str = "ended") -> Report:
    return Report(why=why, code=code, wall_s=1.0, cpu_s=1.0, peak_bytes=1)


@pytest.mark.parametrize("code", [0, -signal.SIGABRT])
def test_a_kernel_that_has_halted_is_done(code: int) -> None:
    _judge(_report(code), HALTED, Limits())


@pytest.mark.parametrize(
    ("report", "lines", "named"),
    [
        (_report(-signal.SIGABRT), HALTED[:1], "killed by signal 6"),
        (_report(-signal.SIGKILL), HALTED, "killed by signal 9"),
        (_report(1), HALTED[:1], "exit code 1"),
        (_report(-9, "late"), HALTED[:1], "had not ended"),
        (_report(-signal.SIGABRT), ("Kernel panic - not syncing", "reboot: System halted"), "panicked"),
    ],
)
def test_any_other_end_is_a_failure(report: Report, lines: tuple[str, ...], named: str) -> None:
    with pytest.raises(GuestFailed, match=named):
        _judge(report, lines, Limits())
