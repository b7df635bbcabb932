//! Pacing: when the next segment may leave, and at what rate (Linux `tcp_update_pacing_rate`).

use cc::{Control, Needs};
use units::{ByteRate, Duration, Time};

use crate::{Options, Pacing};

/// Linux leaves the first segments unpaced: a burst with which fewer than ten have left leaves no distance behind it.
const PACED_FROM: u8 = 10;

/// The window of a connection whose handshake is under way, segments (Linux `TCP_INIT_CWND`).
const OPENING_CWND: f64 = 10.0;

/// The pacing gate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacer {
    mode: Pacing,
    /// Lateness is credited.
    credits: bool,
    /// What waits for the gate was sent, as far as TCP knows.
    is_below: bool,
    /// Segments to be sent until the one with which pacing begins has left.
    unpaced: u8,
    /// The burst under way leaves no distance behind it.
    is_free: bool,
    /// Segments by which the sender may run ahead of the rate.
    ahead: u16,
    burst_left: u32,
    /// The rate for which the next four were computed: segments of a burst, the distance that each leaves behind it, how much of a burst's
    /// lateness is credited at most, and how long the segments take by which the sender may run ahead.
    rate: ByteRate,
    burst: u32,
    gap: Duration,
    credit_max: Duration,
    lead: Duration,
    /// When the rate allows the next segment.
    next: Time,
    /// Before this no segment leaves.
    gate: Time,
    /// When the segment that waits for the gate may leave; never if none waits.
    opens: Time,
}

impl Pacer {
    /// A gate as the stack has it; an algorithm that asks for pacing gets it as it wants it where the stack has none.
    pub(crate) fn new(options: &Options, needs: &Needs) -> Pacer {
        let (mode, ahead, credits) = match (options.pacing, needs.control) {
            (Pacing::None, Control::PacedWindow { ahead }) => (Pacing::Full, ahead as u16, false),
            (Pacing::None, Control::Full | Control::FullByRate) => (Pacing::Full, 0, options.pacing_credit),
            (of_stack, _) => (of_stack, 0, options.pacing_credit),
        };
        Pacer {
            mode,
            credits,
            is_below: options.pacing != Pacing::Full,
            unpaced: PACED_FROM,
            is_free: false,
            ahead,
            burst_left: 0,
            rate: ByteRate(u64::MAX),
            burst: 1,
            gap: Duration::ZERO,
            credit_max: Duration::ZERO,
            lead: Duration::ZERO,
            next: Time::ZERO,
            gate: Time::ZERO,
            opens: Time::NEVER,
        }
    }

    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.mode != Pacing::None
    }

    /// When a blocked sender may go on.
    #[inline]
    pub(crate) fn wakes_at(&self) -> Time {
        self.opens
    }

    /// Before this no segment leaves.
    pub(crate) fn gate(&self) -> Time {
        self.gate
    }

    /// A segment waits for the gate.
    #[inline]
    pub(crate) fn is_blocked(&self) -> bool {
        self.opens < Time::NEVER
    }

    /// What waits for the gate waits below TCP, in a queue that paces (Linux `fq`) or in the law's own: not so where TCP paces by its own timer.
    #[inline]
    pub(crate) fn is_below(&self) -> bool {
        self.is_below
    }

    /// A new look at what may leave: nothing is known to be waiting.
    #[inline]
    pub(crate) fn release(&mut self) {
        self.opens = Time::NEVER;
    }

    /// Whether a segment may leave now; if not, remembers when it may. Asked again after any other segment left.
    #[inline]
    pub(crate) fn may_send(&mut self, now: Time) -> bool {
        let is_open = self.is_open(now);
        self.opens = if is_open { Time::NEVER } else { self.gate };
        is_open
    }

    /// The same, without remembering.
    #[inline]
    pub(crate) fn is_open(&self, now: Time) -> bool {
        now >= self.gate
    }

    /// A segment waits for the gate, which is closed.
    #[inline]
    pub(crate) fn block(&mut self) {
        self.opens = self.gate;
    }

    /// A segment left; `rate` is zero before the first RTT sample.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time, mss: u32, rate: ByteRate) {
        // Without pacing, and until segments are paced, no rate is the one for which the distances were computed.
        if rate != self.rate && !self.is_paced_at(now, mss, rate) {
            return;
        }
        if self.burst_left == 0 {
            self.begin_burst(now);
        }
        self.burst_left -= 1;
        if self.is_free {
            return;
        }
        self.next += self.gap;
        self.gate = if self.burst_left == 0 { self.next.saturating_sub(self.lead) } else { Time::ZERO };
    }

    /// A segment leaves at another rate than that of the distances: computes them. False if it leaves none behind it whatever the rate.
    #[inline(never)]
    fn is_paced_at(&mut self, now: Time, mss: u32, rate: ByteRate) -> bool {
        if self.mode == Pacing::None {
            return false;
        }
        if rate == ByteRate::ZERO {
            self.next = self.next.max(now);
            self.unpaced = self.unpaced.saturating_sub(1);
            return false;
        }
        self.follow(mss, rate);
        true
    }

    /// A burst leaves at `now`, which brings the next one forward by what it is late.
    #[inline]
    fn begin_burst(&mut self, now: Time) {
        let late = now.since(self.next);
        self.burst_left = self.burst;
        self.next = self.next.max(now);
        self.is_free = self.unpaced > 0 && self.is_early();
        if !self.is_free {
            self.next = self.next - late.min(self.credit_max);
        }
    }

    /// One of the first bursts leaves: whether the tenth segment is still to come after it.
    #[cold]
    fn is_early(&mut self) -> bool {
        let is_early = u32::from(self.unpaced) > self.burst;
        self.unpaced = self.unpaced.saturating_sub(self.burst.min(u32::from(PACED_FROM)) as u8);
        is_early
    }

    /// The rate is another. Linux sizes its offload bursts to a millisecond of it, 2 to 45 segments; and a burst that leaves late has of that
    /// for the one after at most half its own distance (`tcp_update_skb_after_send`).
    fn follow(&mut self, mss: u32, rate: ByteRate) {
        self.rate = rate;
        self.gap = rate.span(mss);
        self.burst = match self.mode {
            Pacing::Linux => (rate.per_tick() / u64::from(mss)).clamp(2, 45) as u32,
            _ => 1,
        };
        self.credit_max = if self.credits { self.gap * u64::from(self.burst) / 2 } else { Duration::ZERO };
        self.lead = self.gap * u64::from(self.ahead);
    }
}

/// What Linux's own pacing rate follows from.
#[derive(Clone, Copy, Debug)]
pub struct StackPace {
    /// Payload bytes of a segment.
    pub mss: u32,
    /// Eight times the smoothed RTT, microseconds; 0 before the first sample.
    pub srtt8_us: u32,
    /// Congestion window, segments.
    pub cwnd: f64,
    /// Slow-start threshold, segments.
    pub ssthresh: f64,
    /// Segments sent and not cumulatively acknowledged.
    pub outstanding: u64,
}

impl StackPace {
    /// When the SYN-ACK arrives.
    pub(crate) fn opening(mss: u32, srtt8_us: u32) -> StackPace {
        StackPace { mss, srtt8_us, cwnd: OPENING_CWND, ssthresh: cc::SSTHRESH_INFINITE, outstanding: 0 }
    }

    /// Twice the window, or what is outstanding, per smoothed RTT below half of `ssthresh`, else 1.2 times; zero before the
    /// first RTT sample.
    pub fn rate(self) -> ByteRate {
        // Converted and back: rounding down by name is a call on processors without an instruction for it.
        let half = (self.ssthresh / 2.0) as u64 as f64;
        let percent = if self.cwnd < half { 200 } else { 120 };
        let segments = u64::from(self.cwnd as u32).max(self.outstanding);
        // A law from outside may set a window with which the rate is beyond any number.
        let scaled = (u64::from(self.mss) * 80_000 * percent).saturating_mul(segments);
        ByteRate(scaled.checked_div(u64::from(self.srtt8_us)).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1448 bytes at 1,448,000 bytes/s: a millisecond.
    const RATE: ByteRate = ByteRate(1_448_000);

    fn gate(pacing: Pacing, needs: &Needs) -> Pacer {
        Pacer::new(&Options { pacing, ..Options::of_profile("linux-6.1").expect("a profile") }, needs)
    }

    /// Segments that leave at `now`, wanted without end.
    fn burst(pacer: &mut Pacer, now: Time) -> u32 {
        let mut sent = 0;
        pacer.release();
        while pacer.may_send(now) {
            pacer.on_sent(now, 1448, RATE);
            sent += 1;
        }
        sent
    }

    /// A burst of three when it has waited, then one per gap; what was not used within two gaps is lost.
    #[test]
    fn a_sender_may_run_ahead_of_its_rate_by_so_many_segments() {
        let mut pacer = gate(Pacing::None, &Needs { control: Control::PacedWindow { ahead: 2 }, ..Needs::default() });
        pacer.unpaced = 0;
        pacer.on_sent(Time::ZERO, 1448, RATE);
        assert_eq!(burst(&mut pacer, Time::from_ms(100)), 3);
        assert_eq!(pacer.wakes_at(), Time::from_ms(101));
        assert_eq!(burst(&mut pacer, Time::from_us(100_999)), 0);
        assert_eq!(burst(&mut pacer, Time::from_ms(101)), 1);
        assert_eq!(burst(&mut pacer, Time::from_ms(103)), 2);
        assert_eq!(burst(&mut pacer, Time::from_ms(200)), 3);
    }

    /// Departures of a BBR flow on Linux 6.1 (ns since one of them): 22,423 ns late, the next may follow after half the distance of
    /// 16,795 ns; 50 ns late, 50 ns sooner.
    #[test]
    fn a_late_segment_brings_the_next_one_forward_by_at_most_half_the_distance() {
        let rate = ByteRate(86_215_226);
        let mut pacer = gate(Pacing::None, &Needs { control: Control::Full, ..Needs::default() });
        pacer.unpaced = 0;
        let due = Time::from_ms(1);
        pacer.next = due;
        for (late_ns, distance_ns) in [(22_423, 8_398), (50, 16_745), (0, 16_795)] {
            let now = pacer.next + Duration(late_ns);
            pacer.on_sent(now, 1448, rate);
            assert_eq!(pacer.next, now + Duration(distance_ns), "{late_ns} ns late");
        }
    }

    /// The burst of which the tenth segment is part is the first to be paced, as a whole: segments nine and ten, where two make a burst (as
    /// Linux 6.1 answers packetdrill's slow-start-fq-ack-per-2pkt).
    #[test]
    fn the_burst_of_the_tenth_segment_is_the_first_to_be_paced() {
        for (mode, of_burst) in [(Pacing::Full, 1), (Pacing::Linux, 2)] {
            let mut pacer = gate(mode, &Needs::default());
            assert_eq!(burst(&mut pacer, Time::from_ms(5)), 10);
            assert_eq!(pacer.wakes_at(), Time::from_ms(5 + of_burst));
        }
    }
}
