//! What a sender does to the world.

use units::Time;

use crate::{Opening, Range};

/// A reduction of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// cwnd at back-off, segments.
    pub cwnd: f64,
    /// The new ssthresh, segments.
    pub ssthresh: f64,
}

/// Where segments and notes of a sender go.
pub trait Wire {
    /// The device takes one more segment, which is sent next; false if its queue is full. Asked of senders only that were told of one.
    fn admit(&mut self, _now: Time) -> bool {
        true
    }

    /// A part of the handshake leaves the sender. Asked of senders only that open their connection.
    fn open(&mut self, _now: Time, _part: Opening) {}

    /// A segment without data leaves, that the receiver answers: whether it has room. Asked of senders only whose receiver said that it has none.
    fn probe_window(&mut self, _now: Time) {}

    /// Segment `seq` leaves the sender.
    fn send(&mut self, now: Time, seq: u64);

    /// Segment `seq` leaves the sender again.
    fn resend(&mut self, now: Time, seq: u64) {
        self.send(now, seq);
    }

    /// The next new segment tells the receiver that the window was reduced (RFC 3168).
    fn announce_reduction(&mut self) {}

    /// New segments leave the sender at once.
    fn send_train(&mut self, now: Time, segments: Range) {
        for seq in segments.from..segments.to {
            self.send(now, seq);
        }
    }

    /// The window was reduced.
    fn on_loss_episode(&mut self, now: Time, reduction: Reduction);

    /// The retransmission timer expired with this cwnd.
    fn on_timeout(&mut self, now: Time, cwnd: f64);

    /// A reduction proved spurious; cwnd was restored to this.
    fn on_undo(&mut self, now: Time, cwnd: f64);

    /// The device was full, and the window was reduced for it from this cwnd.
    fn on_send_stall(&mut self, _now: Time, _cwnd: f64) {}

    /// Slow start ended at this cwnd.
    fn on_slow_start_exit(&mut self, now: Time, cwnd: f64);
}
