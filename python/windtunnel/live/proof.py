"""Before anything is measured, the router proves that it keeps a rate and a delay: with datagrams, on a link of the scenario's rate."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from windtunnel.live import namespaces
from windtunnel.live.clock import NetworkClock
from windtunnel.live.namespaces import Host

if TYPE_CHECKING:
    from windtunnel.live.router import Router

PORT = 1001
UDP_IP_BYTES = 28
PROBES = 60
"""Datagrams that show the delay, one at a time."""
PROBE_GAP_NS = 2_000_000
BURST_NS = 300_000_000
"""How long the link is kept busy for its rate."""
OVERLOAD = 1.1
LEAD_NS = 10_000_000
"""So much of the link's time is sent at once: a sender that was not scheduled leaves it no idle moment."""
RATE_APART = 0.01
"""Of the rate asked for: the proof's rate is not lower by more."""
DELAY_APART_S = 0.001
"""The proof's median delay is not larger by more."""
PROOF_PAUSED_MOST = 0.2
"""Of the proof's real time, which is half a second: a machine that stands still for more does not keep up."""
BATCH = 1000
"""Datagrams, sent before the time is looked at."""
ROOM_BYTES = 32 << 20
SCM_TIMESTAMPNS = 35
CLOCK_TRIES = 3
CLOCK_MOVED_NS = 1_000_000
"""Against the monotonic clock; a clock that is slewed moves by 0.5 ms in a second."""


class ClockSet(Exception):
    """The real-time clock was set meanwhile; the text is one line."""


class Receiver:
    """A socket that has the kernel's time of each datagram, nanoseconds of the real-time clock."""

    def __init__(self, host: Host) -> None:
        with namespaces.inside(host.namespace):
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, SCM_TIMESTAMPNS, 1)
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, namespaces.SO_RCVBUFFORCE, ROOM_BYTES)
        except PermissionError:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM_BYTES)
        self.socket.bind((host.address, PORT))
        self.socket.setblocking(False)

    def close(self) -> None:
        """Close it."""
        self.socket.close()

    def drain(self) -> list[tuple[int, int, int]]:
        """Return the mark and the time in each datagram that has come, and when it came."""
        found: list[tuple[int, int, int]] = []
        while True:
            try:
                data, control, _, _ = self.socket.recvmsg(2048, 64)
            except BlockingIOError:
                return found
            seconds, nanoseconds = struct.unpack_from("=qq", control[0][2])
            found.append((*struct.unpack_from("=Bq", data), seconds * 1_000_000_000 + nanoseconds))


def prove(router: Router, ends: tuple[Host, Host], spec: dict[str, Any], payload: int) -> dict[str, Any]:
    """Measure rate and delay of a link.

    Parameters
    ----------
    router : Router
        It routes nothing else meanwhile.
    ends : (Host, Host)
        Where datagrams begin and end: those of the scenario's first flow.
    spec : dict
        An engine's scenario: one link with a deep queue, one flow; long enough.
    payload : int
        Bytes of a datagram.

    Returns
    -------
    dict
        As `found` does.

    Raises
    ------
    ClockSet
        When the real-time clock, of which the kernel's times of datagrams are, was set again and again.
    """
    for _ in range(CLOCK_TRIES):
        receiver = Receiver(ends[1])
        begin_ns, zero_ns = time.monotonic_ns(), time.time_ns()
        router.begin(spec, begin_ns)
        try:
            send(ends[0], ends[1].address, spec["forward"]["rate_bps"], payload)
            time.sleep(behind_s(spec, payload))
            came = receiver.drain()
        finally:
            report = router.stop()
            receiver.close()
        if abs((time.time_ns() - zero_ns) - (time.monotonic_ns() - begin_ns)) < CLOCK_MOVED_NS:
            return found(came, report, zero_ns, spec, payload)
    raise ClockSet(f"the machine's clock was set during each of {CLOCK_TRIES} proofs of its rate and delay; nothing can be proven so")


def packet_bits(payload: int) -> int:
    """Return the bits of a datagram with its headers."""
    return 8 * (payload + UDP_IP_BYTES)


def send(host: Host, to: str, rate_bps: int, payload: int) -> None:
    """Send datagrams one at a time, which show the delay, and then more than the link carries, which show its rate.

    Parameters
    ----------
    host : Host
        Who sends.
    to : str
        Address of the receiver.
    rate_bps : int
        Of the link, bit/s of IP.
    payload : int
        Bytes of a datagram.
    """
    packet_ns = packet_bits(payload) * 1_000_000_000 // rate_bps
    with namespaces.inside(host.namespace):
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with sender:
        # Routes may lead elsewhere by another address.
        sender.bind((host.address, 0))
        sender.connect((to, PORT))
        filler = bytes(payload - struct.calcsize("=Bq"))
        gap_ns = max(PROBE_GAP_NS, 2 * packet_ns)
        for _ in range(min(PROBES, max(3, BURST_NS // gap_ns))):
            sender.send(struct.pack("=Bq", 0, time.time_ns()) + filler)
            time.sleep(gap_ns * 1e-9)
        began_ns, sent, burst = time.monotonic_ns(), 0, bytes([1]) + bytes(payload - 1)
        while (passed := time.monotonic_ns() - began_ns) < BURST_NS:
            due = int((passed + LEAD_NS) * OVERLOAD / packet_ns) + 2
            # At a rate that a sender does not reach there is always more to send: only so much at a time, or the end is never looked at.
            for _ in range(min(due - sent, BATCH)):
                sender.send(burst)
                sent += 1
            if sent >= due:
                time.sleep(0.001)


def behind_s(spec: dict[str, Any], payload: int) -> float:
    """Return how long after `send` the last datagram arrives at the latest, seconds."""
    packet_s, half_s = packet_bits(payload) / float(spec["forward"]["rate_bps"]), float(spec["flows"][0]["rtt_ns"]) / 2 * 1e-9
    return half_s + (BURST_NS * (OVERLOAD - 1) + LEAD_NS * OVERLOAD) * 1e-9 + 3 * packet_s + 0.02


def found(came: list[tuple[int, int, int]], report: dict[str, Any], zero_ns: int, spec: dict[str, Any], payload: int) -> dict[str, Any]:
    """Return what has come shows.

    Parameters
    ----------
    came : list of tuple
        Of each datagram its mark, when it was sent, and when it came.
    report : dict
        The router's.
    zero_ns : int
        The beginning of the router's time, by the receiver's real-time clock.
    spec, payload
        As in `prove`.

    Returns
    -------
    dict
        ``rate_bps`` (asked for), ``rate_bps_measured`` (IP, of the network's time; None when too little arrived), ``delay_s`` (asked for,
        with the transmission), ``delay_s_p50`` and ``delay_s_max`` (measured), ``paused_s`` of ``real_s``, ``late_us_p50``.
    """
    rate_bps, rtt_ns, bits = spec["forward"]["rate_bps"], spec["flows"][0]["rtt_ns"], packet_bits(payload)
    delays = sorted(at - sent for mark, sent, at in came if mark == 0)
    burst = [at for mark, _, at in came if mark == 1]
    clock = NetworkClock(report["stalls"])
    measured = None
    if len(burst) >= 3:
        busy_ns = clock.network_ns(burst[-1] - zero_ns) - clock.network_ns(burst[0] - zero_ns)
        measured = (len(burst) - 1) * bits * 1e9 / busy_ns if busy_ns > 0 else None
    return {
        "rate_bps": rate_bps,
        "rate_bps_measured": measured,
        "delay_s": (rtt_ns // 4 * 2 + bits * 1e9 / rate_bps) * 1e-9,
        "delay_s_p50": delays[len(delays) // 2] * 1e-9 if delays else None,
        "delay_s_max": delays[-1] * 1e-9 if delays else None,
        "paused_s": clock.paused_ns * 1e-9,
        "real_s": report["end_ns"] * 1e-9 + clock.paused_ns * 1e-9,
        "late_us_p50": report["late_us_p50"],
    }


def refused(proof: Mapping[str, Any]) -> str | None:
    """Return why a proof of rate and delay fails, None when it does not."""
    rate, measured = proof["rate_bps"], proof["rate_bps_measured"]
    if measured is None or measured < (1 - RATE_APART) * rate:
        shown = "nothing" if measured is None else f"{measured / 1e6:.4g} Mbit/s"
        return f"this machine does not keep {rate / 1e6:g} Mbit/s: the proof measured {shown}"
    if proof["paused_s"] > PROOF_PAUSED_MOST * proof["real_s"]:
        stood = proof["paused_s"] / proof["real_s"]
        return f"this machine does not keep {rate / 1e6:g} Mbit/s: the router stood still for {stood:.0%} of the proof"
    delay = proof["delay_s_p50"]
    # Between two hosts a delay is known no better than their clocks are.
    if delay is None or delay > proof["delay_s"] + DELAY_APART_S + proof.get("clocks_within_s", 0.0):
        shown = "nothing" if delay is None else f"{1e3 * delay:.3f} ms"
        return f"this machine does not keep a delay of {1e3 * proof['delay_s']:.3f} ms: the proof measured {shown}"
    return None
