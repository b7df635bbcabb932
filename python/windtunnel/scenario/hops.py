"""Several bottlenecks in a row: hops on one line, and what of them does not combine. Hops are counted from 1, the scenario's bottleneck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from windtunnel.scenario.errors import refusal, shown, unknown
from windtunnel.scenario.lines import pairs
from windtunnel.scenario.ranges import MOST

if TYPE_CHECKING:
    from windtunnel.scenario.flows import Flow
    from windtunnel.scenario.links import Hop
    from windtunnel.scenario.traffic import Udp
    from windtunnel.scenario.transfers import Source

MOST_HOPS = MOST["hops"]
LINE_KEYS = ("rate", "queue", "delay", "mark", "loss", "discipline")
TEXT = "rate=RATE,queue=SIZE,delay=TIME[,key=value...]"


def read_hops(value: Any) -> list[Any]:
    """Read a scenario's list of further hops: tables, or lines such as ``"rate=20Mbit,queue=100,delay=5ms"``.

    Parameters
    ----------
    value : object
        A list of either.

    Returns
    -------
    list of (dict or table)
        Tables whose fields are yet to be checked.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When it is no list, or too long, or a line is not ``key=value,...``.
    """
    if not isinstance(value, (list, tuple)):
        problem = f"{shown(value)} is a {type(value).__name__}, not a list of hops; allowed: at most {MOST_HOPS} links"
        raise refusal(problem, field="hops")
    if len(value) > MOST_HOPS:
        raise refusal(f"{len(value)} hops are given; allowed: at most {MOST_HOPS} after the bottleneck", field="hops")
    return [_line(entry, f"hops[{index}]") if isinstance(entry, str) else entry for index, entry in enumerate(value)]


def _line(text: str, path: str) -> dict[str, Any]:
    """Read one hop on a line; keys that no link has are its discipline's parameters."""
    given = pairs(text.split(","), shown(text), TEXT, path=path)
    table: dict[str, Any] = {key: value for key, value in given.items() if key in LINE_KEYS}
    parameters = {key: value for key, value in given.items() if key not in LINE_KEYS}
    if parameters and "discipline" not in table:
        raise refusal(unknown("key", next(iter(parameters)), LINE_KEYS), field=path)
    return table | ({"discipline_parameters": parameters} if parameters else {})


def with_rates(hops: list[Any], rate: dict[str, Any]) -> list[Any]:
    """Return the hops as read, those without a rate with the bottleneck's; `rate` is how that is written."""
    own = {"rate", "rate_bps", "trace_ms"}
    return [rate | hop if isinstance(hop, dict) and not own & set(hop) else hop for hop in hops]


def between_s(hops: Sequence[Hop], flow: Flow | Source) -> float:
    """Return the propagation between the first and last hop of a flow or of transfers, in seconds."""
    first, last = flow.enter or 1, flow.leave or len(hops) + 1
    return sum(hop.delay_s for hop in hops[first - 1 : last - 1])


def check_flow(path: str, flow: Flow, hops: Sequence[Hop], rtt_s: float) -> None:
    """Refuse hops that a flow cannot enter or leave at, and a base RTT that the way between them does not fit into.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When a number is no hop's, `leave` comes before `enter`, or four times the way between is more than `rtt_s`.
    """
    check_stretch(path, flow, len(hops) + 1)
    _check_way(f"{path}.rtt_s", rtt_s, between_s(hops, flow))


def check_source(path: str, source: Source, hops: Sequence[Hop], rtt_s: float | None) -> None:
    """Refuse the same of transfers; `rtt_s` is the scenario's, for a source that names none.

    Raises
    ------
    pydantic_core.PydanticCustomError
        As `check_flow`.
    """
    check_stretch(path, source, len(hops) + 1)
    for own_s in source.rtts_s or (rtt_s or 0.0,):
        _check_way(f"{path}.rtts_s", own_s, between_s(hops, source))


def _check_way(field: str, rtt_s: float, between: float) -> None:
    if round(between * 1e9) > round(rtt_s * 1e9) // 4:
        way = f"{between:g} s between its first and last hop"
        raise refusal(f"{shown(rtt_s)} s is too short for {way}; allowed: at least {4 * between:g} s", field=field)


def check_stretch(path: str, party: Flow | Source | Udp, last: int) -> None:
    """Refuse hops that do not exist; `last` is the last hop's number.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When a number is no hop's, or `leave` comes before `enter`.
    """
    enter = party.enter or 1
    if enter > last:
        raise refusal(f"{enter} is no hop; allowed: 1 to {last}", field=f"{path}.enter")
    leave = party.leave or last
    if not enter <= leave <= last:
        raise refusal(f"{leave} is no hop behind its first; allowed: {enter} to {last}", field=f"{path}.leave")
