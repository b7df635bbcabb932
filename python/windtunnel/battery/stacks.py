"""What holds for any whole stack, whatever its controller: closed forms of a path whose every number is known."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.battery import published
from windtunnel.foreign.errors import ForeignError
from windtunnel.frames import pl
from windtunnel.scenario import Bottleneck, Flow, Scenario

if TYPE_CHECKING:
    from windtunnel.foreign.stacks import Stack
    from windtunnel.records import Records

RTT_S = 0.04
RATE_BPS = 100e6
BDP_PACKETS = 333
SMALL_BYTES = 1_000
"""One datagram: a round trip after the handshake's. More of them a stack may pace over a further one (RFC 9002 7.7), as noq does."""
LARGE_BYTES = 2_000_000
ACK_DELAY_S = 0.025
"""A receiver's longest delay of an ACK (RFC 9000 18.2)."""
LEAST_UTILISATION = {"window": 0.9, "bbr": 0.85}
"""A window that backs off to a half (Reno; CUBIC to 0.7) still holds the pipe where the queue holds one BDP more: full but for the start.
BBR may leave 15 % of what it has measured to others (``BBRHeadroom``, draft-ietf-ccwg-bbr)."""

KEEPS_SIZES = ("quinn", "noq")
"""Stacks whose packets are as long without encryption as with it: the session of ours in their place leaves room for the tag. tquic's own
option sends none, so that its datagrams carry 16 bytes more of the application's."""


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


def tested(stack: Stack, run: Callable[[Scenario], Records], encrypted: Stack | None = None) -> Iterator[Check]:
    """Run every controller of a stack through the checks.

    Parameters
    ----------
    stack : Stack
        A built one.
    run : callable
        Runs a scenario.
    encrypted : Stack, optional
        Of a stack without encryption the one with it: the records must be the same where sizes are (`KEEPS_SIZES`).

    Yields
    ------
    Check
        Five of each controller, a sixth without encryption, then one of each expectation that its authors have published.
    """
    for algorithm in stack.algorithms:
        for check, ok, detail in _checks(stack, algorithm, run):
            yield Check(stack.name, algorithm, check, ok, detail)
        if encrypted is not None and encrypted.name in KEEPS_SIZES:
            plain, other = (_numbers(run(_scenario(one, algorithm))) for one in (stack, encrypted))
            apart = [name for name, frame in plain.items() if not frame.equals(other[name])]
            detail = f"{', '.join(apart)} differ" if apart else f"{sum(frame.height for frame in plain.values()):,} rows"
            yield Check(stack.name, algorithm, "the records of the encrypted connection", not apart, detail)
    for one in published.expected(stack):
        try:
            took_s = run(published.scenario(one, stack)).flows["completed_s"][0]
            detail = f"not within {2 * one.within_s:.1f} s" if took_s is None else f"{took_s:.2f} s"
        except ForeignError as error:
            # It may end its own connection there: that is an answer, too.
            took_s, detail = None, str(error)
        check = f"{one.test}: {one.bytes / 1e6:.0f} MB within {one.within_s:.1f} s"
        yield Check(stack.name, one.algorithm, check, took_s is not None and took_s < one.within_s, detail)


def _checks(stack: Stack, algorithm: str, run: Callable[[Scenario], Records]) -> Iterator[tuple[str, bool, str]]:
    small = run(_scenario(stack, algorithm, bytes=SMALL_BYTES)).flows
    took_s = small["completed_s"][0]
    ok = took_s is not None and 2 * RTT_S < took_s < 2 * RTT_S + ACK_DELAY_S + 0.01
    yield (
        "a handshake of one round trip, 1 kB in the next",
        ok,
        "never" if took_s is None else f"{1e3 * took_s:.1f} ms of {2e3 * RTT_S:.0f}",
    )

    large = run(_scenario(stack, algorithm, bytes=LARGE_BYTES)).flows
    read = int(large["delivered_bytes"][0])
    yield "what was sent arrives, once", read == LARGE_BYTES, f"{read:,} of {LARGE_BYTES:,} bytes"

    long = run(_scenario(stack, algorithm))
    # What it says of the smallest, or, where it does not, of the smoothed.
    said = [float(str(least)) for name in ("min_rtt_s", "srtt_s") if (least := long.flow_samples[name].min()) is not None]
    least_s, utilisation = said[0] if said else None, long.links["utilisation"][0]
    yield (
        "no RTT below the path's",
        least_s is not None and least_s >= RTT_S,
        "not said" if least_s is None else f"{1e3 * least_s:.3f} ms of {1e3 * RTT_S:.0f}",
    )
    yield (
        "one flow uses a link with a queue of one BDP",
        utilisation >= LEAST_UTILISATION["bbr" if algorithm.startswith("bbr") else "window"],
        f"{100 * utilisation:.1f} %",
    )
    with ThreadPoolExecutor(2) as workers:
        again = {records.digest() for records in workers.map(run, [_scenario(stack, algorithm)] * 2)}
    yield "the same records again, on one worker and on two", again == {long.digest()}, long.digest()[:12]


def _numbers(records: Records) -> dict[str, pl.DataFrame]:
    """Return the frames without their columns of text, in which the stack's name stands."""
    return {name: frame[[one.name for one in frame if one.dtype != pl.String()]] for name, frame in records.frames().items()}


@dataclass(frozen=True)
class Cost:
    """What a controller of a stack costs.

    Parameters
    ----------
    stack, algorithm : str
        Of what.
    us_per_packet : float
        User CPU time per datagram of data that reached its receiver, microseconds.
    times_real_time : float
        Simulated seconds per second of user CPU time.
    """

    stack: str
    algorithm: str
    us_per_packet: float
    times_real_time: float


def cost(stack: Stack, algorithm: str, run: Callable[[Scenario], Records]) -> Cost:
    """Measure what two flows of a controller cost, from seconds 10 to 30 of a run.

    Parameters
    ----------
    stack : Stack
        A built one.
    algorithm : str
        One of its controllers.
    run : callable
        Runs a scenario, in a process of this one's.

    Returns
    -------
    Cost
        From the CPU time of this process's children, in steps of a clock tick.
    """
    spent_s, packets = [], []
    # The first is not counted: a process that is new starts in it.
    for duration_s in (1.0, 10.0, 30.0):
        scenario = _scenario(stack, algorithm, flows=2, duration_s=duration_s)
        before_s = _children_s()
        flows = run(scenario).flows
        spent_s.append(_children_s() - before_s)
        packets.append(int(flows["sent_packets"].sum()) - int(flows["lost_packets"].sum()))
    more_s, more_packets = spent_s[2] - spent_s[1], packets[2] - packets[1]
    return Cost(stack.name, algorithm, 1e6 * more_s / more_packets, 20.0 / more_s)


def _children_s() -> float:
    """Return the user CPU time of all living children and of what has ended below them, seconds (proc(5): fields 4, 14 and 16)."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue  # It has ended since.
        if int(fields[1]) == os.getpid():
            # A guest of a kernel's has ended with its run.
            ticks += int(fields[11]) + int(fields[13])
    return ticks / os.sysconf("SC_CLK_TCK")


def _scenario(stack: Stack, algorithm: str, bytes: int | None = None, flows: int = 1, duration_s: float = 10.0) -> Scenario:
    flow = Flow(algorithm=algorithm, stack=stack.known_as, bytes=bytes)
    bottleneck = Bottleneck(rate_bps=RATE_BPS, queue_packets=BDP_PACKETS)
    return Scenario(bottleneck=bottleneck, rtt_s=RTT_S, flows=(flow,) * flows, duration_s=duration_s, warmup_s=min(3.0, duration_s / 2))
