"""Packets lost at a drop-tail queue over packets sent: smooth arrivals, synchronised flows.

Between the first drop and the reaction to it an RTT later the flows add what their laws add in one RTT, so an epoch loses about
sum a_i(W_i) of its sum N_i packets. Bursts raise all of these, slow start and retransmitted losses come on top.
Source: the increase laws of `laws` at the end of their epochs.
"""

from __future__ import annotations

import numpy as np

from windtunnel.theory import laws
from windtunnel.theory.buffers import adaptive_keep
from windtunnel.theory.epochs import htcp_epoch, window_epoch
from windtunnel.theory.numeric import Array, ArrayLike, array, within

PROTOCOLS = ("reno", "scalable", "hstcp", "bic", "htcp")
"""Protocols that `loss_overhead` knows."""


def window_overhead(law: laws.WindowLaw, *, peak: ArrayLike) -> Array:
    """Return a(W)/N(W) of a law whose increase depends on the window; `peak` is each flow's window at the loss, packets.

    BIC is taken to lose exactly at its last peak, where it adds B/sigma.
    """
    top = within(peak, above=0)
    # The increase on the way to the peak, not beyond it: laws may change there.
    return law.per_rtt(np.nextafter(top, 0.0), peak=top) / window_epoch(law, peak=top).packets


def htcp_overhead(law: laws.Htcp, *, peak: ArrayLike, rtt_s: ArrayLike) -> Array:
    """Return alpha(D)/N of H-TCP, D the length of its epoch; `peak` in packets, `rtt_s` in seconds."""
    top, rtt = np.broadcast_arrays(within(peak, above=0), within(rtt_s, above=0))
    epoch = htcp_epoch(law, peak=top, rtt_s=rtt)
    return law.per_rtt_at(epoch.rounds * rtt, rtt_s=rtt) / epoch.packets


def loss_overhead(*, protocol: str, pipe: ArrayLike, buffer_bdp: ArrayLike, rtt_s: ArrayLike, flows: int = 2) -> Array:
    """Return the loss overhead of n equal flows of one protocol, constants of Li, Leith, Shorten (2007), Table II.

    Parameters
    ----------
    protocol : str
        One of `PROTOCOLS`.
    pipe : array_like
        Bandwidth-delay product, packets.
    buffer_bdp : array_like
        Buffer over BDP.
    rtt_s : array_like
        Base RTT, seconds; only H-TCP looks at it, with RTT scaling and its adaptive share kept.
    flows : int
        n; each loses at a window of (P + B)/n.

    Returns
    -------
    numpy.ndarray
        Fraction of the packets sent.

    Raises
    ------
    ValueError
        If there is no closed form for the protocol: CUBIC has no growth at its plateau, and FAST loses nothing or all the time.
    """
    q = within(buffer_bdp, at_least=0)
    peak = within(pipe, above=0) * (1 + q) / flows
    if protocol == "htcp":
        top, keep, rtt = np.broadcast_arrays(peak, adaptive_keep(q), array(rtt_s))
        parts = [htcp_overhead(laws.Htcp(kept=float(b)), peak=w, rtt_s=t) for w, b, t in zip(top.flat, keep.flat, rtt.flat, strict=True)]
        return np.array(parts, dtype=np.float64).reshape(top.shape)
    known: dict[str, laws.WindowLaw] = {
        "reno": laws.Aimd(),
        "scalable": laws.Scalable(),
        "hstcp": laws.Hstcp(low_window=31, low_p=1.5e-3),
        "bic": laws.Bic(),
    }
    if protocol not in known:
        raise ValueError(f"protocol: no loss overhead for {protocol!r}; there is one for {', '.join(PROTOCOLS)}")
    return window_overhead(known[protocol], peak=peak)
