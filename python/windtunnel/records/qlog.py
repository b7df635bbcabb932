"""A run as qlog: a file for each flow, for tools that read what QUIC stacks log.

Source: draft-ietf-quic-qlog-main-schema (a file's first record, JSON text sequences of RFC 7464) and
draft-ietf-quic-qlog-quic-events-12, whose event schema is `EVENTS`. The mapping is fixed, and says what the
records hold and nothing else; `docs/guides/qlog.md` lists it.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from windtunnel.frames import pl
from windtunnel.records.model import Records
from windtunnel.records.names import written
from windtunnel.scenario import ScenarioError
from windtunnel.version import __version__

EVENTS = "urn:ietf:params:qlog:events:quic-12"
"""The event schema, with the draft's number."""
HEADERS_BYTES = 52
"""IP and TCP headers of the simulator's segments, with timestamps."""
_STATES = {
    "loss_episode": {"new": "recovery"},
    "timeout": {"new": "loss"},
    "undo": {"new": "open"},
    "slow_start_exit": {"old": "slow_start", "new": "congestion_avoidance"},
}
_MS = 1e3

Event = tuple[float, str, dict[str, Any]]
"""Simulated time in milliseconds, an event's name, its data."""


def files(records: Records, path: Path) -> list[Path]:
    """Return the files that `write` makes: `path` of a single flow, of several each with its number before the suffix.

    Parameters
    ----------
    records : Records
        Of the run.
    path : Path
        As the user names it.
    """
    count = len(records.facts.scenario.get("flows", ()))
    return [path] if count == 1 else [path.with_name(f"{path.stem}-{number}{path.suffix}") for number in range(1, count + 1)]


def check(path: str | Path, *, flows: int, sample_s: float) -> None:
    """Refuse what cannot be written, before anything runs.

    Parameters
    ----------
    path : str or Path
        The file.
    flows : int
        How many flows the scenario has.
    sample_s : float
        Its sampling interval, seconds.

    Raises
    ------
    ScenarioError
        One line.
    """
    if flows == 0:
        raise ScenarioError("flows", "there are none, and a qlog file is of a flow; allowed: at least one with --qlog")
    if sample_s == 0:
        raise ScenarioError("sample_s", "0 leaves nothing to write; allowed: above 0 with --qlog")
    if not str(path) or Path(path).is_dir() or not Path(path).parent.is_dir():
        raise ScenarioError("qlog", f"{str(path)!r} cannot be written: no such file or folder; allowed: a file in a writable folder")


def write(records: Records, path: str | Path) -> list[Path]:
    """Write a run as qlog, a file for each flow, each whole or not at all.

    Parameters
    ----------
    records : Records
        Of the run.
    path : str or Path
        The file of a single flow, ``run.sqlog``; of several ``run-1.sqlog``, ``run-2.sqlog``, ...

    Returns
    -------
    list of Path
        What was written, by flow.

    Raises
    ------
    ScenarioError
        When there are no flows or no samples, or a file cannot be written.
    """
    facts = records.facts.scenario
    check(path, flows=len(facts.get("flows", ())), sample_s=float(facts["sample_s"]))
    made = files(records, Path(path))
    samples, happened = records.flow_samples.partition_by("flow", as_dict=True), records.events.partition_by("flow", as_dict=True)
    for number, file in enumerate(made):
        own, events = samples.get((number,), records.flow_samples.clear()), happened.get((number,), records.events.clear())
        text = "".join(f"\x1e{json.dumps(record, separators=(',', ':'))}\n" for record in _records(records, number, own, events))
        temporary = file.with_name(f".{file.name}.partial")
        try:
            temporary.write_text(text, encoding="utf-8")
            os.replace(temporary, file)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise ScenarioError(
                "qlog", f"{str(file)!r} cannot be written: {error.strerror}; allowed: a file in a writable folder"
            ) from None
    return made


def _records(records: Records, number: int, samples: pl.DataFrame, events: pl.DataFrame) -> Iterator[dict[str, Any]]:
    flow = records.facts.scenario["flows"][number]
    yield _opening(records, number)
    found = [*_metrics(samples, flow), *_states(events)]
    # Of one time an event comes before the sample, as it happened in the run.
    for time_ms, name, data in sorted(found, key=lambda event: (event[0], event[1] == "quic:recovery_metrics_updated")):
        yield {"time": time_ms, "name": name, "data": data}


def _opening(records: Records, number: int) -> dict[str, Any]:
    facts = records.facts
    name, flow = written(facts.scenario)[number], facts.scenario["flows"][number]
    stack = flow.get("stack")
    counted = number + 1
    program = records.flows["variant"][number] if stack else "TCP, not QUIC"
    return {
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "application/qlog+json-seq",
        "title": f"flow {counted}: {name}",
        "description": f"windtunnel {__version__}, {facts.backend}, scenario {facts.digest}",
        "trace": {
            "title": f"flow {counted}: {name} ({program})",
            "description": "time is milliseconds of simulated time since the beginning of the run; metrics are sampled every "
            f"{facts.scenario['sample_s']:g} s; losses are told at the next sample",
            "common_fields": {
                "group_id": f"{facts.digest[:12]}/{counted}",
                "time_format": "relative_to_epoch",
                "reference_time": {"clock_type": "monotonic", "epoch": "unknown"},
            },
            # The sender of the data: of a stack it has opened the connection.
            "vantage_point": {"name": f"flow {counted}", "type": "client" if stack else "unknown"},
            "event_schemas": [EVENTS],
        },
    }


def _metrics(samples: pl.DataFrame, flow: Mapping[str, Any]) -> Iterator[Event]:
    """Make events of a flow's samples: what has changed since the sample before, and each loss."""
    latest: dict[str, Any] = {}
    lost_before = 0
    for row in samples.iter_rows(named=True):
        time_ms = _ms(row["t_s"])
        counted = row["retransmitted_packets"]
        lost = lost_before if counted is None else int(counted)
        for _ in range(lost - lost_before):
            yield time_ms, "quic:packet_lost", {}
        lost_before = lost
        now = {name: value for name, value in _said(row, flow).items() if value is not None}
        changed = {name: value for name, value in now.items() if latest.get(name) != value}
        latest |= now
        if changed:
            yield time_ms, "quic:recovery_metrics_updated", changed


def _said(row: Mapping[str, Any], flow: Mapping[str, Any]) -> dict[str, float | int | None]:
    """Return a sample in the draft's fields and units; None for what it does not hold."""
    is_tcp = flow.get("stack") is None
    # What its packets are counted in.
    size = int(flow.get("mtu_bytes", 1500)) - HEADERS_BYTES if is_tcp else _number(row.get("datagram_bytes"))
    in_flight = _number(row["inflight_packets"])
    return {
        "min_rtt": _ms(row["min_rtt_s"]),
        "smoothed_rtt": _ms(row["srtt_s"]),
        "congestion_window": _whole(row["cwnd_packets"], size),
        # A stack's is rounded to whole datagrams in the records.
        "bytes_in_flight": _whole(in_flight, size) if is_tcp else None,
        "packets_in_flight": _whole(in_flight, 1),
        "ssthresh": _whole(row["ssthresh_packets"], size),
        "pacing_rate": _whole(row["pacing_rate_bps"], 1),
    }


def _states(events: pl.DataFrame) -> Iterator[Event]:
    for kind, t_s in events.select("kind", "t_s").iter_rows():
        if kind in _STATES:
            yield _ms(t_s) or 0.0, "quic:congestion_state_updated", _STATES[kind]


def _number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _ms(seconds: float | None) -> Any:
    """Return milliseconds to the nanosecond."""
    known = _number(seconds)
    return None if known is None else round(known * _MS, 6)


def _whole(count: float | None, size: float | None) -> int | None:
    known = _number(count)
    return None if known is None or size is None else round(known * size)
