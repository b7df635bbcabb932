"""Senders' hosts: what their processors did, what their devices refused; and the window that receivers offered."""

from __future__ import annotations

from functools import partial

from windtunnel.metrics import processors, throughput
from windtunnel.metrics.named.request import Defined, Request, Value, mean_of


def _column(request: Request, name: str) -> list[Value]:
    found = (request.view.row(flow)[name] for flow in request.tested)
    return [float(value) for value in found if value is not None]


def _sendstalls(request: Request) -> Value:
    counts = _column(request, "send_stalls")
    return float(sum(value for value in counts if value is not None)) if counts else None


def _rwnd_bytes(request: Request) -> Value:
    return mean_of(_column(request, "receive_window_bytes"))


def _rwnd_limited(request: Request) -> Value:
    view = request.view
    spans = [(view.row(flow)["receive_limited_s"], view.duration_s - view.start_s(flow)) for flow in request.tested]
    return mean_of([float(limited) / span for limited, span in spans if limited is not None])


def _cpu_cov(request: Request) -> Value:
    view, window = request.view, request.window
    return mean_of([throughput.variation(processors.use(view, host, *window)) for host in processors.hosts_of(view, request.tested)])


def _mhz_per_mbps(request: Request) -> Value:
    view, window = request.view, request.window
    hosts = processors.hosts_of(view, request.tested)
    if processors.has_transfers(view):
        return None
    cycles = [processors.cycles_per_s(view, host, *window) for host in hosts]
    rate = throughput.total_bps(view, processors.flows_on(view, hosts), *window)
    known = [value for value in cycles if value is not None]
    return sum(known) / rate if rate and known and len(known) == len(hosts) else None


_FLOW = partial(Defined, by_flow=True)
_RUN = partial(Defined, by_flow=True, windowed=False)

MEASURES: dict[str, Defined] = {
    "sendstalls": _RUN("count", _sendstalls, "segments that the sender's full device queue refused, `txqueuelen` (slac03, 4.3)"),
    "cpu_cov": _FLOW("1", _cpu_cov, "sample deviation over mean of the processor's use in each second, mean over hosts (fast04, Fig. 8)"),
    "mhz_per_mbps": _FLOW("MHz per Mbit/s", _mhz_per_mbps, "processor use x clock over throughput of the flows on the host (slac03, 4.2)"),
    "rwnd_limited": _RUN("share", _rwnd_limited, "share of a flow's time for which only the receiver's buffer held it back"),
    "rwnd_bytes": _RUN("bytes", _rwnd_bytes, "largest window that the receiver offered (fast04, IV.B.2)"),
}
