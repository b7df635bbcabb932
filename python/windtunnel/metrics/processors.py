"""The processors of senders' hosts: how much of their time they worked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from windtunnel.frames import pl
from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.view import View

SECOND_S = 1.0
_SLACK_S = 1e-6


def hosts_of(view: View, flows: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of the hosts that flows are on, each once, in order."""
    found = (view.row(flow)["host"] for flow in flows)
    return tuple(dict.fromkeys(int(host) for host in found if host is not None))


def flows_on(view: View, hosts: Sequence[int]) -> tuple[int, ...]:
    """Return the flows that are on these hosts."""
    return tuple(int(flow) for flow, host in view.records.flows.select("flow", "host").iter_rows() if host in hosts)


def has_transfers(view: View) -> bool:
    """Return whether transfers that come and go, whose rates are not sampled, are on the host that all share."""
    shared = view.scenario.get("host")
    return bool(shared and any(view.scenario.get(name) for name in ("arrivals", "sessions")))


def busy_s(view: View, host: int, times: Array) -> Array | None:
    """Return how long a processor had worked by given times.

    Parameters
    ----------
    view : View
        The run.
    host : int
        The host's number.
    times : numpy.ndarray, shape (n,)
        Seconds. Between samples the counter is interpolated.

    Returns
    -------
    numpy.ndarray, shape (n,), or None
        Seconds; None where it was not sampled, or not at these times.
    """
    frame = view.records.host_samples
    if frame is None or not times.size:
        return None
    rows = frame.filter(pl.col("host") == host)
    t_s = np.asarray(rows["t_s"].to_numpy(), dtype=np.float64)
    if not t_s.size or times[0] < t_s[0] - _SLACK_S or times[-1] > t_s[-1] + _SLACK_S:
        return None
    return np.asarray(np.interp(times, t_s, rows["busy_s"].to_numpy()), dtype=np.float64)


def use(view: View, host: int, t0: float, t1: float) -> Array | None:
    """Return a processor's use in each whole second from `t0` to `t1` (seconds), 0 to 1; None where it was not sampled once a second."""
    if view.sample_s > SECOND_S + _SLACK_S:
        return None
    worked = busy_s(view, host, np.arange(t0, t1 + _SLACK_S, SECOND_S))
    return None if worked is None or worked.size < 2 else np.diff(worked) / SECOND_S


def cycles_per_s(view: View, host: int, t0: float, t1: float) -> float | None:
    """Return the cycles per second that a processor worked from `t0` to `t1` (seconds); None without samples or a clock."""
    clock_hz = _host(view, host).get("cpu_hz")
    worked = busy_s(view, host, np.array([t0, t1]))
    return None if clock_hz is None or worked is None or not t1 > t0 else float(worked[1] - worked[0]) / (t1 - t0) * float(clock_hz)


def _host(view: View, host: int) -> dict[str, Any]:
    """Return a host as the scenario has it."""
    scenario = view.scenario
    listed = (scenario["flows"][flow].get("host") for flow in flows_on(view, (host,)) if flow < len(scenario["flows"]))
    return next((own for own in listed if own), None) or dict(scenario.get("host") or {})
