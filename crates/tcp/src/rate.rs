//! Delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation-02; Linux `tcp_rate.c`), for algorithms that ask for them.
//!
//! Every transmission remembers how far delivery had come. When the segment is delivered, what was delivered since, over the time it took
//! to send or to acknowledge it, whichever was longer, is a sample.

use cc::{Connection, LostSegment, RateSample};
use units::{Duration, Time};

/// The connection when a segment was last sent. There are as many as segments outstanding, and each is written and read once: small.
#[derive(Clone, Copy, Debug, Default)]
struct Snapshot {
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    /// Segments ever marked lost, modulo 2^32.
    lost: u32,
    /// Pipe, the segment included, doubled; plus one when limited by the application.
    in_flight_limited: u32,
}

impl Snapshot {
    fn in_flight(&self) -> u32 {
        self.in_flight_limited >> 1
    }

    fn is_app_limited(&self) -> bool {
        self.in_flight_limited & 1 == 1
    }

    fn lost_since(&self, lost: u64) -> u32 {
        (lost as u32).wrapping_sub(self.lost)
    }
}

/// A segment that was delivered; of two the greater was sent last.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Newest {
    sent: Time,
    seq: u64,
}

/// The delivery clock of a connection and its segments' snapshots.
#[derive(Clone, Debug, Default)]
pub(crate) struct RateSampler {
    /// Of each outstanding segment, in the slot of its number modulo the capacity.
    snapshots: Box<[Snapshot]>,
    /// When something was last delivered (Linux `delivered_mstamp`).
    delivered_at: Time,
    /// When the segment delivered most recently was sent (Linux `first_tx_mstamp`).
    first_sent: Time,
    /// Of the segments that this ACK delivered the one sent last.
    newest: Option<Newest>,
}

impl RateSampler {
    fn snapshot(&self, seq: u64) -> &Snapshot {
        &self.snapshots[seq as usize & (self.snapshots.len() - 1)]
    }

    /// `seq` is about to be sent, or sent again; `lost` segments were ever marked lost.
    #[inline]
    pub(crate) fn on_sent(&mut self, seq: u64, c: &Connection, lost: u64) {
        if c.nxt == c.una {
            self.first_sent = c.now;
            self.delivered_at = c.now;
        }
        if (seq.max(c.nxt) + 1 - c.una) as usize > self.snapshots.len() {
            self.grow(c);
        }
        self.remember(seq, c, lost);
    }

    /// [`RateSampler::on_sent`] of the next new segment, `c.nxt`, while others are outstanding, all of them in flight.
    #[inline(always)]
    pub(crate) fn on_next_sent(&mut self, c: &Connection, lost: u64) {
        if c.in_flight as usize >= self.snapshots.len() {
            self.grow(c);
        }
        self.remember(c.nxt, c, lost);
    }

    #[inline(always)]
    fn remember(&mut self, seq: u64, c: &Connection, lost: u64) {
        let at = seq as usize & (self.snapshots.len() - 1);
        self.snapshots[at] = Snapshot {
            delivered: c.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            lost: lost as u32,
            in_flight_limited: (c.in_flight + 1) << 1 | u32::from(c.app_limited_until > 0),
        };
    }

    #[cold]
    fn grow(&mut self, c: &Connection) {
        let capacity = ((c.nxt + 1 - c.una) as usize).next_power_of_two().max(16);
        let mut grown = vec![Snapshot::default(); capacity].into_boxed_slice();
        for seq in c.una..c.nxt {
            grown[seq as usize & (capacity - 1)] = *self.snapshot(seq);
        }
        self.snapshots = grown;
    }

    /// `seq`, last sent at `sent`, was delivered for the first time.
    #[inline]
    pub(crate) fn on_delivered(&mut self, seq: u64, sent: Time) {
        let delivered = Newest { sent, seq };
        if self.newest.is_none_or(|newest| delivered > newest) {
            self.newest = Some(delivered);
        }
    }

    /// `seq` is held to be lost, the last of those that `c` counts.
    pub(crate) fn lost_segment(&self, c: &Connection, seq: u64) -> LostSegment {
        let snapshot = self.snapshot(seq);
        let (lost_since_sent, app_limited) = (snapshot.lost_since(c.lost), snapshot.is_app_limited());
        LostSegment { seq, tx_in_flight: snapshot.in_flight(), lost_since_sent, app_limited }
    }

    /// The sample of an ACK that delivered and lost what `change` says.
    pub(crate) fn take_sample(&mut self, c: &mut Connection, change: Change) -> RateSample {
        if let Some(newest) = self.newest.take() {
            return self.sample(c, change, newest);
        }
        self.on_answered(c, &change);
        RateSample {
            prior_time: Time::ZERO,
            prior_delivered: c.delivered,
            delivered: None,
            interval: None,
            delivered_at: self.delivered_at,
            rtt: change.rtt,
            lost: change.lost,
            acked: change.acked,
            prior_in_flight: change.prior_in_flight,
            tx_in_flight: 0,
            lost_since_sent: 0,
            app_limited: false,
        }
    }

    /// An ACK before this one delivered something, and its sample was not taken.
    #[inline(always)]
    pub(crate) fn is_behind(&self) -> bool {
        self.newest.is_some()
    }

    /// [`RateSampler::take_sample`] of an ACK that delivers `seq`, last sent at `sent`, as the last of several, where it is not behind.
    #[inline(always)]
    pub(crate) fn take_next_sample(&mut self, c: &mut Connection, change: Change, seq: u64, sent: Time) -> RateSample {
        self.sample(c, change, Newest { sent, seq })
    }

    /// The delivery clock, and what of the application's limit is over.
    #[inline(always)]
    fn on_answered(&mut self, c: &mut Connection, change: &Change) {
        if change.acked > 0 {
            self.delivered_at = c.now;
        }
        if c.delivered >= c.app_limited_until {
            c.app_limited_until = 0;
        }
    }

    #[inline(always)]
    fn sample(&mut self, c: &mut Connection, change: Change, Newest { sent, seq }: Newest) -> RateSample {
        self.on_answered(c, &change);
        // Nothing was sent since it was delivered: its snapshot is still there.
        let snapshot = *self.snapshot(seq);
        let sending = sent - snapshot.first_sent;
        let acknowledging = c.now - snapshot.delivered_at;
        let interval = sending.max(acknowledging);
        self.first_sent = sent;
        RateSample {
            prior_time: snapshot.delivered_at,
            prior_delivered: snapshot.delivered,
            delivered: Some((c.delivered - snapshot.delivered) as u32),
            // Shorter than the minimum RTT: the ACKs were compressed, or the segment's retransmission was not what was acknowledged.
            interval: Some(interval).filter(|&interval| interval >= c.rtt_min && interval > Duration::ZERO),
            delivered_at: self.delivered_at,
            rtt: change.rtt,
            lost: change.lost,
            acked: change.acked,
            prior_in_flight: change.prior_in_flight,
            tx_in_flight: snapshot.in_flight(),
            lost_since_sent: snapshot.lost_since(c.lost),
            app_limited: snapshot.is_app_limited(),
        }
    }
}

/// What one ACK changed, as far as a rate sample needs it.
pub(crate) struct Change {
    pub(crate) acked: u32,
    pub(crate) lost: u32,
    pub(crate) rtt: Option<Duration>,
    /// Pipe before the ACK.
    pub(crate) prior_in_flight: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segment 2 leaves at 101 ms and seems to be answered at 105 ms: it was a retransmission, and the answer was to the original. What was
    /// delivered counts, the interval does not.
    #[test]
    fn an_interval_below_the_minimum_rtt_is_none() {
        let mut rates = RateSampler::default();
        let mut c = Connection { rtt_min: Duration::from_ms(100), ..Connection::new(1448) };
        rates.on_sent(0, &c, 0);
        let mut at = |rates: &mut RateSampler, ms: u64, delivers: (u64, u64), sends: u64| {
            c.now = Time::from_ms(ms);
            c.delivered += 1;
            rates.on_delivered(delivers.0, Time::from_ms(delivers.1));
            let sample = rates.take_sample(&mut c, Change { acked: 1, lost: 0, rtt: None, prior_in_flight: 1 });
            c.nxt = sends;
            rates.on_sent(sends, &c, 0);
            sample.interval.map(Duration::as_ms)
        };
        assert_eq!(at(&mut rates, 100, (0, 0), 1), Some(100));
        assert_eq!(at(&mut rates, 101, (1, 100), 2), Some(100));
        assert_eq!(at(&mut rates, 105, (2, 101), 3), None);
    }
}
