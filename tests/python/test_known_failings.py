"""The failings that the literature knows of some algorithms and queues show up here, and do not where it says they do not.

Each test has its control: the same path with what does not have the failing, so that an algorithm without it would fail the test.
"""

from __future__ import annotations

from typing import Any

import pytest

import windtunnel as wt
from windtunnel.scenario import parse

DURATION_S, WARMUP_S = 200.0, 50.0


def run(*flows: str, rate: str = "10Mbit", rtt: str = "42ms", queue: str = "1bdp", **link: Any) -> wt.Run:
    fields = {"rtt": rtt, "duration": f"{DURATION_S}s", "warmup": f"{WARMUP_S}s", "flows": list(flows)}
    return wt.run(parse({**fields, "bottleneck": {"rate": rate, "queue": queue, **link}}))


def goodputs_mbps(seen: wt.Run) -> list[float]:
    return [value * 8e-6 / (DURATION_S - WARMUP_S) for value in seen.flows["window_goodput_bytes"]]


def ratios(alg: str, **path: Any) -> tuple[float, float]:
    """How many times a flow has what Reno has that starts five seconds after it, and before it."""
    first, second = goodputs_mbps(run(alg, "reno,start=5s", **path))
    other, late = goodputs_mbps(run("reno", f"{alg},start=5s", **path))
    return first / second, late / other


def sent_again(seen: wt.Run) -> float:
    flows = seen.flows
    return float(flows["window_retransmitted_packets"].sum() / flows["window_sent_packets"].sum())


@pytest.mark.parametrize("alg", ["scalable", "bic"])
def test_scalable_and_bic_take_more_than_twice_what_reno_gets_beside_them(alg: str) -> None:
    # Li, Leith and Shorten (2007), figure 7: Scalable and BIC starve standard TCP where its window is large; 162 ms are 135 packets here.
    assert min(ratios(alg, rtt="162ms", queue="20%bdp")) > 2
    assert max(ratios("reno", rtt="162ms", queue="20%bdp")) < 2


def test_vegas_gets_less_than_half_of_what_reno_gets_beside_it() -> None:
    # J. Mo, R. La, V. Anantharam, J. Walrand (Infocom 1999): Reno fills the queue, Vegas keeps alpha to beta packets of it.
    assert max(ratios("vegas")) < 0.5
    alone = goodputs_mbps(run("vegas", "vegas,start=5s"))
    assert max(alone) / min(alone) < 2


def test_bbr_sends_much_again_in_buffers_below_one_and_a_half_bdp_and_not_above() -> None:
    # RFC 9743, 5.1.3, of BBRv1: sustained loss where several flows share a buffer of less than 1.5 BDP.
    shallow, deep = (sent_again(run("bbr", "bbr,start=5s", rate="50Mbit", queue=queue)) for queue in ("50%bdp", "3bdp"))
    assert shallow > 0.01 > 10 * deep
    assert sent_again(run("reno", "reno,start=5s", rate="50Mbit", queue="50%bdp")) < 0.002


def test_a_bbr_flow_starves_reno_in_a_buffer_of_a_fifth() -> None:
    # M. Hock, R. Bless, M. Zitterbart (ICNP 2017): in shallow buffers loss-based flows give way and BBRv1 does not.
    assert min(ratios("bbr", rtt="162ms", queue="20%bdp")) > 5


def test_a_late_ledbat_flow_takes_the_link_from_the_first_where_the_queue_is_longer_than_its_target() -> None:
    # G. Carofiglio and others (2010), D. Rossi and others (ICCCN 2010): the late comer measures the first one's queue as its base delay.
    early, late = goodputs_mbps(run("ledbat", "ledbat,start=20s", rtt="80ms", queue="4bdp"))
    assert late > 3 * early
    # In a queue of 40 ms, below the target of 100, losses tell both the same.
    early, late = goodputs_mbps(run("ledbat", "ledbat,start=20s", rtt="80ms", queue="50%bdp"))
    assert late < 3 * early


def staggered(discipline: str, rtt: str) -> tuple[float, float]:
    """Goodput of three CUBIC flows that start a while apart, Mbit/s, and the mean queue in packets."""
    seen = run("cubic", "cubic,start=20s", "cubic,start=40s", rtt=rtt, queue="180", discipline=discipline)
    return sum(goodputs_mbps(seen)), float(seen.links["mean_queue_packets"][0])


def test_pie_codel_and_fq_codel_cut_the_queue_at_20_ms_without_cost_and_lose_goodput_at_200_ms() -> None:
    # G. Armitage, CAIA-TR-140630A (2014): three staggered flows on 10 Mbit/s; at 20 ms queueing delays drop dramatically without
    # significant
    # impact on throughput, at 200 ms all three show some drop-off of throughput relative to pfifo. 180 packets are this test's buffer.
    near, far = staggered("drop-tail", "20ms"), staggered("drop-tail", "200ms")
    for discipline in ("pie", "codel", "fq-codel"):
        goodput, queue = staggered(discipline, "20ms")
        assert queue < near[1] / 3 and goodput > 0.95 * near[0], discipline
        assert staggered(discipline, "200ms")[0] < 0.99 * far[0], discipline
