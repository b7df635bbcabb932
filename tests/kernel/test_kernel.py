"""The built kernel: fit for measuring, fast to start."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from windtunnel.backends.linux import selftest, store
from windtunnel.cli import main


def test_the_self_test_passes(kernel: store.Kernel) -> None:
    tested = selftest.self_test(kernel.binary)
    assert tested.ok, tested.checks
    assert tested.algorithms == kernel.algorithms
    assert tested.first_packet_s is not None and tested.first_packet_s < 5.0  # 0.5 s is the aim; shared machines get room.
    print(f"boot to first packet: {tested.first_packet_s:.2f} s")


def test_the_command_line_says_the_same(kernel: store.Kernel, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kernel", "test", kernel.id, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["kernel"] == kernel.name and all(check["ok"] for check in said["checks"])


def test_the_algorithms_with_recordings_are_there(kernel: store.Kernel) -> None:
    recorded = {"reno", "cubic", "bic", "htcp", "scalable", "highspeed", "vegas", "veno", "westwood", "illinois", "hybla", "yeah"}
    assert recorded <= set(kernel.algorithms)


def test_its_configuration_is_kept(kernel: store.Kernel) -> None:
    made = (kernel.folder / "config").read_text().splitlines()
    assert {"CONFIG_HZ=1000", "CONFIG_UML_TIME_TRAVEL_SUPPORT=y", "CONFIG_HIGH_RES_TIMERS=y"} <= set(made)
    assert (Path(kernel.folder) / "build.log").stat().st_size > 0
