"""A bottleneck as theory sees it: a rate, a base RTT and a buffer."""

from __future__ import annotations

from dataclasses import dataclass

from windtunnel.theory.numeric import PACKET_BITS, Array, ArrayLike, array


@dataclass(frozen=True)
class Path:
    """A drop-tail bottleneck and one base RTT.

    Attributes
    ----------
    rate_bps : array_like
        Link rate, bits per second.
    rtt_s : array_like
        Base RTT, seconds.
    buffer_bdp : array_like
        Buffer over the bandwidth-delay product of `rtt_s`.
    """

    rate_bps: ArrayLike
    rtt_s: ArrayLike
    buffer_bdp: ArrayLike = 0.0

    @property
    def capacity(self) -> Array:
        """Packets per second of the link."""
        return array(self.rate_bps) / PACKET_BITS

    @property
    def pipe(self) -> Array:
        """Bandwidth-delay product, packets."""
        return self.capacity * array(self.rtt_s)

    @property
    def buffer(self) -> Array:
        """Buffer, packets (not rounded)."""
        return self.pipe * array(self.buffer_bdp)

    @property
    def full(self) -> Array:
        """Pipe and buffer together, packets: the sum of the windows at which a packet is lost."""
        return self.pipe + self.buffer
