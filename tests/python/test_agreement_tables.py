"""The tables that a comparison with a kernel writes into a page."""

from typing import Any

import pytest

from windtunnel.agreement.tables import REFERENCE, renewed


def side(mean: float | None) -> dict[str, Any]:
    return {"mean": mean, "sem": 0.1, "low": 0.0, "high": 1.0, "n": 5, "infinite": 0 if mean else 5}


def row(algorithm: str, quantity: str, ours: float | None, theirs: float | None, verdict: str, **others: Any) -> dict[str, Any]:
    given = {"algorithm": algorithm, "quantity": quantity, "sim": side(ours), "linux": side(theirs), "verdict": verdict}
    return {"scenario": REFERENCE, "difference": 0.25, "relative": True, "note": ""} | given | others


ROWS = (
    row("reno", "util", 0.897, 0.905, "agrees", relative=False),
    row("reno", "epoch_s", 11.5, None, "inconclusive"),
    row("bic", "util", 0.997, 0.997, "agrees"),
    row("bic", "loss_ovh", 0.005, 0.004, "differs", scenario=REFERENCE | {"experiment": "agree.one", "rate_mbps": 10.0}),
)
PAGE = "Before.\n\n<!-- agreement: {} -->\n\nold\n\n<!-- end -->\n\nBecause.\n"


def written(block: str) -> list[str]:
    page = renewed(PAGE.format(block), ROWS, "Five repeats.")
    assert page.startswith("Before.\n")
    assert page.endswith("\n\nBecause.\n")
    assert "old" not in page
    return page.splitlines()


def test_verdicts_are_counted_by_algorithm() -> None:
    lines = written("summary")
    assert "Five repeats." in lines
    assert "| reno | 1 | 0 | 1 | 0 |" in lines
    assert "| all | 2 | 1 | 1 | 0 |" in lines


def test_the_reference_path_shows_both_sides() -> None:
    lines = written("reference")
    assert any(line.startswith("| reno |") and " 0.897 / 0.905 " in line for line in lines)
    assert any("11.5 / never ?" in line for line in lines)
    assert not any("0.00500" in line for line in lines)


def test_what_differs_is_listed_with_its_path() -> None:
    (line,) = [line for line in written("differences") if line.startswith("| bic")]
    assert line == "| bic | one flow, 10 Mbit/s, 42 ms | retransmitted share | 0.00500 / 0.00400 | 25 % |  |"


def test_a_page_without_differences_says_so() -> None:
    assert "Nothing differs." in renewed(PAGE.format("differences"), ROWS[:1], "")


def test_an_unknown_block_is_refused() -> None:
    with pytest.raises(KeyError, match="speed"):
        renewed(PAGE.format("speed"), ROWS, "")
