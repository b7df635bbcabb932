"""`windtunnel.wire` and `windtunnel.measure` without a path: who is heard, what is planned, what is found."""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from windtunnel import cli
from windtunnel.live.counters import CWR, LOSS, OPEN, RECOVERY
from windtunnel.measure import Asked, found, plan
from windtunnel.measure.plan import Configuration, configurations
from windtunnel.measure.records import _events
from windtunnel.wire import channel
from windtunnel.wire.channel import Channel, ChannelError
from windtunnel.wire.datagrams import ASK, HEADER, HELLO, LOAD, Datagrams
from windtunnel.wire.pings import checksum
from windtunnel.wire.streams import COLUMNS

WORD = "a" * 32


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    near, far = socket.socketpair()
    yield near, far
    near.close()
    far.close()


def pair(ends: tuple[socket.socket, socket.socket], theirs: str = WORD) -> tuple[Channel, Channel]:
    """Both ends of a channel, after the listener has heard a caller who knows `theirs`."""
    near, far = ends
    made: list[Any] = []

    def listen() -> None:
        try:
            line, _ = channel.read_line(far, b"", 1024, 5.0)
            made.append(channel.answered(far, WORD, line))
        except ChannelError as error:
            made.append(error)

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        caller = channel.called(near, theirs)
    finally:
        thread.join()
    return caller, made[0]


def test_who_knows_the_token_is_heard_and_the_token_never_crosses(ends: tuple[socket.socket, socket.socket]) -> None:
    caller, listener = pair(ends)
    assert caller.key == listener.key
    caller.send({"do": "look"})
    assert listener.receive(1.0) == {"do": "look"}
    listener.send({"ready": True})
    assert caller.receive(1.0) == {"ready": True}
    assert WORD.encode() not in channel.stream_word(caller.key, 1, 0)


def test_who_does_not_know_the_token_is_not(ends: tuple[socket.socket, socket.socket]) -> None:
    with pytest.raises(ChannelError, match="does not take this token"):
        pair(ends, "b" * 32)


@pytest.mark.parametrize("change", ["repeat", "edit", "other side"])
def test_a_message_that_is_repeated_changed_or_sent_back_is_refused(change: str, ends: tuple[socket.socket, socket.socket]) -> None:
    caller, listener = pair(ends)
    caller.send({"do": "run", "seconds": 1})
    raw = listener.connection.recv(4096)
    if change == "other side":
        listener.connection.sendall(raw)
        with pytest.raises(ChannelError, match="not signed"):
            caller.receive(1.0)
        return
    caller.connection.sendall(raw.replace(b":1}", b":9}") if change == "edit" else raw + raw)
    if change == "repeat":
        listener.receive(1.0)
    with pytest.raises(ChannelError, match="not signed"):
        listener.receive(1.0)


def test_a_long_message_and_silence_end_the_channel(ends: tuple[socket.socket, socket.socket]) -> None:
    caller, listener = pair(ends)
    caller.connection.sendall(b"x" * (channel.ORDER_BYTES + 1))
    with pytest.raises(ChannelError, match="longer than"):
        listener.receive(1.0)
    with pytest.raises(ChannelError, match="did not answer"):
        caller.receive(0.05)


class Wire:
    """A socket of UDP in memory."""

    def __init__(self) -> None:
        self.sent: list[tuple[bytes, Any]] = []
        self.waiting: list[tuple[bytes, Any]] = []

    def sendto(self, data: bytes, peer: Any) -> None:
        self.sent.append((data, peer))

    def recvfrom(self, _size: int) -> tuple[bytes, Any]:
        if not self.waiting:
            raise BlockingIOError
        return self.waiting.pop(0)


def listeners(source: dict[str, Any] | None = None) -> tuple[Datagrams, Any, bytes]:
    wire, tag = Wire(), channel.datagram_tag(b"key", 3)
    return Datagrams(wire, tag, allowed=lambda sender: sender[0] == "10.0.0.1", source=source), wire, tag  # type: ignore[arg-type]


def test_the_listener_sends_datagrams_only_to_its_peer_behind_the_runs_tag() -> None:
    source = {"rate_bps": 12e6, "amplitude_bps": 0.0, "period_s": 1.0, "packet_bytes": 1500}
    ours, wire, tag = listeners(source)
    assert not ours.send_due(0.01)
    asked = HEADER.pack(ASK, 0, 0) + bytes(30)
    wire.waiting = [(tag + asked, ("10.0.0.2", 9)), (channel.datagram_tag(b"key", 2) + asked, ("10.0.0.1", 9)), (b"short", ("10.0.0.1", 9))]
    ours.take()
    assert (wire.sent, ours.foreign, ours.peer) == ([], 3, None)
    wire.waiting = [(tag + HEADER.pack(HELLO, 0, 0), ("10.0.0.1", 9))]
    ours.take()
    assert ours.send_due(0.02)
    # 12 Mbit/s are a packet of 1500 bytes each millisecond; at most 20 ms are made up for.
    assert len(wire.sent) == 20
    assert {peer for _, peer in wire.sent} == {("10.0.0.1", 9)}


def test_an_echo_is_as_long_as_what_asked_for_it() -> None:
    ours, wire, tag = listeners()
    wire.waiting = [
        (tag + HEADER.pack(ASK, 5, 6) + bytes(11), ("10.0.0.1", 9)),
        (tag + HEADER.pack(LOAD, 0, 0) + bytes(1000), ("10.0.0.1", 9)),
    ]
    ours.take()
    assert [len(data) for data, _ in wire.sent] == [len(tag) + HEADER.size + 11]
    assert ours.received == 1


def test_the_source_swings_once_a_period() -> None:
    ours, _, _ = listeners({"rate_bps": 10.0, "amplitude_bps": 6.0, "period_s": 4.0, "packet_bytes": 1500})
    assert [round(ours.rate_bps(at), 9) for at in (0.0, 1.0, 2.0, 3.0)] == [10.0, 16.0, 10.0, 4.0]


def test_icmp_has_the_checksum_of_rfc_1071() -> None:
    # Section 3's example: the sum of these words is ddf2.
    assert checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0xFFFF - 0xDDF2


def test_every_configuration_is_measured_as_often_in_an_order_of_the_seed() -> None:
    asked = Asked(["reno", "cubic"], [None, 1 << 20], [1, 16], 3, 60.0, sine=True, reverse=True, pairs=True)
    runs = plan(asked)
    # 2 algorithms, 2 windows, 2 numbers of streams; twice 4 beside others; 3 pairs of 2 windows.
    assert len(configurations(asked)) == 8 + 8 + 6
    assert len(runs) == len(set(runs)) == 3 * 22
    assert runs == plan(asked)
    assert runs != plan(Asked(**{**asked.__dict__, "seed": 2}))
    assert {len(run.configuration.orders()) for run in runs} == {1, 2, 16, 17}


def test_stability_is_of_intervals_of_five_seconds_and_of_one_in_short_runs() -> None:
    # Means of five are 1 and 3, ten times: a mean of 2, a sample deviation of sqrt(10/9).
    long = np.array([1.0] * 5 + [3.0] * 5).repeat(1)
    assert found.stability(np.tile(long, 5)) == pytest.approx(math.sqrt(10 / 9) / 2)
    assert found.stability(np.array([1.0, 3.0])) == pytest.approx(math.sqrt(2) / 2)
    assert found.stability(np.array([1.0])) is None


def test_rates_are_of_whole_seconds() -> None:
    seconds = [[1.0, 125_000, 0], [2.0, 375_000, 0], [2.2, 500_000, 0]]
    assert list(found.rates_mbps(seconds, [1], 2.0)) == [1.0, 2.0]


def answers(busy_us: int = 10, window_us: int = 0, buffer_us: int = 0, widest: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    row = dict.fromkeys(COLUMNS, 0) | {
        "busy_us": busy_us,
        "window_limited_us": window_us,
        "buffer_limited_us": buffer_us,
        "send_window_bytes": widest,
    }
    machine = {"busy_s": 1.0, "processors_s": 2.0, "stolen_s": 0.0, "devices": {}, "counters": {}}
    own = {"rows": [list(row.values())], "machine": machine, "streams": [{"sends": True, "send_buffer_bytes": 1 << 20}]}
    return own, {"machine": machine, "streams": [{"sends": False, "receive_buffer_bytes": 1 << 21}]}


SETTINGS = {
    "settings": {
        "net.ipv4.tcp_rmem": "4096 131072 6291456",
        "net.ipv4.tcp_wmem": "4096 16384 4194304",
        "net.core.wmem_max": "524288",
        "net.core.rmem_max": "4194304",
    }
}


@pytest.mark.parametrize(
    ("window", "given", "said"),
    [
        (None, {}, []),
        (None, {"window_us": 5, "widest": 3_145_728}, ["the third number of the other's net.ipv4.tcp_rmem is 6291456"]),
        (None, {"window_us": 5, "widest": 65536}, ["autotuning may grow"]),
        (None, {"buffer_us": 5}, ["the third number of this machine's net.ipv4.tcp_wmem is 4194304"]),
        (1 << 20, {"window_us": 5}, ["of 1MiB this machine gave 512KiB: its net.core.wmem_max is 524288", "1MiB was asked for"]),
    ],
)
def test_what_limits_is_named_with_its_setting(window: int | None, given: dict[str, int], said: list[str]) -> None:
    own, theirs = answers(**given)
    lines = found.limits(Configuration(("cubic",), window, 1), own, theirs, SETTINGS, SETTINGS)
    assert len(lines) == len(said)
    assert all(part in line for part, line in zip(said, lines, strict=True))


def looks(*states: tuple[int, int, int]) -> list[list[int]]:
    """Rows a second apart: state, threshold, what was sent again."""
    return [
        list(
            (
                dict.fromkeys(COLUMNS, 0) | {"t_ns": at * 10**9, "state": state, "ssthresh": threshold, "retransmitted": again, "cwnd": 9}
            ).values()
        )
        for at, (state, threshold, again) in enumerate(states)
    ]


def test_an_episode_is_seen_by_its_state_or_by_what_changed_between_two_looks() -> None:
    rows = looks(
        (OPEN, 99, 0), (RECOVERY, 50, 1), (RECOVERY, 50, 3), (OPEN, 50, 3), (OPEN, 25, 4), (OPEN, 20, 4), (LOSS, 10, 5), (CWR, 10, 5)
    )
    kinds = list(zip(_events(rows)["t_s"], _events(rows)["kind"], strict=True))
    # At 5 s the threshold fell without a retransmission: no episode.
    assert kinds == [(0.0, "start"), (1.0, "loss_episode"), (4.0, "loss_episode"), (6.0, "loss_episode"), (6.0, "timeout")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "host: is missing; allowed: the other end, or --listen"),
        (["there", "--listen"], "host: 'there' and --listen are both given"),
        (["there", "--alg", "fast"], "alg: no Linux kernel has 'fast'"),
        (["there", "--streams", "0"], "streams: 0; allowed: 1 to 256"),
        (["there", "--streams", "x"], "streams: 'x' is no whole number"),
        (["there", "--window", "1kB"], "window: 1000 bytes; allowed: 4kB to 1GiB, or auto"),
        (["there", "--duration", "0s"], "duration: '0s'; allowed: above 0"),
        (["there", "--volume", "-1GB"], "volume:"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["measure", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert said in error
