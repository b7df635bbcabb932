"""What the register of metrics has no name for: the flow under test against those beside it, over the run's own window.

A scenario of this package lists the flow under test first.
"""

from __future__ import annotations

from windtunnel.metrics import View
from windtunnel.metrics.throughput import total_bps

MEGA = 1e6


def _window(view: View) -> tuple[float, float]:
    return float(view.scenario["warmup_s"]), view.duration_s


def _rates_mbps(view: View) -> tuple[float, list[float]] | None:
    """Return the throughput of the application under test and of each of the others, Mbit/s."""
    own = next(part for part in view.applications if 0 in part)
    others = [total_bps(view, part, *_window(view)) for part in view.applications if part is not own]
    rate, known = total_bps(view, own, *_window(view)), [one for one in others if one is not None]
    return (rate / MEGA, [one / MEGA for one in known]) if rate is not None and known and len(known) == len(others) else None


def own_mbps(view: View) -> float | None:
    """Return the throughput of the flow under test, Mbit/s."""
    rates = _rates_mbps(view)
    return None if rates is None else rates[0]


def others_mbps(view: View) -> float | None:
    """Return the throughput of a flow beside it, mean over them, Mbit/s."""
    rates = _rates_mbps(view)
    return None if rates is None else sum(rates[1]) / len(rates[1])


def own_share(view: View) -> float | None:
    """Return the share of the flow under test in what all deliver; None when they deliver nothing."""
    rates = _rates_mbps(view)
    whole = 0.0 if rates is None else rates[0] + sum(rates[1])
    return rates[0] / whole if rates is not None and whole > 0 else None


def load_rtt_ms(view: View) -> float | None:
    """Return the round-trip time under load, mean over the flows, ms."""
    rtts = [view.row(flow)["mean_rtt_s"] for flow in view.foreground]
    return None if not rtts or None in rtts else 1e3 * sum(rtts) / len(rtts)


def load_mbps(view: View) -> float | None:
    """Return the throughput of all flows together, Mbit/s."""
    rates = _rates_mbps(view)
    return None if rates is None else rates[0] + sum(rates[1])


def resent_percent(view: View) -> float | None:
    """Return the retransmitted among the sent packets of all flows, per cent; none is zero."""
    again, sent = ([view.row(flow)[name] for flow in view.foreground] for name in ("window_retransmitted_packets", "window_sent_packets"))
    return None if None in again or None in sent or not sum(sent) else 100 * sum(again) / sum(sent)
