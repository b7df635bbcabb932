"""What the gate measures of a run: one number each, from the counters of the run's window, with which way is better.

A cell lists the flows under test first; how many they are is bound as `own`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from windtunnel.metrics import View
from windtunnel.metrics.throughput import total_bps

MORE, LESS = "more", "less"
MEGA = 1e6


@dataclass(frozen=True)
class Quantity:
    """One measured quantity.

    Parameters
    ----------
    name : str
        As baselines and margins write it.
    title, unit : str
        For a reader.
    better : {"more", "less"}
        Which way is better.
    function : callable
        From a run's view and, as `own`, the number of flows under test to the value; None where the run has none.
    """

    name: str
    title: str
    unit: str
    better: str
    function: Callable[..., float | None]

    def bound(self, own: int) -> Callable[[View], float | None]:
        """Return the function for a cell with so many flows under test."""
        return partial(self.function, own=own)


def _window(view: View) -> tuple[float, float]:
    return float(view.scenario["warmup_s"]), view.duration_s


def _rates_bps(view: View, flows: Sequence[int]) -> list[float] | None:
    rates = [total_bps(view, (flow,), *_window(view)) for flow in flows]
    known = [rate for rate in rates if rate is not None]
    return known if known and len(known) == len(rates) else None


def _sum(view: View, column: str, flows: Sequence[int]) -> float | None:
    values = [view.row(flow)[column] for flow in flows]
    return None if None in values else float(sum(values))


def goodput_mbps(view: View, *, own: int) -> float | None:
    """Return the payload delivered by the flows under test in the window, Mbit/s."""
    carried = _sum(view, "window_goodput_bytes", range(own))
    t0, t1 = _window(view)
    return None if carried is None else carried * 8 / (t1 - t0) / MEGA


def delay_ms(view: View, *, own: int) -> float | None:
    """Return the mean round-trip time of the flows under test above their base RTT, ms: the delay that queues add."""
    added = []
    for flow in range(own):
        mean_s = view.row(flow)["mean_rtt_s"]
        if mean_s is None:
            return None
        added.append(float(mean_s) - view.base_rtt_s(flow))
    return 1e3 * sum(added) / len(added)


def resent_percent(view: View, *, own: int) -> float | None:
    """Return the retransmitted among the sent packets of the flows under test in the window, per cent."""
    again, sent = (_sum(view, name, range(own)) for name in ("window_retransmitted_packets", "window_sent_packets"))
    return None if again is None or not sent else 100 * again / sent


def balance(view: View, *, own: int) -> float | None:
    """Return Jain's index of the flows under test (DEC-TR-301): 1 when all carry the same, 1/n when one carries all."""
    rates = _rates_bps(view, range(own))
    if rates is None or not sum(rates):
        return None
    return float(sum(rates) ** 2 / len(rates) / sum(rate**2 for rate in rates))


def left(view: View, *, own: int) -> float | None:
    """Return what the flows beside those under test carry over their fair share of the link's rate."""
    listed = len(view.scenario["flows"])
    rates = _rates_bps(view, range(own, listed))
    return None if rates is None else sum(rates) / view.rate_bps * listed / len(rates)


def own_share(view: View, *, own: int) -> float | None:
    """Return what the flows under test carry over their fair share of the link's rate."""
    rates = _rates_bps(view, range(own))
    return None if rates is None else sum(rates) / view.rate_bps * len(view.scenario["flows"]) / own


def done_s(view: View, *, own: int) -> float | None:
    """Return how long the first flow takes for its bytes, seconds; the rest of the run where it does not end."""
    start_s = view.start_s(0)
    done = view.row(0)["completed_s"]
    return (view.duration_s if done is None else float(done)) - start_s


def _completions_s(view: View) -> np.ndarray | None:
    """Return the completion times of the first source's transfers; one that is under way at the end counts as long as it has lasted."""
    rows = view.records.transfers
    if rows is None:
        return None
    own = rows.filter(rows["source"] == 0)
    if not own.height:
        return None
    lasted = view.duration_s - own["start_s"].to_numpy()
    times = own["completion_s"].to_numpy()
    return np.where(np.isnan(times), lasted, times)


def transfer_s(view: View, *, own: int) -> float | None:
    """Return the geometric mean of the transfers' completion times, seconds: short and long ones count the same."""
    times = _completions_s(view)
    return None if times is None else math.exp(float(np.log(times).mean()))


def transfer_p95_s(view: View, *, own: int) -> float | None:
    """Return the 95th percentile of the transfers' completion times, seconds."""
    times = _completions_s(view)
    return None if times is None else float(np.quantile(times, 0.95))


def transfer_p99_s(view: View, *, own: int) -> float | None:
    """Return the 99th percentile of the transfers' completion times, seconds: those that meet a timeout are among them."""
    times = _completions_s(view)
    return None if times is None else float(np.quantile(times, 0.99))


def timeouts_percent(view: View, *, own: int) -> float | None:
    """Return the share of the transfers that met a retransmission timeout, per cent."""
    rows = view.records.transfers
    if rows is None or not (own_rows := rows.filter(rows["source"] == 0)).height:
        return None
    return 100 * int((own_rows["timeouts"] > 0).sum()) / own_rows.height


GOODPUT = Quantity("goodput", "goodput", "Mbit/s", MORE, goodput_mbps)
DELAY = Quantity("delay", "delay added by queues", "ms", LESS, delay_ms)
RESENT = Quantity("resent", "sent again", "%", LESS, resent_percent)
BALANCE = Quantity("balance", "Jain's index", "", MORE, balance)
LEFT = Quantity("left", "left to the others, of their fair share", "", MORE, left)
OWN = Quantity("own", "own, of the fair share", "", MORE, own_share)
DONE = Quantity("done", "time to the last byte", "s", LESS, done_s)
TRANSFER = Quantity("transfer", "completion of transfers, geometric mean", "s", LESS, transfer_s)
TRANSFER_P95 = Quantity("transfer_p95", "completion of transfers, 95 %", "s", LESS, transfer_p95_s)
TRANSFER_P99 = Quantity("transfer_p99", "completion of transfers, 99 %", "s", LESS, transfer_p99_s)
TIMEOUTS = Quantity("timeouts", "transfers with a timeout", "%", LESS, timeouts_percent)

_ALL = (GOODPUT, DELAY, RESENT, BALANCE, LEFT, OWN, DONE, TRANSFER, TRANSFER_P95, TRANSFER_P99, TIMEOUTS)
QUANTITIES = {one.name: one for one in _ALL}
"""All of them by name."""
