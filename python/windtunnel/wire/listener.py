"""``windtunnel measure --listen``: the other end of a measurement, for one caller who knows the token, for so long and so many bytes."""

from __future__ import annotations

import contextlib
import math
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from windtunnel.live import namespaces
from windtunnel.wire import channel, machine
from windtunnel.wire.channel import Channel, ChannelError
from windtunnel.wire.datagrams import Datagrams
from windtunnel.wire.party import Given, Party
from windtunnel.wire.streams import Stream, prepare

PORT = 5282
MAPPED = "::ffff:"
"""Before an IPv4 address at a socket of both kinds (RFC 4291, 2.5.5.2)."""
MOST_STREAMS = 256
CONNECT_S = 15.0
"""How long data connections may take to come."""
SLACK_S = 60.0
"""Silence of the caller between two runs that ends the session, besides what he says that he waits."""
LINE_BYTES = 1024
FAILURES = 20
"""Callers without the token after whom the listener ends."""
SAMPLE_S = 0.1
"""Rows of streams that this end sends cross the path after the run: they are fewer."""


@dataclass(frozen=True)
class Bounds:
    """What the listener allows in all.

    Parameters
    ----------
    seconds : float
        From its beginning to its end.
    bytes : int
        Sent and received by it.
    """

    seconds: float
    bytes: int


class Listener:
    """The other end of a measurement.

    Parameters
    ----------
    address : str
        Where to listen; every address where it is empty.
    port : int
        The port, of TCP and UDP; 0 for any.
    bounds : Bounds
        Its bounds.
    say : callable
        Told what happens, a line each.

    Raises
    ------
    OSError
        When the port is taken.
    """

    def __init__(self, address: str, port: int, bounds: Bounds, say: Callable[[str], None]) -> None:
        self.token = channel.token()
        self._bounds, self._say = bounds, say
        family = socket.AF_INET6 if ":" in address or (not address and socket.has_dualstack_ipv6()) else socket.AF_INET
        self._tcp = socket.socket(family, socket.SOCK_STREAM)
        self._tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._udp = socket.socket(family, socket.SOCK_DGRAM)
        if family == socket.AF_INET6 and not address:
            for one in (self._tcp, self._udp):
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        self._tcp.bind((address, port))
        self.port = int(self._tcp.getsockname()[1])
        self._udp.bind((address, self.port))
        self._udp.setblocking(False)
        self._tcp.listen(MOST_STREAMS)
        self._until = time.monotonic() + bounds.seconds
        self._left = bounds.bytes

    def serve(self) -> None:
        """Wait for the caller, and do what he asks until he goes, or the bounds are reached.

        Raises
        ------
        ChannelError
            When no caller came in time, or the caller went or broke the rules.
        """
        try:
            caller, peer = self._caller()
            self._say(f"{peer} knows the token")
            try:
                self._session(caller, peer)
            finally:
                caller.connection.close()
        finally:
            self._tcp.close()
            self._udp.close()

    def _caller(self) -> tuple[Channel, str]:
        """Return the connection to who knows the token; every other caller is turned away."""
        for _ in range(FAILURES):
            self._tcp.settimeout(max(0.001, self._until - time.monotonic()))
            try:
                connection, address = self._tcp.accept()
            except TimeoutError:
                raise ChannelError("no caller came in time") from None
            try:
                line, _ = channel.read_line(connection, b"", LINE_BYTES, 10.0)
                if line.startswith(channel.GREETING + b" "):
                    return channel.answered(connection, self.token, line), str(address[0]).removeprefix(MAPPED)
                raise ChannelError("a caller is no client of this version")
            except (ChannelError, OSError) as error:
                self._say(f"{address[0]} was turned away: {error}")
                connection.close()
        raise ChannelError(f"{FAILURES} callers did not know the token")

    def _session(self, caller: Channel, peer: str) -> None:
        caller.send(machine.facts(peer) | {"seconds_left": self._until - time.monotonic(), "bytes_left": self._left})
        while True:
            order = caller.receive(max(0.001, self._until - time.monotonic()))
            what = order.get("do")
            if what == "bye":
                self._say("the caller is done")
                return
            try:
                if what == "look":
                    self._look(caller, order)
                elif what == "run":
                    self._run(caller, peer, order)
                else:
                    raise ChannelError(f"{what!r} is no order")
            except (OSError, KeyError, TypeError, ValueError) as error:
                problem = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
                caller.send({"error": str(problem)})
                raise ChannelError(str(problem)) from None

    def _look(self, caller: Channel, order: dict[str, Any]) -> None:
        """Look at this machine for a while in which nothing is measured."""
        look = machine.Look()
        time.sleep(min(5.0, float(order["seconds"])))
        caller.send(look.since())

    def _run(self, caller: Channel, peer: str, order: dict[str, Any]) -> None:
        seconds, count = float(order["seconds"]), len(order["streams"])
        if not (math.isfinite(seconds) and seconds > 0 and count <= MOST_STREAMS):
            raise ValueError(f"{seconds} s and {count} streams are out of bounds")
        if seconds > self._until - time.monotonic() or self._left <= 0:
            caller.send({"error": "the listener's time or bytes are used up"})
            raise ChannelError("its time or bytes are used up")
        # Buffers are set before a connection comes: the window's scale is settled in the handshake.
        for window in {one["window_bytes"] for one in order["streams"]}:
            prepare(self._tcp, window)
        caller.send({"ready": True})
        streams: list[Stream] = []
        try:
            streams = self._streams(caller, order)
            datagrams = self._datagrams(caller, peer, order)
            given = Given(seconds, SAMPLE_S, self._left)
            caller.send({"go": True})
            answer = Party(given, streams, datagrams).run([caller])
        finally:
            for stream in streams:
                stream.abort()
        self._left -= sum(one["written_bytes"] + one["received_bytes"] for one in answer["streams"])
        if datagrams is not None:
            self._left -= datagrams.sent_bytes + datagrams.received_bytes
        self._say(f"run {order['run']}: {count} streams, {seconds:g} s; {max(self._left, 0) / 1e9:.3g} GB left")
        caller.send(answer)

    def _streams(self, caller: Channel, order: dict[str, Any]) -> list[Stream]:
        """Take the data connections of a run, each with its word."""
        words = {channel.stream_word(caller.key, order["run"], number): number for number in range(len(order["streams"]))}
        found: dict[int, Stream] = {}
        until = time.monotonic() + CONNECT_S
        while len(found) < len(order["streams"]):
            self._tcp.settimeout(max(0.001, until - time.monotonic()))
            try:
                connection, _ = self._tcp.accept()
            except TimeoutError:
                raise ValueError(f"{len(found)} of {len(order['streams'])} data connections came within {CONNECT_S:g} s") from None
            connection.settimeout(CONNECT_S)
            word = b""
            with contextlib.suppress(OSError):
                while not word.endswith(b"\n") and len(word) < LINE_BYTES and (part := connection.recv(1)):
                    word += part
            number = words.get(word)
            if number is None or number in found:
                connection.close()
                continue
            given = order["streams"][number]
            found[number] = Stream(number, connection, given["side"] == "listener", given["algorithm"])
            found[number].open()
        return [found[number] for number in sorted(found)]

    def _datagrams(self, caller: Channel, peer: str, order: dict[str, Any]) -> Datagrams | None:
        source = order["datagrams"]
        if source is None:
            return None
        tag = channel.datagram_tag(caller.key, order["run"])
        given = source.get("source") if source.get("side") == "listener" else None
        return Datagrams(self._udp, tag, allowed=lambda sender: str(sender[0]).removeprefix(MAPPED) == peer, source=given)


def command(arguments: list[str]) -> int:
    """Serve between namespaces, or on a host without the package's command: address, port, seconds and bytes are the arguments."""
    address, port, seconds, most = arguments
    namespaces.die_with_parent()
    made = Listener(address, int(port), Bounds(float(seconds), int(most)), lambda line: print(line, flush=True))
    print(f"token {made.token} port {made.port}", flush=True)
    try:
        made.serve()
    except ChannelError as error:
        print(f"error: {error}", flush=True)
        return 1
    return 0


def away(arguments: list[str]) -> None:
    """Serve on another machine (`windtunnel.wire.away`): each line is answered with the time, and the end of the lines is the end."""

    def follow() -> None:
        for _ in sys.stdin:
            print(time.time_ns(), flush=True)
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
    code = command(arguments)
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:]))
