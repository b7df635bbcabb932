"""Laws of positive numbers, as tables or on one line: sizes, counts, thoughts."""

from __future__ import annotations

from typing import Any, Literal, get_args

from windtunnel.scenario.errors import refusal, shown, unknown
from windtunnel.scenario.ranges import RANGES, Range
from windtunnel.scenario.table import Table

SHAPE = 1.2
"""Index of the tail of Pareto laws that name none."""
Kind = Literal["fixed", "exponential", "pareto"]
_LAW = "LAW:MEAN[:SHAPE], as fixed:1, exponential:1s, pareto:15kB:1.2"


class Law(Table):
    """A law of positive numbers; its mean is in the unit of the field."""

    law: Kind
    mean: float
    shape: float | None = None


def read_law(value: Any, means: Range) -> dict[str, Any]:
    """Return a law as a table, from a table or one line.

    Parameters
    ----------
    value : object
        What the user wrote, for example ``"exponential:1s"``.
    means : Range
        The range of its mean.

    Returns
    -------
    dict
        The fields of `Law`.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When it is no law, or one of its numbers is out of range.
    """
    if isinstance(value, str):
        name, *numbers = (part.strip() for part in value.split(":"))
        if not 1 <= len(numbers) <= 2:
            raise refusal(f"{shown(value)} is not a law; allowed: {_LAW}")
        value = {"law": name, **dict(zip(("mean", "shape"), numbers, strict=False))}
    if not isinstance(value, dict):
        raise refusal(f"{shown(value)} is a {type(value).__name__}, not a law; allowed: {_LAW}")
    if value.get("law") not in get_args(Kind):
        raise refusal(unknown("law", value.get("law"), get_args(Kind)), field="law")
    read = dict(value)
    if "mean" in read:
        read["mean"] = means.check(read["mean"])
    if value["law"] == "pareto":
        read["shape"] = SHAPE if read.get("shape") is None else RANGES["shape"].check(read["shape"])
    elif read.get("shape") is not None:
        raise refusal(f"{shown(read['shape'])} is given for a law that is {value['law']}; allowed: with pareto only", field="shape")
    return read
