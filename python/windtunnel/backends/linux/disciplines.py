"""A link's queue discipline as one of the kernel's: its name, its numbers in the kernel's units, or why it cannot be had."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from windtunnel.scenario import Bottleneck, catalogue
from windtunnel.scenario.catalogue import DROP_TAIL
from windtunnel.scenario.flows import PACKET_BYTES
from windtunnel.scenario.links import MARK_FIELDS

_2_32 = 2**32
WEIGHT_WITHIN = 0.03
"""RED's weight is a power of two in the kernel; the nearest one stands for it when it is as near as this."""

_BURST_S = 0.15
_ECN_MAX_P = 0.1
_QUANTUM_LEAST = 256
_RED_HARDDROP, _RED_ECN, _RED_NODROP = 2, 1, 8
_SHIFT_MOST = 31


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
    """

    kind: str
    values: tuple[int, ...]
    problems: tuple[str, ...] = ()
    counts_bytes: bool = False
    notes: tuple[str, ...] = ()


def wanted(link: Bottleneck) -> bool:
    """Return whether a link's queue is more than drop-tail, so that netem does not do."""
    return link.discipline != DROP_TAIL or _marks(link) is not None


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
    make = _DISCIPLINES.get(link.discipline)
    if make is None:
        return None
    rows = catalogue().disciplines[link.discipline].parameters.values()
    defaults = {row.name: float(row.default) for row in rows if row.default is not None}
    return make(defaults | link.discipline_parameters, waiting, link.rate_bps)


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


def _red(given: Mapping[str, float], waiting: int, rate_bps: float) -> KernelDiscipline:
    problems, notes = [], []
    weight_log = max(0, round(-math.log2(given["weight"])))
    weight = 2.0**-weight_log
    if abs(weight / given["weight"] - 1) > WEIGHT_WITHIN:
        problems.append(f"weight: {given['weight']:g} is no power of two, as the kernel's is; {weight:g} is the nearest")
    elif weight != given["weight"]:
        notes.append(f"weight: {given['weight']:g} is {weight:g} in the kernel, a power of two")
    if given["gentle"]:
        problems.append("gentle: the kernel's RED has no slope beyond max; give gentle=0")
    low, high = given["min"], max(given["max"], given["min"] + 1)
    # One of those who wait is out of RED's sight, see discipline.h of the guest.
    thresholds = round((low - 1) * PACKET_BYTES), round((high - 1) * PACKET_BYTES)
    if thresholds[1].bit_length() + weight_log >= 32:
        problems.append(f"max: {high:g} packets at a weight of {weight:g} do not fit into the kernel's 32 bits")
    cell_log, decay = _idle(weight, rate_bps)
    max_p = min(round(given["max_p"] * _2_32), _2_32 - 1)
    # Beyond its range the simulator's RED drops those who could be marked, too.
    flags = _RED_ECN | _RED_HARDDROP
    values = ((waiting - 1) * PACKET_BYTES, *thresholds, weight_log, cell_log, decay, max_p, flags)
    return KernelDiscipline("red", values, tuple(problems), counts_bytes=True, notes=tuple(notes))


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


def _codel(given: Mapping[str, float], waiting: int, _rate_bps: float) -> KernelDiscipline:
    return KernelDiscipline("codel", (waiting, _us(given["target_s"]), _us(given["interval_s"])))


def _fq_codel(given: Mapping[str, float], waiting: int, _rate_bps: float) -> KernelDiscipline:
    values = (waiting, _us(given["target_s"]), _us(given["interval_s"]), int(given["quantum"]), int(given["flows"]))
    return KernelDiscipline("fq_codel", values, _quantum(given))


def _fq(given: Mapping[str, float], waiting: int, _rate_bps: float) -> KernelDiscipline:
    flows = int(given["flows"])
    problems = () if flows & (flows - 1) == 0 else (f"flows: {flows}; the kernel's FQ hashes to a power of two",)
    numbers = (int(given[name]) for name in ("flow_limit", "quantum", "initial_quantum"))
    return KernelDiscipline("fq", (waiting, *numbers, flows - 1), problems)


def _pie(given: Mapping[str, float], waiting: int, _rate_bps: float) -> KernelDiscipline:
    problems = _pie_problems(given)
    if given["ecn_max_p"] != _ECN_MAX_P:
        problems += (f"ecn_max_p: {given['ecn_max_p']:g}; the kernel's PIE marks up to {_ECN_MAX_P:g}",)
    return KernelDiscipline("pie", (waiting, *_pie_numbers(given)), problems)


def _fq_pie(given: Mapping[str, float], waiting: int, _rate_bps: float) -> KernelDiscipline:
    problems, percent = _pie_problems(given) + _quantum(given), given["ecn_max_p"] * 100
    if not _is_whole(percent):
        problems += (f"ecn_max_p: {given['ecn_max_p']:g}; the kernel's FQ-PIE takes whole percent",)
    values = (waiting, *_pie_numbers(given), round(percent), int(given["quantum"]), int(given["flows"]))
    return KernelDiscipline("fq_pie", values, problems)


def _pie_numbers(given: Mapping[str, float]) -> tuple[int, int, int, int]:
    return _us(given["target_s"]), _us(given["t_update_s"]), round(given["alpha"] * 16), round(given["beta"] * 16)


def _pie_problems(given: Mapping[str, float]) -> tuple[str, ...]:
    found = [
        f"{name}: {given[name]:g}; the kernel's PIE takes sixteenths from 0 to 2"
        for name in ("alpha", "beta")
        if not _is_whole(given[name] * 16) or given[name] > 2
    ]
    if not _is_whole(given["t_update_s"] * 1e3):
        found.append(f"t_update_s: {given['t_update_s']:g}; the kernel's PIE updates at whole milliseconds")
    if given["max_burst_s"] != _BURST_S:
        found.append(f"max_burst_s: {given['max_burst_s']:g}; the kernel's PIE lets {_BURST_S:g} s of a burst through")
    return tuple(found)


def _quantum(given: Mapping[str, float]) -> tuple[str, ...]:
    if given["quantum"] >= _QUANTUM_LEAST:
        return ()
    return (f"quantum: {given['quantum']:g}; the kernel's turns are of at least {_QUANTUM_LEAST} bytes",)


def _drop_head(_given: Mapping[str, float], waiting: int, _rate_bps: float) -> KernelDiscipline:
    return KernelDiscipline("pfifo_head_drop", (waiting,))


def _us(seconds: float) -> int:
    return max(1, round(seconds * 1e6))


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) < 1e-9 * max(1.0, abs(value))


_DISCIPLINES: dict[str, Callable[[Mapping[str, float], int, float], KernelDiscipline]] = {
    "drop-head": _drop_head,
    "red": _red,
    "codel": _codel,
    "fq": _fq,
    "fq-codel": _fq_codel,
    "pie": _pie,
    "fq-pie": _fq_pie,
}
FIELDS = frozenset({"discipline", "discipline_parameters", *MARK_FIELDS})
"""Fields of a link that are read here."""
