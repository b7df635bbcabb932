"""Which controllers the study compares: those of whole stacks by name, and beside each kind the simulator's of Linux 6.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from windtunnel.experiment import Experiment
from windtunnel.foreign import stacks
from windtunnel.suites.errors import SuiteError

STACKS: Mapping[str, tuple[str, ...]] = {
    "quinn": ("cubic", "reno", "bbr"),
    "noq": ("cubic", "reno", "bbr3"),
    "quiche": ("cubic", "reno", "bbr2"),
    "s2n-quic": ("cubic", "bbr"),
    "tquic": ("cubic", "bbr", "bbr3"),
    "picoquic": ("cubic", "reno", "bbr", "bbr1"),
}
"""The controllers of each stack under its own names. One more stack is one more line, and its rows in the register."""
REFERENCES: Mapping[str, tuple[str, ...]] = {"cubic": ("cubic",), "reno": ("reno",), "bbr": ("bbr", "bbr3")}
"""The simulator's, of each kind: Linux 6.1's laws; BBRv3 as its draft has it, beside Linux's BBRv1."""


def kind(name: str) -> str:
    """Return which law a controller's name promises: ``cubic``, ``reno`` or ``bbr``."""
    return name.partition("@")[0].rstrip("0123456789")


def _of(law: str) -> tuple[str, ...]:
    foreign = (f"{name}@{stack}" for stack, names in STACKS.items() for name in names if kind(name) == law)
    return (*REFERENCES[law], *foreign)


CUBIC, RENO, BBR = _of("cubic"), _of("reno"), _of("bbr")
WINDOWS = (*CUBIC, *RENO)
EVERY = (*CUBIC, *RENO, *BBR)


def missing() -> tuple[str, ...]:
    """Return the stacks that are not built."""
    known = {one.name for one in stacks.built()}
    return tuple(name for name in STACKS if name not in known)


def skipped() -> list[str]:
    """Return a line for each stack that is left out because it is not built.

    Raises
    ------
    SuiteError
        When none is built: the study has nothing to compare.
    """
    absent = missing()
    if len(absent) == len(STACKS):
        raise SuiteError(f"stacks: no stack is built; run: windtunnel stacks build {absent[0]} (or another of {', '.join(absent[1:])})")
    return [f"{name} is not built and left out; run: windtunnel stacks build {name}" for name in absent]


def present(experiment: Experiment) -> Experiment:
    """Return an experiment with the controllers of the stacks that are built."""
    absent = missing()

    def here(values: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in values if name.partition("@")[2] not in absent)

    return replace(experiment, points={name: here(own) if name in ("alg", "opponent") else own for name, own in experiment.points.items()})
