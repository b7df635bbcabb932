"""What a class is to the core, checked when it is handed over and not on the first ACK."""

from __future__ import annotations

import difflib
import hashlib
import inspect
import platform
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from windtunnel.controllers.base import Controller
from windtunnel.controllers.declared import Needs, Parameter
from windtunnel.controllers.errors import ControllerError
from windtunnel.controllers.jit import is_compiled, numba_version, table
from windtunnel.controllers.jit.marked import Table

# The hooks, and how many arguments each is called with besides the instance.
HOOKS = {
    "on_seeded": 1,
    "on_established": 2,
    "on_rtt_sampled": 3,
    "on_ack_arrived": 3,
    "on_segment_lost": 3,
    "on_state_changed": 3,
    "on_acked": 3,
    "on_rate_sampled": 3,
    "holds_back": 0,
    "ssthresh": 2,
    "undo": 2,
    "on_event": 3,
    "pacing_rate": 2,
}
# Raised when a hook changes its meaning: part of a class's name in scenarios.
INTERFACE = 1
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True)
class Description:
    """What a class says of itself.

    Attributes
    ----------
    cls : type
        The class.
    name : str
        What it is called: the class's name.
    summary : str
        The first line of its docstring.
    parameters : tuple of (str, Parameter)
        By name, in the order of their declaration.
    hooks : tuple of str
        Those that it defines.
    content : str
        64 bits of SHA-256, in hexadecimal, over its source, the interface, the version of Python, and of a compiled class that of Numba.
    table : Table, optional
        Its hooks as native code, of a compiled class.
    """

    cls: type[Controller]
    name: str
    summary: str
    parameters: tuple[tuple[str, Parameter], ...]
    hooks: tuple[str, ...]
    content: str
    table: Table | None = None

    def make(self, values: Sequence[float]) -> Controller:
        """Return an instance with these values of its parameters; they are set before its ``__init__`` is called."""
        instance = self.cls.__new__(self.cls)
        for (name, parameter), value in zip(self.parameters, values, strict=True):
            instance.__dict__[name] = int(value) if parameter.whole else value
        instance.__init__()  # type: ignore[misc]
        return instance

    def for_core(self, shown: str, variant: str) -> dict[str, Any]:
        """Return what the core takes; `shown` is its name in records, and `variant` what stands for its variant there."""
        needs = self.cls.needs
        return {
            "compiled": self._code(),
            "make": self.make,
            "name": shown,
            "variant": variant,
            "parameters": [(name, p.unit, p.doc, float(p.default), float(p.min), float(p.max), p.whole) for name, p in self.parameters],
            "variables": list(self.cls.variables),
            "hooks": list(self.hooks),
            "needs": (needs.control, needs.ahead, needs.rtt_samples, needs.ecn, needs.ack_arrivals, needs.transport_rate),
        }

    def _code(self) -> dict[str, Any] | None:
        if self.table is None:
            return None
        layout = self.table.layout
        places = {field.name: (field.word, field.kind == "float", field.is_optional) for field in layout.fields}
        return {
            "hooks": list(self.table.addresses),
            "packed": layout.packed,
            "restored": self._restored,
            "variables": [places[name] for name in self.cls.variables],
            "kept": self.table.kept,
        }

    def _restored(self, words: Sequence[int]) -> Controller:
        """Return an instance whose attributes are what these words say."""
        assert self.table is not None
        return self.table.layout.restored(self.cls.__new__(self.cls), words)


def describe(cls: type) -> Description:
    """Check a class and return what it says of itself.

    Parameters
    ----------
    cls : type
        A subclass of `Controller`.

    Raises
    ------
    ControllerError
        When it is none, lacks a hook, has a hook that cannot be called as it will be, or an ``__init__`` that fails.
    """
    if not (isinstance(cls, type) and issubclass(cls, Controller)) or cls is Controller:
        raise ControllerError(f"{getattr(cls, '__name__', cls)!s}: is no subclass of windtunnel.Controller")
    name = cls.__name__
    hooks = tuple(hook for hook in HOOKS if getattr(cls, hook) is not getattr(Controller, hook))
    _refuse_unknown_hooks(cls)
    for hook in hooks:
        _check_hook(cls, hook)
    _check_needs(cls, hooks)
    parameters = _parameters(cls)
    if not isinstance(cls.variables, tuple | list) or not all(isinstance(one, str) and _NAME.fullmatch(one) for one in cls.variables):
        raise ControllerError(f"{name}.variables: {cls.variables!r} is no tuple of names of attributes")
    summary = (inspect.getdoc(cls) or "").split("\n", 1)[0] if cls.__doc__ else ""
    described = Description(cls, name, summary, parameters, hooks, _content(cls))
    try:
        example = described.make([parameter.default for _, parameter in parameters])
    except Exception as error:
        raise ControllerError(f"{name}.__init__: {type(error).__name__}: {error}; it is called without arguments") from error
    return replace(described, table=table(cls, hooks, example)) if is_compiled(cls) else described


def _refuse_unknown_hooks(cls: type[Controller]) -> None:
    """Refuse methods that are called like hooks and are none: they would never be called."""
    for name in dict.fromkeys(name for base in cls.__mro__ if base not in Controller.__mro__ for name in vars(base)):
        if name.startswith("on_") and name not in HOOKS and callable(getattr(cls, name)):
            near = difflib.get_close_matches(name, HOOKS, 1)
            meant = f"did you mean {near[0]}? " if near else ""
            raise ControllerError(f"{cls.__name__}.{name}: is no hook, and would never be called; {meant}hooks: {', '.join(HOOKS)}")


def _check_hook(cls: type[Controller], hook: str) -> None:
    method: Callable[..., Any] = getattr(cls, hook)
    if not callable(method):
        raise ControllerError(f"{cls.__name__}.{hook}: is no method")
    if inspect.iscoroutinefunction(method) or inspect.isgeneratorfunction(method):
        raise ControllerError(f"{cls.__name__}.{hook}: is a coroutine or a generator; a hook answers at once")
    try:
        inspect.signature(method).bind(*range(1 + HOOKS[hook]))
    except TypeError as error:
        wanted = ", ".join(inspect.signature(getattr(Controller, hook)).parameters)
        raise ControllerError(f"{cls.__name__}.{hook}: cannot be called as {hook}({wanted}): {error}") from None


def _check_needs(cls: type[Controller], hooks: Sequence[str]) -> None:
    needs = cls.needs
    if not isinstance(needs, Needs):
        raise ControllerError(f"{cls.__name__}.needs: {needs!r} is no windtunnel.Needs")
    allowed = {
        "control": ("window", "paced-window", "full", "full-by-rate", "full-unpaced"),
        "rtt_samples": ("unused", "by-stack", "exact"),
        "ecn": (None, "dctcp", "l4s"),
    }
    for field, values in allowed.items():
        if getattr(needs, field) not in values:
            raise ControllerError(f"{cls.__name__}.needs.{field}: {getattr(needs, field)!r} is not allowed; allowed: {values}")
    wanted = ["ssthresh", "on_rate_sampled" if needs.control == "full-by-rate" else "on_acked"]
    wanted += ["on_rtt_sampled"] if needs.rtt_samples != "unused" else []
    wanted += ["on_ack_arrived"] if needs.ack_arrivals else []
    for hook in wanted:
        if hook not in hooks:
            raise ControllerError(
                f"{cls.__name__}: has no {hook}, which {'every controller' if hook == 'ssthresh' else 'its needs'} must have"
            )


def _parameters(cls: type[Controller]) -> tuple[tuple[str, Parameter], ...]:
    found: dict[str, Parameter] = {}
    for base in reversed(cls.__mro__):
        found |= {name: value for name, value in vars(base).items() if isinstance(value, Parameter)}
    for name, parameter in found.items():
        if not _NAME.fullmatch(name):
            raise ControllerError(f"{cls.__name__}.{name}: a parameter's name has letters, digits and '_'")
        if not float("-inf") < parameter.min <= parameter.default <= parameter.max < float("inf"):
            raise ControllerError(
                f"{cls.__name__}.{name}: its default {parameter.default} is outside its range {parameter.min} .. {parameter.max}"
            )
    return tuple(found.items())


def _content(cls: type[Controller]) -> str:
    """Return the hash of a class: the file that defines it and its bases, or where there is none, their compiled code."""
    digest = hashlib.sha256(f"{INTERFACE} {platform.python_version()} {cls.__qualname__}\n".encode())
    if is_compiled(cls):
        digest.update(f"numba {numba_version()}\n".encode())
    for base in cls.__mro__:
        if base is Controller:
            break
        digest.update(_source(base))
    return digest.hexdigest()[:16]


def _source(cls: type) -> bytes:
    try:
        module = inspect.getmodule(cls)
        if module is not None and module.__name__ != "__main__":
            return inspect.getsource(module).encode()
        return inspect.getsource(cls).encode()
    except (OSError, TypeError):
        return b"".join(_code(value.__code__) for _, value in sorted(vars(cls).items()) if inspect.isfunction(value))


def _code(code: Any) -> bytes:
    parts = [code.co_code, repr(code.co_names).encode(), repr(code.co_varnames).encode()]
    parts += [_code(const) if inspect.iscode(const) else repr(const).encode() for const in code.co_consts]
    return b"\0".join(parts)
