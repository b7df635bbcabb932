//! The sender's one timer: retransmission, tail loss probe, or reordering. When it expires; what then happens is the sender's.

use cc::Connection;
use units::{Duration, Time};

use crate::rtt::RttEstimator;
use crate::ticks::Ticks;

/// What Linux adds to probe and reordering timers (`TCP_TIMEOUT_MIN_US`; two ticks of whatever length until 6.6, and until stable kernels took that up).
const MARGIN: Duration = Duration::from_ms(2);
const RTO_MIN: Duration = Duration::from_ms(200);
const PROBE_INITIAL: Duration = Duration::from_ms(1000);
/// When a device that refused a retransmission is asked again (Linux `TCP_RESOURCE_PROBE_INTERVAL`).
const DEVICE_WAIT: Duration = Duration::from_ms(500);

/// What the timer was armed for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Retransmission,
    Probe,
    /// A probe that expires later than it says: it is armed anew before anything but the pacing gate looks at it.
    LaterProbe,
    Reordering,
    /// Of a SYN.
    Opening,
    /// Of a receiver without room.
    Window,
}

/// The timer, and the clock by which its expiry is seen.
#[derive(Clone, Debug)]
pub(crate) struct Timers {
    kind: Kind,
    /// When the timer is seen to have expired. [`Time::NEVER`] when it is not armed.
    expires: Time,
    /// The clock that sees it.
    ticks: Ticks,
}

impl Timers {
    /// Nothing is armed.
    pub(crate) fn new(ticks: Ticks) -> Timers {
        Timers { kind: Kind::default(), expires: Time::NEVER, ticks }
    }

    /// Timers are looked at at once.
    pub(crate) fn is_exact(&self) -> bool {
        self.ticks.is_exact()
    }

    /// When the timer is seen to have expired.
    #[inline]
    pub(crate) fn expires(&self) -> Time {
        self.expires
    }

    #[inline]
    fn arm(&mut self, kind: Kind, now: Time, deadline: Time) {
        self.kind = kind;
        self.expires = if self.ticks.is_exact() { deadline } else { self.ticks.seen_at(now, deadline) };
    }

    /// The timer has expired: what it was armed for.
    pub(crate) fn on_expired(&mut self) -> Kind {
        self.disarm();
        self.kind
    }

    #[inline]
    pub(crate) fn disarm(&mut self) {
        self.expires = Time::NEVER;
    }

    /// Two smoothed RTTs from now, not later than `latest`.
    #[inline]
    pub(crate) fn arm_probe(&mut self, c: &Connection, latest: Time) {
        self.arm_probe_from(c.now, c, latest);
    }

    /// Two smoothed RTTs after `from`, not later than `latest`.
    #[inline]
    pub(crate) fn arm_probe_from(&mut self, from: Time, c: &Connection, latest: Time) {
        let wait = if c.srtt8_us == 0 { PROBE_INITIAL } else { probe_wait(c) };
        self.arm(Kind::Probe, from, (from + wait).min(latest));
    }

    /// The probe that is armed is to follow what was just sent, and so expires later; when, is found out when it matters.
    #[inline]
    pub(crate) fn put_probe_off(&mut self) {
        debug_assert!(self.is_probe_put_off() || self.kind == Kind::Probe);
        self.kind = Kind::LaterProbe;
    }

    /// The probe expires later than [`Timers::expires`].
    #[inline]
    pub(crate) fn is_probe_put_off(&self) -> bool {
        self.kind == Kind::LaterProbe
    }

    /// A probe `wait` from now, where timers are looked at at once: when it expires.
    #[inline(always)]
    pub(crate) fn arm_probe_in(&mut self, wait: Duration, c: &Connection) -> Time {
        self.kind = Kind::Probe;
        self.expires = c.now + wait;
        self.expires
    }

    /// New data was sent, where no probe may follow it: whether the retransmission timer must be armed for it.
    #[inline]
    pub(crate) fn wants_retransmission(&self, was_idle: bool) -> bool {
        was_idle || self.kind == Kind::Probe || self.expires == Time::NEVER
    }

    /// A full timeout from now; where a probe or reordering timer was armed for the same segments, from when the head was sent.
    pub(crate) fn arm_retransmission(&mut self, c: &Connection, rtt: &RttEstimator, head_sent: Time) {
        let rto = rtt.rto();
        let deadline = if self.kind == Kind::Retransmission { c.now + rto } else { (head_sent + rto).max(c.now + Duration::from_us(1)) };
        self.arm(Kind::Retransmission, c.now, deadline);
    }

    /// A full timeout from now, whatever was armed.
    pub(crate) fn restart_retransmission(&mut self, c: &Connection, rtt: &RttEstimator) {
        self.arm(Kind::Retransmission, c.now, c.now + rtt.rto());
    }

    /// The device refused what a timeout sends again: it is asked again soon, and the timeout has not doubled.
    pub(crate) fn retry_retransmission(&mut self, c: &Connection) {
        self.arm(Kind::Retransmission, c.now, c.now + DEVICE_WAIT);
    }

    /// A SYN was sent: so long it is waited for.
    pub(crate) fn arm_opening(&mut self, c: &Connection, wait: Duration) {
        self.arm(Kind::Opening, c.now, c.now + wait);
    }

    /// The receiver has no room: so long until it is asked.
    pub(crate) fn arm_window(&mut self, c: &Connection, wait: Duration) {
        self.arm(Kind::Window, c.now, c.now + wait);
    }

    /// It need not be asked, or not yet.
    pub(crate) fn disarm_window(&mut self) {
        if self.kind == Kind::Window {
            self.disarm();
        }
    }

    /// The head was retransmitted: the timer starts anew, unless it waits for reordering.
    pub(crate) fn on_head_retransmitted(&mut self, c: &Connection, rtt: &RttEstimator) {
        if self.kind != Kind::Reordering || self.expires == Time::NEVER {
            self.restart_retransmission(c, rtt);
        }
    }

    /// Segments that may only be late are given `wait` more.
    pub(crate) fn arm_reordering(&mut self, c: &Connection, wait: Duration) {
        self.arm(Kind::Reordering, c.now, c.now + wait + MARGIN);
    }
}

/// How long a probe waits, once the smoothed RTT is known.
#[inline]
pub(crate) fn probe_wait(c: &Connection) -> Duration {
    let margin = if c.nxt - c.una == 1 { RTO_MIN } else { MARGIN };
    Duration::from_us(u64::from(c.srtt8_us) >> 2) + margin
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    const NEVER: Time = Time::NEVER;

    /// At 1 s, with a smoothed RTT of 100 ms and so a timeout of 300 ms.
    fn at_one_second() -> (Connection, RttEstimator) {
        let mut rtt = RttEstimator::new(&Options::of_profile("linux-6.1").expect("a profile"));
        let mut c = Connection { now: Time::from_ms(1000), nxt: 2, ..Connection::new(1448) };
        rtt.on_sampled(&mut c, Duration::from_ms(100));
        (c, rtt)
    }

    /// RFC 8985 7.2: two smoothed RTTs, and for a lone segment the time for which its ACK may be delayed, here 200 ms; two ticks otherwise.
    #[test]
    fn a_probe_waits_two_round_trips() {
        let (c, _) = at_one_second();
        let after = |c: &Connection, latest| {
            let mut timers = Timers::new(Ticks::each(Duration::ZERO, true));
            timers.arm_probe(c, latest);
            timers.expires().as_ms()
        };
        assert_eq!(after(&c, NEVER), 1202);
        assert_eq!(after(&c, Time::from_ms(1150)), 1150);
        assert_eq!(after(&Connection { nxt: 1, ..c.clone() }, NEVER), 1400);
        assert_eq!(after(&Connection { srtt8_us: 0, ..c }, NEVER), 2000);
    }

    /// The head left at 900 ms. After a probe the 300 ms are its own; a timer that was for it already starts anew.
    #[test]
    fn a_timeout_after_a_probe_counts_from_when_the_head_was_sent() {
        let (c, rtt) = at_one_second();
        let mut timers = Timers::new(Ticks::each(Duration::ZERO, true));
        timers.arm_probe(&c, NEVER);
        timers.arm_retransmission(&c, &rtt, Time::from_ms(900));
        assert_eq!(timers.expires(), Time::from_ms(1200));
        timers.arm_retransmission(&c, &rtt, Time::from_ms(900));
        assert_eq!(timers.expires(), Time::from_ms(1300));
        timers.arm_reordering(&c, Duration::from_ms(25));
        assert_eq!(timers.expires(), Time::from_ms(1027));
        timers.arm_retransmission(&c, &rtt, Time::from_ms(100));
        assert_eq!(timers.expires(), Time(1_000_001_000), "not in the past");
    }

    #[test]
    fn a_timer_that_waits_for_reordering_outlives_the_retransmission_of_the_head() {
        let (c, rtt) = at_one_second();
        let mut timers = Timers::new(Ticks::each(Duration::ZERO, true));
        timers.arm_reordering(&c, Duration::from_ms(25));
        timers.on_head_retransmitted(&c, &rtt);
        assert_eq!(timers.expires(), Time::from_ms(1027));
        assert_eq!((timers.on_expired(), timers.expires()), (Kind::Reordering, NEVER));
        timers.on_head_retransmitted(&c, &rtt);
        assert_eq!(timers.expires(), Time::from_ms(1300));
    }

    /// 250 ticks a second, at 1 s, which is one: a probe of 202 ms waits 51 ticks and the wheel's one, a reordering timer of 25 + 2 ms seven and one, and a
    /// timeout of 300 ms 75, of the wheel's second step: 325 / 8 = 40.6, 41 x 8 = 328. Before the wheel it is the next tick.
    #[test]
    fn a_coarse_clock_sees_an_expiry_in_the_steps_of_its_wheel() {
        let (c, rtt) = at_one_second();
        let mut timers = Timers::new(Ticks::each(Duration::from_ms(4), true));
        assert_eq!(timers.expires(), NEVER);
        timers.arm_probe(&c, NEVER);
        assert_eq!(timers.expires(), Time::from_ms(1208));
        timers.arm_reordering(&c, Duration::from_ms(25));
        assert_eq!(timers.expires(), Time::from_ms(1032));
        timers.restart_retransmission(&c, &rtt);
        assert_eq!(timers.expires(), Time::from_ms(1312));
        let mut before = Timers::new(Ticks::each(Duration::from_ms(10), false));
        before.arm_probe(&c, NEVER);
        assert_eq!(before.expires(), Time::from_ms(1210));
    }
}
