"""The random draws of a repeat."""

from __future__ import annotations

import pytest

from windtunnel.experiment import Draws


def test_draws_depend_on_seed_and_name_alone() -> None:
    values = {(seed, name): Draws(seed).uniform(name) for seed in (1, 2, 3) for name in ("start", "delay")}
    assert len(set(values.values())) == 6
    assert all(0 <= value < 1 for value in values.values())
    again = Draws(2)
    assert [again.uniform("delay"), again.uniform("start"), again.uniform("start")] == [values[2, "delay"], *[values[2, "start"]] * 2]


def test_draws_spread_evenly() -> None:
    values = [Draws(seed).uniform("start") for seed in range(1, 2001)]
    # Mean of n uniform draws: 1/2 with standard error 1 / sqrt(12 n) = 0.0065; four of them.
    assert sum(values) / len(values) == pytest.approx(0.5, abs=0.026)
    assert min(sum(low <= value < low + 0.1 for value in values) for low in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)) > 140
