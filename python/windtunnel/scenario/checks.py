"""Checks of names and numbers against the catalogue."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

from windtunnel import foreign
from windtunnel.foreign import stacks
from windtunnel.scenario import controllers, units
from windtunnel.scenario.catalogue import DROP_TAIL, Algorithm, Parameter, TransportOption, catalogue
from windtunnel.scenario.errors import closest, refusal, shown, unknown
from windtunnel.scenario.flowtext import FLOW_KEYS
from windtunnel.scenario.lines import pairs
from windtunnel.scenario.ranges import Range

_TRUE = ("true", "on", "yes", "1")
_FALSE = ("false", "off", "no", "0")


def algorithm_name(value: Any) -> str:
    """Return ``name[:variant]`` under our name (aliases replaced); of a file the name of what was made of it.

    Parameters
    ----------
    value : object
        What the user wrote.

    Returns
    -------
    str
        The name, with the variant when one was given.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When the protocol or the variant is unknown.
    """
    if isinstance(value, type):
        return _adopted(value)
    if not isinstance(value, str):
        raise refusal(f"{shown(value)} is a {type(value).__name__}, not a name; allowed: {', '.join(catalogue().algorithms)}")
    if foreign.is_file(value.strip()):
        return made(value, field="")
    if foreign.is_made(value):
        return value
    name, colon, variant = value.strip().partition(":")
    found = catalogue().find(name)
    if found is None:
        raise refusal(unknown("protocol", name, catalogue().algorithms) + ", or a file, as ./mine.c")
    if not colon:
        return found.name
    variant = found.variant_aliases.get(variant, variant)
    if variant not in found.variants:
        raise refusal(unknown(f"variant of {found.name}", variant, found.variants))
    return f"{found.name}:{variant}"


def stack_name(value: Any) -> str:
    """Return what scenarios call a built stack, ``quinn:KEY``.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When it is not built.
    """
    if not isinstance(value, str):
        raise refusal(f"{shown(value)} is a {type(value).__name__}, not the name of a stack")
    try:
        return stacks.required(value.strip()).known_as
    except foreign.ForeignError as error:
        raise refusal(error.problem) from None


def stack_algorithm(stack: str, value: Any) -> str:
    """Return the name of one of a stack's controllers.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When it has none of that name.
    """
    known = stacks.required(stack).algorithms
    if value not in known:
        raise refusal(f"{shown(value)} is no controller of {stack.partition(':')[0]}; allowed: {', '.join(known)}")
    return str(value)


def _adopted(cls: type) -> str:
    try:
        return foreign.adopt(cls).name
    except foreign.ForeignError as error:
        raise refusal(str(error)) from None


def made(file: str | os.PathLike[str], *, field: str = "algorithm") -> str:
    """Return the name of what is made of a file.

    Parameters
    ----------
    file : str or path
        What the user wrote.
    field : str
        Which field of a flow says so, for the error.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When it is no controller.
    """
    try:
        return foreign.make(os.fspath(file).strip()).name
    except foreign.ForeignError as error:
        raise refusal(str(error), field=field) from None


def profile_name(value: Any) -> Any:
    """Return the profile's name, or refuse one that is unknown."""
    if value is not None and value not in tuple(catalogue().profiles):
        raise refusal(unknown("profile", value, catalogue().profiles))
    return value


def flow_tables(data: dict[str, Any], keys: Sequence[str] = FLOW_KEYS) -> dict[str, Any]:
    """Return the fields of a flow, whose keys on one line are these, with its tables `parameters` and `transport` checked.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When one is no table, or holds something that is unknown or out of range.
    """
    full = dict(data)
    written = full.get("algorithm")
    if isinstance(written, type):
        full["algorithm"] = _adopted(written)
    elif isinstance(written, os.PathLike) or (isinstance(written, str) and foreign.is_file(written.strip())):
        full["algorithm"] = made(written)  # Once: what reads the other fields asks for its parameters.
    for table in ("parameters", "transport"):
        if not isinstance(full.get(table, {}), dict):
            raise refusal(f"{shown(full[table])} is a {type(full[table]).__name__}, not a table; allowed: key = value", field=table)
    if full.get("parameters"):
        full["parameters"] = parameters(algorithm_name(full.get("algorithm")), full["parameters"], keys)
    if full.get("transport"):
        full["transport"] = transport(full["transport"])
    return full


def parameters(name: str, given: dict[str, Any], keys: Sequence[str] = FLOW_KEYS) -> dict[str, float | str]:
    """Check an algorithm's parameters.

    Parameters
    ----------
    name : str
        An accepted ``name[:variant]``.
    given : dict of str to number or str
        Values, in the catalogue's units; strings may carry a unit.
    keys : sequence of str, optional
        What else may stand on one line with them, for the error.

    Returns
    -------
    dict of str to float or str
        The same, as numbers, or words where the parameter is a choice, sorted by name.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When a key is unknown or a value is not a number in range.
    """
    algorithm = controllers.algorithm(name)
    if algorithm is None:  # From a file whose making is not in the cache any more: these were checked when it was.
        return dict(sorted(given.items()))
    checked: dict[str, float | str] = {}
    for key, value in given.items():
        parameter = algorithm.parameters.get(key)
        if parameter is None:
            raise refusal(_unknown_key(algorithm, key, keys), field=f"parameters.{key}")
        checked[key] = _parameter(parameter, value)
    return dict(sorted(checked.items()))


def _unknown_key(algorithm: Algorithm, key: str, keys: Sequence[str]) -> str:
    if key == "slow_start":
        return f"{algorithm.name} starts by a rule of its own, which no other can replace; allowed: no slow_start"
    own = ", ".join(algorithm.parameters) or "none"
    flow = ", ".join(keys)
    transport = ", ".join(catalogue().transport_options)
    hint = closest(key, (*algorithm.parameters, *keys, *catalogue().transport_options))
    return f"{shown(key)} is not a known key{hint}; allowed: {flow}; parameters of {algorithm.name}: {own}; transport options: {transport}"


def _parameter(parameter: Parameter, value: Any, field: str | None = None) -> float | str:
    field = field or f"parameters.{parameter.name}"
    if parameter.choices:
        if value not in parameter.choices:
            raise refusal(f"{shown(value)} is not allowed; allowed: {', '.join(parameter.choices)}", field=field)
        return str(value)
    if isinstance(value, bool):
        value = float(value)
    elif isinstance(value, str) and value.lower() in ("true", "false", "on", "off"):
        value = float(value.lower() in _TRUE)
    low = -1e300 if parameter.low is None else parameter.low
    high = 1e300 if parameter.high is None else parameter.high
    return float(
        _in_range(Range(low, high, _unit(parameter.unit), whole=parameter.is_whole or parameter.unit == "connections"), value, field)
    )


def discipline_text(text: str) -> tuple[str, dict[str, str]]:
    """Split ``NAME[,KEY=VALUE...]``, such as ``codel,target=5ms``; names and values are checked elsewhere.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When a part is not ``key=value`` or a key comes twice.
    """
    name, *parts = (part.strip() for part in text.split(","))
    return name, pairs(parts, shown(text), "NAME[,KEY=VALUE...]")


def discipline(name: str, given: dict[str, Any]) -> dict[str, float]:
    """Check a queue discipline and its parameters.

    Parameters
    ----------
    name : str
        ``drop-tail`` or a name of the catalogue.
    given : dict of str to number or str
        Values in the catalogue's units; strings may carry a unit. A name is accepted without its unit: ``target`` for ``target_s``.

    Returns
    -------
    dict of str to float
        The same, under their full names, sorted.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When the name or a key is unknown, or a value is not a number in range.
    """
    known = catalogue().disciplines
    if name != DROP_TAIL and name not in known:
        raise refusal(unknown("queue discipline", name, (DROP_TAIL, *known)), field="discipline")
    own = known[name].parameters if name in known else {}
    checked: dict[str, float] = {}
    for key, value in given.items():
        parameter = next((own[full] for full in (key, *(f"{key}_{unit}" for unit in ("s", "bps", "bytes"))) if full in own), None)
        field = f"discipline_parameters.{key}"
        if parameter is None:
            raise refusal(f"{shown(key)} is no parameter of {name}{closest(key, own)}; allowed: {', '.join(own) or 'none'}", field=field)
        if parameter.name in checked:
            raise refusal(f"{parameter.name} is given twice; allowed: once", field=field)
        checked[parameter.name] = float(_parameter(parameter, value, field))
    return dict(sorted(checked.items()))


def _unit(unit: str) -> str:
    return (
        unit
        if unit in units.EXAMPLES
        else {"1": "", "bps": "bit/s", "segments": "packets", "seconds": "s", "byte": "bytes"}.get(unit, unit)
    )


def _in_range(allowed: Range, value: Any, field: str) -> float | int:
    from pydantic_core import PydanticCustomError

    try:
        return allowed.check(value)
    except PydanticCustomError as error:
        raise refusal(str((error.context or {})["problem"]), field=field) from None


def transport(given: dict[str, Any]) -> dict[str, Any]:
    """Check overrides of transport options.

    Parameters
    ----------
    given : dict of str to (bool, int, float, str)
        Values; text is read as the option's kind.

    Returns
    -------
    dict
        The same, typed, sorted by name.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When an option is unknown or its value is not allowed.
    """
    checked: dict[str, Any] = {}
    for key, value in given.items():
        option = catalogue().transport_options.get(key)
        if option is None:
            raise refusal(unknown("transport option", key, catalogue().transport_options), field=f"transport.{key}")
        checked[key] = _option(option, value)
    return dict(sorted(checked.items()))


def truth(value: Any) -> Any:
    """Return a field that is true or false, or absent, as people write it.

    Parameters
    ----------
    value : object
        ``True``, ``"true"``, ``"yes"``, or None.

    Returns
    -------
    bool or None
        None as it is.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When it is anything else.
    """
    text = str(value).lower()
    if value is None or isinstance(value, bool):
        return value
    if not isinstance(value, str) or text not in _TRUE + _FALSE:
        raise refusal(f"{shown(value)} is neither; allowed: true or false")
    return text in _TRUE


def _option(option: TransportOption, value: Any) -> Any:
    field = f"transport.{option.name}"
    if option.kind == "boolean":
        text = str(value).lower()
        if not isinstance(value, (bool, str)) or text not in _TRUE + _FALSE:
            raise refusal(f"{shown(value)} is not a yes or no; allowed: true, false", field=field)
        return text in _TRUE
    if option.kind == "choice":
        for choice in option.choices:
            if not isinstance(value, bool) and str(choice) == str(value):
                return choice
        raise refusal(f"{shown(value)} is not allowed; allowed: {', '.join(map(str, option.choices))}", field=field)
    low = 0.0 if option.low is None else option.low
    high = 1e9 if option.high is None else option.high
    if option.kind == "integer":
        return int(_in_range(Range(low, high, whole=True), value, field))
    number = float(_in_range(Range(low, high, "s"), value, field))
    assert math.isfinite(number)
    return number
