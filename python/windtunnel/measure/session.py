"""A measurement from its first packet to its last: a probe, then run after run, each kept as soon as it is over."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from windtunnel import records
from windtunnel.backends.linux.modules import MODULES
from windtunnel.measure import found, tables
from windtunnel.measure.errors import MeasureError
from windtunnel.measure.plan import (
    GB,
    PACKET_BYTES,
    SINE_LEAST,
    SINE_MOST,
    SINE_PERIOD_S,
    Asked,
    Configuration,
    Planned,
    configurations,
    plan,
)
from windtunnel.measure.records import records_of, scenario_of
from windtunnel.version import __version__
from windtunnel.wire import machine
from windtunnel.wire.caller import Caller
from windtunnel.wire.channel import ChannelError
from windtunnel.wire.party import Given

FILE = "measure.json"
FORMAT = 1
IDLE_S = 1.0
"""How long both machines are looked at before each run."""
IDLE_TRIES = 5
IDLE_SHARE, IDLE_BPS = 0.01, 100_000.0
"""Traffic of others at either end: less than this part of what the probe carried, or less than this rate."""
IDLE_BUSY = 0.25
"""And their processors: so much of their time is others' at most."""
PROBE_S = 3.0
PROBE_BYTES = 64_000_000
PROBE_STREAMS = 4
BETWEEN_S = 3.0
"""From the end of a run to the next one, about: what is under way, the look, the connections."""
BEYOND = 1.5
"""More than so many times the estimated volume is never sent."""
SAMPLE_S, SAMPLED_STREAMS = 0.01, 4
"""TCP_INFO of so many streams is read so often; of more streams in proportion more seldom."""


@dataclass
class Measurement:
    """A measurement.

    Parameters
    ----------
    asked : Asked
        What is asked for.
    caller : Caller
        The session with the other end.
    folder : Path
        Where results go; it is new or empty.
    target : str
        The other end, as the user named it.
    clock : dict, optional
        By how much its clock is ahead, where that is known (`windtunnel.measure.remote.Remote`).
    """

    asked: Asked
    caller: Caller
    folder: Path
    target: str
    clock: dict[str, float] | None = None
    probe: dict[str, Any] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    sent_bytes: int = 0
    most_bytes: int = PROBE_BYTES
    ended: str | None = None

    def estimate(self) -> tuple[float, float]:
        """Carry a little over the path; return about how many bytes all runs carry, and how many seconds they take.

        Raises
        ------
        MeasureError
            When nothing arrives.
        """
        self.here = machine.facts(self.caller.address[0])
        self._refuse_missing()
        one = Configuration((self.asked.algorithms[0],), None, PROBE_STREAMS)
        own, _ = self._exchange(one, Given(PROBE_S, SAMPLE_S, PROBE_BYTES), None)
        info = found.columns_of(own["rows"])
        rate = _steepest_bps(info)
        if not rate:
            raise MeasureError(f"nothing of the probe arrived at {self.target}")
        rtt = float(info["min_rtt_us"].min()) * 1e-6
        self.probe = {
            "rate_bps": rate,
            "rtt_s": rtt,
            "seconds": own["seconds"][-1][0],
            "bytes": self.sent_bytes,
            "algorithm": one.algorithms[0],
        }
        runs = plan(self.asked)
        seconds = sum(self.asked.seconds + IDLE_S + BETWEEN_S for _ in runs)
        volume = sum(self._volume(run.configuration) for run in runs)
        return volume, seconds

    def _volume(self, one: Configuration) -> float:
        """Return about how many bytes a run carries: what fills the path, or what its windows allow; of both directions."""
        rate = self.probe["rate_bps"]
        if one.window_bytes is not None:
            rate = min(rate, len(one.algorithms) * one.streams * one.window_bytes * 8 / max(self.probe["rtt_s"], 1e-5))
        return float(rate * (2 if one.beside == "reverse" else 1) * self.asked.seconds / 8)

    def _refuse_missing(self) -> None:
        """Refuse algorithms that this kernel does not have, before anything is sent."""
        for name in (MODULES[one].name for one in self.asked.algorithms):
            with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as asking:
                try:
                    asking.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
                except PermissionError:
                    way = "run as root, or list it in net.ipv4.tcp_allowed_congestion_control"
                    raise MeasureError(f"this user may not have {name}: {way}") from None
                except OSError:
                    has = self.here["settings"].get("net.ipv4.tcp_available_congestion_control", "")
                    raise MeasureError(f"this kernel has no congestion control '{name}'; it has: {has}") from None

    def run(self, agreed_bytes: float, say: Callable[[str], None]) -> None:
        """Do every run; what is done is kept whatever happens.

        Parameters
        ----------
        agreed_bytes : float
            What may be sent about; half as much again ends the measurement.
        say : callable
            Told what happens, a line each.

        Raises
        ------
        MeasureError
            When no run came to an end.
        """
        self.most_bytes = self.sent_bytes + int(BEYOND * agreed_bytes)
        runs = plan(self.asked)
        for number, planned in enumerate(runs, 1):
            try:
                row = self._one(number, planned)
            except (ChannelError, OSError) as error:
                self.ended = f"run {number} of {len(runs)}: {getattr(error, 'strerror', None) or error}"
                break
            self.rows.append(row)
            self._keep()
            rate = row["goodput_mbps"]
            say(f"{number} of {len(runs)}: {planned.configuration.name}: {'nothing' if rate is None else f'{rate:.4g} Mbit/s'}")
            if row["stopped"]:
                self.ended = f"after run {number} of {len(runs)}: {row['stopped']}"
                break
        if not self.rows:
            raise MeasureError(self.ended or "there is nothing to measure")
        self._keep()

    def _one(self, number: int, planned: Planned) -> dict[str, Any]:
        one, asked = planned.configuration, self.asked
        idle = self._idle()
        source = None
        if one.beside == "sine":
            mean, swing = (SINE_MOST + SINE_LEAST) / 2, (SINE_MOST - SINE_LEAST) / 2
            rate = self.probe["rate_bps"]
            period_s = min(SINE_PERIOD_S, asked.seconds / 2)
            source = {"rate_bps": mean * rate, "amplitude_bps": swing * rate, "period_s": period_s, "packet_bytes": PACKET_BYTES}
        count = len(one.orders())
        given = Given(asked.seconds, SAMPLE_S * max(1.0, count / SAMPLED_STREAMS), max(0, self.most_bytes - self.sent_bytes))
        began = time.time()
        own, theirs = self._exchange(one, given, source)
        row = {
            "number": number,
            "name": f"{number:03d}-{one.name}-{planned.repeat}",
            "alg": "+".join(one.algorithms),
            "window": one.window,
            "streams": one.streams,
            "beside": one.beside,
            "repeat": planned.repeat,
            "began_s": round(began, 3),
            **found.figures(one, asked.seconds, own, theirs),
            "limits": found.limits(one, own, theirs, self.here, self.caller.other),
            "idle": idle,
            "stopped": own["stopped"] or theirs["stopped"],
        }
        self._write(one, row, own, theirs, given)
        return row

    def _exchange(self, one: Configuration, given: Given, source: dict[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any]]:
        own, theirs = self.caller.run(one.orders(), given, source=source, asks=self.asked.pings)
        self.sent_bytes += sum(stream["written_bytes"] + stream["received_bytes"] for stream in own["streams"])
        self.sent_bytes += (own["datagrams"] or [0])[0] * PACKET_BYTES if source else 0
        return own, theirs

    def _idle(self) -> dict[str, Any]:
        """Look at both ends until others are quiet, some times; return what was seen last."""
        looks, is_idle = 0, False
        while not is_idle and looks < IDLE_TRIES:
            both = self.caller.look(IDLE_S)
            moved = max(sum(one["received_bytes"] + one["sent_bytes"] for one in look["devices"].values()) for look in both)
            busy = max(look["busy_s"] / max(look["processors_s"], 1e-9) for look in both)
            is_idle = 8 * moved / IDLE_S <= max(IDLE_SHARE * self.probe["rate_bps"], IDLE_BPS) and busy <= IDLE_BUSY
            looks += 1
        return {"is_idle": is_idle, "looks": looks, "others_bps": 8 * moved / IDLE_S, "busy": busy}

    def _write(self, one: Configuration, row: Mapping[str, Any], own: Mapping[str, Any], theirs: Mapping[str, Any], given: Given) -> None:
        notes = list(row["limits"])
        if not row["idle"]["is_idle"]:
            notes.append(
                f"before it the ends were not idle: {row['idle']['others_bps'] / 1e6:.3g} Mbit/s of others, busy {row['idle']['busy']:.0%}"
            )
        info = found.columns_of(own["rows"])
        scenario = scenario_of(
            one, given.seconds, max(row["rates_mbps"], default=0.0) * 1e6, float(info["min_rtt_us"].min(initial=1e9)) * 1e-6, given.sample_s
        )
        facts: dict[str, Any] = {
            "here": self.here,
            "there": self.caller.other,
            "machine": {"here": own["machine"], "there": theirs["machine"]},
        }
        facts |= {"beside": one.beside, "target": self.target, "streams": {"here": own["streams"], "there": theirs["streams"]}}
        with records.staged(self.folder / row["name"]) as temporary:
            records.write(records_of(one, scenario, own, facts, notes), temporary)

    def _keep(self) -> None:
        """Write what is known so far, whole or not at all."""
        document = {
            "format": FORMAT,
            "version": __version__,
            "target": self.target,
            "asked": {name: getattr(self.asked, name) for name in self.asked.__dataclass_fields__},
            "configurations": [one.name for one in configurations(self.asked)],
            "probe": self.probe,
            "clock": self.clock,
            "sent_bytes": self.sent_bytes,
            "ended": self.ended,
            "here": self.here,
            "there": self.caller.other,
            "runs": self.rows,
            "tables": tables.as_data(self.rows),
        }
        temporary = self.folder / f".{FILE}"
        temporary.write_text(json.dumps(document, indent=1, default=list) + "\n", encoding="utf-8")
        temporary.replace(self.folder / FILE)


def _steepest_bps(info: Mapping[str, Any]) -> float:
    """Return the highest rate of all streams together over 0.5 s, or over all of a shorter time; IP bits per second, about."""
    if not info["t_ns"].size:
        return 0.0
    ends = info["t_ns"].max() * 1e-9
    edges = np.linspace(0.0, ends, max(2, round(ends / 0.1) + 1))
    total = np.zeros(edges.size)
    for stream in np.unique(info["stream"]):
        mine = info["stream"] == stream
        total += np.interp(edges, info["t_ns"][mine] * 1e-9, info["acked_bytes"][mine])
    width = min(5, edges.size - 1)
    rates = 8 * (total[width:] - total[:-width]) / (edges[width:] - edges[:-width])
    return float(rates.max()) * 1.04 if rates.size else 0.0


def volume_words(volume: float) -> str:
    """Return bytes in words."""
    return f"{volume / GB:.3g} GB" if volume >= GB else f"{volume / 1e6:.3g} MB"
