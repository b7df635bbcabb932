"""A link's queue discipline as one of the kernel's: its name, its numbers in the kernel's units, or why it cannot be had.

What stands for a discipline is data of its own file in the core (`qdisc` in the catalogue): which of its parameters make the kernel's
numbers, in which unit, and what the kernel demands of them. Here is what the units and the demands mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.scenario import Bottleneck, catalogue
from windtunnel.scenario.catalogue import DROP_TAIL
from windtunnel.scenario.flows import PACKET_BYTES
from windtunnel.scenario.sizes import MARK_FIELDS

_2_32 = 2**32
_RED_ECN, _RED_NODROP = 1, 8
_SHIFT_MOST = 31
_FULL_PACKET_MEMORY = 2728
"""Bytes of the guest's memory that a packet of 1500 bytes takes, as its qdiscs count them."""


@dataclass(frozen=True)
class KernelDiscipline:
    """What stands for a link's discipline.

    Parameters
    ----------
    kind : str
        The kernel's name.
    values : tuple of int
        Its numbers, in the order of the guest's ``discipline.c``.
    problems : tuple of str
        What the kernel has no setting for: a parameter's name and why, each.
    counts_bytes : bool
        Whether it counts bytes where the scenario counts packets, or the other way round: right only where all packets are full.
    notes : tuple of str
        What was converted.
    knows_rate : bool
        Whether it is told the link's rate, which may then not change.
    """

    kind: str
    values: tuple[int, ...]
    problems: tuple[str, ...] = ()
    counts_bytes: bool = False
    notes: tuple[str, ...] = ()
    knows_rate: bool = False


def wanted(link: Bottleneck) -> bool:
    """Return whether a link's queue is more than drop-tail, so that netem does not do."""
    return link.discipline != DROP_TAIL or _marks(link) is not None


_WITHIN = {"cobalt": "Linux has cobalt as a part of CAKE only"}


def why_none(discipline: str) -> str:
    """Return why a discipline for which `kernel_discipline` has nothing cannot be had."""
    return _WITHIN.get(discipline, f"no Linux kernel has {discipline}")


def kernel_discipline(link: Bottleneck, limit_packets: int) -> KernelDiscipline | None:
    """Return what stands for a link's discipline.

    Parameters
    ----------
    link : Bottleneck
        With defaults filled in, and `wanted`.
    limit_packets : int
        The queue's limit, the packet in service included.

    Returns
    -------
    KernelDiscipline or None
        None where the kernel has nothing like it.
    """
    # What HTB sends has left the discipline: it holds those who wait.
    waiting = limit_packets - 1
    if link.discipline == DROP_TAIL:
        return _step_of_marks(_marks(link) or 0, waiting)
    known = catalogue().disciplines[link.discipline]
    if known.qdisc is None:
        return None
    defaults = {row.name: float(row.default) for row in known.parameters.values() if row.default is not None}
    made = _Wanted(known.qdisc, defaults | link.discipline_parameters, waiting, link.rate_bps)
    problems, notes = made.demands()
    knows_rate = any(row["of"] == "rate" for row in known.qdisc["numbers"])
    return KernelDiscipline(known.qdisc["kind"], made.numbers(), problems, known.qdisc["counts_bytes"], notes, knows_rate)


def _marks(link: Bottleneck) -> int | None:
    """Return the queue in packets that a packet meets which a queue of that size would refuse, the one in service included."""
    if link.mark_packets is not None:
        packets = link.mark_packets + int(link.excludes_in_service)
    elif link.mark_bytes is not None:
        packets = link.mark_bytes // PACKET_BYTES + int(link.excludes_in_service)
    elif link.mark_s is not None:
        packets = int(link.mark_s * link.rate_bps / (8 * PACKET_BYTES) + 1e-9) + 1
    else:
        return None
    return packets


def _step_of_marks(packets: int, waiting: int) -> KernelDiscipline:
    """RED without an average and without a range: every packet that meets so many is marked, and none is dropped for that."""
    threshold = (packets - 1) * PACKET_BYTES
    flags = _RED_ECN | _RED_NODROP
    values = (waiting * PACKET_BYTES, threshold, threshold, 0, 0, _SHIFT_MOST << 16, _2_32 - 1, flags)
    field = "mark: the kernel's RED does not count the packet in service; give a step of at least 2 packets"
    return KernelDiscipline("step", values, () if packets >= 2 else (field,), counts_bytes=True)


@dataclass(frozen=True)
class _Wanted:
    """A discipline of the kernel's for these values of the parameters."""

    qdisc: Mapping[str, Any]
    given: Mapping[str, float]
    waiting: int
    rate_bps: float

    def numbers(self) -> tuple[int, ...]:
        return tuple(self._number(row) for row in self.qdisc["numbers"])

    def _number(self, row: Mapping[str, Any]) -> int:
        if row["of"] == "constant":
            return int(row["value"])
        if row["of"] == "rate":
            return round(self.rate_bps / 8 * (1 + 1 / float(row["above_by_a"])))
        return _UNITS[row["unit"]](self._value(row), self.rate_bps)

    def _value(self, row: Mapping[str, Any]) -> float:
        if row["of"] == "limit":
            return self.waiting
        value = self.given[row["parameter"]]
        return max(value, self.given[row["beyond"]] + 1) if "beyond" in row else value

    def demands(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what is not met, and what is met nearly enough: a parameter's name and why, each."""
        problems, notes = [], []
        for row in self.qdisc["demands"]:
            name, demand = row["parameter"], row["demand"]
            value, bound = self.given[name], demand["bound"]
            nearest = _power_of_two(self.given[demand.get("weight", name)])
            if demand["is"] == "fits":
                # What the number of the kernel is made of, see `_value`.
                made = next(number for number in self.qdisc["numbers"] if number.get("parameter") == name)
                value = self._value(made)
                is_met = self._number(made).bit_length() + _halvings(nearest) < bound
            elif demand["is"] == "power_of_two":
                # The kernel's numbers have no fractions beyond one.
                value = math.floor(value) if value >= 1 else value
                is_met = abs(nearest / value - 1) <= bound
                if is_met and nearest != value:
                    notes.append(f"{name}: {value:g} is {nearest:g} in the kernel, a power of two")
            else:
                is_met = _DEMANDS[demand["is"]](value, demand)
            if not is_met:
                why = row["otherwise"].format(value=f"{value:g}", bound=f"{bound:g}", nearest=f"{nearest:g}")
                problems.append(f"{name}: {why}")
        return tuple(problems), tuple(notes)


def _power_of_two(value: float) -> float:
    """Return the nearest power of two, 0 for 0."""
    return 2.0 ** -_halvings(value) if value > 0 else 0.0


def _halvings(value: float) -> int:
    return round(-math.log2(math.floor(value) if value >= 1 else value))


def _idle(weight: float, rate_bps: float) -> tuple[int, int]:
    """Return the logarithm of a cell of idle time in microseconds, and how many halvings of the average it stands for, of 2^16.

    The kernel takes the average down in proportion within the first cells: as the law does if a cell is the time of an e-fold. Cells as
    fine as tc(8) makes them would halve it at once.
    """
    if weight >= 1:
        return 0, _SHIFT_MOST << 16
    packet_us = 8 * PACKET_BYTES / rate_bps * 1e6
    per_us = -math.log2(1 - weight) / packet_us
    cell_log = min(31, max(0, round(math.log2(math.log2(math.e) / per_us))))
    return cell_log, max(1, round(per_us * 2**cell_log * 65536))


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) < 1e-9 * max(1.0, abs(value))


_UNITS: Mapping[str, Callable[[float, float], int]] = {
    "whole": lambda value, _: int(value),
    "mask": lambda value, _: int(value) - 1,
    "microseconds": lambda value, _: max(1, round(value * 1e6)),
    "sixteenths": lambda value, _: round(value * 16),
    "percent": lambda value, _: round(value * 100),
    "of_32_bits": lambda value, _: min(round(value * _2_32), _2_32 - 1),
    "full_packet_memory": lambda value, _: int(value) * _FULL_PACKET_MEMORY,
    # One of those who wait is out of RED's sight, see discipline.h of the guest.
    "bytes_but_one": lambda value, _: round((value - 1) * PACKET_BYTES),
    "halvings": lambda value, _: _halvings(value),
    "idle_cell": lambda value, rate_bps: _idle(_power_of_two(value), rate_bps)[0],
    "idle_decay": lambda value, rate_bps: _idle(_power_of_two(value), rate_bps)[1],
}
"""A number of the kernel's from a parameter's value and the link's rate, by the unit's name."""

_DEMANDS: Mapping[str, Callable[[float, Mapping[str, Any]], bool]] = {
    "exactly": lambda value, demand: value == demand["bound"],
    "at_least": lambda value, demand: value >= demand["bound"],
    "multiple": lambda value, demand: _is_whole(value * demand["times"]) and value <= demand["bound"],
}

FIELDS = frozenset({"discipline", "discipline_parameters", *MARK_FIELDS})
"""Fields of a link that are read here."""
