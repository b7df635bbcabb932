//! A receiver without room: its window is shut, and the sender asks now and then whether it has opened.
//!
//! The facts are those of Linux 6.1. With data to send and nothing outstanding a timer is armed (`tcp_check_probe_timer`): a retransmission timeout, 200 ms
//! at least. When it expires a segment without data leaves, which the receiver must answer (`tcp_send_probe0`), and the next waits twice as long,
//! two minutes at most. An answer that still has no room starts the wait anew; one that has ends it (`tcp_ack_probe`), and what was doubled is
//! forgotten. A window that opens is a begin after an idle time as an application's write is: the congestion window is restarted (`tcp_ack_update_window` calls
//! `tcp_slow_start_after_idle_check`); probes are no data and end no idle time.
//!
//! Departures: of a window of less than a segment Linux sends the part that fits when the timer first expires; here nothing is delivered by that, though
//! it ends an idle time as data do. A receiver that answers no probe is never given up (`tcp_retries2`).

use cc::{AckArrival, CongestionControl, RttSample};
use units::{Duration, Time};

use super::opening::Stage;
use super::Sender;
use crate::rate::Change;
use crate::{Ack, Sack, Wire};

/// The shortest first wait.
const WAIT_MIN: Duration = Duration::from_ms(200);
/// The longest.
const WAIT_MAX: Duration = Duration::from_ms(120_000);
/// How often the wait doubles at most (Linux `tcp_retries2`).
const DOUBLINGS_MAX: u8 = 15;

/// How long the receiver's window alone held back data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    in_all: Duration,
    /// Since when it does now; never while it does not.
    since: Time,
}

impl Default for Held {
    fn default() -> Held {
        Held { in_all: Duration::ZERO, since: Time::NEVER }
    }
}

impl Held {
    /// It has up to `now`, at least since `last`.
    fn count(&mut self, now: Time, last: Time) {
        let since = if self.since == Time::NEVER { last } else { self.since };
        self.in_all += now - since;
    }

    /// In all, as of `at`.
    fn at(&self, at: Time) -> Duration {
        let since = if self.since < at { at - self.since } else { Duration::ZERO };
        self.in_all + since
    }
}

impl<C: CongestionControl> Sender<C> {
    /// The receiver's window is `segments` from now on, more or fewer than before. Nothing leaves for it: the ACK that told of it comes next, or
    /// [`Sender::on_window_updated`].
    pub fn on_window_told(&mut self, segments: u64) {
        self.limits.on_window_told(segments);
        if segments > 0 {
            self.timers.disarm_window();
        }
    }

    /// A segment arrives that tells of nothing but a window, which [`Sender::on_window_told`] has taken.
    pub fn on_window_updated(&mut self, now: Time, wire: &mut impl Wire) {
        self.arm_late_probe();
        self.account(now);
        if self.is_opening() {
            return;
        }
        self.recovery.takes_first_answer();
        if self.c.una == self.c.nxt && self.c.nxt > 0 && self.limits.can_send_new(&self.c) {
            self.restart_after_idle();
        }
        self.hear_of_nothing(wire);
        self.recover_and_transmit(wire);
        self.timers.disarm_window();
        self.watch_window();
        self.look_for_trouble();
    }

    /// Steps 5, 9 and 10 of an ACK that brings nothing.
    fn hear_of_nothing(&mut self, wire: &mut impl Wire) {
        let in_flight = self.c.in_flight;
        let is_answer = self.c.una < self.c.nxt;
        if is_answer {
            self.tell_rtt(|| RttSample { acked: 0, rtt: None, forward: None, echoed: None, in_flight });
        }
        self.tell_arrival(&AckArrival { slow_path: true, ece: false });
        if is_answer {
            self.steer_by_rate(Change { acked: 0, lost: 0, rtt: None, prior_in_flight: in_flight }, wire);
            self.refresh_pacing_rate();
        }
    }

    /// An ACK arrives that says how much room the receiver has: one with a new number, or no less room than before, counts (Linux
    /// `tcp_may_update_window`). One that says nothing else is no duplicate ACK. Returns [`Sender::deadline`].
    pub fn on_offering_ack(&mut self, now: Time, ack: Ack, sack: &Sack, wire: &mut impl Wire) -> Time {
        let has_sack = sack.tells_of_disorder();
        let ack = Ack { has_sack, ..ack };
        let mss = u64::from(self.c.mss);
        let window = sack.window.map_or(self.limits.receiver(), |bytes| u64::from(bytes) / mss);
        let is_idle = self.c.una == self.c.nxt;
        let is_update = window > self.limits.receiver() || (window == 0 && is_idle);
        self.note_receive_limit(now);
        self.limits.on_window_heard(window);
        // As much room is told again for the part of a segment that it may have beside.
        if ack.cumulative > self.c.una || (ack.cumulative == self.c.una && window >= self.limits.receiver()) {
            self.on_window_told(window);
            self.limits.on_part_told(window == 0 && sack.window.is_some_and(|bytes| bytes > 0));
        }
        if is_update && !has_sack && self.ecn.is_known(&ack) && ack.cumulative == self.c.una {
            self.on_window_updated(now, wire);
        } else {
            self.on_ack(now, ack, has_sack.then_some(sack), wire);
        }
        self.await_receiver(now);
        self.deadline()
    }

    /// Whether only the receiver's window holds back what there is to send.
    fn is_held_by_receiver(&self) -> bool {
        let is_free = self.c.in_flight < self.w.segments() && !self.limits.is_all_sent(&self.c);
        is_free && self.c.nxt - self.c.una >= self.limits.receiver() && self.stage == Stage::Established
    }

    /// The time for which the receiver's window has held back data up to `now` is counted (Linux `tcp_info.tcpi_rwnd_limited`).
    fn note_receive_limit(&mut self, now: Time) {
        if self.is_held_by_receiver() {
            self.held.count(now, self.c.now);
        }
    }

    fn await_receiver(&mut self, now: Time) {
        self.held.since = if self.is_held_by_receiver() { now } else { Time::NEVER };
    }

    /// How long the receiver's window alone has held back data, up to `at`; known of receivers that tell it with every ACK.
    pub fn receive_limited(&self, at: Time) -> Duration {
        self.held.at(at)
    }

    /// Whether the receiver has no room, and nothing outstanding will tell when it has.
    fn is_shut(&self) -> bool {
        self.c.una == self.c.nxt && self.limits.receiver() == 0 && !self.limits.is_all_sent(&self.c)
    }

    /// The receiver may have shut its window: if so, and nothing else is waited for, it will be asked.
    #[cold]
    #[inline(never)]
    pub(super) fn watch_window(&mut self) {
        if self.is_shut() && self.timers.expires() == Time::NEVER {
            let wait = self.rtt.rto().max(WAIT_MIN).saturating_mul(1 << self.limits.window_probes());
            self.timers.arm_window(&self.c, wait.min(WAIT_MAX));
        }
    }

    /// The timer expires: the receiver is asked.
    #[cold]
    #[inline(never)]
    pub(super) fn on_window_timeout(&mut self, wire: &mut impl Wire) {
        if self.is_shut() {
            if self.limits.is_probe_data() {
                self.c.last_sent = self.c.now;
            }
            wire.probe_window(self.c.now);
            self.limits.on_window_probed(DOUBLINGS_MAX);
            self.watch_window();
        }
    }
}
