"""The hooks of a class as functions of the core's header: each keeps the state, calls the class's own, and says when that failed."""

from __future__ import annotations

import itertools
import os
import re
import types
from collections.abc import Callable, Sequence
from typing import Any

import numba
from llvmlite import ir
from numba.core import errors
from numba.core import ir as numba_ir
from numba.core import types as numba_types
from numba.extending import intrinsic

from windtunnel.controllers.base import Controller
from windtunnel.controllers.errors import ControllerError
from windtunnel.controllers.jit import memory
from windtunnel.controllers.jit.fields import Layout
from windtunnel.controllers.jit.source import NotCompiled, Rewriter

nb: Any = numba_types
_counted = itertools.count()
_LARGEST_RATE = 1e15


@intrinsic
def _remember(typing: Any, state: Any) -> Any:
    """Copy the words behind themselves: where a hook fails, the class itself is called from there."""
    words = state.layout.words

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        now = builder.bitcast(given[0], ir.IntType(64).as_pointer())
        for word in range(memory.KNOWN, memory.KNOWN + words):
            at = [ir.Constant(ir.IntType(64), word)]
            builder.store(builder.load(builder.gep(now, at)), builder.gep(now, [ir.Constant(ir.IntType(64), word + words)]))
        return context.get_dummy_value()

    return nb.none(state), code


@numba.njit
def _failed(state: Any) -> None:
    memory.write(state, 0, "i64", 1)


def _told(law: Any) -> Callable[..., Any]:
    def hook(state: Any, w: Any, c: Any) -> None:
        _remember(state)
        try:
            law(state, w, c)
        except Exception:
            _failed(state)

    return hook


def _told_more(law: Any) -> Callable[..., Any]:
    def hook(state: Any, w: Any, c: Any, more: Any) -> None:
        _remember(state)
        try:
            law(state, w, c, more)
        except Exception:
            _failed(state)

    return hook


def _told_count(law: Any) -> Callable[..., Any]:
    def hook(state: Any, w: Any, c: Any, count: int) -> None:
        _remember(state)
        try:
            law(state, w, c, numba.int64(count))
        except Exception:
            _failed(state)

    return hook


def _told_word(law: Any, word: Any) -> Callable[..., Any]:
    def hook(state: Any, w: Any, c: Any, number: int) -> None:
        _remember(state)
        try:
            law(state, w, c, word(number))
        except Exception:
            _failed(state)

    return hook


def _seeded(law: Any) -> Callable[..., Any]:
    def hook(state: Any, seed: int) -> None:
        _remember(state)
        try:
            law(state, numba.int64(seed >> numba.uint64(1)))
        except Exception:
            _failed(state)

    return hook


def _asked(law: Any) -> Callable[..., Any]:
    def hook(state: Any, w: Any, c: Any) -> float:
        _remember(state)
        answer = 0.0
        try:
            answer = law(state, w, c) * 1.0
        except Exception:
            _failed(state)
        return answer

    return hook


def _held(law: Any) -> Callable[..., Any]:
    def hook(state: Any) -> int:
        _remember(state)
        answer = 0
        try:
            answer = 1 if law(state) else 0
        except Exception:
            _failed(state)
        return numba.uint32(answer)

    return hook


def _paced(law: Any) -> Callable[..., Any]:
    def hook(state: Any, w: Any, c: Any) -> int:
        _remember(state)
        answer = numba.uint64(0)
        try:
            rate = law(state, w, c)
            if rate is not None:
                given = rate * 1.0  # What may be None becomes a number.
                if 1.0 <= given < _LARGEST_RATE:
                    answer = numba.uint64(given)
                else:
                    _failed(state)
        except Exception:
            _failed(state)
        return answer

    return hook


def compiled_hooks(cls: type[Controller], hooks: Sequence[str], layout: Layout) -> tuple[tuple[tuple[str, int], ...], Any]:
    """Compile the hooks of a class.

    Returns
    -------
    tuple of (str, int) and object
        Their addresses by name, and what keeps them in memory.

    Raises
    ------
    ControllerError
        One line with class, hook, file and line, and what Numba said.
    """
    state = memory.State(layout, next(_counted))
    rewriter = Rewriter(numba.njit, cls)
    words = {"on_state_changed": memory.state_name, "on_event": memory.event_name}
    made: dict[str, Any] = {}
    for hook in hooks:
        function = getattr(cls, hook)
        line = function.__code__.co_firstlineno if isinstance(function, types.FunctionType) else 0
        file = function.__code__.co_filename if isinstance(function, types.FunctionType) else ""
        try:
            if not isinstance(function, types.FunctionType):
                raise ControllerError(f"{cls.__name__}.{hook}: is no plain method, which is what can be compiled")
            made[hook] = _made(hook, rewriter.callable(function, is_method=True), state, words)
            _check_writes(rewriter)
        except NotCompiled as error:
            raise _said(cls, hook, error.file, error.line, error.what) from None
        except errors.NumbaError as error:
            found = re.findall(r'File "([^"]*)", line (\d+)', str(error))
            at = [(name, int(number)) for name, number in found if os.path.basename(name) == os.path.basename(file)]
            name, number = at[-1] if at else (file, line)
            raise _said(cls, hook, name, number, _what(str(error))) from None
    return tuple((hook, one.address) for hook, one in made.items()), made


def _said(cls: type, hook: str, file: str, line: int, what: str) -> ControllerError:
    return ControllerError(f"{cls.__name__}.{hook} ({os.path.basename(file)}:{line}): cannot be compiled: {what}")


def _made(hook: str, law: Any, state: Any, words: dict[str, Any]) -> Any:
    w, c = memory.WINDOW, memory.CONNECTION
    if hook in memory.SAMPLES:
        around, signature = _told_more(law), nb.void(state, w, c, memory.SAMPLES[hook])
    elif hook == "on_acked":
        around, signature = _told_count(law), nb.void(state, w, c, nb.uint32)
    elif hook in words:
        around, signature = _told_word(law, words[hook]), nb.void(state, w, c, nb.uint32)
    elif hook == "on_seeded":
        around, signature = _seeded(law), nb.void(state, nb.uint64)
    elif hook in ("ssthresh", "undo"):
        around, signature = _asked(law), nb.float64(state, w, c)
    elif hook == "holds_back":
        around, signature = _held(law), nb.uint32(state)
    elif hook == "pacing_rate":
        around, signature = _paced(law), nb.uint64(state, w, c)
    else:
        around, signature = _told(law), nb.void(state, w, c)
    return numba.cfunc(signature)(around)


def _check_writes(rewriter: Rewriter) -> None:
    """Refuse what would be cut off silently: a number with a point written to a whole one."""
    for function, dispatcher in rewriter.made.items():
        for compiled in dispatcher.overloads.values():
            known = compiled.type_annotation.typemap
            for block in compiled.type_annotation.blocks.values():
                for written in block.find_insts(numba_ir.SetAttr):
                    what = memory.wrong_write(known[written.target.name], written.attr, known[written.value.name])
                    if what:
                        raise NotCompiled(function, written.loc.line, what)


def _what(said: str) -> str:
    """Return the line of Numba's that says the most."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", said)
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    skipped = (
        "Failed in nopython mode",
        "During:",
        "File ",
        "- Resolution failure",
        "There are",
        "Overload",
        "- Of which",
        "Invalid use of",
    )
    told = [line for line in lines if not line.startswith(skipped)]
    first = (told or lines or ["Numba does not say why"])[0].rstrip(".:")
    called = next((line.removeprefix(">>> ") for line in lines if line.startswith(">>> ")), "")
    return f"Numba has no {called}" if called and first.startswith("No implementation of function") else first
