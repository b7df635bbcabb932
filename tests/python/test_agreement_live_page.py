"""The tables that the live kernel's page has of a comparison and of parts of papers' experiments."""

from typing import Any

from windtunnel.agreement.live_page import blocks
from windtunnel.report.text import MINUS, MISSING


def side(mean: float | None, low: float = 0.0, high: float = 1.0) -> dict[str, Any]:
    return {"mean": mean, "low": low, "high": high}


def row(algorithm: str, rate: float, verdict: str, note: str = "", quantity: str = "util") -> dict[str, Any]:
    sides = {"sim": side(0.9), "linux": None, "live": side(None)}
    numbers = {"difference": 0.01, "low": -0.02, "high": 0.04, "relative": quantity == "epoch_s", "note": note}
    return {"algorithm": algorithm, "scenario": {"rate_mbps": rate}, "quantity": quantity, "verdict": verdict, **sides, **numbers}


def run(rate_bps: float, paused: float, tries: int) -> dict[str, Any]:
    counts = {"retransmitted": 7, "dropped": 8, "longest_s": 0.002, "steal": 0.001, "late_us_p50": 14, "late_us_p99": 50}
    return {"scenario": {"bottleneck": {"rate_bps": rate_bps}}, "host": {"live": {"paused": paused, "tries": tries, **counts}}}


ROWS = (
    row("./tcp_htcp.c#1f", 250.0, "inconclusive", "the repeats are further apart than the two sides: noise, the machine's own among it"),
    row("./tcp_htcp.c#1f", 10.0, "differs"),
    row("reno", 10.0, "inconclusive"),
    row("reno", 10.0, "agrees", quantity="epoch_s"),
)
RUNS = (run(10e6, 0.002, 1), run(10e6, 0.004, 2), run(10e6, 0.001, 1), run(250e6, 0.01, 1))
SIM = {("li07.fig4", "htcp, rate 10", "Ratio"): [0.5]}
LIVE = {("slac03.fig4", "bic, UFL", "Stability index"): [0.25], ("li07.fig4", "htcp, rate 10", "Ratio"): [0.5, 1.0]}


def lines(name: str) -> list[str]:
    return blocks(ROWS, RUNS, (SIM, LIVE), "Five repeats.")[name].splitlines()


def test_rows_whose_noise_is_larger_than_the_difference_are_counted_apart() -> None:
    assert "| tcp_htcp.c | 0 | 1 | 1 | 0 | 0 |" in lines("summary")
    assert "| reno | 1 | 0 | 0 | 1 | 0 |" in lines("summary")
    assert "| 10 Mbit/s | 1 | 1 | 0 | 1 | 0 |" in lines("summary")
    assert "| all | 1 | 1 | 1 | 1 | 0 |" in lines("summary")


def test_a_quantity_has_three_sides_and_the_interval_of_the_difference_the_lowest_rate_first() -> None:
    shown = [line for line in lines("quantities") if "htcp" in line]
    assert shown[0] == f"| 10 | tcp_htcp.c | 0.900 [0, 1] | {MISSING} | never | 0.010 [{MINUS}0.020, 0.040] | **differs** |"
    assert shown[1].endswith("| noise |")
    assert f"1 % [{MINUS}2, 4]" in "\n".join(lines("quantities"))


def test_what_the_machine_did_is_said_by_rate() -> None:
    shown = lines("machine")
    assert "| valid at the first try | 2 | 1 |" in shown
    assert "| the network's clock stood | 0.200 % (0.400 %) | 1 % (1 %) |" in shown
    assert "| drops, all runs | 24 | 8 |" in shown


def test_experiments_of_papers_stand_in_their_order_with_the_range_of_repeats() -> None:
    shown = lines("papers")[2:]
    assert shown[0] == "| li07.fig4 | htcp, rate 10 | Ratio | 0.500 | 0.750 (0.500 to 1) |"
    assert shown[1] == f"| slac03.fig4 | bic, UFL | Stability index | {MISSING} | 0.250 |"
