//! What limits a sender beside the algorithm: the application's data, the receiver's window, and whether the window was used at all.
//!
//! Two rules of Linux, both tied to `tcp_slow_start_after_idle` and neither applied to an algorithm that controls all itself. Idle restart
//! (`tcp_cwnd_restart`): the first data after an idle time longer than the retransmission timeout finds the window halved once per timeout,
//! down to the initial window. Validation (RFC 2861; `tcp_cwnd_application_limited`): a window that for a timeout was neither filled nor had an ACK that
//! might have made it grow moves half-way to what was used of it. In both ssthresh remembers three quarters of the window there was. RFC 5681 4.1 knows the first alone, and goes to
//! the restart window at once.

use cc::{CaState, Connection, Needs, Window};
use units::{Duration, Time};

use crate::recovery::{current_ssthresh, is_reduction};
use crate::reordering::DUPTHRESH;
use crate::{IdleRestart, SenderSpec};

/// What was used of the window since it was last full.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    /// Most segments outstanding (Linux `snd_cwnd_used`).
    used: u64,
    /// When the window was last full, or last set, or might last have grown (Linux `snd_cwnd_stamp`).
    since: Time,
}

/// What the sender just did with its window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    /// The window, or what counts as such, held segments back.
    pub(crate) filled: bool,
    /// New segments sent.
    pub(crate) sent: u64,
}

/// How far data goes, how far the receiver's window, and what of the congestion window was used.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Limits {
    /// Segments that the application has written so far.
    written: u64,
    /// The receiver's window, segments.
    receiver: u64,
    /// The window was the limit during the last round trip (Linux `is_cwnd_limited`).
    filled: bool,
    limited_transmit: bool,
    fin_past_window: bool,
    idle_restart: IdleRestart,
    /// An ACK that no law has been told of offers another window than the one before, as the first does: that of a SYN-ACK is not scaled.
    is_window_news: bool,
    /// Probes of the receiver's window since it was shut.
    window_probes: u8,
    initial_window: u16,
    /// A part of a segment has room at the receiver, and no whole one.
    part_has_room: bool,
    /// Most segments outstanding in the round trip that `round_end` ends (Linux `max_packets_out`).
    most_out: u64,
    round_end: u64,
    /// Segments that the application writes in all.
    total: u64,
    /// Of an application that writes in pieces; none for one that always has more.
    usage: Option<Box<Usage>>,
}

impl Limits {
    pub(crate) fn new(spec: &SenderSpec, needs: &Needs) -> Limits {
        Limits {
            written: spec.segments,
            receiver: spec.window,
            filled: true,
            limited_transmit: spec.options.limited_transmit,
            fin_past_window: spec.options.fin_past_window,
            idle_restart: if needs.control.is_full() { IdleRestart::None } else { spec.options.idle_restart },
            is_window_news: true,
            window_probes: 0,
            part_has_room: false,
            initial_window: u16::try_from(spec.options.initial_window).unwrap_or(u16::MAX),
            most_out: 0,
            round_end: 0,
            total: spec.segments,
            usage: None,
        }
    }

    /// The application writes `segments`, all at once.
    pub(crate) fn on_born(&mut self, segments: u64) {
        (self.written, self.total) = (segments, segments);
    }

    /// The application has written nothing yet.
    pub(crate) fn wait(&mut self) {
        self.written = 0;
        self.usage = Some(Box::default());
    }

    /// The application has written `segments` in all.
    pub(crate) fn on_written(&mut self, segments: u64) {
        self.written = self.written.max(segments.min(self.total));
    }

    /// The application writes no more for now; all it has written was sent.
    pub(crate) fn on_paused(&mut self, c: &Connection) {
        self.written = self.written.min(c.nxt);
    }

    /// The application writes no more.
    pub(crate) fn on_stopped(&mut self) {
        self.total = self.written;
    }

    /// The receiver offers `window` segments; what was offered once stands.
    pub(crate) fn on_window_offered(&mut self, window: u64) {
        self.receiver = self.receiver.max(window);
    }

    /// The receiver's window is `window` segments now.
    pub(crate) fn on_window_told(&mut self, window: u64) {
        self.receiver = window;
        if window > 0 {
            self.window_probes = 0;
        }
    }

    /// An ACK offers `window` segments, whether that counts or not.
    pub(crate) fn on_window_heard(&mut self, window: u64) {
        self.is_window_news |= window != self.receiver;
    }

    /// Whether an ACK offers another window than the one before: Linux predicted none such (`tcp_fast_path_on`).
    pub(crate) fn is_window_news(&self) -> bool {
        self.is_window_news
    }

    /// What is offered is known: a law was told of it, or the peer opened the connection.
    pub(crate) fn on_window_known(&mut self) {
        self.is_window_news = false;
    }

    /// A part of a segment has room at the receiver, or not.
    pub(crate) fn on_part_told(&mut self, has_room: bool) {
        self.part_has_room = has_room;
    }

    /// A probe of the window is to take that part there: the first is, for then there is no room any more.
    pub(crate) fn is_probe_data(&self) -> bool {
        self.part_has_room && self.window_probes == 0
    }

    /// How often the window has been probed since it was shut.
    pub(crate) fn window_probes(&self) -> u8 {
        self.window_probes
    }

    /// It is probed; counted up to `most`.
    pub(crate) fn on_window_probed(&mut self, most: u8) {
        self.window_probes = most.min(self.window_probes + 1);
    }

    /// The receiver's window, segments.
    pub(crate) fn receiver(&self) -> u64 {
        self.receiver
    }

    /// The application writes everything at once.
    pub(crate) fn is_usual(&self) -> bool {
        self.usage.is_none()
    }

    /// Everything that the application writes is acknowledged.
    #[inline]
    pub(crate) fn is_finished(&self, c: &Connection) -> bool {
        c.una >= self.total
    }

    /// Everything that was written has been sent.
    #[inline]
    pub(crate) fn is_all_sent(&self, c: &Connection) -> bool {
        c.nxt >= self.written
    }

    /// `room` more segments are the last that there are.
    pub(crate) fn is_last(&self, c: &Connection, room: u64) -> bool {
        c.nxt + room >= self.written
    }

    /// How many of `free` segments receiver and application allow, and where Linux is not strict about the congestion window for the FIN
    /// (`tcp_cwnd_test` before 6.12), one more.
    #[inline]
    pub(crate) fn room(&self, c: &Connection, free: u32) -> u64 {
        let (out, free) = (c.nxt - c.una, u64::from(free));
        let allowed = (self.written - c.nxt).min(self.receiver.saturating_sub(out));
        if allowed > free && self.fin_past_window && c.nxt + free + 1 == self.total {
            return free + 1;
        }
        allowed.min(free)
    }

    /// The application has data and the receiver has room.
    #[inline]
    pub(crate) fn can_send_new(&self, c: &Connection) -> bool {
        c.nxt < self.written && c.nxt - c.una < self.receiver
    }

    /// What counts as in flight beside the pipe: without limited transmit the first duplicate ACKs release nothing.
    #[inline]
    pub(crate) fn hidden_pipe(&self, state: CaState, sacked_out: u32) -> u32 {
        if state == CaState::Disorder && !self.limited_transmit {
            sacked_out.min(DUPTHRESH - 1)
        } else {
            0
        }
    }

    /// Linux `tcp_is_cwnd_limited`: in slow start half of the window is use enough.
    #[inline]
    pub(crate) fn is_window_used(&self, w: &Window) -> bool {
        // Signed, for the conversion is then one instruction.
        self.filled || (w.in_slow_start() && w.cwnd < 2.0 * self.most_out as i64 as f64)
    }

    /// The window was the limit during the last round trip.
    #[inline]
    pub(crate) fn is_window_filled(&self) -> bool {
        self.filled
    }

    /// Linux `tcp_cwnd_validate`, first half: was the window the limit during the last round trip? Returns whether the second half has
    /// anything to do.
    #[inline]
    pub(crate) fn on_used(&mut self, c: &Connection, Use { filled, sent }: Use) -> bool {
        // Where nothing waits to be sent Linux does not ask.
        if sent == 0 && (!filled || self.is_all_sent(c)) {
            return false;
        }
        let out = c.nxt - c.una;
        if filled || c.una >= self.round_end || (!self.filled && out > self.most_out) {
            self.filled = filled;
            self.most_out = out;
            self.round_end = c.nxt;
        }
        self.usage.is_some()
    }

    /// The same where the window is full, whatever was sent.
    pub(crate) fn on_filled(&mut self, c: &Connection) -> bool {
        self.filled = true;
        self.most_out = c.nxt - c.una;
        self.round_end = c.nxt;
        self.usage.is_some()
    }

    /// Linux `tcp_cwnd_validate`, second half: something was sent, or the window is full, of an application that writes in pieces.
    #[cold]
    pub(crate) fn validate(&mut self, w: &mut Window, c: &Connection, rto: Duration) {
        let is_used = self.is_window_used(w);
        let Some(usage) = self.usage.as_deref_mut() else { return };
        if is_used {
            *usage = Usage { used: 0, since: c.now };
            return;
        }
        usage.used = usage.used.max(c.nxt - c.una);
        if self.idle_restart != IdleRestart::Linux || c.now - usage.since < rto {
            return;
        }
        usage.since = c.now;
        // With more to send it is not the application that limits.
        if c.ca_state != CaState::Open || c.nxt < self.written {
            return;
        }
        let used = std::mem::take(&mut usage.used).max(u64::from(self.initial_window));
        let cwnd = u64::from(w.segments());
        if used < cwnd {
            w.ssthresh = current_ssthresh(w);
            w.cwnd = ((cwnd + used) / 2) as f64;
        }
    }

    /// The idle time before now asks for an idle restart.
    pub(crate) fn is_restart_due(&self, c: &Connection, rto: Duration) -> bool {
        self.idle_restart != IdleRestart::None && c.now - c.last_sent > rto
    }

    /// The window after that idle time.
    pub(crate) fn restart(&mut self, w: &mut Window, c: &Connection, rto: Duration) {
        let cwnd = w.segments();
        let least = u32::from(self.initial_window).min(cwnd);
        if self.idle_restart == IdleRestart::Rfc5681 {
            w.cwnd = f64::from(least);
            return;
        }
        if !is_reduction(c.ca_state) {
            w.ssthresh = current_ssthresh(w);
        }
        // Not halved for the timeout that is not over.
        let timeouts = (c.now - c.last_sent - Duration::NANOSECOND) / rto;
        w.cwnd = f64::from(cwnd.checked_shr(timeouts.min(32) as u32).unwrap_or(0).max(least));
        if let Some(usage) = self.usage.as_deref_mut() {
            *usage = Usage { used: 0, since: c.now };
        }
    }

    /// The window was set, or may have grown.
    pub(crate) fn on_window_set(&mut self, now: Time) {
        if let Some(usage) = self.usage.as_deref_mut() {
            usage.since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    /// A sender of `segments` to a receiver with room for 40.
    fn limits(segments: u64, idle_restart: IdleRestart) -> Limits {
        let options = Options { idle_restart, ..Options::of_profile("linux-6.1").expect("a profile") };
        Limits::new(&SenderSpec { options, mss: 1448, segments, window: 40, device: false }, &Needs::default())
    }

    /// 90 sent and 60 acknowledged: of 50 that the window allows, the receiver has room for 10, and of 95 written 5 are left.
    #[test]
    fn the_least_of_window_receiver_and_application_is_sent() {
        let c = Connection { una: 60, nxt: 90, ..Connection::new(1448) };
        let room = |written, free| limits(written, IdleRestart::None).room(&c, free);
        assert_eq!([room(u64::MAX, 50), room(95, 50), room(95, 3)], [10, 5, 3]);
        assert!(!limits(90, IdleRestart::None).can_send_new(&c));
    }

    /// Linux before 6.12 (`tcp_cwnd_test`): a segment with the FIN is not held back by a full window, one without is, and the receiver's window holds
    /// for both.
    #[test]
    fn the_last_segment_leaves_past_a_full_window() {
        let c = Connection { una: 60, nxt: 90, ..Connection::new(1448) };
        let room = |total, free| limits(total, IdleRestart::None).room(&c, free);
        assert_eq!([room(91, 0), room(92, 0), room(93, 2), room(94, 2)], [1, 0, 3, 2]);
        let full = Connection { una: 50, ..c };
        assert_eq!(limits(91, IdleRestart::None).room(&full, 0), 0);
        let mut later = limits(u64::MAX, IdleRestart::None);
        later.on_written(91);
        assert_eq!(later.room(&c, 0), 0, "more may be written");
    }

    /// A window of 100 after an idle time of 1.05 s, with a timeout of 300 ms: halved thrice, or ten at once by RFC 5681, which leaves the threshold.
    /// Linux keeps three quarters of the window there.
    #[test]
    fn a_silence_of_three_timeouts_halves_the_window_thrice() {
        let c = Connection { now: Time::from_ms(1050), ..Connection::new(1448) };
        let rto = Duration::from_ms(300);
        let after = |rule| {
            let mut w = Window { cwnd: 100.0, ssthresh: 20.0, cnt: 0 };
            let mut limits = limits(u64::MAX, rule);
            let is_due = limits.is_restart_due(&c, rto);
            limits.restart(&mut w, &c, rto);
            (is_due, w.cwnd, w.ssthresh)
        };
        assert_eq!(after(IdleRestart::Linux), (true, 12.0, 75.0));
        assert_eq!(after(IdleRestart::Rfc5681), (true, 10.0, 20.0));
        assert!(!limits(1, IdleRestart::None).is_restart_due(&c, rto));
        assert!(!limits(1, IdleRestart::Linux).is_restart_due(&Connection { now: Time::ZERO + rto, ..c.clone() }, rto));
    }

    /// Outside slow start a window is used when it was full within the round trip; in slow start half of it is enough.
    #[test]
    fn a_window_half_used_is_used_in_slow_start_alone() {
        let mut limits = limits(u64::MAX, IdleRestart::Linux);
        let c = Connection { nxt: 6, ..Connection::new(1448) };
        assert!(!limits.on_used(&c, Use { filled: false, sent: 6 }));
        let [mut slow, mut fast] = [Window::new(10), Window::new(10)];
        (slow.ssthresh, fast.ssthresh) = (5.0, 50.0);
        assert_eq!([limits.is_window_used(&slow), limits.is_window_used(&fast)], [false, true]);
        slow.ssthresh = 50.0;
        slow.cwnd = 12.0;
        assert!(!limits.is_window_used(&slow), "6 of 12 are not more than half");
    }
}
