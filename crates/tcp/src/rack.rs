//! The most recently sent segment known to be delivered, and how late another may be (RFC 8985).

use cc::{CaState, Connection};
use units::{Duration, Time};

use crate::reordering::Reordering;
use crate::LossDetection;
use crate::Options;

/// How segments are found lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detection {
    /// By the time of sending (RFC 8985).
    Time,
    /// Three segments SACKed above (RFC 6675).
    Count,
    /// Sent more than three segments before the highest SACKed one; once reordering is seen, as `Count` (forward acknowledgement).
    Distance,
    /// Three duplicate ACKs, then each partial one (NewReno, RFC 6582): without SACK nothing else is known.
    Duplicates,
}

impl Detection {
    pub(crate) fn new(options: &Options) -> Detection {
        match options.loss_detection {
            _ if !options.sack => Detection::Duplicates,
            LossDetection::Rack => Detection::Time,
            LossDetection::Rfc6675 => Detection::Count,
            LossDetection::Fack => Detection::Distance,
        }
    }
}

/// A segment that was delivered: its number, when it was last sent, and whether that was for the second time or more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery {
    pub(crate) seq: u64,
    pub(crate) sent: Time,
    pub(crate) retransmitted: bool,
}

/// Recoveries that end without an undo before a wider reordering window is the usual one again (Linux `TCP_RACK_RECOVERY_THRESH`).
const RECOVERIES_KEPT: u8 = 16;

/// The most recently sent segment known to be delivered, and how many quarters of the minimum RTT others may be late.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rack {
    sent: Time,
    end: u64,
    rtt: Duration,
    /// A segment was delivered since losses were looked for: there is something to find.
    advanced: bool,
    /// A duplicate showed that a retransmission was not needed, and the window is yet to grow for it.
    is_too_hasty: bool,
    /// The reordering window, quarters of the minimum RTT.
    steps: u8,
    /// Recoveries for which it stays.
    kept_for: u8,
    /// When it grew last.
    grown_at: Time,
}

impl Rack {
    /// Nothing was delivered.
    pub(crate) fn new() -> Rack {
        Rack {
            sent: Time::ZERO,
            end: 0,
            rtt: Duration::ZERO,
            advanced: false,
            is_too_hasty: false,
            steps: 1,
            kept_for: 0,
            grown_at: Time::ZERO,
        }
    }

    /// A SYN of this side, sent once, was delivered: no data were sent before it, but it tells how long one takes.
    pub(crate) fn on_syn_delivered(&mut self, rtt: Duration) {
        self.rtt = rtt;
    }

    /// A segment was delivered. An ACK too early for a retransmission is of the original: Linux tells by whole microseconds. What is too early by
    /// those is so by the time itself, which is compared first: that is no division.
    #[inline]
    pub(crate) fn on_delivered(&mut self, c: &Connection, segment: Delivery) {
        let rtt = c.now - segment.sent;
        if segment.retransmitted && rtt < c.rtt_min && c.now.as_us() - segment.sent.as_us() < c.rtt_min.as_us() {
            return;
        }
        self.advanced = true;
        self.rtt = rtt;
        if (segment.sent, segment.seq + 1) > (self.sent, self.end) {
            (self.sent, self.end) = (segment.sent, segment.seq + 1);
        }
    }

    /// [`Rack::on_delivered`] when nothing above was delivered and `seq` was sent once, at `sent`.
    #[inline]
    pub(crate) fn on_next_delivered(&mut self, c: &Connection, seq: u64, sent: Time) {
        self.advanced = true;
        self.rtt = c.now - sent;
        if sent >= self.sent {
            (self.sent, self.end) = (sent, seq + 1);
        }
    }

    /// RTT of the segment delivered last.
    pub(crate) fn rtt(&self) -> Duration {
        self.rtt
    }

    /// Whether a segment was delivered, or an episode undone, since this was last asked: otherwise no loss can be found that was not.
    pub(crate) fn take_advance(&mut self) -> bool {
        std::mem::take(&mut self.advanced)
    }

    /// An episode was undone: what was held to be lost is looked at again.
    pub(crate) fn on_undone(&mut self) {
        self.advanced = true;
    }

    /// A retransmission of a segment that had only been late was not needed.
    pub(crate) fn on_needless_retransmission(&mut self) {
        self.is_too_hasty = true;
    }

    /// The next ACK that delivers a segment decides whether the window grows for a duplicate.
    #[inline]
    pub(crate) fn awaits_sample(&self) -> bool {
        self.is_too_hasty
    }

    /// An episode was undone since every retransmission of it arrived twice.
    pub(crate) fn on_undone_by_duplicates(&mut self) {
        self.kept_for = (self.kept_for + 1).min(RECOVERIES_KEPT);
    }

    /// An episode was repaired, not undone.
    pub(crate) fn on_repaired(&mut self) {
        self.kept_for = self.kept_for.saturating_sub(1);
    }

    /// An ACK delivered segments, the latest of them sent at `latest` (Linux `tcp_rack_update_reo_wnd`; RFC 8985 6.2 step 4): the window
    /// grows at most once per round trip.
    pub(crate) fn adapt(&mut self, c: &Connection, latest: Time) {
        if latest < self.grown_at {
            self.is_too_hasty = false;
        }
        if std::mem::take(&mut self.is_too_hasty) {
            self.steps = self.steps.saturating_add(1);
            self.grown_at = c.now;
            self.kept_for = RECOVERIES_KEPT;
        } else if self.kept_for == 0 {
            self.steps = 1;
        }
    }

    /// Whether segment `seq`, sent at `sent`, was sent before one that has been delivered.
    pub(crate) fn is_after(&self, seq: u64, sent: Time) -> bool {
        (self.sent, self.end) > (sent, seq + 1)
    }

    /// How long a segment may take before it is lost (RFC 8985 section 6.2 step 4): no longer than the segment delivered last while losses
    /// are being repaired and no reordering was ever seen, else so many quarters of the minimum RTT more, a smoothed RTT at most.
    pub(crate) fn loss_delay(&self, c: &Connection, reordering: &Reordering, sacked_out: u32) -> Duration {
        let in_trouble = c.ca_state >= CaState::Recovery || sacked_out >= reordering.degree();
        if !reordering.has_been_seen() && in_trouble {
            return self.rtt;
        }
        self.rtt + (Duration::from_us(c.rtt_min.as_us() >> 2) * u64::from(self.steps)).min(Duration::from_us(u64::from(c.srtt8_us >> 3)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_ms;

    /// On a path whose smallest and smoothed RTT are 100 ms.
    fn at(ms: u64) -> Connection {
        Connection { now: Time::from_ms(ms), rtt_min: MS(100), srtt8_us: 800_000, ..Connection::new(1448) }
    }

    /// RFC 8985 6.2, step 2: segment 1, sent again at 150 ms, is acknowledged 99 ms later, and that was the original; 100 ms later it may be either.
    #[test]
    fn an_answer_too_soon_for_a_retransmission_moves_nothing() {
        let mut rack = Rack::new();
        rack.on_delivered(&at(100), Delivery { seq: 0, sent: Time::ZERO, retransmitted: false });
        assert!(rack.take_advance());
        let again = Delivery { seq: 1, sent: Time::from_ms(150), retransmitted: true };
        rack.on_delivered(&at(249), again);
        assert!(!rack.take_advance() && !rack.is_after(2, Time::from_ms(149)));
        rack.on_delivered(&at(250), again);
        assert!(rack.take_advance() && rack.is_after(2, Time::from_ms(149)));
    }

    /// RFC 8985 6.2, step 4: a quarter of the smallest RTT, one more for each round trip with a DSACK, no more than the smoothed RTT, for sixteen recoveries.
    #[test]
    fn a_round_trip_with_a_needless_repair_widens_the_reordering_window() {
        let mut reordering = Reordering::new();
        reordering.on_overtaken(1, 2);
        let mut rack = Rack::new();
        rack.on_delivered(&at(100), Delivery { seq: 0, sent: Time::ZERO, retransmitted: false });
        let window = |rack: &Rack| (rack.loss_delay(&at(100), &reordering, 0) - MS(100)).as_ms();
        assert_eq!(window(&rack), 25);
        let needless = |rack: &mut Rack, now, latest| {
            rack.on_needless_retransmission();
            rack.adapt(&at(now), Time::from_ms(latest));
            window(rack)
        };
        assert_eq!([needless(&mut rack, 200, 100), needless(&mut rack, 250, 150), needless(&mut rack, 301, 201)], [50, 50, 75]);
        assert_eq!([needless(&mut rack, 402, 302), needless(&mut rack, 503, 403)], [100, 100]);
        for recovery in 1..=16 {
            rack.on_repaired();
            rack.adapt(&at(600), Time::from_ms(550));
            assert_eq!(window(&rack), if recovery < 16 { 100 } else { 25 });
        }
    }
}
