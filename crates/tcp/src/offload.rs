//! Segmentation offload of a fixed size: segments leave in bursts.
//!
//! Linux hands its device up to 64 kB at a time, but no more than a third of the window (`tcp_tso_should_defer`, `tcp_tso_win_divisor`); less
//! waits for the next ACK, unless nothing is in flight or no more data comes. What waits for that counts as sent when the window is judged
//! (`tcp_is_cwnd_limited`). Departure: Linux sends what the window allows once it is a burst or more, not whole bursts only.

/// The part of the window that one burst may be, its inverse (Linux `tcp_tso_win_divisor`).
const WINDOW_DIVISOR: u32 = 3;

/// Bursts of `most` segments.
#[derive(Clone, Debug)]
pub(crate) struct Offload {
    most: u8,
    /// Segments wait for others to make a burst.
    defers: bool,
}

impl Offload {
    pub(crate) fn new(most: u8) -> Offload {
        Offload { most, defers: false }
    }

    /// Of `room` segments as many as make whole bursts in a window of `cwnd`; all of them `at_once`.
    pub(crate) fn in_bursts(&mut self, room: u64, cwnd: u32, at_once: impl FnOnce(u64) -> bool) -> u64 {
        let burst = u64::from((cwnd / WINDOW_DIVISOR).clamp(1, u32::from(self.most)));
        let sent = if at_once(burst) { room } else { room - room % burst };
        self.defers = sent < room;
        sent
    }

    /// Segments wait for others to make a burst.
    pub(crate) fn is_deferring(&self) -> bool {
        self.defers
    }
}
