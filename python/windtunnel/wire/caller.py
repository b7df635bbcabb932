"""The end of a measurement that decides: it calls a listener, and has it do run after run."""

from __future__ import annotations

import contextlib
import socket
from typing import Any

from windtunnel.wire import channel
from windtunnel.wire.channel import ChannelError
from windtunnel.wire.datagrams import Datagrams
from windtunnel.wire.machine import Look
from windtunnel.wire.party import DRAIN_S, Given, Party
from windtunnel.wire.pings import Pings
from windtunnel.wire.streams import Stream, prepare

CONNECT_S = 10.0
ANSWER_S = 60.0
"""For the answer of a run, after its end: it may be long, and the path slow."""


class Caller:
    """A session with a listener.

    Parameters
    ----------
    host : str
        Name or address.
    port : int
        Its port.
    token : str
        What the listener printed.

    Raises
    ------
    ChannelError
        When there is no answer, or the token is not taken.
    """

    def __init__(self, host: str, port: int, token: str) -> None:
        try:
            connection = socket.create_connection((host, port), CONNECT_S)
        except OSError as error:
            raise ChannelError(f"{host} port {port} does not answer ({error.strerror or error})") from None
        self._family, self.address = connection.family, connection.getpeername()
        self._number = 0
        try:
            self._channel = channel.called(connection, token)
            self.other = self._channel.receive(CONNECT_S)
        except (ChannelError, OSError) as error:
            connection.close()
            raise error if isinstance(error, ChannelError) else ChannelError(str(error)) from None

    def look(self, seconds: float) -> tuple[dict[str, Any], dict[str, Any]]:
        """Look at both machines for a while in which nothing is measured; return what they did, ours first."""
        self._channel.send({"do": "look", "seconds": seconds})
        own = Look()
        theirs = self._channel.receive(seconds + ANSWER_S)
        return own.since(), theirs

    def pings(self) -> Pings | None:
        """Return a source of ICMP echo to the listener, None where this user may not have one."""
        if self._family != socket.AF_INET:
            return None
        try:
            return Pings(self.address[0])
        except OSError:
            return None

    def run(
        self,
        streams: list[dict[str, Any]],
        given: Given,
        *,
        source: dict[str, Any] | None = None,
        source_side: str = "client",
        asks: bool = False,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Do a run.

        Parameters
        ----------
        streams : list of dict
            ``algorithm`` (the kernel's name), ``window_bytes`` (None for the kernel's own), ``side`` that sends (``client``,
            ``listener``).
        given : Given
            Its length, samples, and how many bytes it may send.
        source : dict, optional
            A source of datagrams, see `windtunnel.wire.datagrams.Datagrams`; `source_side` sends.
        asks : bool
            Whether round-trip times are measured beside, by ICMP where this user may, else by datagrams.

        Returns
        -------
        tuple of dict
            What this end measured, and what the listener did (`windtunnel.wire.party.Party.run`).

        Raises
        ------
        ChannelError
            When the listener refuses, or goes.
        OSError
            When this kernel lacks an algorithm.
        """
        number = self._number = self._number + 1
        pings = self.pings() if asks else None
        spoken = source is not None or (asks and pings is None)
        order = {"do": "run", "run": number, "streams": streams, "seconds": given.seconds}
        self._channel.send(order | {"datagrams": {"side": source_side, "source": source} if spoken else None})
        self._channel.receive(CONNECT_S)
        made: list[Stream] = []
        udp = None
        try:
            for index, one in enumerate(streams):
                made.append(self._stream(number, index, one))
            if spoken:
                udp = socket.socket(self._family, socket.SOCK_DGRAM)
                udp.setblocking(False)
            self._channel.receive(CONNECT_S + ANSWER_S)
            datagrams = None if udp is None else self._datagrams(udp, number, source if source_side == "client" else None)
            own = Party(given, made, datagrams, pings, asks).run([self._channel] if not self._channel.pending() else [])
        finally:
            for stream in made:
                stream.abort()
            for one_socket in (udp, pings):
                if one_socket is not None:
                    one_socket.close()
        return own, self._channel.receive(DRAIN_S + ANSWER_S)

    def _stream(self, number: int, index: int, one: dict[str, Any]) -> Stream:
        connection = socket.socket(self._family, socket.SOCK_STREAM)
        stream = Stream(index, connection, one["side"] == "client", one["algorithm"])
        try:
            prepare(connection, one["window_bytes"])
            connection.settimeout(CONNECT_S)
            connection.connect(self.address)
            connection.sendall(channel.stream_word(self._channel.key, number, index))
            stream.open()
        except OSError:
            stream.abort()
            raise
        return stream

    def _datagrams(self, udp: socket.socket, number: int, source: dict[str, Any] | None) -> Datagrams:
        tag = channel.datagram_tag(self._channel.key, number)
        return Datagrams(udp, tag, allowed=lambda sender: sender[:2] == self.address[:2], source=source, peer=self.address)

    def close(self) -> None:
        """Say that it is over."""
        with contextlib.suppress(ChannelError):
            self._channel.send({"do": "bye"})
        self._channel.connection.close()
