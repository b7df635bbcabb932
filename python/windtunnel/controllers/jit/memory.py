"""What hooks see, as Numba knows it: places in memory whose fields are read and written where the core and the state keep them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils
from numba.core import types as numba_types
from numba.core.datamodel.models import OpaqueModel
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    overload,
    overload_attribute,
    overload_method,
    register_model,
)

from windtunnel import native
from windtunnel.controllers.jit.fields import Field, Layout

nb: Any = numba_types
KNOWN = 2
"""Words before those of a state: whether a hook failed, and how many words there are."""
OTHERWISE = -1
"""What stands in the core's words, taken as signed, for what is not known."""


class Shown(nb.Opaque):
    """A structure of the core's header, by reference."""


class Window(Shown):
    """The window."""


class Connection(Shown):
    """The connection."""


class RttSample(Shown):
    """What an ACK says of the RTT."""


class Ack(Shown):
    """What an ACK looks like."""


class RateSample(Shown):
    """A delivery-rate sample."""


class LostSegment(Shown):
    """A segment that is held to be lost."""


class State(nb.Opaque):
    """The words of an instance of one class."""

    def __init__(self, layout: Layout, number: int) -> None:
        self.layout = layout
        self.fields = {field.name: field for field in layout.fields}
        super().__init__(f"{layout.name}#{number}")


for _type in (Window, Connection, RttSample, Ack, RateSample, LostSegment, State):
    register_model(_type)(OpaqueModel)

WINDOW, CONNECTION = Window("Window"), Connection("Connection")
SAMPLES = {
    "on_rtt_sampled": RttSample("RttSample"),
    "on_ack_arrived": Ack("AckArrival"),
    "on_rate_sampled": RateSample("RateSample"),
    "on_segment_lost": LostSegment("LostSegment"),
}

_WIDTHS = {"float": ir.DoubleType(), "u64": ir.IntType(64), "i64": ir.IntType(64), "u32": ir.IntType(32), "u8": ir.IntType(8)}


def _place(builder: Any, base: Any, offset: int, kind: str) -> Any:
    return builder.bitcast(builder.gep(base, [ir.Constant(ir.IntType(64), offset)]), _WIDTHS[kind].as_pointer())


@intrinsic(prefer_literal=True)
def _read(typing: Any, base: Any, offset: Any, kind: Any) -> Any:
    """Read a number; whole ones become 64 bits with a sign, as Python's have."""
    at, width = offset.literal_value, kind.literal_value
    answer = nb.float64 if width == "float" else nb.int64

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        found = builder.load(_place(builder, given[0], at, width))
        return found if width in ("float", "u64", "i64") else builder.zext(found, ir.IntType(64))

    return answer(base, offset, kind), code


@intrinsic(prefer_literal=True)
def write(typing: Any, base: Any, offset: Any, kind: Any, value: Any) -> Any:
    """Write a number of that very type."""
    at, width = offset.literal_value, kind.literal_value
    taken = nb.float64 if width == "float" else nb.int64

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        new = given[3] if width in ("float", "u64", "i64") else builder.trunc(given[3], _WIDTHS[width])
        builder.store(new, _place(builder, given[0], at, width))
        return context.get_dummy_value()

    return nb.none(base, offset, kind, taken), code


def _plain(at: int, width: str) -> Callable[..., Any]:
    return lambda shown: _read(shown, at, width)


def _truth(at: int, width: str) -> Callable[..., Any]:
    return lambda shown: _read(shown, at, width) != 0


def _seconds(at: int, width: str) -> Callable[..., Any]:
    return lambda shown: _read(shown, at, width) * 1e-9


def _known_seconds(at: int, width: str) -> Callable[..., Any]:
    def value(shown: Any) -> Any:
        found = _read(shown, at, width)
        return None if found == OTHERWISE else found * 1e-9

    return value


def _known_whole(at: int, width: str) -> Callable[..., Any]:
    def value(shown: Any) -> Any:
        found = _read(shown, at, width)
        return None if found == OTHERWISE else found

    return value


def _smoothed(at: int, width: str) -> Callable[..., Any]:
    def value(shown: Any) -> Any:
        found = _read(shown, at, width)
        return found / 8e6 if found > 0 else None

    return value


def _state(at: int, width: str) -> Callable[..., Any]:
    def value(shown: Any) -> str:
        return state_name(_read(shown, at, width))

    return value


@numba.njit
def state_name(number: int) -> str:
    """Return the word for a state of the connection."""
    if number == 0:
        return "open"
    if number == 1:
        return "disorder"
    if number == 2:
        return "cwr"
    return "recovery" if number == 3 else "loss"


@numba.njit
def event_name(number: int) -> str:
    """Return the word for an event."""
    if number == 0:
        return "tx_started"
    if number == 1:
        return "window_restarted"
    return "reduction_completed" if number == 2 else "timed_out"


# What Python calls it, the header's field, its width there, and how it is read.
ATTRIBUTES: dict[tuple[type[Shown], str], tuple[tuple[str, str, str, Callable[[int, str], Callable[..., Any]]], ...]] = {
    (Connection, "wt_connection"): (
        ("now_s", "now_ns", "u64", _seconds),
        ("srtt_s", "srtt8_us", "u32", _smoothed),
        ("rtt_min_s", "rtt_min_ns", "u64", _known_seconds),
        ("una", "una", "u64", _plain),
        ("nxt", "nxt", "u64", _plain),
        ("delivered", "delivered", "u64", _plain),
        ("delivered_ce", "delivered_ce", "u64", _plain),
        ("lost", "lost", "u64", _plain),
        ("in_flight", "in_flight", "u32", _plain),
        ("mss_bytes", "mss_bytes", "u32", _plain),
        ("prior_cwnd", "prior_cwnd", "float", _plain),
        ("pacing_rate_bytes_per_s", "pacing_rate_bytes_per_s", "u64", _plain),
        ("last_sent_s", "last_sent_ns", "u64", _seconds),
        ("ca_state", "ca_state", "u8", _state),
        ("cwnd_limited", "is_cwnd_limited", "u8", _truth),
        ("is_paced", "is_paced", "u8", _truth),
    ),
    (RttSample, "wt_rtt_sample"): (
        ("acked", "acked", "u32", _plain),
        ("rtt_s", "rtt_ns", "u64", _known_seconds),
        ("forward_s", "forward_ns", "u64", _known_seconds),
        ("sent_s", "sent_ns", "u64", _known_seconds),
        ("in_flight", "in_flight", "u32", _plain),
    ),
    (Ack, "wt_ack"): (("is_slow_path", "is_slow_path", "u32", _truth), ("has_ece", "has_ece", "u32", _truth)),
    (RateSample, "wt_rate_sample"): (
        ("delivered", "delivered", "i64", _known_whole),
        ("interval_s", "interval_ns", "u64", _known_seconds),
        ("rtt_s", "rtt_ns", "u64", _known_seconds),
        ("delivered_s", "delivered_ns", "u64", _seconds),
        ("prior_delivered_s", "prior_delivered_ns", "u64", _seconds),
        ("prior_delivered", "prior_delivered", "u64", _plain),
        ("lost", "lost", "u32", _plain),
        ("acked", "acked", "u32", _plain),
        ("prior_in_flight", "prior_in_flight", "u32", _plain),
        ("tx_in_flight", "tx_in_flight", "u32", _plain),
        ("lost_since_sent", "lost_since_sent", "u32", _plain),
        ("is_app_limited", "is_app_limited", "u32", _truth),
    ),
    (LostSegment, "wt_lost_segment"): (
        ("seq", "seq", "u64", _plain),
        ("tx_in_flight", "tx_in_flight", "u32", _plain),
        ("lost_since_sent", "lost_since_sent", "u32", _plain),
        ("is_app_limited", "is_app_limited", "u32", _truth),
    ),
}

_PLACES = native.guest_layout()


def _declare(known: type[Shown], name: str, read: Callable[..., Any]) -> None:
    read.__annotations__.clear()  # Numba compares them with those of the function that it is given.
    overload_attribute(known, name)(lambda shown: read)


for (_known, _struct), _listed in ATTRIBUTES.items():
    for _name, _field, _width, _how in _listed:
        _declare(_known, _name, _how(_PLACES[_struct][_field], _width))

WINDOW_FIELDS = {"cwnd": nb.float64, "ssthresh": nb.float64, "cnt": nb.int64}
_WINDOW_WIDTHS = {"cwnd": "float", "ssthresh": "float", "cnt": "u32"}


@infer_getattr
class _WindowAttributes(AttributeTemplate):
    key = Window

    def generic_resolve(self, window: Any, name: str) -> Any:
        return WINDOW_FIELDS.get(name)


@lower_getattr_generic(Window)
def _window_read(context: Any, builder: Any, known: Any, base: Any, name: str) -> Any:
    width = _WINDOW_WIDTHS[name]
    found = builder.load(_place(builder, base, _PLACES["wt_window"][name], width))
    return found if width == "float" else builder.zext(found, ir.IntType(64))


@lower_setattr_generic(Window)
def _window_written(context: Any, builder: Any, signature: Any, given: Any, name: str) -> Any:
    width = _WINDOW_WIDTHS[name]
    new = given[1] if width == "float" else builder.trunc(given[1], ir.IntType(32))
    builder.store(new, _place(builder, given[0], _PLACES["wt_window"][name], width))


@overload_attribute(Window, "in_slow_start")
def _in_slow_start(window):  # type: ignore[no-untyped-def]
    return lambda window: window.cwnd < window.ssthresh


@overload_method(Window, "slow_start")
def _slow_start(window: Any, acked: Any) -> Any:
    if not isinstance(acked, nb.Integer):
        return None

    def slow_start(window: Any, acked: Any) -> Any:
        if acked < 0 or acked > 0xFFFFFFFF:
            raise OverflowError("acked is a count")
        more = float(acked)
        if not window.cwnd < window.ssthresh:
            return more
        grown = window.cwnd + more
        grown = window.ssthresh if window.ssthresh < grown else grown
        rest = more - (grown - window.cwnd)
        window.cwnd = grown
        return rest

    return slow_start


@overload(operator.truth)
def _truth_of_optional(x):  # type: ignore[no-untyped-def]
    if isinstance(x, nb.Optional) and isinstance(x.type, nb.Float | nb.Integer | nb.Boolean):
        return lambda x: x is not None and x * 1 != 0
    return None


@lower_builtin(bool, nb.Optional)
def _optional_as_bool(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    known = signature.args[0]
    value = cgutils.create_struct_proxy(known)(context, builder, value=given[0])
    is_true = context.cast(builder, value.data, known.type, nb.boolean)
    return builder.and_(value.valid, is_true)


_KINDS = {"float": nb.float64, "int": nb.int64, "bool": nb.boolean}


def field_type(field: Field) -> Any:
    """Return the type of an attribute."""
    return nb.Optional(_KINDS[field.kind]) if field.is_optional else _KINDS[field.kind]


@infer_getattr
class _StateAttributes(AttributeTemplate):
    key = State

    def generic_resolve(self, state: Any, name: str) -> Any:
        return field_type(state.fields[name]) if name in state.fields else None


def _word(builder: Any, base: Any, field: Field, more: int = 0) -> Any:
    return _place(builder, base, 8 * (KNOWN + field.word + more), "float" if field.kind == "float" and not more else "i64")


@lower_getattr_generic(State)
def _state_read(context: Any, builder: Any, known: Any, base: Any, name: str) -> Any:
    field = known.fields[name]
    value = builder.load(_word(builder, base, field))
    if field.kind == "bool":
        value = builder.icmp_signed("!=", value, ir.Constant(value.type, 0))
    if not field.is_optional:
        return value
    is_there = builder.load(_word(builder, base, field, 1))
    optional = nb.Optional(_KINDS[field.kind])
    made = cgutils.create_struct_proxy(optional)(context, builder)
    made.valid = builder.icmp_signed("!=", is_there, ir.Constant(is_there.type, 0))
    made.data = value
    return made._getvalue()


@lower_setattr_generic(State)
def _state_written(context: Any, builder: Any, signature: Any, given: Any, name: str) -> Any:
    state, value = given
    field = signature.args[0].fields[name]
    if field.is_optional:
        taken = cgutils.create_struct_proxy(nb.Optional(_KINDS[field.kind]))(context, builder, value=value)
        builder.store(builder.zext(taken.valid, ir.IntType(64)), _word(builder, state, field, 1))
        value = taken.data
    if field.kind == "bool":
        value = builder.zext(value, ir.IntType(64))
    builder.store(value, _word(builder, state, field))


def wrong_write(owner: Any, name: str, value: Any) -> str:
    """Say what is wrong with writing a value of this type to an attribute; empty when nothing is."""
    if isinstance(owner, Window):
        kind, is_optional = ("int" if name == "cnt" else "float"), False
    elif isinstance(owner, State):
        kind, is_optional = owner.fields[name].kind, owner.fields[name].is_optional
    else:
        return f"{name} cannot be written"
    plain = value.type if isinstance(value, nb.Optional) else value
    if isinstance(value, nb.Optional | nb.NoneType) and not is_optional:
        return f"{name} is a {kind} and may become None here; annotate it in the class, as {name}: {kind} | None"
    if isinstance(plain, nb.NoneType):
        return ""
    fits = {"float": nb.Float | nb.Integer | nb.Boolean, "int": nb.Integer, "bool": nb.Boolean}[kind]
    if isinstance(plain, fits):
        return ""
    more = f"; annotate it in the class, as {name}: float, or begin with a number with a point" if kind == "int" else ""
    return f"{name} is a {kind}, what is written here is {plain}{more}"
