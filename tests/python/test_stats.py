from __future__ import annotations

import math

import numpy as np
import pytest

from windtunnel.stats import bootstrap_indices, mean_interval, summarise
from windtunnel.stats.student import quantile, two_sided


def test_the_interval_of_five_known_numbers() -> None:
    # Mean 3, sample variance 2.5, standard error sqrt(0.5); the 97.5 % point of t with 4 degrees is 2.776 in any table.
    got = summarise([1.0, 2.0, 3.0, 4.0, 5.0])
    assert (got.n, got.mean, got.infinite) == (5, 3.0, 0)
    assert got.sem == pytest.approx(0.707107, abs=1e-6)
    assert got.t_interval == pytest.approx((3 - 2.776445 * 0.707107, 3 + 2.776445 * 0.707107), abs=1e-5)


def test_two_values_have_the_widest_interval() -> None:
    # t with one degree: 12.706. Values 0 and 2: mean 1, standard error 1.
    got = summarise([0.0, 2.0])
    assert got.t_interval == pytest.approx((1 - 12.7062, 1 + 12.7062), abs=1e-4) and (got.low, got.high) == (0.0, 2.0)


def test_one_value_has_no_interval_and_none_no_mean() -> None:
    one = summarise([7.0])
    assert one.mean == 7.0 and math.isnan(one.sem) and math.isnan(one.low) and math.isnan(one.high) and all(map(math.isnan, one.t_interval))
    assert summarise([]).n == 0 and math.isnan(summarise([]).mean)


def test_up_to_half_infinite_counts_as_the_duration() -> None:
    got = summarise([100.0, 200.0, math.inf, math.inf], censored_at=600.0)
    assert got.mean == 375.0 and got.infinite == 2


def test_more_than_half_infinite_is_infinite() -> None:
    got = summarise([100.0, math.inf, math.inf], censored_at=600.0)
    assert got.mean == math.inf and got.infinite == 2 and math.isnan(got.high)


def test_a_value_beyond_the_duration_keeps_itself() -> None:
    assert summarise([700.0, math.inf], censored_at=600.0).mean == 650.0


@pytest.mark.parametrize("values", [[1.0, math.nan], [1.0, -math.inf]])
def test_missing_values_are_not_averaged(values: list[float]) -> None:
    with pytest.raises(ValueError, match="NaN"):
        summarise(values, censored_at=600.0)


def test_infinity_without_a_duration_is_refused() -> None:
    with pytest.raises(ValueError, match="censored_at"):
        summarise([1.0, 2.0, math.inf])


def test_resamples_depend_on_the_name_alone() -> None:
    first = bootstrap_indices(5, 200, name="li07.c06")
    assert first.shape == (200, 5) and first.min() == 0 and first.max() == 4
    assert np.array_equal(first, bootstrap_indices(5, 200, name="li07.c06"))
    assert not np.array_equal(first, bootstrap_indices(5, 200, name="li07.c07"))


def test_every_repeat_is_drawn_equally_often() -> None:
    # 4000 x 5 draws from five: 4000 each, standard deviation sqrt(20000 x 0.2 x 0.8) = 57; five of them are 283.
    counts = np.bincount(bootstrap_indices(5, 4000, name="any").ravel(), minlength=5)
    assert np.abs(counts - 4000).max() < 283


def test_one_repeat_is_drawn_again_and_again_and_none_is_refused() -> None:
    assert bootstrap_indices(1, 3, name="x").tolist() == [[0], [0], [0]]
    with pytest.raises(ValueError, match="n is 0"):
        bootstrap_indices(0, 3, name="x")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.3, 0.99], (0.3, 0.99)),
        # 27 resamples: one has the smallest three times, 3.7 %, more than the tail.
        ([0.206, 0.99, 0.99], (0.206, 0.99)),
        # 256 resamples: 1 with mean 10, 4 with 12.5, 10 with 15: 1.95 % lie below 15, 5.9 % do not lie above.
        ([10.0, 20.0, 30.0, 40.0], (15.0, 35.0)),
        ([0.1, 0.1, 0.1], (0.1, 0.1)),
    ],
)
def test_the_bootstrap_interval_of_known_numbers(values: list[float], expected: tuple[float, float]) -> None:
    assert mean_interval(values) == expected


@pytest.mark.parametrize("n", [2, 3, 5, 6, 7, 20])
def test_an_interval_of_possible_values_is_possible(n: int) -> None:
    # A time of which most is waiting, and a share near one: t intervals of them reach below zero and above one.
    for values in ([1.0] * (n - 1) + [200.0], [0.99] * (n - 1) + [0.2]):
        low, high = mean_interval(values)
        assert min(values) <= low <= sum(values) / n <= high <= max(values)
        found = summarise(values)
        t_low, t_high = found.t_interval
        assert (found.low, found.high) == (low, high) and (t_low < min(values) or t_high > max(values))
    assert mean_interval([3.0] * n) == (3.0, 3.0)


def test_a_bar_of_one_standard_error_is_possible_too() -> None:
    """Of values in [a, b] with mean m the largest standard error is min(m - a, b - m): all at one end but one, or half at each end."""
    rng = np.random.default_rng(3)
    for n in (2, 3, 5, 20):
        for values in (rng.random(n), rng.random(n) ** 8, (rng.random(n) < 0.9).astype(float), rng.exponential(size=n) ** 3 / 1e3):
            found = summarise(values.tolist())
            assert found.mean - found.sem >= -1e-12, "a time or a share below zero"
            assert values.max() > 1 or found.mean + found.sem <= 1 + 1e-12, "a share above one"


def test_the_interval_of_one_value_is_none() -> None:
    assert all(math.isnan(end) for end in mean_interval([1.0]))


@pytest.mark.parametrize("t", [1e-8, 0.01, 0.5, 1.0, 3.0, 50.0, 1e5])
def test_students_t_with_few_degrees_is_its_closed_form(t: float) -> None:
    # The distribution functions of one to four degrees have closed forms; here what is left beyond t on both sides.
    one = 2 / math.pi * math.atan2(1.0, t)
    two = 2 / (2 + t * t + t * math.sqrt(2 + t * t))
    angle = math.atan(t / math.sqrt(3))
    three = 1 - 2 / math.pi * (angle + math.sin(angle) * math.cos(angle))
    assert two_sided(1, t) == two_sided(1, -t) == pytest.approx(one, rel=1e-12)
    assert two_sided(2, t) == pytest.approx(two, rel=1e-12)
    assert two_sided(3, t) == pytest.approx(three, rel=1e-9, abs=1e-14)


# "Handbook of Mathematical Functions", 1964, table 26.10: degrees, then t with a probability of 0.90, 0.95 and 0.99 between -t and t.
TABLE = [
    (1, 6.314, 12.706, 63.657),
    (2, 2.920, 4.303, 9.925),
    (5, 2.015, 2.571, 4.032),
    (9, 1.833, 2.262, 3.250),
    (30, 1.697, 2.042, 2.750),
    (120, 1.658, 1.980, 2.617),
]


@pytest.mark.parametrize("row", TABLE)
def test_students_quantiles_are_those_of_the_table(row: tuple[float, ...]) -> None:
    degrees, *printed = row
    for within, t in zip((0.90, 0.95, 0.99), printed, strict=True):
        assert quantile(degrees, (1 + within) / 2) == pytest.approx(t, abs=5.1e-4)
        assert two_sided(degrees, quantile(degrees, (1 + within) / 2)) == pytest.approx(1 - within, rel=1e-12)


def test_students_t_between_whole_degrees_lies_between_and_ends_at_the_normal() -> None:
    assert quantile(5, 0.975) < quantile(4.5, 0.975) < quantile(4, 0.975)
    assert quantile(1e7, 0.975) == pytest.approx(1.959963985, abs=1e-6)
    assert two_sided(4, 0.0) == 1.0 and two_sided(4, math.inf) == two_sided(4, -math.inf) == 0.0
    assert quantile(7, 0.5) == 0.0
