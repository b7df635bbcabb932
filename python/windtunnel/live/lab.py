"""A run between namespaces: ``python enter.py python -m windtunnel.live.lab``; orders as JSON come in, the answer goes out.

It runs in a network namespace of its own, the router's, and is root of its user namespace. An answer is ``{"error": ...}``, one
line of what the machine lacks or what broke, or what `run` returns.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from typing import Any

from windtunnel.live import namespaces, proof
from windtunnel.live.ends import SETTINGS, Flow, watched
from windtunnel.live.namespaces import Host
from windtunnel.live.netlink import Netlink
from windtunnel.live.router import Router, RouterGone, prefer
from windtunnel.live.watch import Watch

PRIORITY = 8
CONNECT_S = 10.0
"""How long connections may take to be made."""
LEAD_NS = 20_000_000
"""From the orders to the beginning of the network's time."""


class Refused(Exception):
    """The machine does not allow it; the text is one line."""


def run(orders: dict[str, Any]) -> dict[str, Any]:
    """Build the network, prove it, run the flows.

    Parameters
    ----------
    orders : dict
        ``spec`` (an engine's scenario), ``proof`` (another, None for no proof), ``flows`` (see `windtunnel.live.ends.Flow`, with
        ``initial_window`` and ``sysctls``), ``watch_ns``.

    Returns
    -------
    dict
        ``proof``, ``router`` (the report), ``rows`` and ``events`` (see `windtunnel.live.watch.Watch`), ``setup_s``, ``steal`` and
        ``ticks`` (of all processors during the run), ``realtime`` (whether it ran under SCHED_FIFO).

    Raises
    ------
    Refused, RouterGone, OSError
        What the machine does not allow, or what broke.
    """
    began = time.monotonic()
    ends = _hosts(orders["flows"])
    router = Router(ends)
    try:
        realtime = prefer(PRIORITY)
        setup_s = time.monotonic() - began
        proven = _proven(orders, router, ends[0])
        return {"proof": proven, "setup_s": setup_s, "realtime": realtime, **_measured(orders, router, ends)}
    finally:
        router.close()


def _hosts(flows: list[dict[str, Any]]) -> list[tuple[Host, Host]]:
    """Make the hosts of all flows, two each."""
    try:
        netlink = Netlink()
        made = []
        for index, given in enumerate(flows):
            settings = [*SETTINGS, *((path, value) for path, value in given["sysctls"])]
            sends, receives = (
                namespaces.add_host(
                    netlink, 2 * index + end, mtu=given["mtu"], initial_window=given["initial_window"] if end == 0 else 0, sysctls=settings
                )
                for end in (0, 1)
            )
            made.append((sends, receives))
        netlink.close()
    except PermissionError as error:
        raise Refused(f"CAP_NET_ADMIN is missing in the namespace of one's own: {error}") from None
    return made


def _proven(orders: dict[str, Any], router: Router, ends: tuple[Host, Host]) -> dict[str, Any] | None:
    """Prove rate and delay, if that is asked for."""
    if orders["proof"] is None:
        return None
    proven = proof.prove(router, ends, orders["proof"], orders["flows"][0]["mtu"] - proof.UDP_IP_BYTES)
    refused = proof.refused(proven)
    if refused is not None:
        raise Refused(refused)
    return proven


def _measured(orders: dict[str, Any], router: Router, ends: list[tuple[Host, Host]]) -> dict[str, Any]:
    flows = [Flow(index, given, *pair) for index, (given, pair) in enumerate(zip(orders["flows"], ends, strict=True))]
    try:
        for flow in flows:
            try:
                flow.open()
            except FileNotFoundError:
                raise Refused(f"this kernel has no congestion control '{flow.given['algorithm']}'; it has: {_available()}") from None
            except PermissionError as error:
                raise Refused(f"flow {flow.index}: {error}") from None
        _connect([flow for flow in flows if not flow.given["handshake"]], router, orders["spec"])
        return _Loop(orders, router, flows).run()
    finally:
        for flow in flows:
            flow.close()


def _available() -> str:
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="ascii") as file:
        return file.read().strip()


def _connect(flows: list[Flow], router: Router, spec: dict[str, Any]) -> None:
    """Make connections before the network's time begins, over its propagation alone."""
    if not flows:
        return
    router.begin({**spec, "duration_ns": int(CONNECT_S * 4e9), "warmup_ns": 0}, time.monotonic_ns(), plain=True)
    try:
        for flow in flows:
            flow.connect()
        waits, until = list(flows), time.monotonic() + CONNECT_S
        while waits:
            if time.monotonic() > until:
                raise RouterGone(f"the connection of flow {waits[0].index} was not made within {CONNECT_S:g} s")
            time.sleep(0.002)
            waits = [flow for flow in waits if not flow.accept()]
        longest_s = max(flow["rtt_ns"] for flow in spec["flows"]) * 1e-9
        # The last ACKs of the handshakes shall not be under way when the links begin.
        time.sleep(longest_s + 0.01)
    finally:
        router.stop()


class _Loop:
    """The time of a run: starts, looks, data, stops."""

    def __init__(self, orders: dict[str, Any], router: Router, flows: list[Flow]) -> None:
        self.orders, self.router, self.flows = orders, router, flows
        self.epoll = select.epoll()
        self.named: dict[int, tuple[Flow, str]] = {}
        self.watch = Watch(flows)
        actions = [(flow.given["start_ns"], 0, flow.index) for flow in flows]
        actions += [(flow.given["stop_ns"], 1, flow.index) for flow in flows if flow.given["stop_ns"] is not None]
        self.actions = sorted(actions, reverse=True)
        self.next_look = 0
        self.begin_ns = 0

    def run(self) -> dict[str, Any]:
        """Run until the router says that it is over."""
        for flow in self.flows:
            self._register(flow, "listener")
            self._register(flow, "receiver")
        self.epoll.register(self.router.fileno(), select.EPOLLIN)
        before = _processors()
        self.begin_ns = time.monotonic_ns() + LEAD_NS
        self.router.begin(self.orders["spec"], self.begin_ns)
        try:
            while not self._turn():
                pass
        finally:
            self.epoll.close()
        report = self.router.report()
        self.watch.look(self._now())
        after = _processors()
        ticks, steal = (late - early for late, early in zip(after, before, strict=True))
        return {"router": report, "rows": self.watch.rows, "events": self.watch.events, "steal": steal, "ticks": ticks}

    def _now(self) -> int:
        return time.monotonic_ns() - self.begin_ns

    def _turn(self) -> bool:
        """Do what is due, wait for what comes next; return whether the router has answered."""
        now = self._now()
        while self.actions and self.actions[-1][0] <= now:
            _, what, index = self.actions.pop()
            (self._start, self._stop)[what](self.flows[index], now)
        if now >= self.next_look:
            self.watch.look(now)
            self.next_look = max(self.next_look + self.orders["watch_ns"], now - now % self.orders["watch_ns"])
        until = min([self.next_look, *(self.actions[-1][:1] if self.actions else ())])
        for descriptor, happened in self.epoll.poll(max(0.0, (until - self._now()) * 1e-9)):
            if descriptor == self.router.fileno():
                return True
            self._on_event(*self.named[descriptor], happened)
        return False

    def _register(self, flow: Flow, name: str) -> None:
        one = getattr(flow, name)
        if one is not None:
            self.named[one.fileno()] = (flow, name)
            self.epoll.register(one.fileno(), watched(name == "sender"))

    def _start(self, flow: Flow, now: int) -> None:
        if flow.given["handshake"]:
            flow.connect()
        self._register(flow, "sender")
        if not flow.given["handshake"]:
            self.watch.begin(flow, now)
            flow.write()

    def _stop(self, flow: Flow, now: int) -> None:
        del now
        flow.finish()

    def _on_event(self, flow: Flow, name: str, happened: int) -> None:
        if name == "listener":
            if flow.receiver is None and flow.accept():
                self._register(flow, "receiver")
        elif name == "receiver":
            if flow.receiver is not None:
                flow.read()
        elif flow.sender is not None:
            self._on_sender(flow, happened)

    def _on_sender(self, flow: Flow, happened: int) -> None:
        broken = happened & (select.EPOLLERR | select.EPOLLHUP)
        if happened & select.EPOLLOUT and not broken and not flow.has_begun:
            self.watch.begin(flow, self._now())
        # The receiver closes when it has everything: with its FIN came the last ACK.
        if broken or happened & select.EPOLLRDHUP:
            self.watch.end(flow, self._now())
        elif happened & select.EPOLLOUT and flow.has_begun:
            flow.write()


def _processors() -> tuple[int, int]:
    """Return the ticks of all processors since boot, and those that were stolen from this machine (proc(5))."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return sum(ticks), ticks[7]


def main() -> int:
    """Answer the orders."""
    namespaces.die_with_parent()
    orders = json.load(sys.stdin)
    try:
        answer: dict[str, Any] = run(orders)
    except (Refused, RouterGone) as error:
        answer = {"error": str(error)}
    except OSError as error:
        answer = {"error": f"{error.strerror or error}{'' if error.filename is None else f': {error.filename}'}"}
    json.dump(answer, sys.stdout)
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)
