"""The fields of a scenario that a backend does not know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel


def beyond(model: BaseModel, known: Mapping[type[BaseModel], set[str]], path: str = "") -> list[str]:
    """Return the fields that a backend does not know and that are not at their default.

    Parameters
    ----------
    model : BaseModel
        A scenario, or a part of one.
    known : mapping
        From a class of models to the fields of it that the backend expresses. Of a class that is missing it expresses none.
    path : str, optional
        Where the part is in the scenario, with a point at its end.

    Returns
    -------
    list of str
        As a scenario's file names them, such as ``flows[1].mtu_bytes``.
    """
    expressed = known.get(type(model), set())
    found = []
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if name not in expressed and value != field.get_default(call_default_factory=True):
            found.append(f"{path}{name}")
        elif isinstance(value, tuple):
            found += [entry for index, one in enumerate(value) for entry in _within(one, known, f"{path}{name}[{index}].")]
        else:
            found += _within(value, known, f"{path}{name}.")
    return found


def _within(value: Any, known: Mapping[type[BaseModel], set[str]], path: str) -> list[str]:
    return beyond(value, known, path) if isinstance(value, BaseModel) else []
