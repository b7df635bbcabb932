"""The bottleneck: its queue and delay, its drops and marks, its congestion events."""

from __future__ import annotations

from functools import partial

import numpy as np

from windtunnel.metrics import congestion, delays
from windtunnel.metrics.named.request import Defined, Request, Value, each, milliseconds
from windtunnel.metrics.view import PACKET_BYTES


def _pred_ratio(request: Request, exponent: int) -> Value:
    return congestion.predicted_ratio(request.view, *request.window, exponent=exponent)


def _loss_ovh(request: Request) -> Value:
    view = request.view
    if not view.is_counted(*request.window):
        return None
    columns = ("window_retransmitted_packets", "window_sent_packets")
    again, sent = ([view.row(flow)[name] for flow in view.foreground] for name in columns)
    if None in again or None in sent or not sum(sent):
        return None
    return float(max(sum(again), 1) / sum(sent))


def _loss_least(request: Request) -> Value:
    sent = [request.view.row(flow)["window_sent_packets"] for flow in request.view.foreground]
    if not request.view.is_counted(*request.window) or None in sent or not sum(sent):
        return None
    return float(1 / sum(sent))


def _queue_pkts(request: Request) -> Value:
    return congestion.mean_queue_packets(request.view, *request.window)


def _qocc(request: Request) -> Value:
    queue = _queue_pkts(request)
    return None if queue is None else queue / request.view.queue_packets


def _count(request: Request, column: str) -> Value:
    counted = request.view.link[column]
    return None if counted is None else float(counted)


def _share(request: Request, column: str) -> Value:
    """Return a count over the packets that arrived at the queue: those it carried and those it dropped."""
    link = request.view.link
    if link[column] is None or link["dropped_packets"] is None or link["delivered_bytes"] is None:
        return None
    arrived = link["delivered_bytes"] / PACKET_BYTES + link["dropped_packets"]
    return float(link[column] / arrived) if arrived else None


def _rev_drops(request: Request) -> Value:
    link = request.view.reverse_link
    return None if link is None or link["dropped_packets"] is None else float(link["dropped_packets"])


def _delay_ms(request: Request, level: float | None) -> Value:
    seconds = delays.queueing_s(request.view, *request.window)
    if not seconds.size:
        return None
    return milliseconds(float(seconds.mean() if level is None else np.quantile(seconds, level)))


def _probes(request: Request) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    view = request.view
    flows = request.tested or view.foreground
    return delays.probes_s(view, max(view.base_rtt_s(flow) for flow in flows), *request.window)


def _rtt_mean_ms(request: Request) -> Value:
    probes = _probes(request)
    return milliseconds(float(probes.mean())) if probes.size else None


def _rtt_sd_ms(request: Request) -> Value:
    probes = _probes(request)
    return milliseconds(float(probes.std(ddof=1))) if probes.size > 1 else None


def _rtt_max_ms(request: Request) -> Value:
    probes = _probes(request)
    return milliseconds(float(probes.max())) if probes.size else None


def _bdp_pkts(request: Request) -> Value:
    view = request.view
    longest_s = max(view.base_rtt_s(flow) for flow in request.shown)
    return view.rate_bps * longest_s / (8 * PACKET_BYTES)


def _pkts_per_loss(request: Request) -> Value:
    window = _bdp_pkts(request)
    return None if window is None else window**2 / 1.5


def _event_interval(request: Request) -> Value:
    view, window = request.view, _bdp_pkts(request)
    return None if window is None else window / 1.5 * max(view.base_rtt_s(flow) for flow in request.shown)


_PLAIN = partial(Defined, windowed=False)

MEASURES: dict[str, Defined] = {
    "lambda_sync": Defined(
        "fraction", each(congestion.lambda_sync), "congestion events at which the flow backs off, over all (li07, eq. 4)", by_flow=True
    ),
    "pred_ratio_eq4": Defined(
        "1", partial(_pred_ratio, exponent=2), "(λ_L T_L²)/(λ_S T_S²) from measured λ: eq. (4) of li07 over another T"
    ),
    "pred_ratio_eq4@printed": Defined("1", partial(_pred_ratio, exponent=1), "eq. (4) of li07 as printed, one T"),
    "loss_ovh": Defined("fraction", _loss_ovh, "retransmitted over sent packets, all foreground flows; none counts as one (li07, VI.D)"),
    "loss_least": Defined("fraction", _loss_least, "one over the sent packets: the least that loss_ovh can be"),
    "drops_pkts": _PLAIN("packets", partial(_count, column="dropped_packets"), "packets the queue dropped; random loss is not in it"),
    "marks_pkts": _PLAIN("packets", partial(_count, column="marked_packets"), "packets the queue marked (RFC 3168)"),
    "drop_share": _PLAIN("fraction", partial(_share, column="dropped_packets"), "drops over arrivals at the queue (RFC 5166, 2.3)"),
    "mark_share": _PLAIN("fraction", partial(_share, column="marked_packets"), "marks over arrivals at the queue (RFC 5166, 2.3)"),
    "rev_drops": _PLAIN("packets", _rev_drops, "packets the reverse queue dropped (leith08, IV.A.2)"),
    "queue_pkts": Defined("packets", _queue_pkts, "time mean of the queue, the packet in service included"),
    "qocc": Defined("fraction of buffer", _qocc, "time mean of the queue over the buffer (fast04, Fig. 3)"),
    "fill_pkts": Defined(
        "packets",
        lambda request: delays.filled_packets(request.view, *request.window),
        "largest less smallest queue within a congestion epoch, mean over complete epochs (leith08, IV.B)",
    ),
    "qdelay_mean_ms": Defined("ms", partial(_delay_ms, level=None), "mean queueing delay of the samples (RFC 5166, 2.2)"),
    "qdelay_p50_ms": Defined("ms", partial(_delay_ms, level=0.5), "median queueing delay of the samples"),
    "qdelay_p95_ms": Defined("ms", partial(_delay_ms, level=0.95), "its 95th percentile"),
    "qdelay_p99_ms": Defined("ms", partial(_delay_ms, level=0.99), "its 99th percentile"),
    "qdelay_max_ms": Defined("ms", partial(_delay_ms, level=1.0), "its largest sample"),
    "rtt_mean_ms": Defined(
        "ms", _rtt_mean_ms, "mean RTT of probes once a second: base RTT and the queues they meet (slac03, 4.1)", by_flow=True
    ),
    "rtt_sd_ms": Defined("ms", _rtt_sd_ms, "sample deviation (n - 1) of those probes", by_flow=True),
    "rtt_max_ms": Defined("ms", _rtt_max_ms, "the largest of those probes", by_flow=True),
    "bdp_pkts": _PLAIN("packets", _bdp_pkts, "rate x base RTT / 12000; mixed RTTs: the longest, or the flow selected", by_flow=True),
    "window_pkts": _PLAIN("packets", _bdp_pkts, "the window that fills the path: rate x RTT / 12000 (slac03, 1)", by_flow=True),
    "pkts_per_loss": _PLAIN(
        "packets", _pkts_per_loss, "1/p of the square-root law for that window w, w²/1.5 (Mathis et al. 1997)", by_flow=True
    ),
    "event_interval_s": _PLAIN("s", _event_interval, "time between losses that takes: w/1.5 round trips (slac03, 1)", by_flow=True),
}
