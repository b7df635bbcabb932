"""Which stack profile of the simulator stands for a kernel's own stack."""

from __future__ import annotations

import re

PROFILE = "linux-6.1"
"""That of a scenario that names none, and of kernels before 6.12."""

_SINCE = (((6, 12), "linux-6.12"),)


def profile_of(version: str) -> str:
    """Return the profile that stands for a kernel: of the newest version that is not newer than it.

    Parameters
    ----------
    version : str
        The kernel's, such as ``6.12.117`` or ``6.18.0-rc3``.
    """
    return next((profile for since, profile in _SINCE if numbers(version) >= since), PROFILE)


def numbers(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a kernel's version."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
