//! Segmentation offload of a fixed size: segments leave in bursts.
//!
//! Linux hands its device up to 64 kB at a time, but no more than a third of the window (`tcp_tso_should_defer`, `tcp_tso_win_divisor`); less
//! waits for the next ACK, unless nothing is in flight or no more data comes. What waits for that counts as sent when the window is judged
//! (`tcp_is_cwnd_limited`). Departure: Linux sends what the window allows once it is a burst or more, not whole bursts only.

use cc::CongestionControl;

use crate::sender::Sender;

/// The part of the window that one burst may be, its inverse (Linux `tcp_tso_win_divisor`).
const WINDOW_DIVISOR: u32 = 3;

impl<C: CongestionControl> Sender<C> {
    /// Of `room` segments as many as make whole bursts.
    pub(crate) fn in_bursts(&mut self, room: u64) -> u64 {
        let Some(care) = &mut self.care else { return room };
        let most = u32::from(self.spec.options.offload_segments);
        let burst = u64::from((self.w.segments() / WINDOW_DIVISOR).clamp(1, most));
        let is_last = self.c.nxt + room >= self.limit;
        let sent = if is_last || (room < burst && self.c.in_flight == 0) { room } else { room - room % burst };
        care.defers = sent < room;
        sent
    }

    /// Segments wait for others to make a burst.
    pub(crate) fn is_deferring(&self) -> bool {
        self.care.as_ref().is_some_and(|care| care.defers)
    }
}
