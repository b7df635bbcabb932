"""The listener on another machine by SSH: see `windtunnel.wire.away` for how it gets there."""

from __future__ import annotations

import time
from types import TracebackType

from windtunnel.measure.errors import MeasureError
from windtunnel.wire.away import Away

SENT = (
    *("live", "live.counters", "live.netlink", "live.namespaces"),
    *("wire", "wire.channel", "wire.datagrams", "wire.machine", "wire.pings", "wire.streams", "wire.party", "wire.listener"),
)
"""Modules of the package that the other machine runs, each behind those that it needs."""
CLOCK_LOOKS = 5


class Remote:
    """A listener on another machine, for as long as this is open.

    Parameters
    ----------
    target : str
        What ``ssh`` is called with: a name, an address, options.
    port : int
        The listener's, 0 for any.
    seconds, most_bytes : float, int
        Its bounds.

    Raises
    ------
    MeasureError
        When ssh or the other machine's Python is missing, or it does not answer; one line.
    """

    def __init__(self, target: str, port: int, seconds: float, most_bytes: int) -> None:
        self._away = Away(target, SENT, ("", str(port), f"{seconds:.0f}", str(most_bytes)), fails=MeasureError)
        try:
            self._away.greet()
            _, self.token, _, self.port = self._away.line().split()
            self.clock = self._clock()
        except BaseException:
            self.close()
            raise

    def _clock(self) -> dict[str, float]:
        """Return by how much the other clock is ahead, seconds, and how far that may be wrong: half of the quickest answer's time."""
        found = []
        for _ in range(CLOCK_LOOKS):
            asked = time.time_ns()
            self._away.say("clock")
            theirs, came = int(self._away.line()), time.time_ns()
            found.append(((came - asked) / 2, theirs - (asked + came) / 2))
        within, ahead = min(found)
        return {"ahead_s": ahead * 1e-9, "within_s": within * 1e-9}

    def close(self) -> None:
        """End it: the other machine's part ends with the connection."""
        self._away.close()

    def __enter__(self) -> Remote:
        """Return it."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End it."""
        self.close()
