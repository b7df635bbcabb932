"""Scripts for the recorder of kernel segments: drawn the same everywhere and for ever, for the recordings are stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from windtunnel.backends.linux import stimuli

DATA = Path(__file__).parents[2] / "data" / "kernel-segments" / "recorded"


@pytest.mark.parametrize("algorithm", stimuli.ALGORITHMS)
def test_the_stored_recordings_are_of_these_scripts(algorithm: str) -> None:
    """In this order, all of them."""
    lines = (DATA / f"{algorithm}.txt").read_text().splitlines()
    assert [line.removeprefix("script ") for line in lines if line.startswith("script ")] == stimuli.scripts(algorithm)


def test_every_algorithm_has_a_file_and_no_other_has() -> None:
    """The folder holds nothing that nobody makes."""
    assert sorted(path.stem for path in DATA.glob("*.txt")) == sorted(stimuli.ALGORITHMS)


def test_every_option_of_the_stack_is_used() -> None:
    """And every kind of trouble, by each algorithm."""
    keys = {word.partition("=")[0] for algorithm in stimuli.ALGORITHMS for line in stimuli.scripts(algorithm) for word in line.split()[1:]}
    assert {"sack", "ts", "ecn", "tlp", "frto", "idle", "iw", "pacing", "hystart", "window", "windows", "delayed", "every", "mss"} <= keys
