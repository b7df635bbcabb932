"""What holds for any whole stack, whatever its controller: closed forms of a path whose every number is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windtunnel.scenario import Bottleneck, Flow, Scenario

if TYPE_CHECKING:
    from windtunnel.foreign.stacks import Stack
    from windtunnel.records import Records

RTT_S = 0.04
RATE_BPS = 100e6
BDP_PACKETS = 333
SMALL_BYTES = 10_000
"""Less than an initial window (RFC 9002 7.2): one round trip after the handshake's."""
LARGE_BYTES = 2_000_000
ACK_DELAY_S = 0.025
"""A receiver's longest delay of an ACK (RFC 9000 18.2)."""
LEAST_UTILISATION = 0.9


@dataclass(frozen=True)
class Check:
    """A check and what it came to.

    Parameters
    ----------
    stack, algorithm : str
        Of what.
    check : str
        What must hold.
    ok : bool
        Whether it does.
    detail : str
        What was measured.
    """

    stack: str
    algorithm: str
    check: str
    ok: bool
    detail: str


def tested(stack: Stack, run: Callable[[Scenario], Records]) -> Iterator[Check]:
    """Run every controller of a stack through the checks.

    Parameters
    ----------
    stack : Stack
        A built one.
    run : callable
        Runs a scenario.

    Yields
    ------
    Check
        Four of each controller.
    """
    for algorithm in stack.algorithms:
        for check, ok, detail in _checks(stack, algorithm, run):
            yield Check(stack.name, algorithm, check, ok, detail)


def _checks(stack: Stack, algorithm: str, run: Callable[[Scenario], Records]) -> Iterator[tuple[str, bool, str]]:
    small = run(_scenario(stack, algorithm, bytes=SMALL_BYTES)).flows
    took_s = small["completed_s"][0]
    ok = took_s is not None and 2 * RTT_S < took_s < 2 * RTT_S + ACK_DELAY_S + 0.01
    yield (
        "a handshake of one round trip, 10 kB in the next",
        ok,
        "never" if took_s is None else f"{1e3 * took_s:.1f} ms of {2e3 * RTT_S:.0f}",
    )

    large = run(_scenario(stack, algorithm, bytes=LARGE_BYTES)).flows
    read = int(large["delivered_bytes"][0])
    yield "what was sent arrives, once", read == LARGE_BYTES, f"{read:,} of {LARGE_BYTES:,} bytes"

    long = run(_scenario(stack, algorithm))
    least_s, utilisation = long.flow_samples["min_rtt_s"].min(), long.links["utilisation"][0]
    yield (
        "no RTT below the path's",
        least_s is not None and float(str(least_s)) >= RTT_S,
        f"{1e3 * float(str(least_s)):.3f} ms of {1e3 * RTT_S:.0f}",
    )
    yield "one flow uses a link with a queue of one BDP", utilisation >= LEAST_UTILISATION, f"{100 * utilisation:.1f} %"
    again = run(_scenario(stack, algorithm))
    yield "the same records twice", again.digest() == long.digest(), long.digest()[:12]


def _scenario(stack: Stack, algorithm: str, bytes: int | None = None) -> Scenario:
    flow = Flow(algorithm=algorithm, stack=stack.known_as, bytes=bytes)
    bottleneck = Bottleneck(rate_bps=RATE_BPS, queue_packets=BDP_PACKETS)
    return Scenario(bottleneck=bottleneck, rtt_s=RTT_S, flows=(flow,), duration_s=10.0, warmup_s=3.0)
