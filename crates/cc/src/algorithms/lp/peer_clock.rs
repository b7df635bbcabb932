//! Linux's guess of how fast the peer's timestamps run, and the forward delay by them.
//!
//! Source: Linux 6.1 `tcp_lp.c`. Milliseconds. The guess leaves 1000 Hz as soon as the RTT moves, and the delay becomes noise.

/// How fast the peer's timestamps run.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerClock {
    /// By how much it is ahead of ours (RFC 7323 5.4: random).
    pub(super) ahead_ms: u32,
    /// Ticks per second, 0 before the first guess.
    hz: u32,
    /// Timestamp value and echo of the sample before.
    before: (u32, u32),
}

impl PeerClock {
    pub(super) const fn new() -> PeerClock {
        PeerClock { ahead_ms: 0, hz: 0, before: (0, 0) }
    }

    /// The forward delay by these timestamps, if the clock's rate is known and the delay is not zero.
    pub(super) fn delay(&mut self, sent_ms: u32, echo: u32) -> Option<u32> {
        let value = sent_ms.wrapping_add(self.ahead_ms);
        let before = std::mem::replace(&mut self.before, (value, echo));
        let known = before.0 != 0 && before.1 != 0;
        let elapsed = (value.wrapping_sub(before.0), echo.wrapping_sub(before.1));
        let mut hz_x64 = i64::from(self.hz) << 6;
        if known && elapsed.0 != 0 && elapsed.1 != 0 {
            let hz = i64::from(elapsed.0.wrapping_mul(1_000) / elapsed.1);
            hz_x64 = if hz_x64 > 0 { hz_x64 + hz - (hz_x64 >> 6) } else { hz << 6 };
        }
        self.hz = (hz_x64 >> 6) as u32;
        let scale = 1_000_u32.checked_div(self.hz)?;
        Some(value.wrapping_mul(scale).wrapping_sub(echo)).filter(|&delay| delay != 0)
    }
}
