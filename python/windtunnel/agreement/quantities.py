"""What is compared, in which unit, and how far apart the two backends may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """One compared quantity.

    Parameters
    ----------
    title : str
        As the page calls it.
    unit : str
        Of the values; empty for pure numbers.
    tolerance : float
        The largest difference that is agreement, in the unit, or relative to the kernel.
    relative : bool
        Whether differences are relative to the kernel's value.
    within_kernel : bool
        Whether a mean inside the kernel's own interval over seeds agrees as well: for what chance decides.
    paired : bool
        Whether differences are taken seed by seed: for what the start of flow 2 decides, which both sides share.
    """

    title: str
    unit: str
    tolerance: float
    relative: bool = False
    within_kernel: bool = False
    paired: bool = False


TRAJECTORY = "trajectory"

QUANTITIES: Mapping[str, Quantity] = {
    # Which of two equal flows leads is chance, for a long time.
    "share": Quantity("Share of flow 1", "", 0.05, within_kernel=True),
    "util": Quantity("Utilisation", "", 0.015),
    "loss_ovh": Quantity("Retransmitted share", "", 0.20, relative=True),
    # With a queue of 20 % BDP this is 1 % of a BDP: what the tolerance of the utilisation is worth.
    "qocc": Quantity("Mean queue", "buffer", 0.05),
    "cwnd_pkts": Quantity("Mean cwnd", "packets", 0.05, relative=True),
    "backoff_factor": Quantity("Back-off factor", "", 0.02),
    "epoch_s": Quantity("Epoch", "s", 0.07, relative=True),
    # Memory and bins of this measure alone are a second; a few round trips of difference are nothing.
    "conv80_s": Quantity("Convergence time", "s", 0.25, relative=True, paired=True),
    TRAJECTORY: Quantity("Trajectory", "packets", 0.03, relative=True),
}
"""By metric, in the order of the columns. The tolerances were set for 250 Mbit/s, 42 ms, 20 % BDP and hold for every path."""
