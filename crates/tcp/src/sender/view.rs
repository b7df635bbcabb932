//! What a sender shows to those who watch it.

use cc::{CongestionControl, Connection, Window};
use units::{Duration, Time};

use super::opening::Stage;
use super::{Sender, SenderTotals};

impl<C: CongestionControl> Sender<C> {
    /// The window.
    pub fn window(&self) -> &Window {
        &self.w
    }

    /// The connection as the algorithm sees it.
    pub fn connection(&self) -> &Connection {
        &self.c
    }

    /// The retransmission timeout, backed off.
    pub fn rto(&self) -> Duration {
        self.rtt.rto()
    }

    /// The algorithm.
    pub fn algorithm(&self) -> &C {
        &self.cc
    }

    /// Whether `on_started` was called.
    pub fn has_started(&self) -> bool {
        self.stage != Stage::New
    }

    /// Whether everything the application sent is acknowledged.
    pub fn is_finished(&self) -> bool {
        self.limits.is_finished(&self.c) && self.has_started()
    }

    /// Segments known to have arrived, each counted once. Without SACK only the cumulative ACK is sure: the algorithm's
    /// count takes duplicate ACKs for segments, as Linux does, and takes some twice after a timeout.
    pub fn delivered(&self) -> u64 {
        if self.c.selective_acks {
            self.c.delivered - self.duplicates.delivered_twice()
        } else {
            self.c.una
        }
    }

    /// Segments that the device refused so far; none without a device.
    pub fn send_stalls(&self) -> Option<u64> {
        self.care.as_ref().and_then(|care| care.device.as_ref()).map(|device| device.refused())
    }

    /// The receiver's window, segments: the cap, or what has become of it. It shrinks only where [`Sender::on_window_told`] says so.
    pub fn receive_window(&self) -> u64 {
        self.limits.receiver()
    }

    /// Segments SACKed and not cumulatively acknowledged; without SACK duplicate ACKs (Linux `sacked_out`).
    pub fn sacked_out(&self) -> u32 {
        self.board.sacked_out()
    }

    /// Outstanding segments held to be lost, those retransmitted included (Linux `lost_out`).
    pub fn lost_out(&self) -> u32 {
        self.board.lost_out()
    }

    /// Segments ever held to be lost.
    pub fn lost(&self) -> u64 {
        self.board.lost()
    }

    /// Retransmissions held to be in flight (Linux `retrans_out`).
    pub fn retrans_out(&self) -> u32 {
        self.board.retrans_out()
    }

    /// The most segments by which one was overtaken, three at least (Linux `tcp_info.tcpi_reordering`).
    pub fn reordering(&self) -> u32 {
        self.reordering.degree()
    }

    /// How often a segment was overtaken (Linux `tcpi_reord_seen`).
    pub fn reorderings_seen(&self) -> u32 {
        self.reordering.times_seen()
    }

    /// When the pacing gate opens for a segment that waits; [`Time::NEVER`] if none does.
    pub fn gate_opens_at(&self) -> Time {
        self.pacer.wakes_at()
    }

    /// Before this no segment leaves, whether one waits or not.
    pub fn gate(&self) -> Time {
        self.pacer.gate()
    }

    /// When the timer expires, the pacing gate apart; [`Time::NEVER`] if none is armed.
    pub fn timer_expires_at(&self) -> Time {
        self.timers.expires()
    }

    /// Retransmissions so far.
    pub fn retransmitted(&self) -> u64 {
        self.totals.retransmitted
    }

    /// Counters as of `at`, not earlier than the last event and not later than the next.
    pub fn totals(&self, at: Time) -> SenderTotals {
        let since = if self.has_started() { at.since(self.c.now).0 } else { 0 };
        SenderTotals { delivered: self.delivered(), cwnd_area: self.totals.cwnd_area + self.w.cwnd * since as f64, ..self.totals }
    }
}
