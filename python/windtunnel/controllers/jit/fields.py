"""The attributes of an instance as words of 64 bits: what a compiled hook reads and writes in place of the instance."""

from __future__ import annotations

import inspect
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from windtunnel.controllers.base import Controller
from windtunnel.controllers.declared import Parameter
from windtunnel.controllers.errors import ControllerError

Kind = Literal["float", "int", "bool"]
_KINDS = ("float", "int", "bool")
_FORMATS = {"float": "<d", "int": "<q", "bool": "<q"}
_WHOLE = range(-(2**63), 2**63)


@dataclass(frozen=True)
class Field:
    """One attribute.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        ``float``, ``int`` or ``bool``.
    is_optional : bool
        It may be None: a second word then says whether it is there.
    word : int
        The number of its (first) word.
    """

    name: str
    kind: Kind
    is_optional: bool
    word: int

    @property
    def words(self) -> int:
        """How many words it takes."""
        return 1 + self.is_optional


@dataclass(frozen=True)
class Layout:
    """Where an instance's attributes are, in the order of their words."""

    name: str
    fields: tuple[Field, ...]

    @property
    def words(self) -> int:
        """Words in all."""
        return sum(field.words for field in self.fields)

    def packed(self, instance: Controller) -> list[int]:
        """Return an instance's attributes as words.

        Raises
        ------
        ControllerError
            When one is not what the layout says, or there is another one.
        """
        more = [name for name in vars(instance) if name not in {field.name for field in self.fields}]
        if more:
            raise ControllerError(f"{self.name}.{more[0]}: is an attribute only with these values of its parameters")
        words: list[int] = []
        for field in self.fields:
            value = getattr(instance, field.name)
            if value is None and field.is_optional:
                words += [0, 0]
                continue
            words.append(_word(f"{self.name}.{field.name}", field.kind, value))
            words += [1] if field.is_optional else []
        return words

    def restored(self, instance: Controller, words: Sequence[int]) -> Controller:
        """Give an instance the attributes that these words say, and return it."""
        for field in self.fields:
            is_there = not field.is_optional or words[field.word + 1]
            value: Any = struct.unpack(_FORMATS[field.kind], struct.pack("<Q", words[field.word]))[0]
            setattr(instance, field.name, (bool(value) if field.kind == "bool" else value) if is_there else None)
        return instance


def layout(cls: type[Controller], example: Controller) -> Layout:
    """Return where the attributes of a class's instances are.

    An attribute is what ``__init__`` sets, a parameter, or a number of the class. Its type is that of its annotation in the class, and
    without one that of its first value.

    Raises
    ------
    ControllerError
        When one is no number.
    """
    annotated: dict[str, str] = {}
    numbers: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base is object or base is Controller:
            continue
        annotated |= {name: _written(given) for name, given in inspect.get_annotations(base).items()}
        # What Python itself and the annotations keep there begins with two underscores.
        numbers |= {
            name: value
            for name, value in vars(base).items()
            if not name.startswith("__") and (isinstance(value, int | float | Parameter) or (value is None and name in annotated))
        }
    names = [name for name in numbers if name not in ("needs", "variables")]
    names += [name for name in vars(example) if name not in numbers]
    fields: list[Field] = []
    word = 0
    for name in names:
        kind, is_optional = _kind(cls, name, getattr(example, name), annotated.get(name), isinstance(numbers.get(name), Parameter))
        fields.append(Field(name, kind, is_optional, word))
        word += fields[-1].words
    missing = [name for name in cls.variables if name not in names]
    if missing:
        raise ControllerError(
            f"{cls.__name__}.variables: {missing[0]} is no attribute that __init__ sets or the class has; a compiled class reports no other"
        )
    return Layout(cls.__name__, tuple(fields))


def _written(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else annotation.__name__ if isinstance(annotation, type) else str(annotation)
    return text.replace("typing.", "").replace(" ", "")


def _kind(cls: type[Controller], name: str, value: Any, annotation: str | None, is_parameter: bool) -> tuple[Kind, bool]:
    where = f"{cls.__name__}.{name}"
    if is_parameter:
        return ("int" if getattr(cls, name).whole else "float"), False
    if annotation is not None:
        parts = annotation.removeprefix("Optional[").removesuffix("]") + ("|None" if annotation.startswith("Optional[") else "")
        kinds = [part for part in parts.split("|") if part != "None"]
        if len(kinds) == 1 and kinds[0] in _KINDS:
            return cast(Kind, kinds[0]), "None" in parts.split("|")
        if not annotation.startswith("ClassVar"):
            raise ControllerError(f"{where}: is annotated as {annotation}; a compiled class keeps float, int, bool, or one of these | None")
    if type(value).__name__ in _KINDS:
        return cast(Kind, type(value).__name__), False
    if value is None:
        raise ControllerError(f"{where}: begins as None, which says no type; annotate it in the class, as {name}: float | None")
    raise ControllerError(f"{where}: is a {type(value).__name__}; a compiled class keeps float, int, bool, or one of these | None")


def _word(where: str, kind: Kind, value: Any) -> int:
    if kind == "float" and isinstance(value, int | float):
        return cast(int, struct.unpack("<Q", struct.pack("<d", value))[0])
    if kind in ("int", "bool") and isinstance(value, int) and value in _WHOLE and (kind == "int" or isinstance(value, bool)):
        return cast(int, struct.unpack("<Q", struct.pack("<q", value))[0])
    raise ControllerError(f"{where}: is {value!r} and not a {kind} of 64 bits, which it was declared to be or began as")
