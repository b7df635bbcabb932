"""From what a guest saw of its packets to a pcapng file: headers as the kernel wrote them, nanoseconds, in order of time."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from windtunnel.backends.captures import PLACES
from windtunnel.backends.linux.errors import GuestFailed

SNAP_BYTES = 88
ZERO_NS = 946_684_800 * 10**9
"""Time zero of a run in a capture: 2000-01-01 00:00:00 UTC, as in the simulator's."""
_ROW = np.dtype([("t_ns", "<u8"), ("length", "<u4"), ("kept", "<u2"), ("place", "<u2"), ("bytes", "u1", SNAP_BYTES)])
_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_RAW_IP = 101
_COMMENT, _APPLICATION, _NAME, _RESOLUTION = 1, 4, 2, 9


def write(rows: Path, to: Path, *, places: Sequence[str], application: str, comment: str) -> dict[str, int]:
    """Write a guest's packets as pcapng (draft-ietf-opsawg-pcapng), with an interface for each place.

    Parameters
    ----------
    rows : Path
        What the guest left: ``packets``, see guest/capture.h.
    to : Path
        The file.
    places : sequence of str
        Where packets were captured, of `PLACES`.
    application, comment : str
        What wrote it, and what it is.

    Returns
    -------
    dict of str to int
        Packets by place.

    Raises
    ------
    GuestFailed
        When the guest left none, or half a row.
    OSError
        When the file cannot be written.
    """
    try:
        read = np.fromfile(rows, dtype=_ROW)
        whole = rows.stat().st_size == read.size * _ROW.itemsize and read.size
    except OSError as error:
        raise GuestFailed(f"the guest left no packets: {error.strerror}", ()) from None
    if not whole:
        raise GuestFailed("the guest left damaged packets", ())
    zero_ns, seen = int(read["t_ns"][0]), read[1:]
    # Within one instant packets stay as they were seen.
    order = np.argsort(seen["t_ns"], kind="stable")
    with to.open("wb") as file:
        header = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
        _block(file, _SECTION, header + _option(_COMMENT, comment.encode()) + _option(_APPLICATION, application.encode()) + bytes(4))
        for place in places:
            options = _option(_NAME, place.encode()) + _option(_RESOLUTION, b"\x09") + bytes(4)
            _block(file, _INTERFACE, struct.pack("<HHI", _RAW_IP, 0, SNAP_BYTES) + options)
        interfaces = {PLACES.index(place): number for number, place in enumerate(places)}
        for index in order:
            one = seen[index]
            at_ns = int(one["t_ns"]) - zero_ns + ZERO_NS
            kept = one["bytes"][: int(one["kept"])].tobytes()
            head = struct.pack("<IIIII", interfaces[int(one["place"])], at_ns >> 32, at_ns & 0xFFFFFFFF, len(kept), int(one["length"]))
            _block(file, _PACKET, head + _padded(kept))
    counts = np.bincount(seen["place"], minlength=len(PLACES))
    return {place: int(count) for place, count in zip(PLACES, counts, strict=True)}


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded(value)


def _block(file: BinaryIO, kind: int, body: bytes) -> None:
    length = len(body) + 12
    file.write(struct.pack("<II", kind, length) + body + struct.pack("<I", length))
