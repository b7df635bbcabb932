"""Stacks without encryption: `windtunnel stacks build --null-cipher`; skipped where none is built."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import pytest

import windtunnel as wt
from windtunnel.cli import main
from windtunnel.foreign import ForeignError, stacks

NS_PER_MS = 1_000_000
ONE_WAY_MS = 10


class Config(ctypes.Structure):
    """`RawConfig` of crates/endpoint/src/table.rs."""

    _fields_ = (
        ("flow", ctypes.c_uint64),
        ("role", ctypes.c_uint8),
        ("datagram_bytes", ctypes.c_uint16),
        ("seed", ctypes.c_uint64),
        ("window_bytes", ctypes.c_uint64),
        ("streams", ctypes.c_uint32),
        ("algorithm", ctypes.c_char_p),
        ("algorithm_bytes", ctypes.c_uint32),
    )


class Leaving(ctypes.Structure):
    """`Leaving` of the same file."""

    _fields_ = (("data", ctypes.POINTER(ctypes.c_uint8)), ("length", ctypes.c_uint32), ("ecn", ctypes.c_uint8))


_TEXT = ctypes.c_char_p
_NOW = ctypes.c_uint64
_CALLS = (
    ("open", ctypes.c_void_p, (ctypes.POINTER(Config), _TEXT)),
    ("close", None, (ctypes.c_void_p,)),
    ("connect", ctypes.c_int, (ctypes.c_void_p, _NOW, _TEXT)),
    ("receive", ctypes.c_int, (ctypes.c_void_p, _NOW, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint8, _TEXT)),
    ("wake", ctypes.c_int, (ctypes.c_void_p, _NOW, _TEXT)),
    ("supply", ctypes.c_int, (ctypes.c_void_p, _NOW, ctypes.c_uint8, ctypes.c_uint64, _TEXT)),
    ("transmit", ctypes.c_int, (ctypes.c_void_p, _NOW, ctypes.POINTER(Leaving), _TEXT)),
    ("wake_at", ctypes.c_uint64, (ctypes.c_void_p,)),
)


class Table(ctypes.Structure):
    """`Table` of the same file, as far as it is called here."""

    _fields_ = (
        ("abi", ctypes.c_uint32),
        *((name, ctypes.c_char_p) for name in ("name", "version", "algorithms")),
        *((name, ctypes.CFUNCTYPE(result, *taken)) for name, result, taken in _CALLS),
    )


def sent(library: Path) -> list[bytes]:
    """Return what the client of a stack sends in 300 ms over a path of 10 ms each way, with as much as it takes to send."""
    loaded = ctypes.CDLL(str(library))
    loaded.windtunnel_stack.restype = ctypes.POINTER(Table)
    table, text = loaded.windtunnel_stack().contents, ctypes.create_string_buffer(512)
    ends = []
    for role in (0, 1):
        config = Config(0, role, 1472, 1, 1 << 20, 1, b"cubic", 5)
        ends.append(table.open(ctypes.byref(config), text))
    assert all(ends), text.value
    leaving, under_way, all_sent = Leaving(), [], []

    def done(outcome: int) -> int:
        assert outcome >= 0, text.value
        return outcome

    done(table.connect(ends[0], 0, text))
    done(table.supply(ends[0], 0, 0, 0, text))
    for ms in range(300):
        now = ms * NS_PER_MS
        for to, datagram in [(to, datagram) for at, to, datagram in under_way if at == ms]:
            done(table.receive(ends[to], now, datagram, len(datagram), 0, text))
        for side, end in enumerate(ends):
            if table.wake_at(end) <= now:
                done(table.wake(end, now, text))
            while done(table.transmit(end, now, ctypes.byref(leaving), text)):
                datagram = bytes(leaving.data[: leaving.length])
                under_way.append((ms + ONE_WAY_MS, 1 - side, datagram))
                all_sent += [datagram] if side == 0 else []
    for end in ends:
        table.close(end)
    return all_sent


def named(name: str) -> stacks.Stack:
    found = [one for one in stacks.built() if one.name == name]
    if not found:
        pytest.skip(f"{name} is not built: windtunnel stacks build {name.removesuffix('-null-cipher')} --null-cipher")
    return found[0]


@pytest.mark.parametrize("name", ["quinn", "noq", "tquic"])
def test_payload_leaves_as_it_is_and_encrypted_without_the_option(name: str) -> None:
    """The application's zeros stand in a datagram as they are; of an encrypted one not sixteen follow each other (2^-128), but padding."""
    plain, ciphered = sent(named(f"{name}-null-cipher").library), sent(named(name).library)
    assert sum(bytes(1000) in datagram for datagram in plain) > 20
    assert len(ciphered) > 20 and not any(bytes(16) in datagram.rstrip(b"\0") for datagram in ciphered)


@pytest.mark.parametrize("name", ["quinn", "noq"])
def test_sizes_and_times_are_those_of_the_encrypted_connection(name: str) -> None:
    runs = []
    for stack in (named(name), named(f"{name}-null-cipher")):
        path: dict[str, Any] = {"bottleneck": {"rate": "20Mbit", "queue": "100%bdp"}, "rtt": "40ms", "duration": "5s"}
        runs.append(wt.run(wt.Scenario.model_validate(path | {"flows": [f"cubic,stack={stack.name}"]})))
    ciphered, plain = runs
    assert plain.flows["algorithm"].to_list() == [f"cubic@{name}-null-cipher"]
    assert plain.flow_samples.equals(ciphered.flow_samples) and plain.link_samples.equals(ciphered.link_samples)


def test_where_a_stack_takes_none_one_line_says_which_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert stacks.unencrypted() == ["noq", "quinn", "tquic"]
    for name in ("quiche", "s2n-quic", "linux", "picoquic"):
        assert main(["stacks", "build", name, "--null-cipher"]) == 2
        out = capsys.readouterr()
        assert f"null-cipher: {name} takes none; allowed: noq, quinn, tquic" in out.err and out.err.count("\n") == 1
    with pytest.raises(ForeignError, match="run: windtunnel stacks build quinn --null-cipher"):
        stacks.required("quinn-null-cipher:0123456789abcdef")
