"""What the gate judges: a controller as ``--flow`` writes it, with its own parameters and transport options, and no place on a path yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import PydanticCustomError

from windtunnel.foreign import shown
from windtunnel.scenario import Flow, ScenarioError
from windtunnel.scenario.checks import algorithm_name
from windtunnel.scenario.flowtext import parse_flow

_KEYS = ("profile",)
"""Keys of a flow that say how it works, not where it is or what it sends."""


@dataclass(frozen=True)
class Subject:
    """A controller with what is set of it.

    Parameters
    ----------
    text : str
        As it was written, ``./mine.c,keep=50``.
    name : str
        For a reader: the algorithm with its variant and what is set, without the folder of its file.
    fields : mapping of str to object
        ``algorithm``, and where given ``parameters``, ``transport`` and ``profile``, of a flow or of a source of transfers.
    """

    text: str
    name: str
    fields: Mapping[str, Any]

    @property
    def algorithm(self) -> str:
        """The algorithm under our name; of a file the name of what was made of it."""
        return str(self.fields["algorithm"])


def subject(text: str, field: str = "controller") -> Subject:
    """Read a controller.

    Parameters
    ----------
    text : str
        ``ALG[:variant][,key=value...]`` or ``FILE[,key=value...]``; keys are ``profile``, transport options and the algorithm's parameters.
    field : str
        Where it was given, for the error.

    Raises
    ------
    ScenarioError
        When it is unknown, or a key is of a path or of traffic.
    """
    try:
        fields = parse_flow(text, _KEYS)
        fields["algorithm"] = algorithm_name(fields["algorithm"])
    except PydanticCustomError as error:
        raise ScenarioError(field, str((error.context or {}).get("problem", error))) from None
    try:
        Flow(**fields)
    except ScenarioError as error:
        raise ScenarioError(f"{field}.{error.field}" if error.field else field, error.problem) from None
    _, *settings = text.split(",")
    name = ",".join([shown(fields["algorithm"]), *(part.strip() for part in settings)])
    return Subject(text, name, fields)
