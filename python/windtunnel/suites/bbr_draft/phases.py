"""The phases of BBR by one name for each version: read from the column `mode`, or, of a kernel, from the gains that it reports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from windtunnel.metrics import View
from windtunnel.metrics.backoffs import Array
from windtunnel.metrics.states import MODE, Episode, States
from windtunnel.metrics.view import MSS_BYTES

STARTUP, DRAIN, DOWN, CRUISE, REFILL, UP, PROBE_RTT, PROBE_BW = 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0
"""As `bbr3` numbers them in its column `mode`; PROBE_BW is that of BBRv1, whose phases within it are gains."""
IN_PROBE_BW = (DOWN, CRUISE, REFILL, UP, PROBE_BW)
_OF_BBR1 = {0.0: STARTUP, 1.0: DRAIN, 2.0: PROBE_BW, 3.0: PROBE_RTT}
MARGIN = 0.99
"""Pacing stays 1 % below the bandwidth (draft, BBRPacingMarginPercent; Linux)."""
PHASE = "phase"


@dataclass(frozen=True)
class Gains:
    """Gains of a version: of pacing and of the window in STARTUP, of pacing in DRAIN, of the window in PROBE_RTT."""

    startup: float
    drain: float
    window: float
    probe_rtt_s: float
    """Seconds without a new smallest RTT before PROBE_RTT."""


DRAFT = Gains(startup=2.77, drain=0.5, window=2.0, probe_rtt_s=5.0)
LINUX = Gains(startup=739 / 256, drain=88 / 256, window=2.0, probe_rtt_s=10.0)


@dataclass(frozen=True)
class Bbr:
    """A run of one BBR flow.

    Parameters
    ----------
    states : States
        With `PHASE` among its columns.
    is_first : bool
        Whether it is BBRv1.
    """

    states: States
    is_first: bool

    @property
    def gains(self) -> Gains:
        """What its version's text gives."""
        return LINUX if self.is_first else DRAFT

    @property
    def t_s(self) -> Array:
        """Times of the samples, seconds."""
        return self.states.t_s

    def in_phase(self, *phases: float) -> list[Episode]:
        """Return the stretches in some phases, in order."""
        return self.states.episodes(*phases, column=PHASE)

    def ended(self, *phases: float) -> list[Episode]:
        """Return those of them that end."""
        return [one for one in self.in_phase(*phases) if one.after is not None]

    def bw(self, t_s: float) -> float:
        """Return the bandwidth that the flow paces by, segments per second."""
        return self.states.at("bw", t_s)

    def bdp(self, t_s: float) -> float:
        """Return the estimated bandwidth-delay product, segments."""
        return self.bw(t_s) * self.states.at("rtt_min", t_s)

    def inflight_at_one(self, t_s: float) -> float:
        """Return Inflight(1.0): the BDP, or the quantization budget where that is more, of three bursts of a millisecond and of 4 segments.

        BBRv1 adds the three bursts to the BDP, and makes the sum even (Linux, bbr_quantization_budget).
        """
        burst = min(max(2.0, self.states.at("pacing_rate_bps", t_s) / 8e3 / MSS_BYTES), 65_536 / MSS_BYTES)
        return self.bdp(t_s) + 3 * burst + 2 if self.is_first else max(self.bdp(t_s), 3 * burst, 4.0)

    @property
    def link(self) -> float:
        """Full packets per second that the link carries, at the scenario's first rate."""
        return self.states.view.rate_bps / 12_000


def bbr(view: View, flow: int = 0) -> Bbr | None:
    """Return a run's BBR flow; None where its samples do not show the state of one."""
    plain = States(view, flow)
    if plain.has(MODE, "bw_segments_s", "max_bw_segments_s"):
        own = {PHASE: plain.column(MODE), "bw": plain.column("bw_segments_s"), "max_bw": plain.column("max_bw_segments_s")}
        return Bbr(States(view, flow, {**own, "rtt_min": plain.column("min_rtt_s"), "pacing": _gain(plain, own["bw"])}), is_first=False)
    if plain.has(MODE, "bw_segments_s", "pacing_gain"):
        mode = plain.column(MODE)
        phase = np.select([mode == number for number in _OF_BBR1], list(_OF_BBR1.values()), np.nan)
        own = {PHASE: phase, "bw": plain.column("bw_segments_s"), "max_bw": plain.column("bw_segments_s")}
        return Bbr(States(view, flow, {**own, "rtt_min": plain.column("min_rtt_s"), "pacing": plain.column("pacing_gain")}), is_first=True)
    if plain.has("bandwidth_bps", "pacing_gain", "cwnd_gain"):
        return Bbr(States(view, flow, _of_kernel(plain)), is_first=True)
    return None


def _gain(states: States, bw: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(states.column("pacing_rate_bps") / (bw * 8 * MSS_BYTES * MARGIN))


def _of_kernel(states: States) -> dict[str, Array]:
    """Return the columns of Linux's module, which reports gains and no mode."""
    pacing, window = states.column("pacing_gain"), states.column("cwnd_gain")
    phase = np.select(
        [pacing > 2, (pacing < 0.5) & (window > 2.5), (pacing == 1) & (window == 1), window == 2],
        [STARTUP, DRAIN, PROBE_RTT, PROBE_BW],
        np.nan,
    )
    bw = states.column("bandwidth_bps") / 8 / MSS_BYTES
    return {PHASE: phase, "bw": bw, "max_bw": bw, "rtt_min": states.column("rtt_min_s"), "pacing": pacing}
