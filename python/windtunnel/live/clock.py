"""The router's clock: real time without its stalls."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Mapping


class NetworkClock:
    """Network time of real times, after the run.

    Parameters
    ----------
    stalls : iterable of mapping
        As the router reports them: ``at_ns`` of the network's time, ``length_ns``, in their order.
    """

    def __init__(self, stalls: Iterable[Mapping[str, int]]) -> None:
        given = list(stalls)
        self._ends_ns = list(itertools.accumulate((stall["length_ns"] for stall in given), initial=0))
        # A stall begins, in real time, after all those before it.
        self._begins_ns = [stall["at_ns"] + before for stall, before in zip(given, self._ends_ns, strict=False)]

    @property
    def paused_ns(self) -> int:
        """All time taken out."""
        return self._ends_ns[-1]

    def network_ns(self, real_ns: int) -> int:
        """Return the network's time at a real time since its beginning; during a stall the time at which it stood."""
        passed = bisect.bisect_right(self._begins_ns, real_ns)
        if passed == 0:
            return real_ns
        stood_ns = self._begins_ns[passed - 1] - self._ends_ns[passed - 1]
        return max(stood_ns, real_ns - self._ends_ns[passed])
