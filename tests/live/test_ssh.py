"""`windtunnel measure --ssh` between namespaces with a real sshd: nothing is installed there, nothing is left there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hosts import WINDTUNNEL, between, path
from leftover import MARK, left_behind, new_since

SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/sbin")
pytestmark = pytest.mark.skipif(SSHD is None or os.geteuid() != 0, reason="needs sshd (Debian: openssh-server) and root")


def server(folder: Path) -> tuple[list[str], str]:
    """Keys and settings of a server of our own; return its command, and what the client's ssh is called with before the address."""
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    (folder / "authorized").write_text((folder / "user.pub").read_text())
    settings = {
        "Port": "2222",
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "authorized",
        "StrictModes": "no",
        "PidFile": "none",
        "UsePAM": "no",
        "PermitRootLogin": "yes",
        "SetEnv": MARK,
    }
    (folder / "sshd_config").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    command = f"mkdir -p /run/sshd; echo ready; exec {SSHD} -D -e -f {folder / 'sshd_config'}"
    client = f"-p 2222 -i {folder / 'user'} -o StrictHostKeyChecking=no -o UserKnownHostsFile={folder / 'known'} root@"
    return ["sh", "-c", command], client


def measured(folder: Path, *options: str, ssh: str | None = None, **more: Any) -> dict[str, Any]:
    first, client = server(folder)
    asked = ["--alg", "cubic", "--repeat", "1", "--duration", "2s", "--no-figures", "--out", str(folder / "results"), *options]
    command = [*WINDTUNNEL, "measure", "{first}", "--ssh", ssh or client + "{first}", *asked]
    # The server does not end by itself.
    return between(path(), first, command, ends_first_behind=True, **more)


def test_a_listener_is_started_by_ssh_and_ends_with_it(tmp_path: Path) -> None:
    before = left_behind()
    answer = measured(tmp_path)
    assert answer["second"][0] == 0, answer["second"]
    known = json.loads((tmp_path / "results/measure.json").read_text())
    assert 5 < known["runs"][0]["goodput_mbps"] < 20
    # Both ends are one machine: the clocks are the same within what an answer takes.
    assert abs(known["clock"]["ahead_s"]) <= known["clock"]["within_s"] + 1e-3
    assert 0.009 < known["clock"]["within_s"] < 1
    assert new_since(before) == {}


def test_who_is_not_let_in_is_told_so_in_one_line(tmp_path: Path) -> None:
    answer = measured(
        tmp_path, ssh=f"-p 2222 -i /dev/null -o StrictHostKeyChecking=no -o UserKnownHostsFile={tmp_path / 'known'} root@" + "{first}"
    )
    assert answer["second"][0] == 2
    assert answer["second"][2].strip().splitlines()[-1].startswith("error: measure: ssh ")
    assert "Permission denied" in answer["second"][2]
    assert not (tmp_path / "results").exists()


def test_nothing_is_left_there_when_the_measuring_end_is_killed(tmp_path: Path) -> None:
    before = left_behind()
    answer = measured(tmp_path, "--repeat", "9", kills_second_at=str(tmp_path / "results/measure.json"))
    assert answer["second"][0] == -9
    assert new_since(before) == {}
