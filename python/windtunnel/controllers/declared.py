"""What a controller declares: parameters that a user may set, and what it asks of the transport."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Parameter:
    """A number that a user may set, as a class attribute: ``kept = Parameter(0.5, min=0.1, max=0.95)``; instances read ``self.kept``.

    Parameters
    ----------
    default : float
        Its value unless another is given.
    min, max : float
        The smallest and the largest value that it may have.
    unit : str
        ``s``, ``packets``, ``bytes``, ``bit/s``, ``switch`` for 0 or 1, or ``1`` for a plain number.
    doc : str
        One line.
    whole : bool
        Only whole numbers are allowed.
    """

    default: float
    min: float = field(kw_only=True)
    max: float = field(kw_only=True)
    unit: str = field(default="1", kw_only=True)
    doc: str = field(default="", kw_only=True)
    whole: bool = field(default=False, kw_only=True)

    def __set_name__(self, owner: type, name: str) -> None:
        """Learn the name from the class."""
        object.__setattr__(self, "_name", name)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the instance's value: the default unless another was given; the declaration itself on the class."""
        if instance is None:
            return self
        return instance.__dict__.get(self._name, self.default)  # type: ignore[attr-defined]

    def __set__(self, instance: Any, value: float) -> None:
        """Give an instance a value."""
        instance.__dict__[self._name] = value  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Needs:
    """What a controller asks of the transport.

    Parameters
    ----------
    control : str
        Who moves the window: ``window`` (it grows by the controller, the transport brings it down to `ssthresh`), ``paced-window`` (the
        same, and segments are paced at `pacing_rate`), ``full`` (the controller sets it on every ACK, and segments are paced),
        ``full-by-rate`` (the same from delivery-rate samples: `on_rate_sampled` in place of `on_acked`) or ``full-unpaced`` (as ``full``,
        and segments leave as the ACKs come).
    ahead : int
        Segments by which the sender may run ahead of the rate, with ``paced-window``.
    rtt_samples : str
        Calls of `on_rtt_sampled`: ``unused``, ``by-stack`` or ``exact``.
    ack_arrivals : bool
        Calls of `on_ack_arrived`.
    transport_rate : bool
        `Connection.pacing_rate_bytes_per_s` is kept in slow start although nothing is paced.
    ecn : str, optional
        ``dctcp`` or ``l4s``; None as the stack is set.
    """

    control: Literal["window", "paced-window", "full", "full-by-rate", "full-unpaced"] = "window"
    ahead: int = 0
    rtt_samples: Literal["unused", "by-stack", "exact"] = "unused"
    ack_arrivals: bool = False
    transport_rate: bool = False
    ecn: Literal["dctcp", "l4s"] | None = None
