"""A real S3 server on this machine: versitygw, whose objects are files of a folder."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path


class Server:
    """The server, which can be stopped and started again; its objects stay."""

    def __init__(self, program: str, root: Path) -> None:
        self._program = program
        self.objects = root / "bucket"
        self.objects.mkdir(parents=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs."""
        return {
            "AWS_ACCESS_KEY_ID": "tester",
            "AWS_SECRET_ACCESS_KEY": "of-tests",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
        }

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [self._program, "--port", f"127.0.0.1:{self.port}", "posix", str(self.objects.parent)]
        keys = {"ROOT_ACCESS_KEY": "tester", "ROOT_SECRET_KEY": "of-tests"}
        silent = subprocess.DEVNULL
        self._process = subprocess.Popen(command, env=os.environ | keys, stdout=silent, stderr=silent)
        until = time.monotonic() + 30
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise RuntimeError("versitygw does not answer")

    def stop(self) -> None:
        """Kill it, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
