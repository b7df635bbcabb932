"""The base class of controllers in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from windtunnel.controllers.declared import Needs

if TYPE_CHECKING:
    from windtunnel.native import AckArrival, Connection, LostSegment, RateSample, RttSample, Window


class Controller:
    """A congestion controller: a subclass with `ssthresh` and `on_acked` stands wherever the name of a built-in one may stand.

    The hooks are the built-in laws', in the same order; a class defines those that it wants. `w` is the window, which a hook may write, in
    segments; `c` the connection, which it may read. One instance serves one connection; nothing is shared between instances.

    Attributes
    ----------
    needs : Needs
        What it asks of the transport.
    variables : tuple of str
        Attributes that become columns of the flow samples: numbers, or absent while they are not known.
    """

    needs: ClassVar[Needs] = Needs()
    variables: ClassVar[tuple[str, ...]] = ()

    def on_seeded(self, seed: int) -> None:
        """Take a seed for whatever is drawn at random, 0 to 2^63 - 1; before anything else."""

    def on_established(self, w: Window, c: Connection) -> None:
        """Begin: the connection is established (Linux `init`)."""

    def on_rtt_sampled(self, w: Window, c: Connection, s: RttSample) -> None:
        """Take the RTT of what an ACK acknowledges (Linux `pkts_acked`); only with `Needs.rtt_samples`."""

    def on_ack_arrived(self, w: Window, c: Connection, a: AckArrival) -> None:
        """Look at an ACK that came in (Linux `in_ack_event`); only with `Needs.ack_arrivals`."""

    def on_segment_lost(self, w: Window, c: Connection, s: LostSegment) -> None:
        """Note a segment that is held to be lost; before the rate sample of the same ACK, only with ``full-by-rate``."""

    def on_state_changed(self, w: Window, c: Connection, to: str) -> None:
        """Prepare for the state that is entered: ``open``, ``disorder``, ``cwr``, ``recovery`` or ``loss`` (Linux `set_state`)."""

    def on_acked(self, w: Window, c: Connection, acked: int) -> None:
        """Let the window grow by `acked` newly delivered segments (Linux `cong_avoid`): never in ``cwr`` or ``recovery``."""

    def on_rate_sampled(self, w: Window, c: Connection, s: RateSample) -> None:
        """Set the window from this ACK's rate sample (Linux `cong_control`); with ``full-by-rate``, in place of `on_acked`."""

    def holds_back(self) -> bool:
        """Return whether the controller itself keeps the flow below what the path carries; asked after `on_rate_sampled`."""
        return False

    def ssthresh(self, w: Window, c: Connection) -> float:
        """Return the new slow-start threshold, segments: a congestion episode begins."""
        raise TypeError(f"{type(self).__name__} has no ssthresh, which every controller must have")

    def undo(self, w: Window, c: Connection) -> float:
        """Return the window to go back to, segments: the episode proved spurious."""
        return max(w.cwnd, c.prior_cwnd)

    def on_event(self, w: Window, c: Connection, event: str) -> None:
        """Note ``tx_started``, ``window_restarted``, ``reduction_completed`` or ``timed_out`` (Linux `cwnd_event`)."""

    def pacing_rate(self, w: Window, c: Connection) -> float | None:
        """Return the rate to pace at, bytes per second; None for the transport's own rule."""
        return None
