"""A flow on one line, as ``--flow`` takes it: ``htcp:beta08,start=60s,rtt=42ms,initial_window=10``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windtunnel import foreign
from windtunnel.scenario import clients, controllers, receivers, writes
from windtunnel.scenario.catalogue import catalogue
from windtunnel.scenario.errors import refusal, shown
from windtunnel.scenario.hostkeys import HOST_KEYS
from windtunnel.scenario.lines import pairs

SHORT_KEYS = {"rtt": "rtt_s", "start": "start_s", "stop": "stop_s", **writes.SHORT, **writes.VIDEO, **clients.SHORT, **receivers.SHORT}
_OWN = ("rtt", "start", "stop", "bytes", "count", "window", "profile", "direction", "mtu", "receiver_mtu", "application", *writes.SHORT)
FLOW_KEYS = (
    *(*_OWN, *writes.VIDEO, *clients.KEYS, *receivers.SHORT, *HOST_KEYS),
    *("enter", "leave", "handshake", "jitter", "stack", "streams", "turn"),
)


def _parameters(flow: dict[str, Any]) -> set[str]:
    """Return the names of an algorithm's parameters; in place of a file stands then what was made of it."""
    name = flow["algorithm"]
    if foreign.is_file(name):
        try:
            name = flow["algorithm"] = foreign.make(name).name
        except foreign.ForeignError as error:
            raise refusal(str(error), field="algorithm") from None
    found = controllers.algorithm(name) if foreign.is_made(name) else catalogue().find(name.partition(":")[0])
    return set(found.parameters) if found else set()


def parse_flow(text: str, keys: Sequence[str] = FLOW_KEYS) -> dict[str, Any]:
    """Split one ``ALG[:variant][,key=value...]`` into the fields of `Flow`; values stay text and are checked there.

    Parameters
    ----------
    text : str
        The flow, for example ``"ctcp:vista,start=60s"``. Keys are rtt, start, stop, bytes, count, window, profile, direction,
        mtu, receiver_mtu, application, on, off, app_rate, chunk, video, video_min, frame, response, request, think, requests, rcvbuf,
        rcvbuf_max, read_rate, read_every, read_on, read_off, enter, leave, handshake, jitter, stack, streams, turn, those of the sender's
        host, any transport option, and the algorithm's own parameters (which prevail where a name is both).
    keys : sequence of str, optional
        Other keys than those of a flow.

    Returns
    -------
    dict
        ``algorithm``, the flow's own fields, and the tables ``parameters`` and ``transport``.

    Raises
    ------
    pydantic_core.PydanticCustomError
        When a part is not ``key=value`` or a key comes twice.
    """
    head, *parts = text.split(",")
    flow: dict[str, Any] = {"algorithm": head.strip()}
    host: dict[str, str] = {}
    parameters: dict[str, str] = {}
    transport: dict[str, str] = {}
    own = _parameters(flow)
    for key, value in pairs(parts, f"flow {shown(text)}", "ALG[:variant][,key=value...]").items():
        if key in keys and key in HOST_KEYS:
            host[key] = value
        elif key in keys and key not in own:
            flow[SHORT_KEYS.get(key, key)] = value
        elif key in catalogue().transport_options and key not in own:
            transport[key] = value
        else:
            parameters[key] = value
    if host:
        flow["host"] = host
    if parameters:
        flow["parameters"] = parameters
    if transport:
        flow["transport"] = transport
    return flow
