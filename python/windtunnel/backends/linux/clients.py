"""Clients that ask for what a flow sends: what each has drawn, as lines of a guest's plan, and the guest's rows as the frame of exchanges.

When a client asks depends on when the response before was there. What it draws does not: thoughts and sizes come from streams of its own,
one after another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from windtunnel.backends.linux.profiles import PROFILE
from windtunnel.backends.linux.rows import EXCHANGE, Columns, Rows
from windtunnel.backends.sim import Simulator
from windtunnel.scenario import Flow, Scenario, resolve
from windtunnel.scenario.clients import KEYS, SHORT

FIELDS = frozenset({*SHORT.values(), *(key for key in KEYS if key not in SHORT)})
"""The fields of a flow that a guest expresses."""
MOST = 100_000
"""Expected exchanges of a run: each is a line of the plan."""

_RATE_BPS = 1e12
_QUEUE_PACKETS = 10_000_000
_RTT_NS_LEAST = 1000
_HURRIED = 4
_NEVER = 2**64 - 1


@dataclass(frozen=True)
class Exchange:
    """One exchange: the thought before it, and payloads of the request and the response, as they were drawn."""

    think_ns: int
    request_bytes: int
    response_bytes: int


def drawn(full: Scenario) -> dict[int, tuple[Exchange, ...]]:
    """Return the exchanges of each flow that has a client: at least those that a guest can come to before the end.

    They are read off a run of the simulator in which every response is there sooner than a network lets it.
    """
    asked = [index for index, flow in enumerate(full.flows) if flow.response_bytes is not None]
    if not asked:
        return {}
    exact = resolve(full)["flows"]
    flows = tuple(_hurried(flow, exact[index]["rtt_ns"]) for index, flow in enumerate(full.flows))
    emptied: dict[str, Any] = {"traffic": (), "arrivals": (), "sessions": (), "hops": (), "reverse": None, "host": None, "handshake": None}
    emptied["profile"] = PROFILE
    link = {"rate_bps": _RATE_BPS, "queue_packets": _QUEUE_PACKETS}
    hurried = {**full.model_dump(), **emptied, "bottleneck": link, "flows": flows, "sample_s": 0.0, "jitter_s": 0.0}
    made = dict(_drawn(Scenario.model_validate(hurried).model_dump_json()))
    return {index: made.get(index, ()) for index in asked}


def _hurried(flow: Flow, rtt_ns: int) -> Flow:
    """Return what makes a flow's exchanges quick. Streams of random numbers bear the flow's number, so the others keep their places."""
    rtt_s = max(_RTT_NS_LEAST, rtt_ns // _HURRIED) * 1e-9
    if flow.response_bytes is None:
        return Flow(algorithm="reno", rtt_s=rtt_s, bytes=1)
    own = {name: getattr(flow, name) for name in (*FIELDS, "start_s", "stop_s", "mtu_bytes")}
    # The initial window bounds a request.
    transport = {key: value for key, value in flow.transport.items() if key == "initial_window"}
    return Flow(algorithm="reno", rtt_s=rtt_s, handshake=False, transport=transport, **own)


@lru_cache(maxsize=8)
def _drawn(hurried: str) -> tuple[tuple[int, tuple[Exchange, ...]], ...]:
    made = Simulator().run(Scenario.model_validate_json(hurried)).exchanges
    found: dict[int, list[Exchange]] = {}
    ends: dict[int, int] = {}
    for row in made.iter_rows(named=True) if made is not None else ():
        flow, start_ns = row["flow"], round(row["start_s"] * 1e9)
        think_ns = start_ns - ends.get(flow, start_ns)
        found.setdefault(flow, []).append(Exchange(think_ns, int(row["request_bytes"]), int(row["bytes"])))
        if row["completion_s"] is not None:
            ends[flow] = start_ns + round(row["completion_s"] * 1e9)
    return tuple((flow, tuple(exchanges)) for flow, exchanges in found.items())


def lines(full: Scenario) -> list[str]:
    """Return the plan's lines of all clients. A response is sent as whole segments."""
    exact, written = resolve(full)["flows"], []
    for index, exchanges in drawn(full).items():
        count, segment = full.flows[index].requests, int(exact[index]["mss_bytes"])
        written.append(f"asks {index} {'-' if count is None else count}")
        for one in exchanges:
            whole_bytes = -(-one.response_bytes // segment) * segment
            written.append(f"exchange {index} {one.think_ns} {one.request_bytes} {whole_bytes}")
    return written


def unsupported(full: Scenario) -> list[str]:
    """Return what of the clients a guest cannot express, one entry per field, beginning with its path."""
    found = []
    for index, flow in enumerate(full.flows):
        if flow.response_bytes is None or flow.think_s is None:
            continue
        span_s = (full.duration_s if flow.stop_s is None else min(flow.stop_s, full.duration_s)) - flow.start_s
        most = span_s / (flow.think_s.mean + (flow.rtt_s or 0.0))
        expected = most if flow.requests is None else min(most, flow.requests)
        if expected > MOST:
            found.append(f"flows[{index}].requests: some {expected:.0f} before the end; at most {MOST}")
    return found


def frame(rows: Rows, full: Scenario) -> dict[str, Columns]:
    """Return the frame of exchanges by its name; none where no flow has a client."""
    known = drawn(full)
    if not known:
        return {}
    end_ns, table = round(full.duration_s * 1e9), []
    for row in rows.of(EXCHANGE):
        start_ns, (number, took_ns, repeats) = int(row["t_ns"]), map(int, row["value"][:3])
        one = known[int(row["index"])][number]
        table.append(
            {
                "flow": int(row["index"]),
                "start_s": start_ns * 1e-9,
                "request_bytes": one.request_bytes,
                "bytes": one.response_bytes,
                "completion_s": math.nan if took_ns == _NEVER or start_ns + took_ns > end_ns else took_ns * 1e-9,
                "repeats": repeats,
            }
        )
    table.sort(key=lambda row: (row["start_s"], row["flow"]))
    names = tuple(table[0]) if table else ("flow", "start_s")
    return {"exchanges": {name: [row[name] for row in table] for name in names}}
