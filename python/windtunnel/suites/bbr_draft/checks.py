"""The assertions of the 22 cases: each from a run to 1 where it holds, 0 where it does not, None where the run never came to it.

Times are read from samples of a millisecond (a tenth of one on the fast paths), so that comparisons of lengths allow two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from windtunnel.metrics import View
from windtunnel.metrics.states import Episode
from windtunnel.suites.bbr_draft.phases import CRUISE, DOWN, DRAIN, IN_PROBE_BW, PROBE_RTT, REFILL, STARTUP, UP, Bbr, bbr

BW_WITHIN = 0.02
"""Case 1: max_bw within 2 % of the link."""
GROWTH, ROUNDS = 1.25, 3
BETA, HEADROOM = 0.7, 0.85
MIN_CWND = 4.0
ROUNDS_TO_FALL = 10
"""Case 16: seven rounds of Beta 0.7 make a tenth."""
PROBE_RTT_S = 0.2
GAIN_WITHIN = 0.02
"""Of a gain that is read back from the pacing rate, which is whole bytes per second."""


def _all(found: Iterable[bool]) -> float | None:
    """Return 1 when all hold, 0 when one does not, None when there are none."""
    listed = list(found)
    return float(all(listed)) if listed else None


def _of(check: Callable[[Bbr], float | None], view: View) -> float | None:
    flow = bbr(view)
    return None if flow is None else check(flow)


def _exit(b: Bbr) -> list[Episode]:
    """Return the STARTUP that is followed by another phase than PROBE_RTT, which gives it back; none where the run ended first."""
    return [one for one in b.ended(STARTUP) if one.after != PROBE_RTT][:1]


def startup_over(view: View) -> float | None:
    """Case 1: STARTUP is over at the end of the run, and has not been broken off by PROBE_RTT alone."""
    return _of(lambda b: float(bool(_exit(b))), view)


def bw_at_exit(view: View) -> float | None:
    """Case 1: at the end of STARTUP max_bw is within 2 % of the link's rate."""
    return _of(lambda b: _all(abs(b.states.at("max_bw", one.end_s) / b.link - 1) <= BW_WITHIN for one in _exit(b)), view)


def plateau(view: View) -> float | None:
    """Case 1: STARTUP ends after at least three rounds without growth by a quarter, and at most a round later than the fourth."""

    def check(b: Bbr) -> float | None:
        found = _exit(b)
        if not found:
            return None
        most = b.states.at("max_bw", found[0].end_s)
        # The estimator's baseline is the first value from which no round grew by a quarter.
        there = np.flatnonzero(b.states.column("max_bw") * GROWTH > most)
        begin_s = float(b.t_s[there[0]])
        # A PROBE_RTT within it is none of its rounds.
        stretches = [(max(one.start_s, begin_s), one.end_s) for one in b.in_phase(STARTUP) if one.end_s > begin_s]
        return float(ROUNDS - 1 <= sum(b.states.rounds(*one) for one in stretches) <= ROUNDS + 2)

    return _of(check, view)


def startup_to_drain(view: View) -> float | None:
    """Cases 1 and 2: STARTUP is followed by DRAIN, or, where nothing is to drain, by PROBE_BW."""
    return _of(lambda b: _all(one.after in (DRAIN, *IN_PROBE_BW) for one in _exit(b)), view)


def leaves_startup(view: View) -> float | None:
    """Case 2: the flow leaves STARTUP within ten seconds."""
    return _of(lambda b: float(any(one.end_s <= 10 for one in _exit(b))), view)


def drain_gain(view: View) -> float | None:
    """Case 3: the pacing gain in DRAIN is the version's."""
    return _of(lambda b: _gain_in(b, DRAIN, b.gains.drain), view)


def _gain_in(b: Bbr, phase: float, gain: float) -> float | None:
    # The sample at which a phase begins may show the rate of before.
    samples = [b.states.between("pacing", one.start_s + 2 * b.states.view.sample_s, one.end_s) for one in b.in_phase(phase)]
    joined = np.concatenate(samples) if samples else np.empty(0)
    return float((np.abs(joined / gain - 1) <= GAIN_WITHIN).all()) if joined.size else None


def drain_ends_low(view: View) -> float | None:
    """Case 3: DRAIN ends at in-flight of at most Inflight(1.0), or after three rounds, and PROBE_BW follows."""
    return _of(lambda b: _all(one.after in IN_PROBE_BW and _is_low(b, one.end_s) for one in b.ended(DRAIN)[:1]), view)


def _is_low(b: Bbr, t_s: float) -> bool:
    # Between two samples the flow sends a few packets more.
    return b.states.at("inflight_packets", t_s) <= b.inflight_at_one(t_s) + 2 + b.bw(t_s) * 2 * b.states.view.sample_s


def drain_ends_in_time(view: View) -> float | None:
    """Case 4: DRAIN lasts at most three rounds after the one it began in, and PROBE_BW follows."""
    return _of(
        lambda b: _all(one.after in IN_PROBE_BW and b.states.rounds(one.start_s, one.end_s) <= ROUNDS + 1 for one in b.ended(DRAIN)[:1]),
        view,
    )


def drain_ends_high(view: View) -> float | None:
    """Case 4, what it is about: whether in-flight is still above Inflight(1.0) when DRAIN ends."""
    return _of(lambda b: _all(not _is_low(b, one.end_s) for one in b.ended(DRAIN)[:1]), view)


def up_to_down(view: View) -> float | None:
    """Cases 5, 6 and 21: PROBE_UP is followed by PROBE_DOWN, or by PROBE_RTT where that is due; DOWN may pass within a sample."""
    return _of(lambda b: _all(one.after in (DOWN, CRUISE, PROBE_RTT) for one in b.ended(UP)), view)


def up_rounds(view: View) -> float | None:
    """Case 5: PROBE_UP lasts at least two whole rounds where PROBE_RTT does not end it: three rounds of no growth, the first under way."""
    return _of(lambda b: _all(b.states.rounds(one.start_s, one.end_s) >= ROUNDS - 1 for one in b.ended(UP) if one.after != PROBE_RTT), view)


def bound_after_up(view: View) -> float | None:
    """Case 6: after the first PROBE_UP with losses the long-term bound is set."""

    def check(b: Bbr) -> float | None:
        lossy = [one for one in b.ended(UP) if np.ptp(b.states.between("retransmitted_packets", one.start_s, one.end_s + 0.2)) > 0]
        return _all(bool(np.isfinite(b.states.at("inflight_long", one.end_s))) for one in lossy)

    return _of(check, view)


def stays_in_startup(view: View) -> float | None:
    """Case 7: the flow is in STARTUP at all times but those of PROBE_RTT."""
    return _of(lambda b: float(all(one.value in (STARTUP, PROBE_RTT) for one in b.in_phase())), view)


def down_gain(view: View) -> float | None:
    """Case 8: the pacing gain in PROBE_DOWN is 0.90."""
    return _of(lambda b: _gain_in(b, DOWN, 0.9), view)


def down_ends_low(view: View) -> float | None:
    """Case 8: where CRUISE follows PROBE_DOWN, in-flight is at most the bound with headroom and at most Inflight(1.0)."""

    def low(b: Bbr, t_s: float) -> bool:
        bound = b.states.at("inflight_long", t_s) * HEADROOM
        return _is_low(b, t_s) and not b.states.at("inflight_packets", t_s) > bound + 2 + b.bw(t_s) * 2 * b.states.view.sample_s

    return _of(lambda b: _all(low(b, one.end_s) for one in b.ended(DOWN) if one.after == CRUISE), view)


def down_to_refill(view: View) -> float | None:
    """Case 9: of the PROBE_DOWN under way when the rate falls REFILL follows, two to three seconds after it began, and no CRUISE."""

    def check(b: Bbr) -> float | None:
        steps = b.states.view.scenario["bottleneck"]["rate_steps"]
        met = [one for one in b.ended(DOWN) if steps and one.start_s - 0.1 <= steps[0]["at_s"] <= one.end_s]
        return _all(one.after == REFILL and 1.9 <= one.length_s <= 3.1 for one in met)

    return _of(check, view)


def probe_rtt_due(view: View) -> float | None:
    """Case 10: the first PROBE_RTT begins the version's interval after the start, each later one no sooner after another."""

    def check(b: Bbr) -> float | None:
        begins = [one.start_s for one in b.in_phase(PROBE_RTT)]
        if not begins:
            return 0.0 if b.t_s[-1] > b.gains.probe_rtt_s + 3 else None
        gaps = np.diff([0.0, *begins])
        return float(abs(gaps[0] - b.gains.probe_rtt_s) <= 1.5 and bool((gaps[1:] >= b.gains.probe_rtt_s - 0.1).all()))

    return _of(check, view)


def probe_rtt_length(view: View) -> float | None:
    """Case 10: PROBE_RTT lasts at least 200 ms and a round, and at most a second more."""
    return _of(
        lambda b: _all(
            PROBE_RTT_S - 0.01 <= one.length_s <= PROBE_RTT_S + 1 + 4 * b.states.at("srtt_s", one.end_s)
            and b.states.rounds(one.start_s, one.end_s) >= 1
            for one in b.ended(PROBE_RTT)
        ),
        view,
    )


def probe_rtt_window(view: View) -> float | None:
    """Case 10: in PROBE_RTT the window is at most half a BDP, four segments at least; of BBRv1 it is four."""

    def small(b: Bbr, start_s: float, end_s: float) -> bool:
        bw, rtt_s, cwnd = (b.states.between(name, start_s + 0.02, end_s - 0.02) for name in ("bw", "rtt_min", "cwnd_packets"))
        most = np.full_like(cwnd, MIN_CWND) if b.is_first else np.maximum(MIN_CWND, 0.5 * bw * rtt_s)
        return bool((cwnd <= most + 1).all())

    return _of(lambda b: _all(small(b, one.start_s, one.end_s) for one in b.ended(PROBE_RTT)), view)


def probe_rtt_returns(view: View) -> float | None:
    """Case 10: PROBE_BW follows PROBE_RTT once STARTUP is over."""

    def check(b: Bbr) -> float | None:
        over = _exit(b)
        return _all(one.after in IN_PROBE_BW for one in b.ended(PROBE_RTT) if over and one.start_s >= over[0].end_s)

    return _of(check, view)


def no_probe_after_idle(view: View) -> float | None:
    """Case 11: no PROBE_RTT begins from an idle time of more than five seconds to half a second after it."""

    def check(b: Bbr) -> float | None:
        idle = np.flatnonzero(b.states.column("inflight_packets") == 0)
        if not idle.size:
            return None
        breaks = np.flatnonzero(np.diff(idle) > 1)
        firsts, lasts = np.concatenate(([idle[0]], idle[breaks + 1])), np.concatenate((idle[breaks], [idle[-1]]))
        long = [(float(b.t_s[a]), float(b.t_s[z])) for a, z in zip(firsts, lasts, strict=True) if b.t_s[z] - b.t_s[a] > 5]
        begins = [one.start_s for one in b.in_phase(PROBE_RTT)]
        return _all(not any(start <= at <= end + 0.5 for at in begins) for start, end in long if end < b.t_s[-1] - 1)

    return _of(check, view)


def startup_doubles(view: View) -> float | None:
    """Case 12: in STARTUP the estimated bandwidth doubles in each pair of rounds until it is half the link's, ACKs together or not."""

    def check(b: Bbr) -> float | None:
        grown = np.flatnonzero(b.states.column("max_bw") >= 0.5 * b.link)
        start = b.in_phase(STARTUP)
        if not start or not grown.size:
            return 0.0 if start else None
        begin = np.flatnonzero(b.states.column("max_bw") > 0)
        first = float(b.states.column("max_bw")[begin[0]])
        most = 2 * np.ceil(np.log2(max(2.0, 0.5 * b.link / first))) + 1
        return float(b.states.rounds(float(b.t_s[begin[0]]), float(b.t_s[grown[0]])) <= most)

    return _of(check, view)


def startup_window(view: View) -> float | None:
    """Case 12: at the end of STARTUP the window is above two BDP of the path."""

    def check(b: Bbr) -> float | None:
        bdp = b.link * b.states.view.base_rtt_s(0)
        return _all(b.states.at("cwnd_packets", one.end_s) > b.gains.window * bdp for one in _exit(b))

    return _of(check, view)


def aggregation_seen(view: View) -> float | None:
    """Cases 12 and 13: extra_acked comes to at least half of what arrives together, and at most to twice that."""

    def check(b: Bbr) -> float | None:
        if not b.states.has("extra_acked"):
            return None
        tick_s = float(b.states.view.scenario["flows"][0]["host"]["ack_tick_s"])
        together = b.link * tick_s
        seen = b.states.between("extra_acked", 3.0, float(b.t_s[-1]))
        return float(0.5 * together <= float(np.nanmedian(seen)) <= 2 * together)

    return _of(check, view)


def cruise_window(view: View) -> float | None:
    """Case 13: in CRUISE, or PROBE_BW, the window holds two BDP and half of what arrives together."""

    def check(b: Bbr) -> float | None:
        tick_s = float(b.states.view.scenario["flows"][0]["host"]["ack_tick_s"])
        least = b.link * (b.gains.window * b.states.view.base_rtt_s(0) + 0.5 * tick_s)
        samples = [b.states.between("cwnd_packets", one.start_s + 0.5, one.end_s) for one in b.in_phase(CRUISE, 7.0) if one.length_s > 1]
        return _all(float(np.median(one)) >= least for one in samples)

    return _of(check, view)


def never_below_four(view: View) -> float | None:
    """Case 14: the window is four segments at least at all times."""
    return _of(lambda b: float((b.states.between("cwnd_packets", 1.0, np.inf) >= MIN_CWND - 1e-6).all()), view)


def no_stall(view: View) -> float | None:
    """Case 14: no timeout after five seconds; the initial window alone takes 1.9 s there, longer than the first timer."""

    def check(_: Bbr) -> float | None:
        events = view.records.events
        return float(not any(at > 5 for at in events.filter(events["kind"] == "timeout")["t_s"].to_list()))

    return _of(check, view)


def finds_more(view: View) -> float | None:
    """Case 15: from the first probe after the rate has grown tenfold, max_bw is 90 % of it within four times log2 of the BDP in rounds."""

    def check(b: Bbr) -> float | None:
        step = view.scenario["bottleneck"]["rate_steps"][0]
        wanted = 0.9 * step["rate_bps"] / 12_000
        there = np.flatnonzero((b.states.column("max_bw") >= wanted) & (b.t_s > step["at_s"]))
        probe = [one.start_s for one in b.in_phase(UP) if one.start_s >= step["at_s"]]
        if b.is_first:
            fast = np.flatnonzero((b.states.column("pacing") > 1.2) & (b.t_s >= step["at_s"]))
            probe = [float(b.t_s[fast[0]])] if fast.size else []
        if not probe or not there.size:
            return 0.0
        bdp = step["rate_bps"] / 12_000 * view.base_rtt_s(0)
        rounds = b.states.rounds(min(probe[0], float(b.t_s[there[0]])), float(b.t_s[there[0]]))
        return float(rounds <= 4 * np.log2(bdp))

    return _of(check, view)


def falls_fast(view: View) -> float | None:
    """Case 16: within ten rounds of a fall to a tenth the bandwidth paced by is at some time at most a quarter above the new rate."""

    def check(b: Bbr) -> float | None:
        step = view.scenario["bottleneck"]["rate_steps"][0]
        # A round is at most the queue's length at the new rate.
        rounds_s = ROUNDS_TO_FALL * view.queue_packets * 12_000 / step["rate_bps"]
        return float(np.nanmin(b.states.between("bw", step["at_s"], step["at_s"] + rounds_s)) <= 1.25 * step["rate_bps"] / 12_000)

    return _of(check, view)


def forgets(view: View) -> float | None:
    """Case 16: after two cycles of probing, and after twelve seconds at the latest, max_bw is the new rate within 5 %."""

    def check(b: Bbr) -> float | None:
        step = view.scenario["bottleneck"]["rate_steps"][0]
        after = [one.end_s for one in b.ended(UP) if one.start_s > step["at_s"]]
        at_s = min(after[1] + 1.0 if len(after) > 1 else np.inf, step["at_s"] + 12.0)
        return float(abs(b.states.at("max_bw", at_s) * 12_000 / step["rate_bps"] - 1) <= 0.05)

    return _of(check, view)


def bounded_by_policer(view: View) -> float | None:
    """Case 17: behind a policer a short-term bound holds, or BBRv1's long-term sample, for some of the time after ten seconds."""

    def check(b: Bbr) -> float | None:
        name = "policed" if b.is_first else "inflight_short"
        if not b.states.has(name):
            return None
        samples = b.states.between(name, 10.0, np.inf)
        return float(bool((samples > 0).any() if b.is_first else np.isfinite(samples).any()))

    return _of(check, view)


def undo_restores(view: View) -> float | None:
    """Case 18 and 19: after an undo the long-term bound is not below what it was before the recovery that was undone."""

    def check(b: Bbr) -> float | None:
        events = view.records.events
        undone = events.filter(events["kind"] == "undo")["t_s"].to_list()
        begun = sorted(events.filter(events["kind"].is_in(["loss_episode", "timeout", "backoff"]))["t_s"].to_list())
        if not undone:
            return None
        found = []
        for at in undone:
            before = [one for one in begun if one <= at]
            if before and b.states.has("inflight_long"):
                old, new = b.states.at("inflight_long", before[-1] - 2e-3), b.states.at("inflight_long", at + 2e-3)
                found.append(bool(not np.isfinite(new) or new >= old - 1e-6))
        return _all(found)

    return _of(check, view)


def back_to_startup(view: View) -> float | None:
    """Case 20: STARTUP follows a PROBE_RTT that came before it was over."""
    return _of(lambda b: _all(one.after == STARTUP for one in b.ended(PROBE_RTT)), view)


def beta_after_loss(view: View) -> float | None:
    """Case 21: a PROBE_UP that ends with losses leaves the bound no higher, and at least Beta times what it was, or of the BDP."""

    def check(b: Bbr) -> float | None:
        found = []
        for one in b.ended(UP):
            old, new = b.states.at("inflight_long", one.start_s), b.states.at("inflight_long", one.end_s + 2e-3)
            lossy = np.ptp(b.states.between("retransmitted_packets", one.start_s, one.end_s + 0.1)) > 0
            if lossy and np.isfinite(old) and np.isfinite(new):
                found.append(bool(new >= BETA * min(old, b.bdp(one.start_s)) - 1))
        return _all(found)

    return _of(check, view)


def samples_do_not_lower(view: View) -> float | None:
    """Case 22: with an application that pauses again and again max_bw never falls below 90 % of the link after STARTUP."""

    def check(b: Bbr) -> float | None:
        ended = b.ended(STARTUP)
        return float((b.states.between("max_bw", ended[0].end_s + 0.5, np.inf) >= 0.9 * b.link).all()) if ended else None

    return _of(check, view)


def refill_to_up(view: View) -> float | None:
    """Case 22: REFILL is followed by PROBE_UP, or by PROBE_RTT where that is due."""
    return _of(lambda b: _all(one.after in (UP, PROBE_RTT, DOWN) for one in b.ended(REFILL)), view)
