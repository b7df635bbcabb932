"""What the live backend has on each host that it reaches by SSH: it answers requests, a line of JSON each, until they end.

It is run from memory on a host that sends or receives, with nothing but Python's own library, and from the installed package on the router.
What it changes of the host, `windtunnel.live.undo` changes back, however it ends.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from windtunnel.live import iperf, namespaces, netlink, proof
from windtunnel.live.ends import Flow
from windtunnel.live.loop import Loop, prefer, processors
from windtunnel.live.namespaces import Host
from windtunnel.live.undo import Undo

LOCK = "\0windtunnel-live"
"""A name of a socket, of the host's network namespace: there is one run on a host at a time."""
IDLE_S = 120.0
"""Silence of who asks after which it ends, outside a run."""
SLACK_S = 60.0
"""A run's real time beyond its duration, after which it ends."""
CONNECT_S = 10.0
PRIORITY = 8


class AgentError(Exception):
    """The host does not allow it; the text is one line."""


class Agent:
    """The answers; each method that does not begin with an underscore is one."""

    def __init__(self) -> None:
        self._rest = b""
        self._undo: Undo | None = None
        self._lock: socket.socket | None = None
        self._flows: list[Flow] = []
        self._receiver: proof.Receiver | None = None
        self._router: Any = None
        self._traffic: iperf.Traffic | None = None

    def serve(self) -> None:
        """Answer until the requests end."""
        while (request := self._request(IDLE_S)) is not None:
            what = request.pop("do")
            answer = getattr(self, what) if not what.startswith("_") else None
            try:
                said = answer(**request) if answer else {"error": f"{what!r} is no request"}
            except AgentError as error:
                said = {"error": str(error)}
            except OSError as error:
                said = {"error": f"{what}: {error.strerror or error}{'' if error.filename is None else f': {error.filename}'}"}
            print(json.dumps(said), flush=True)

    def _request(self, most_s: float) -> dict[str, Any] | None:
        while b"\n" not in self._rest:
            ready = select.select([0], [], [], most_s)[0]
            part = os.read(0, 1 << 16) if ready else b""
            if not part:
                return None
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        asked: dict[str, Any] = json.loads(line)
        return asked

    def _end_of_run(self) -> None:
        """Take the request that ended a run; when there is none, everything ends."""
        if self._request(0.0) is None:
            sys.exit(1)

    def facts(self, devices: Sequence[str], software: Sequence[str], algorithms: Sequence[str]) -> dict[str, Any]:
        """Return what the host is: its kernel, its devices; refuse where something is missing."""
        if os.geteuid() != 0:
            raise AgentError("this is not root, which sets addresses, routes and sysctls")
        for program, package in (("ip", "iproute2"), *((name, name) for name in software)):
            if shutil.which(program) is None:
                raise AgentError(f"{program} is not installed (Debian: apt-get install {package})")
        lacking = [name for name in algorithms if not _has(name)]
        if lacking:
            with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="ascii") as file:
                raise AgentError(f"its kernel has no congestion control '{lacking[0]}'; it has: {file.read().strip()}")
        system = os.uname()
        versions = {name: _said([name, "--version"]).splitlines()[:1] for name in software}
        return {
            "kernel": system.release,
            "kernel_version": system.version,
            "machine": system.machine,
            "python": ".".join(map(str, sys.version_info[:3])),
            "software": {name: (lines or [""])[0] for name, lines in versions.items()},
            "devices": {name: _device(name) for name in devices},
        }

    def version(self) -> dict[str, Any]:
        """Return the installed package's version."""
        from windtunnel.version import __version__

        return {"version": __version__}

    def clock(self) -> dict[str, int]:
        """Return both clocks, nanoseconds."""
        return {"monotonic_ns": time.monotonic_ns(), "real_ns": time.time_ns()}

    def prepare(
        self, switched: dict[str, list[str]], sysctls: list[list[str]], ends: list[dict[str, Any]], mtu: dict[str, int]
    ) -> dict[str, Any]:
        """Change the host for a run, and note how that is undone.

        `switched` are offloads to switch off, by device; `ends` have ``device``, ``address``, ``peer`` (the flow's other end), ``mac`` (the
        router's) and ``initial_window``; `mtu` is what each device has to carry.
        """
        self._lock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._lock.bind(LOCK)
        except OSError:
            raise AgentError("another run is on this host") from None
        self._undo = undo = Undo(self._lock.fileno())
        for device, names in switched.items():
            on = netlink.offloads(device)
            for name in names:
                if on.get(name):
                    undo.later("offload", device, name)
                    netlink.switch(device, name, on=False)
        for path, value in sysctls:
            with open(f"/proc/sys/{path}", encoding="ascii") as file:
                before = " ".join(file.read().split())
            if before != value:
                undo.later("sysctl", path, before)
                namespaces.set_sysctl(path, value)
        for device in {end["device"] for end in ends}:
            known = _device(device)
            if known["mtu"] < mtu[device]:
                raise AgentError(f"{device} carries packets of {known['mtu']} bytes; {mtu[device]} are needed")
            undo.later("run", ["ip", "link", "set", "dev", device, "gso_max_segs", str(known["gso_max_segs"])])
            _ip("link", "set", "dev", device, "gso_max_segs", "1")
        for end in ends:
            self._end(undo, **end)
        return {}

    def _end(self, undo: Undo, device: str, address: str, peer: str, mac: str, initial_window: int, mtu: int) -> None:
        for delete, add in (
            (["addr", "del", f"{address}/32", "dev", device], ["addr", "add", f"{address}/32", "dev", device]),
            (["neigh", "del", peer, "dev", device], ["neigh", "add", peer, "lladdr", mac, "dev", device, "nud", "permanent"]),
            (
                ["route", "del", f"{peer}/32", "dev", device],
                ["route", "add", f"{peer}/32", "dev", device, "src", address, "mtu", "lock", str(mtu)]
                + (["initcwnd", str(initial_window)] if initial_window else []),
            ),
        ):
            _ip(*add)
            undo.later("run", ["ip", *delete])

    def open(self, flows: list[dict[str, Any]], traffic: str) -> dict[str, Any]:
        """Make the sockets of the ends that are here; a flow has ``index``, ``given``, ``sends``, ``receives`` (addresses) and ``here``."""
        if traffic == "iperf3":
            self._traffic = iperf.Traffic(flows)
            return {}
        self._close()
        for one in flows:
            here = namespaces.current()
            sends, receives = (Host(here, address, 0, b"") for address in (one["sends"], one["receives"]))
            flow = Flow(one["index"], one["given"], sends, receives)
            self._flows.append(flow)
            if "receiver" in one["here"]:
                flow.open_receiver()
            if "sender" in one["here"]:
                flow.open_sender()
        return {}

    def connect(self) -> dict[str, Any]:
        """Begin the connections that are there before the network's time begins, and wait for them."""
        waits = [flow for flow in self._flows if flow.sender is not None and not flow.given["handshake"]]
        for flow in waits:
            flow.connect()
        until = time.monotonic() + CONNECT_S
        for flow in waits:
            assert flow.sender is not None
            if not select.select([], [flow.sender], [], max(0.0, until - time.monotonic()))[1]:
                raise AgentError(f"the connection of flow {flow.index} was not made within {CONNECT_S:g} s")
        return {}

    def accept(self) -> dict[str, Any]:
        """Take connections at the receivers that are here."""
        waits = [flow for flow in self._flows if flow.listener is not None and not flow.given["handshake"]]
        for flow in waits:
            assert flow.listener is not None
            if not select.select([flow.listener], [], [], CONNECT_S)[0] or not flow.accept():
                raise AgentError(f"the connection of flow {flow.index} was not made within {CONNECT_S:g} s")
        return {}

    def run(self, begin_ns: int, watch_ns: int, seconds: float) -> dict[str, Any]:
        """Be the hosts of a run until the next request; see `windtunnel.live.loop.Loop`."""
        signal.alarm(int(seconds + SLACK_S))
        try:
            if self._traffic is not None:
                answer = self._traffic.run(begin_ns, 0)
            else:
                loop = Loop(self._flows, watch_ns)
                answer = {"realtime": prefer(PRIORITY), **loop.run(begin_ns, 0)}
        finally:
            signal.alarm(0)
        self._end_of_run()
        self._close()
        return answer

    def probe(self, address: str, to: str, rate_bps: int, payload: int) -> dict[str, Any]:
        """Send the proof's datagrams."""
        proof.send(Host(namespaces.current(), address, 0, b""), to, rate_bps, payload)
        return {}

    def probed(self, address: str | None) -> dict[str, Any]:
        """Be ready for the proof's datagrams, or without an address return which ones have come."""
        if address is not None:
            self._receiver = proof.Receiver(Host(namespaces.current(), address, 0, b""))
            return {}
        assert self._receiver is not None
        came = self._receiver.drain()
        self._receiver.close()
        return {"came": came}

    def router(self, places: list[list[dict[str, Any]]]) -> dict[str, Any]:
        """Begin to be the router; an end has ``device``, ``mac`` and ``address``."""
        from windtunnel.live.router import Router

        def host(device: str, mac: str, address: str) -> Host:
            return Host(-1, address, socket.if_nametoindex(device), bytes.fromhex(mac.replace(":", "")))

        self._router = Router([(host(**sends), host(**receives)) for sends, receives in places])
        return {}

    def route(self, spec: dict[str, Any], begin_ns: int, plain: bool) -> dict[str, Any]:
        """Route until it is over, or until the next request; return the report."""
        from windtunnel.live.router import RouterGone

        before = processors()
        self._router.begin(spec, begin_ns, plain=plain)
        ready = select.select([0, self._router], [], [])[0]
        try:
            if 0 in ready:
                self._end_of_run()
                report = self._router.stop()
            else:
                report = self._router.report()
        except RouterGone as error:
            raise AgentError(str(error)) from None
        ticks, steal = (late - early for late, early in zip(processors(), before, strict=True))
        return {"router": report, "steal": steal, "ticks": ticks}

    def restore(self) -> dict[str, Any]:
        """Undo what was changed; return how much of it could not be."""
        self._close()
        if self._router is not None:
            self._router.close()
            self._router = None
        undo, self._undo = self._undo, None
        failed = undo.now() if undo is not None else 0
        if self._lock is not None:  # The next try of a run comes before this program has ended.
            self._lock.close()
            self._lock = None
        return {"failed": failed}

    def _close(self) -> None:
        for flow in self._flows:
            flow.close()
            os.close(flow.sends.namespace)
        self._flows = []


def _has(algorithm: str) -> bool:
    """Return whether the kernel has a congestion control, whose module root's question loads."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as asking:
        try:
            asking.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, algorithm.encode())
        except OSError:
            return False
    return True


def _said(words: Sequence[str]) -> str:
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        last = (ended.stderr or ended.stdout).strip().splitlines()[-1:] or [f"code {ended.returncode}"]
        raise AgentError(f"{' '.join(words)}: {last[0]}")
    return ended.stdout


def _ip(*words: str) -> None:
    _said(["ip", *words])


def _device(name: str) -> dict[str, Any]:
    """Return what `ip` says of a device, as JSON."""
    (one,) = json.loads(_said(["ip", "-j", "-d", "link", "show", "dev", name]))
    if "UP" not in one["flags"]:
        raise AgentError(f"device {name} is not up")
    return {"mac": one["address"], "mtu": one["mtu"], "gso_max_segs": one["gso_max_segs"], "offloads": netlink.offloads(name)}


def away(arguments: list[str]) -> None:
    """Answer requests, see `windtunnel.wire.away`."""
    del arguments
    for one in (signal.SIGHUP, signal.SIGTERM, signal.SIGALRM):
        signal.signal(one, lambda *_: sys.exit(1))
    agent = Agent()
    try:
        agent.serve()
    finally:
        agent.restore()
        sys.stdout.flush()
        os._exit(0)
