//! The most recently sent segment known to be delivered, and how late another may be (RFC 8985).

use cc::{CaState, Connection};
use units::{Duration, Time};

use crate::LossDetection;
use crate::Options;

/// Duplicate ACKs, or segments SACKed above, that prove a loss (RFC 5681).
pub(crate) const DUPTHRESH: u32 = 3;

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

/// The most recently sent segment known to be delivered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rack {
    sent: Time,
    end: u64,
    rtt: Duration,
    reordering_seen: bool,
}

impl Rack {
    /// A segment was delivered. An ACK too early for a retransmission is of the original.
    #[inline]
    pub(crate) fn on_delivered(&mut self, c: &Connection, segment: Delivery) {
        let rtt = c.now - segment.sent;
        if segment.retransmitted && rtt < c.rtt_min {
            return;
        }
        self.rtt = rtt;
        if (segment.sent, segment.seq + 1) > (self.sent, self.end) {
            (self.sent, self.end) = (segment.sent, segment.seq + 1);
        }
    }

    /// [`Rack::on_delivered`] when nothing above was delivered and `seq` was sent once, at `sent`.
    #[inline]
    pub(crate) fn on_next_delivered(&mut self, c: &Connection, seq: u64, sent: Time) {
        self.rtt = c.now - sent;
        if sent >= self.sent {
            (self.sent, self.end) = (sent, seq + 1);
        }
    }

    /// RTT of the segment delivered last.
    pub(crate) fn rtt(&self) -> Duration {
        self.rtt
    }

    /// A segment was delivered after one sent later, or not.
    pub(crate) fn note_order(&mut self, is_reordered: bool) {
        self.reordering_seen |= is_reordered;
    }

    /// A segment was once delivered after one sent later.
    pub(crate) fn has_seen_reordering(&self) -> bool {
        self.reordering_seen
    }

    /// Whether segment `seq`, sent at `sent`, was sent before one that has been delivered.
    pub(crate) fn is_after(&self, seq: u64, sent: Time) -> bool {
        (self.sent, self.end) > (sent, seq + 1)
    }

    /// How long a segment may take before it is lost. RFC 8985 section 6.2 step 4, with Linux's step of one: no longer than the segment
    /// delivered last while losses are being repaired and no reordering was ever seen, else a quarter of the minimum RTT more.
    pub(crate) fn loss_delay(&self, c: &Connection, sacked_out: u32) -> Duration {
        let in_trouble = c.ca_state >= CaState::Recovery || sacked_out >= DUPTHRESH;
        if !self.reordering_seen && in_trouble {
            return self.rtt;
        }
        self.rtt + (c.rtt_min / 4).min(Duration::from_us(u64::from(c.srtt8_us >> 3)))
    }
}
