"""The one error a bad scenario raises, and how it is worded: field, value, allowed range, on one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

_SHOWN_CHARACTERS = 60
_MOST_OTHERS = 5
"""Further faults of which a refusal says where they are."""

OTHER_WORDS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("alg", "algo", "algorithm", "cc", "congestion_control"), ("algorithm", "alg", "flow")),
    "aqm": ("discipline",),
    "qdisc": ("discipline",),
    "bandwidth": ("rate",),
    "bw": ("rate",),
    "capacity": ("rate",),
    **dict.fromkeys(("buf", "buffer"), ("queue", "rcvbuf")),
    **dict.fromkeys(("rmem", "rwnd"), ("rcvbuf",)),
    **dict.fromkeys(("icwnd", "initcwnd", "iw"), ("initial_window",)),
    "ssthresh": ("initial_ssthresh",),
    "limit": ("queue", "limit_packets"),
    "delay": ("rtt",),
    "latency": ("rtt",),
    "cwnd": ("window",),
    "ecn": ("mark",),
    "length": ("duration", "bytes"),
    "time": ("duration",),
    "runtime": ("duration",),
    "size": ("bytes", "sizes"),
    "mss": ("mtu",),
    "loss_rate": ("loss",),
    "plr": ("loss",),
    "udp": ("traffic",),
}
"""What other tools call a key, and what it is called here: the first that is allowed where it stands."""


class ScenarioError(ValueError):
    """A scenario, a file or an option that cannot be accepted; its text is one line.

    Parameters
    ----------
    field : str
        Where the fault is, as a dotted path (``flows[1].rtt_s``) or a file name.
    problem : str
        What is wrong, with the value and the allowed range.
    """

    def __init__(self, field: str, problem: str) -> None:
        self.field = field
        self.problem = one_line(problem)
        super().__init__(one_line(f"{field}: {self.problem}" if field else self.problem))

    def __reduce__(self) -> tuple[type[ScenarioError], tuple[str, str]]:
        """Return how to make it again, in another process."""
        return type(self), (self.field, self.problem)


def one_line(text: str) -> str:
    """Return `text` on one line, with control characters escaped."""
    joined = " ".join(text.split())
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in joined)


def shown(value: object) -> str:
    """Return a short, printable form of a refused value."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    try:
        text = repr(value)
    except ValueError:  # The interpreter refuses to print integers of more than 4300 digits.
        text = f"an integer of {value.bit_length()} bits" if isinstance(value, int) else "a huge value"
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 3]}..."


def closest(name: str, allowed: Iterable[str]) -> str:
    """Return ``" (did you mean 'x'?)"`` for what other tools call so, or the nearest allowed name; an empty string without either."""
    names = list(allowed)
    near = [word for word in OTHER_WORDS.get(name.lower(), ()) if word in names] or difflib.get_close_matches(name, names, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def unknown(what: str, name: object, allowed: Iterable[str]) -> str:
    """Word the refusal of a name that is not in a list."""
    names = list(allowed)
    hint = closest(name, names) if isinstance(name, str) else ""
    listed = ", ".join(names) if names else "none"
    return f"{shown(name)} is not a known {what}{hint}; allowed: {listed}"


def refusal(problem: str, *, field: str = "") -> PydanticCustomError:
    """Return the error a validator raises; `field` extends the path pydantic reports."""
    return PydanticCustomError("scenario", "{problem}", {"problem": one_line(problem), "field": field})


def path_of(location: Iterable[int | str]) -> str:
    """Return a pydantic location as a dotted path: ``('flows', 1, 'rtt_s')`` gives ``flows[1].rtt_s``."""
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    return path


def from_validation(error: ValidationError, fields: dict[str, list[str]]) -> ScenarioError:
    """Turn pydantic's error into ours.

    Parameters
    ----------
    error : pydantic.ValidationError
        The error as raised; its first entry is worded, of the others it is said where they are.
    fields : dict of str to list of str
        Keys allowed at the top level and in each table, by the name of the last table in the path.

    Returns
    -------
    ScenarioError
        One line: field, value, what is allowed.
    """
    entries = error.errors(include_url=False)
    first = entries[0]
    path, problem = _worded(dict(first), fields)
    others = [place for place in dict.fromkeys(_worded(dict(entry), fields)[0] for entry in entries[1:]) if place != path]
    if not others:
        return ScenarioError(path, problem)
    listed = ", ".join(others[:_MOST_OTHERS]) + (f" and {len(others) - _MOST_OTHERS} more" if len(others) > _MOST_OTHERS else "")
    return ScenarioError(path, f"{problem}; also wrong: {listed}")


def _worded(entry: dict[str, Any], fields: dict[str, list[str]]) -> tuple[str, str]:
    location = tuple(entry["loc"])
    path = path_of(location)
    context = entry.get("ctx") or {}
    kind = entry["type"]
    if kind == "scenario":
        extra = str(context.get("field", ""))
        joint = "" if not path or not extra or extra.startswith("[") else "."
        return f"{path}{joint}{extra}", str(context["problem"])
    if kind == "extra_forbidden":
        tables = [part for part in location[:-1] if isinstance(part, str)]
        allowed = fields.get(tables[-1] if tables else "", [])
        return path, unknown("key", location[-1], allowed)
    if kind == "missing":
        return path, "is missing; a value is required"
    return path, f"{shown(entry.get('input'))} is not allowed: {entry['msg'][:1].lower()}{entry['msg'][1:]}"
