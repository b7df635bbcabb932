"""What is measured on every run of the comparison, over the window that the run itself counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from windtunnel.metrics import View, measure

WINDOWLESS = ("conv80_s",)
"""Metrics with a window of their own."""
RETRANSMITTED = "retransmitted_packets"
"""Beside the share: how many packets it is made of."""


def counted(name: str, view: View) -> float | None:
    """Return a metric of the register over the run's own window, from its warm-up to its end.

    Parameters
    ----------
    name : str
        A key of `windtunnel.metrics.MEASURES`.
    view : View
        The run.
    """
    if name in WINDOWLESS:
        return measure(name, view)
    return measure(name, view, t0=float(view.scenario["warmup_s"]), t1=view.duration_s)


def first_of(name: str, view: View) -> float | None:
    """Return the same of flow 1 only."""
    return measure(name, view, flow=1, t0=float(view.scenario["warmup_s"]), t1=view.duration_s)


def share(name: str, view: View) -> float | None:
    """Return flow 1's share of what all foreground flows deliver in the run's own window; None when they deliver nothing."""
    del name
    part, whole = first_of("thr_mbps", view), measure("thr_mbps", view, flow="sum", t0=float(view.scenario["warmup_s"]), t1=view.duration_s)
    return None if part is None or not whole else part / whole


def retransmitted(name: str, view: View) -> float | None:
    """Return the packets that all foreground flows retransmit in the run's own window; None where one was not counted."""
    del name
    counts = [view.row(flow)["window_retransmitted_packets"] for flow in view.foreground]
    return None if None in counts else float(sum(counts))


MEASURES: Mapping[str, Callable[[str, View], float | None]] = {
    "share": share,
    RETRANSMITTED: retransmitted,
    **dict.fromkeys(("util", "loss_ovh", "qocc", "cwnd_pkts", "backoff_factor", "epoch_s", "conv80_s"), counted),
}
"""How each measure of the comparison is taken from a run."""
