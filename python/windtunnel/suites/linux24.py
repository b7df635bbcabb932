"""What the studies of 2003 and 2004 share: Linux 2.4, and FAST with a clock of its own."""

from __future__ import annotations

from typing import Any

from windtunnel.scenario import Flow

PROFILE = "linux-2.4"
STACK = (
    "stack",
    "profile linux-2.4: forward acknowledgement, rate halving, delayed ACKs each counted once, initial window 2, a clock of 10 ms",
)
FAST_NOTE = (
    "FAST reads a fine clock, not the stack's ticks of 10 ms: its authors print its shortest round trips in hundredths of a millisecond. "
    "It would multiply its window where the queueing delay is zero, without a tolerance: no measured delay is, so that alpha is constant."
)
_FAST = ("fast", "fast-bqd")
_FINE: dict[str, bool | int | float | str] = {"rtt_granularity_s": 0.0}


def flow(algorithm: str, **given: Any) -> Flow:
    """Return a flow of those days.

    FAST multiplies its window only where the delay of the queue is zero, which no smoothed delay ever is: alpha is constant. With a
    tolerance, of 0.1 ms already, two flows at 800 Mbit/s and 200 ms leap past every queue below half the bandwidth-delay product, again and
    again. Which verdicts depend on it is in docs/validation.md. FAST times its own segments on every profile; the exact clock is its
    retransmission timer's.

    Parameters
    ----------
    algorithm : str
        Its name.
    **given
        Further fields of `Flow`.
    """
    if algorithm not in _FAST:
        return Flow(algorithm=algorithm, **given)
    parameters = {"mi_threshold": 0.0, **given.pop("parameters", {})}
    return Flow(algorithm=algorithm, parameters=parameters, transport={**_FINE, **given.pop("transport", {})}, **given)
