"""A BPF program's instructions, read from an object and carried out over plain memory: enough of the machine for arithmetic (RFC 9669)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

Instruction = tuple[int, int, int, int, int]
"""Opcode, destination, source, offset, immediate."""
SIZES = {0x00: 4, 0x08: 2, 0x10: 1, 0x18: 8}
CONTEXT = 1 << 40
"""The address of the context: one word, the address of the memory."""


def section(path: Path, name: str) -> list[Instruction]:
    """The instructions of a section of an ELF object."""
    data = path.read_bytes()
    (at,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    heads = [struct.unpack_from("<IIQQQQ", data, at + place * size) for place in range(count)]
    texts = heads[names][4]
    for head in heads:
        start = texts + head[0]
        if data[start : data.index(b"\0", start)].decode() == name:
            code = data[head[4] : head[4] + head[5]]
            return [(op, both & 15, both >> 4, off, imm) for op, both, off, imm in struct.iter_unpack("<BBhi", code)]
    raise AssertionError(f"{path.name} has no section {name}")


def signed(value: int, bits: int) -> int:
    """The number that the bits are with a sign."""
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def run(code: list[Instruction], memory: bytearray, helpers: dict[int, Callable[[], int]]) -> int:
    """Carry a program out with the memory as its only argument's target; return register 0."""
    register = [0] * 11
    register[1] = CONTEXT
    at = 0
    while True:
        op, to, source, off, imm = code[at]
        at += 1
        kind, mask = op & 7, 0xFFFFFFFF if op & 7 in (4, 6) else 0xFFFFFFFFFFFFFFFF
        other = (register[source] if op & 8 else imm) & mask
        if kind == 1:  # Load.
            if register[source] == CONTEXT:
                register[to] = 0
            else:
                place = register[source] + off
                register[to] = int.from_bytes(memory[place : place + SIZES[op & 0x18]], "little")
        elif kind in (2, 3):  # Store.
            size = SIZES[op & 0x18]
            value = register[source] if kind == 3 else imm
            memory[register[to] + off : register[to] + off + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        elif kind in (4, 7):
            register[to] = calculated(op & 0xF0, off, register[to] & mask, other, mask.bit_length()) & mask
        elif op == 0x85:
            register[0] = helpers[imm]()
        elif op == 0x95:
            return register[0]
        elif op == 0x05 or jumps(op & 0xF0, register[to] & mask, other, mask.bit_length()):
            at += off


def calculated(op: int, off: int, one: int, other: int, bits: int) -> int:
    """What an instruction of arithmetic makes of two numbers."""
    if op in (0x30, 0x90) and off == 1:
        raise AssertionError("a division with signs, which is not read here")
    operations: dict[int, Callable[[], int]] = {
        0x00: lambda: one + other,
        0x10: lambda: one - other,
        0x20: lambda: one * other,
        0x30: lambda: one // other if other else 0,
        0x40: lambda: one | other,
        0x50: lambda: one & other,
        0x60: lambda: one << (other & (bits - 1)),
        0x70: lambda: one >> (other & (bits - 1)),
        0x80: lambda: -one,
        0x90: lambda: one % other if other else one,
        0xA0: lambda: one ^ other,
        0xB0: lambda: signed(other & (1 << off) - 1, off) if off else other,
        0xC0: lambda: signed(one, bits) >> (other & (bits - 1)),
    }
    return operations[op]()


def jumps(op: int, one: int, other: int, bits: int) -> bool:
    """Whether a conditional jump is made."""
    s, t = signed(one, bits), signed(other, bits)
    held = {0x10: one == other, 0x20: one > other, 0x30: one >= other, 0x40: bool(one & other), 0x50: one != other}
    held |= {0x60: s > t, 0x70: s >= t, 0xA0: one < other, 0xB0: one <= other, 0xC0: s < t, 0xD0: s <= t}
    return held[op]
