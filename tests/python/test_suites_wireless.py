"""The wireless suite: its laws against their moments, its links against closed forms, and the scenarios of C4's draft."""

from __future__ import annotations

import random
import statistics

import pytest

from windtunnel.backends import backend
from windtunnel.experiment import Draws
from windtunnel.metrics import View
from windtunnel.suites import default_suites, suite
from windtunnel.suites.wireless import c4, parts, paths
from windtunnel.suites.wireless.specs import COMPLETION_S, SPECS

MANY = 40_000


def test_the_wifi_law_has_the_mean_that_its_terms_give() -> None:
    """E[N1] = 1 ms; N1 = 0 has probability 1/e, else 0.5 ms go off; x of the packets wait 12 x 7.5 = 90 ms more, x = 6/90 at 7 ms."""
    stream = random.Random(1)
    own = [parts.wifi_latency_s(stream, 7e-3) for _ in range(MANY)]
    expected = 1e-3 - 0.5e-3 * (1 - 0.36788) + 6e-3
    assert statistics.mean(own) == pytest.approx(expected, abs=4 * statistics.pstdev(own) / MANY**0.5)
    late = sum(one > 20e-3 for one in own) / MANY
    assert late == pytest.approx(6 / 90, abs=0.005) and min(own) >= 0


def test_clear_wifi_waits_for_deferrals_alone() -> None:
    """1 ms less 0.5 ms in 1 - 1/e of the cases: 0.684 ms, to 4 standard errors."""
    stream = random.Random(5)
    own = [parts.wifi_latency_s(stream, 1e-3) for _ in range(MANY)]
    assert statistics.mean(own) == pytest.approx(0.684e-3, abs=4 * statistics.pstdev(own) / MANY**0.5)


def test_clear_wifi_retransmits_nothing_and_the_worst_everything() -> None:
    stream = random.Random(2)
    assert max(parts.wifi_latency_s(stream, 1e-3) for _ in range(2000)) < 12e-3
    assert statistics.mean(parts.wifi_latency_s(stream, 91e-3) for _ in range(2000)) == pytest.approx(90.7e-3, rel=0.03)


def test_the_ordered_jitter_is_a_folded_normal_cut_at_three_deviations() -> None:
    """E|N(0, 5 ms)| is 5 sqrt(2/pi) = 3.99 ms."""
    stream = random.Random(3)
    own = [parts.ordered_jitter_s(stream) for _ in range(MANY)]
    assert statistics.mean(own) == pytest.approx(3.99e-3, rel=0.01) and max(own) == pytest.approx(15e-3) and min(own) >= 0


def test_suspensions_are_the_last_fifth_of_a_second_of_every_two() -> None:
    assert parts.suspensions(6.0) == [{"at_s": at, "length_s": 0.2} for at in (1.8, 3.8, 5.8)]


def test_frames_carry_the_rate_in_batches() -> None:
    """20 Mbit/s over a second are 1666 packets of 1500 bytes; each frame has six or seven."""
    own = parts.batches(20, 4)
    assert len(own) == 1666 and own[-1] == 1000 and all(at % 4 == 0 for at in own)
    assert {own.count(at) for at in set(own)} == {6, 7}


def test_a_cellular_link_delivers_between_nothing_and_twelve_megabits() -> None:
    own = parts.cellular(random.Random(4), 60.0)
    seconds = [sum(1 for at in own if second * 1000 <= at < (second + 1) * 1000) for second in range(60)]
    assert own == sorted(own) and own[-1] == 60_000
    # A Poisson of at most 1000 a second strays by four deviations at most.
    assert max(seconds) <= 1000 + 4 * 1000**0.5 and statistics.pstdev(seconds) > 50


def test_what_a_link_could_carry_is_its_integral_less_its_outages() -> None:
    link = {"rate_bps": 10e6, "rate_steps": [{"at_s": 5.0, "rate_bps": 20e6}], "outages": [{"at_s": 4.5, "length_s": 1.0}]}
    # 0 to 4.5 s at 10 Mbit/s, 5.5 to 10 s at 20.
    assert paths.offered_bits({"bottleneck": link}, 0.0, 10.0) == pytest.approx(45e6 + 90e6)
    trace = {"rate_bps": 1e6, "trace_ms": [10, 10, 20]}
    # Three packets every 20 ms, from 0 to before 100 ms: the last of the fifth turn is at 100.
    assert paths.offered_bits({"bottleneck": trace}, 0.0, 0.1) == pytest.approx(14 * 12_000)


def test_a_link_holds_what_picoquics_takes_while_the_wait_is_below_its_limit() -> None:
    """50 ms at 512 kbit/s: packets of 23.4 ms reach a wait of 0, 23 and 47 ms and are taken, the fourth meets 70."""
    run = c4.run({"alg": "cubic", "case": "alone_512k"}, Draws(1))
    assert run.bottleneck.queue_packets == 3


def test_every_printed_scenario_is_run_and_judged_for_the_protocols_that_were_printed() -> None:
    own = suite("wireless")
    register = own.register()
    assert register is not None and set(COMPLETION_S) <= set(SPECS)
    for case in COMPLETION_S:
        assert {claim.id.rpartition(".")[2] for claim in register.claims if f".{case}-time." in claim.id} == {"bbr3", "cubic"}
    assert "wireless" not in default_suites()


def test_a_suspended_download_takes_as_long_as_was_printed() -> None:
    """10 MB at 20 Mbit/s are 4.14 s of packets and two suspensions of 0.2 s: no sender can be faster."""
    point = {"alg": "cubic", "case": "wifi_suspension"}
    took = c4.completion_s(View(backend("sim").run(c4.run(point, Draws(1))), point))
    assert took is not None and 4.14 + 0.4 <= took <= 1.1 * COMPLETION_S["wifi_suspension"][1]
