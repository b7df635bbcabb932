"""A run between namespaces: ``python enter.py python -m windtunnel.live.lab``; orders as JSON come in, the answer goes out.

It runs in a network namespace of its own, the router's, and is root of its user namespace. An answer is ``{"error": ...}``, one
line of what the machine lacks or what broke, or what `run` returns.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from windtunnel.live import namespaces, proof
from windtunnel.live.ends import SETTINGS, Flow
from windtunnel.live.loop import Loop, prefer
from windtunnel.live.namespaces import Host
from windtunnel.live.netlink import Netlink
from windtunnel.live.router import Router, RouterGone
from windtunnel.live.steering import steer

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
    steered = steer()
    router = Router(ends)
    try:
        realtime = prefer(PRIORITY)
        setup_s = time.monotonic() - began
        proven = _proven(orders, router, ends[0])
        return {"proof": proven, "setup_s": setup_s, "realtime": realtime, "steered": steered, **_measured(orders, router, ends)}
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
    try:
        proven = proof.prove(router, ends, orders["proof"], orders["flows"][0]["mtu"] - proof.UDP_IP_BYTES)
    except proof.ClockSet as error:
        raise Refused(str(error)) from None
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
        loop, begin_ns = Loop(flows, orders["watch_ns"]), time.monotonic_ns() + LEAD_NS
        router.begin(orders["spec"], begin_ns)
        return {**loop.run(begin_ns, router.fileno()), "router": router.report()}
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
    # The scenario's own flows, of which none may start behind the end.
    router.begin({**spec, "duration_ns": spec["duration_ns"] + int(CONNECT_S * 4e9), "warmup_ns": 0}, time.monotonic_ns(), plain=True)
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
