"""Data that arrives late, on a kernel."""

from __future__ import annotations

from statistics import mean, stdev
from typing import Any

import pytest

from windtunnel.backends import backend
from windtunnel.backends.sim import Simulator
from windtunnel.scenario import Scenario

pytestmark = pytest.mark.usefixtures("kernel")


def scenario(flow: str, late: str, **more: Any) -> Scenario:
    link = {"rate": "12Mbit", "queue": 100, "reorder": 0.02, "reorder_by": late}
    return Scenario(**{"bottleneck": link, "flows": [flow], "rtt": "40ms", "duration": "12s", "jitter": 0, **more})


def test_what_is_late_by_less_than_a_quarter_of_the_round_trip_is_not_sent_again() -> None:
    # RFC 8985: RACK gives 10 ms, but none before it has seen reordering if three segments are SACKed (6.2, step 4): in 2 ms two overtake.
    for seed in (1, 2):
        row = backend("linux").run(scenario("reno,window=30", "2ms", seed=seed)).flows.row(0, named=True)
        assert row["retransmitted_packets"] == row["loss_episodes"] == row["lost_packets"] == 0


def test_what_is_later_is_sent_again_and_undone_as_in_the_simulator() -> None:
    made = [scenario("reno,window=30", "30ms", seed=seed) for seed in range(1, 17)]
    ours = [Simulator().run(one).flows.row(0, named=True) for one in made]
    theirs = [backend("linux").run(one).flows.row(0, named=True) for one in made[:3]]
    for row in theirs:
        assert row["loss_episodes"] == row["undos"] > 0 and row["lost_packets"] <= 3
    # The first few are sent again until RACK waits long enough; then each late packet stalls the window for its 30 ms. Four standard
    # errors of a run, which the simulator's sixteen tell.
    for name in ("delivered_packets", "retransmitted_packets"):
        expected, spread = mean(row[name] for row in ours), stdev(row[name] for row in ours)
        assert mean(row[name] for row in theirs) == pytest.approx(expected, abs=4 * spread / 3**0.5), name
    # Of a window of 30 in 42 ms late packets cost a tenth or more: without them it would deliver this.
    assert max(row["delivered_packets"] for row in theirs) < 0.95 * 12 * 30 / 0.042


def doubled(flow: str, probability: float) -> Scenario:
    link = {"rate": "12Mbit", "queue": 100, "duplicate": probability}
    return Scenario(bottleneck=link, flows=[flow], rtt="40ms", duration="12s", jitter=0)


def test_copies_that_are_reported_cost_nothing() -> None:
    made = doubled("reno,window=30", 0.1)
    ours, theirs = (one.run(made).flows.row(0, named=True) for one in (Simulator(), backend("linux")))
    assert theirs["retransmitted_packets"] == theirs["loss_episodes"] == 0
    # After old data sixteen segments are acknowledged one by one, and no ACK waits for a second one; each side draws its own copies.
    assert theirs["delivered_packets"] == pytest.approx(ours["delivered_packets"], rel=0.004)
    # What arrived twice cannot be told from what arrived for another.
    assert theirs["lost_packets"] is None


def test_as_many_are_copied_as_the_probability_says() -> None:
    # Without SACK, and with an ACK for each segment, Linux counts a duplicate ACK as a delivery (tcp_add_reno_sack, tcp_remove_reno_sacks).
    row = backend("linux").run(doubled("reno,window=30,sack=off", 0.3)).flows.row(0, named=True)
    assert row["retransmitted_packets"] == 0
    expected = 0.3 * row["sent_packets"]
    # Binomial: four standard deviations; and what is under way at the end.
    assert abs(row["delivered_packets"] - row["sent_packets"] - expected) <= 4 * (0.7 * expected) ** 0.5 + 40
