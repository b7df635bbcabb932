"""What the authors of stacks expect of them in simulated tests of their own, once more on our links.

Of picoquic's tests those without loss, jitter or a remembered path, in which one connection carries so many bytes within a time
(``picoquictest/satellite_test.c`` and ``congestion_test.c`` of 1.1.53.0): their links count the payload of UDP alone and bound a queue by
time. Of neqo's ``gbit_bandwidth`` (``neqo-transport/tests/network.rs``) the capacity, of every stack's CUBIC: neqo itself is not among the
stacks. quiche is asked for the same capacity over two fifths of the bytes: more end its slow start, which loses thousands of datagrams at
once. On its way to what is to be sent again ``SendBuf::emit`` (``stream/send_buf.rs`` of 0.30.0) steps over each piece that waits for an
ACK, and at each asks ``off_front``, which steps over all that follow: 80 MiB had not ended after 20 s of CPU, 97 % of them there. Theirs
go from the server where ours go from the client, some on four streams after each other where ours is one, and end when all has arrived;
ours end half a round trip later, with the last ACK.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windtunnel.scenario import Bottleneck, Flow, Scenario

if TYPE_CHECKING:
    from windtunnel.foreign.stacks import Stack

_HEADERS = 1500 / 1472
"""A full packet over its UDP payload, which picoquic's links count alone."""
_MILLION = 2**20 / 1e6
"""Where a test of picoquic's sets a link's picoseconds per byte itself, as those of satellites do, its link takes 2^20 of them for a
microsecond (``picoquictest_sim_link_transmit_time`` in ``sim_link.c``): it carries so much more than the test's name of the rate."""


@dataclass(frozen=True)
class Expectation:
    """What a published test expects.

    Parameters
    ----------
    stack : str
        Of which; empty for every one that has none of this test's name for itself.
    algorithm : str
        With which controller.
    test : str
        Its name there.
    bytes : int
        What is sent.
    rate_bps, back_bps : float
        Of the link of data and of the one of ACKs, IP bits per second.
    rtt_s : float
        Propagation both ways, seconds.
    queue_s : float
        The queue at the link of data, as time at its rate, seconds.
    within_s : float
        All must have arrived by then, seconds, the handshake included.
    """

    stack: str
    algorithm: str
    test: str
    bytes: int
    rate_bps: float
    back_bps: float
    rtt_s: float
    queue_s: float
    within_s: float


def _satellite(algorithm: str, test: str, up_mbps: float, down_mbps: float, within_s: float) -> Expectation:
    """100 MB over 300 ms each way, with a queue of one BDP."""
    rates = (1e6 * up_mbps * _HEADERS * _MILLION, 1e6 * down_mbps * _HEADERS * _MILLION)
    return Expectation("picoquic", algorithm, f"satellite_{test}_test", 100_000_000, *rates, 0.6, 0.6, within_s)


def _congestion(algorithm: str, test: str, within_s: float) -> Expectation:
    """4 MB over 10 Mbit/s and 10 ms each way, with a queue of 20 ms."""
    return Expectation("picoquic", algorithm, f"{test}_test", 4_000_000, 1e7 * _HEADERS, 1e7 * _HEADERS, 0.02, 0.02, within_s)


def _capacity(stack: str, mebibytes: int) -> Expectation:
    """Half of what neqo's window of 1 MiB carries in 100 ms; its queue was not read, ours is one BDP."""
    return Expectation(stack, "cubic", "neqo's gbit_bandwidth", mebibytes << 20, 1e9, 1e9, 0.1, 0.1, mebibytes * 0.1 / 0.5)


EXPECTED = (
    _congestion("cubic", "cubic", 3.5),
    _congestion("bbr", "bbr", 3.5),
    _congestion("bbr1", "bbr1", 3.6),
    _congestion("fast", "fastcc", 3.7),
    _congestion("c4", "c4", 3.6),
    _satellite("bbr", "basic", 250, 3, 5.5),
    _satellite("bbr1", "bbr1", 250, 3, 7.0),
    _satellite("cubic", "cubic", 250, 3, 6.5),
    _satellite("bbr", "medium", 50, 10, 18.2),
    _satellite("bbr", "small", 10, 2, 81.5),
    _capacity("", 100),
    _capacity("quiche", 40),
)
"""Sources above. `within_s` is each test's own largest completion time; neqo's is its least bandwidth."""


def expected(stack: Stack) -> Iterator[Expectation]:
    """Yield what is expected of a stack's controllers."""
    own = [one for one in EXPECTED if one.stack == stack.name]
    for one in [*own, *(one for one in EXPECTED if not one.stack and one.test not in {other.test for other in own})]:
        if one.algorithm in stack.algorithms:
            yield one


def scenario(one: Expectation, stack: Stack) -> Scenario:
    """Return an expectation's path with one flow of a stack on it, twice as long as it may take."""
    return Scenario(
        bottleneck=Bottleneck(rate_bps=one.rate_bps, queue_s=one.queue_s),
        reverse=Bottleneck(rate_bps=one.back_bps, queue_s=one.queue_s),
        rtt_s=one.rtt_s,
        flows=(Flow(algorithm=one.algorithm, stack=stack.known_as, bytes=one.bytes),),
        duration_s=2 * one.within_s,
        sample_s=0.1,
    )
