"""The decorator, and what the rest of the package asks of a decorated class. Numba is imported when one is handed over, not before."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from windtunnel.controllers.base import Controller
from windtunnel.controllers.errors import ControllerError

if TYPE_CHECKING:
    from windtunnel.controllers.jit.fields import Layout

Class = TypeVar("Class", bound=type[Controller])

NEEDED = "wt.compiled needs Numba, which the extra `compiled` brings: pip install 'windtunnel[compiled]'"
_MARK = "_windtunnel_compiled"


def compiled(cls: Class) -> Class:
    """Mark a class: its hooks are compiled to native code when it is handed over. The class itself stays as it is, for its tests.

    Parameters
    ----------
    cls : type
        A subclass of `Controller` whose attributes are numbers (``float``, ``int``, ``bool``, or one of these or None).

    Returns
    -------
    type
        The class.
    """
    setattr(cls, _MARK, cls.__qualname__)
    return cls


def is_compiled(cls: type) -> bool:
    """Return whether this very class is marked; what a subclass adds is not compiled unless it is marked too."""
    return vars(cls).get(_MARK) is not None


def numba_version() -> str:
    """Return the version of Numba that is installed; empty when none is."""
    try:
        return importlib.metadata.version("numba")
    except importlib.metadata.PackageNotFoundError:
        return ""


@dataclass(frozen=True)
class Table:
    """The hooks of a class as native code.

    Attributes
    ----------
    layout : Layout
        Where an instance's attributes are.
    addresses : tuple of (str, int)
        The hooks by name.
    kept : object
        What keeps the code in memory.
    """

    layout: Layout
    addresses: tuple[tuple[str, int], ...]
    kept: Any


_tables: dict[type[Controller], Table] = {}


def table(cls: type[Controller], hooks: Sequence[str], example: Controller) -> Table:
    """Compile the hooks of a class, once in a process.

    Parameters
    ----------
    cls : type
        The class.
    hooks : sequence of str
        Those that it defines.
    example : Controller
        An instance with the defaults of its parameters.

    Raises
    ------
    ControllerError
        When Numba is missing or cannot compile it: one line with class, hook, file and line, and what Numba said.
    """
    if not numba_version():
        raise ControllerError(f"{cls.__name__}: {NEEDED}")
    found = _tables.get(cls)
    if found is None:
        from windtunnel.controllers.jit.fields import layout
        from windtunnel.controllers.jit.hooks import compiled_hooks

        laid = layout(cls, example)
        addresses, kept = compiled_hooks(cls, hooks, laid)
        found = _tables[cls] = Table(laid, addresses, kept)
    return found
