"""The connection over which both ends agree what is sent: who knows the token is heard, and every message is signed.

The token is never sent: each end answers the other's random words with them and its own, under HMAC-SHA256 (RFC 2104). A key made of both
signs every later message with its number, so that nothing can be put in between, repeated or left out.
"""

from __future__ import annotations

import hmac
import json
import secrets
import select
import socket
import time
from typing import Any

WORD = 32
"""Letters of a random word or a tag: 128 bits in hexadecimal."""
GREETING = b"windtunnel-measure 1"
MOST_BYTES = 256 << 20
"""Of a message; the listener takes much less."""
ORDER_BYTES = 64 << 10
TAG_BYTES = 16
"""Of a datagram's tag."""
_DIGEST = 64


class ChannelError(Exception):
    """The other end is not who it should be, or has gone; the text is one line."""


def token() -> str:
    """Return a new token: 128 random bits."""
    return secrets.token_hex(16)


def sign(key: bytes, *parts: str) -> str:
    """Return the tag of some words, 64 hexadecimal digits."""
    return hmac.new(key, "\0".join(parts).encode(), "sha256").hexdigest()


def datagram_tag(key: bytes, run: int) -> bytes:
    """Return the tag of all datagrams of a run."""
    return bytes.fromhex(sign(key, "datagram", str(run)))[:TAG_BYTES]


def stream_word(key: bytes, run: int, stream: int) -> bytes:
    """Return the line with which a data connection begins: which it is, and that its maker knows the key."""
    return f"data {run} {stream} {sign(key, 'stream', str(run), str(stream))[:WORD]}\n".encode()


class Channel:
    """Messages to the other end and from it, after both have shown that they know the token.

    Parameters
    ----------
    connection : socket.socket
        Connected; used with timeouts from now on.
    key : bytes
        Of the session.
    name : str
        Of this end: ``client`` or ``listener``.
    most_bytes : int
        Of a message that is taken.
    """

    def __init__(self, connection: socket.socket, key: bytes, name: str, most_bytes: int) -> None:
        self.connection, self.key = connection, key
        self._name, self._other = name, "listener" if name == "client" else "client"
        self._most = most_bytes
        self._sent = self._heard = 0
        self._rest = b""

    def fileno(self) -> int:
        """Return its descriptor."""
        return self.connection.fileno()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, within 30 s.

        Raises
        ------
        ChannelError
            When the other end has gone.
        """
        text = json.dumps(message, separators=(",", ":"))
        tag = sign(self.key, self._name, str(self._sent), text)
        self._sent += 1
        try:
            self.connection.settimeout(30.0)
            self.connection.sendall(f"{tag} {text}\n".encode())
        except OSError as error:
            raise ChannelError(f"the other end has gone ({error.strerror or error})") from None

    def receive(self, timeout_s: float) -> dict[str, Any]:
        """Return the next message.

        Raises
        ------
        ChannelError
            When there is none in time, the other end has gone, or it is not signed as it must be.
        """
        line, self._rest = read_line(self.connection, self._rest, self._most, timeout_s)
        tag, _, text = line.decode("utf-8", "replace").partition(" ")
        if len(tag) != _DIGEST or not hmac.compare_digest(tag, sign(self.key, self._other, str(self._heard), text)):
            raise ChannelError("a message is not signed by the other end")
        self._heard += 1
        message: dict[str, Any] = json.loads(text)
        if "error" in message:
            raise ChannelError(f"the other end says: {message['error']}")
        return message

    def pending(self) -> bool:
        """Return whether a message has been read in part already."""
        return b"\n" in self._rest


def read_line(connection: socket.socket, rest: bytes, most_bytes: int, timeout_s: float) -> tuple[bytes, bytes]:
    """Return a line, and what came behind it.

    Raises
    ------
    ChannelError
        When there is none in time, it is longer than allowed, or the other end has gone.
    """
    until, parts = time.monotonic() + timeout_s, [rest]
    size = len(rest)
    while b"\n" not in parts[-1]:
        left = until - time.monotonic()
        if left <= 0 or not select.select([connection], [], [], left)[0]:
            raise ChannelError(f"the other end did not answer within {timeout_s:.3g} s")
        try:
            part = connection.recv(1 << 16)
        except OSError as error:
            raise ChannelError(f"the other end has gone ({error.strerror or error})") from None
        if not part:
            raise ChannelError("the other end has closed the connection")
        parts.append(part)
        size += len(part)
        if size > most_bytes:
            raise ChannelError(f"a message is longer than {most_bytes} bytes")
    line, _, rest = b"".join(parts).partition(b"\n")
    return line, rest


def called(connection: socket.socket, word: str) -> Channel:
    """Show the listener that one knows the token, and let it show the same.

    Raises
    ------
    ChannelError
        When it does not take the token, or does not know it itself.
    """
    own = secrets.token_hex(16)
    connection.sendall(b"%s %s\n" % (GREETING, own.encode()))
    line, rest = read_line(connection, b"", 1024, 10.0)
    said, _, theirs = line.decode("ascii", "replace").rpartition(" ")
    if said.encode() != GREETING or len(theirs) != WORD:
        raise ChannelError(f"what answers there is no listener of this version: {line[:60]!r}")
    connection.sendall(f"{sign(word.encode(), 'client', own, theirs)}\n".encode())
    line, _ = read_line(connection, rest, 1024, 10.0)
    if not hmac.compare_digest(line.decode("ascii", "replace"), sign(word.encode(), "listener", own, theirs)):
        raise ChannelError("the listener does not take this token")
    return Channel(connection, bytes.fromhex(sign(word.encode(), "session", own, theirs)), "client", MOST_BYTES)


def answered(connection: socket.socket, word: str, greeting: bytes) -> Channel:
    """Be shown that a caller knows the token, and show it the same.

    Raises
    ------
    ChannelError
        When it does not know it, or goes.
    """
    theirs = greeting.rpartition(b" ")[2].decode("ascii", "replace")
    own = secrets.token_hex(16)
    connection.settimeout(10.0)
    connection.sendall(b"%s %s\n" % (GREETING, own.encode()))
    line, _ = read_line(connection, b"", 1024, 10.0)
    if not hmac.compare_digest(line.decode("ascii", "replace"), sign(word.encode(), "client", theirs, own)):
        connection.sendall(b"refused\n")
        raise ChannelError("a caller does not know the token")
    connection.sendall(f"{sign(word.encode(), 'listener', theirs, own)}\n".encode())
    return Channel(connection, bytes.fromhex(sign(word.encode(), "session", theirs, own)), "listener", ORDER_BYTES)
