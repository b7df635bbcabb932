//! Undo of reductions that proved spurious: DSACK of every retransmission, or an ACK of an original (Eifel, RFC 4015).

use std::num::NonZeroU64;

use cc::Connection;
use units::Time;

use crate::progress::Progress;
use crate::Options;

/// No retransmission yet.
const NONE: i32 = -1;

/// What is remembered of the episode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Undo {
    /// The stack undoes reductions at all.
    is_on: bool,
    has_timestamps: bool,
    /// One past the first segment outstanding when the episode began (Linux `undo_marker`); none when it cannot be undone.
    past_marker: Option<NonZeroU64>,
    /// Retransmissions not yet reported as duplicates; none, a number below zero, before the first (Linux `undo_retrans`).
    retransmissions: i32,
    /// When the first retransmission of the episode was sent (Linux `retrans_stamp`); never if none was.
    first_retransmission: Time,
    /// What an undo restores; NaN when congestion was marked since.
    prior_ssthresh: f64,
}

impl Undo {
    pub(crate) fn new(options: &Options) -> Undo {
        Undo {
            is_on: options.undo,
            has_timestamps: options.timestamps,
            past_marker: None,
            retransmissions: NONE,
            first_retransmission: Time::NEVER,
            prior_ssthresh: f64::NAN,
        }
    }

    /// An episode begins with `outstanding` retransmissions under way; without a threshold an undo restores no window.
    pub(crate) fn arm(&mut self, c: &Connection, outstanding: u32, prior_ssthresh: Option<f64>) {
        self.past_marker = NonZeroU64::new(c.una + 1);
        self.retransmissions = if outstanding > 0 { outstanding as i32 } else { NONE };
        self.prior_ssthresh = prior_ssthresh.unwrap_or(f64::NAN);
    }

    pub(crate) fn disarm(&mut self) {
        self.past_marker = None;
    }

    /// Congestion was marked since: an undo restores no window.
    pub(crate) fn forbid(&mut self) {
        self.prior_ssthresh = f64::NAN;
    }

    pub(crate) fn is_armed(&self) -> bool {
        self.past_marker.is_some()
    }

    /// The threshold that an undo restores; none when it restores no window.
    pub(crate) fn restored_ssthresh(&self) -> Option<f64> {
        Some(self.prior_ssthresh).filter(|ssthresh| !ssthresh.is_nan())
    }

    pub(crate) fn on_retransmitted(&mut self, now: Time) {
        self.first_retransmission = self.first_retransmission.min(now);
        self.retransmissions = self.retransmissions.max(0) + 1;
    }

    /// No retransmission of an episode is under way any more.
    pub(crate) fn forget_retransmissions(&mut self) {
        self.first_retransmission = Time::NEVER;
    }

    /// The receiver reported `seq` as a duplicate.
    pub(crate) fn on_duplicate(&mut self, seq: u64) {
        if self.past_marker.is_some_and(|marker| seq + 1 >= marker.get()) {
            self.retransmissions -= i32::from(self.retransmissions > 0);
        }
    }

    /// Every retransmission arrived twice: the episode was spurious.
    pub(crate) fn is_spurious_by_duplicates(&self) -> bool {
        self.is_on && self.is_armed() && self.retransmissions == 0
    }

    /// The ACK echoes a segment older than the first retransmission, by the milliseconds of timestamps, or nothing was retransmitted yet: it
    /// answers an original (Linux `tcp_packet_delayed`). Without SACK the end of an episode says nothing.
    pub(crate) fn is_spurious_by_echo(&self, c: &Connection, echo: Time, is_over: bool) -> bool {
        let answers_original = match self.first_retransmission {
            Time::NEVER => c.selective_acks || !is_over,
            sent => self.has_timestamps && echo.is_ms_before(sent),
        };
        self.is_on && self.is_armed() && answers_original
    }

    /// The episode is shown to be spurious by this ACK.
    pub(crate) fn is_spurious(&self, c: &Connection, progress: &Progress, is_over: bool) -> bool {
        self.is_spurious_by_duplicates() || self.is_spurious_by_echo(c, progress.echo, is_over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(undo: bool) -> Options {
        Options { undo, ..Options::of_profile("linux-6.1").expect("a profile") }
    }

    /// An episode that began with segment 7, whose two retransmissions left from 100 ms on.
    fn episode(is_on: bool) -> Undo {
        let mut undo = Undo::new(&options(is_on));
        undo.arm(&Connection { una: 7, ..Connection::new(1448) }, 0, Some(40.0));
        undo.on_retransmitted(Time::from_ms(100));
        undo.on_retransmitted(Time::from_ms(101));
        undo
    }

    #[test]
    fn an_episode_is_spurious_when_every_retransmission_arrived_twice() {
        let mut undo = episode(true);
        undo.on_duplicate(6);
        undo.on_duplicate(7);
        assert!(!undo.is_spurious_by_duplicates(), "one of two, and one of before the episode");
        undo.on_duplicate(8);
        assert!(undo.is_spurious_by_duplicates());
        undo.disarm();
        assert!(!undo.is_spurious_by_duplicates());
    }

    /// Eifel (RFC 4015): an echo from before the first retransmission is of an original. Timestamps tick in milliseconds.
    #[test]
    fn an_episode_is_spurious_when_an_original_is_acknowledged() {
        let told = |undo: &Undo, echo_us| undo.is_spurious_by_echo(&Connection::new(1448), Time::from_us(echo_us), true);
        let undo = episode(true);
        assert_eq!([99_999, 100_000].map(|echo_us| told(&undo, echo_us)), [true, false]);
        assert!(!told(&episode(false), 99_999), "a stack that undoes nothing");
    }

    /// A repair that ends before anything was retransmitted was none; without SACK an episode that ends says nothing.
    #[test]
    fn an_episode_without_a_retransmission_is_spurious() {
        let mut undo = Undo::new(&options(true));
        undo.arm(&Connection::new(1448), 0, Some(40.0));
        let told = |selective_acks, is_over| {
            undo.is_spurious_by_echo(&Connection { selective_acks, ..Connection::new(1448) }, Time::ZERO, is_over)
        };
        assert_eq!([told(true, true), told(false, false), told(false, true)], [true, true, false]);
    }

    /// A mark in between forbids the window, not the rest.
    #[test]
    fn an_undo_restores_what_there_was_unless_congestion_was_marked() {
        let mut undo = episode(true);
        assert_eq!(undo.restored_ssthresh(), Some(40.0));
        undo.forbid();
        assert_eq!((undo.restored_ssthresh(), undo.is_armed()), (None, true));
    }
}
