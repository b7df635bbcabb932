"""The router as a process: it takes orders, a line each, and answers each with a line."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
from typing import Any

from windtunnel import native
from windtunnel.live import namespaces
from windtunnel.live.loop import prefer
from windtunnel.live.namespaces import Host

PRIORITY = 20
"""Of SCHED_FIFO, where the machine allows it."""


class RouterGone(Exception):
    """The router's process ended, or its socket broke; the text says what it said."""


class Router:
    """The router's process, seen from the one that started it.

    Parameters
    ----------
    places : list of (Host, Host)
        Of each flow the sender's and the receiver's host.
    """

    def __init__(self, places: list[tuple[Host, Host]]) -> None:
        self._places = [[(host.device, list(host.mac), list(socket.inet_aton(host.address))) for host in ends] for ends in places]
        packets = namespaces.router_socket()
        ours, theirs = socket.socketpair()
        stop, self._stop = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            ours.close()
            os.close(self._stop)
            _serve(theirs, packets, stop)
        theirs.close()
        packets.close()
        os.close(stop)
        self._answers = ours.makefile("rb")
        self._orders = ours

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when it has answered."""
        return self._orders.fileno()

    def begin(self, spec: dict[str, Any], begin_ns: int, *, plain: bool = False) -> None:
        """Let it route by an engine's scenario from a time of the monotonic clock on; `plain` is without links."""
        self._orders.sendall(json.dumps([json.dumps(spec), self._places, begin_ns, plain]).encode() + b"\n")

    def stop(self) -> dict[str, Any]:
        """End what it does, and return its report."""
        os.write(self._stop, b".")
        return self.report()

    def report(self) -> dict[str, Any]:
        """Return its report, when it is there.

        Raises
        ------
        RouterGone
            When there will be none.
        """
        line = self._answers.readline()
        if not line:
            raise RouterGone("the router's process ended")
        kind, answer = json.loads(line)
        if kind == "error":
            raise RouterGone(answer)
        report: dict[str, Any] = json.loads(answer)
        return report

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        self._answers.close()
        self._orders.close()
        os.close(self._stop)


def _serve(orders: socket.socket, packets: socket.socket, stop: int) -> None:
    """Take orders until there are no more; does not return."""
    namespaces.die_with_parent()
    prefer(PRIORITY)
    code = 0
    try:
        with orders.makefile("rb") as lines:
            for line in lines:
                spec, given, begin_ns, plain = json.loads(line)
                places = [[(device, bytes(mac), bytes(address)) for device, mac, address in ends] for ends in given]
                try:
                    answer = ["report", native.live_route(spec, (packets.fileno(), stop), places, begin_ns, plain)]
                except ValueError as error:
                    answer = ["error", str(error)]
                os.set_blocking(stop, False)
                with contextlib.suppress(BlockingIOError):
                    os.read(stop, 64)
                orders.sendall(json.dumps(answer).encode() + b"\n")
    except BaseException:  # Nothing of the starting process is to run here.
        code = 1
    os._exit(code)
