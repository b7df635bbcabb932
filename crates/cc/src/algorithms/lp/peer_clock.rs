//! Linux's guess of how fast the peer's timestamps run, and the forward delay by them.
//!
//! Source: Linux 6.1 `tcp_lp.c`. Milliseconds. The guess leaves 1000 Hz as soon as the RTT moves, and the delay becomes noise.

/// A timestamp of the peer's, and ours that it echoes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamps {
    pub(super) value: u32,
    pub(super) echo: u32,
}

/// How fast the peer's timestamps run.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerClock {
    /// By how much it is ahead of ours (RFC 7323 5.4: random).
    pub(super) ahead_ms: u32,
    /// Ticks per second, 0 before the first guess.
    hz: u32,
    /// Those of the sample before.
    before: Stamps,
}

impl PeerClock {
    pub(super) const fn new() -> PeerClock {
        PeerClock { ahead_ms: 0, hz: 0, before: Stamps { value: 0, echo: 0 } }
    }

    /// The forward delay by these timestamps, if the clock's rate is known and the delay is not zero.
    pub(super) fn delay(&mut self, now: Stamps) -> Option<u32> {
        let before = std::mem::replace(&mut self.before, now);
        let known = before.value != 0 && before.echo != 0;
        let elapsed = Stamps { value: now.value.wrapping_sub(before.value), echo: now.echo.wrapping_sub(before.echo) };
        let mut hz_x64 = i64::from(self.hz) << 6;
        if known && elapsed.value != 0 && elapsed.echo != 0 {
            let hz = i64::from(elapsed.value.wrapping_mul(1_000) / elapsed.echo);
            hz_x64 = if hz_x64 > 0 { hz_x64 + hz - (hz_x64 >> 6) } else { hz << 6 };
        }
        self.hz = (hz_x64 >> 6) as u32;
        let scale = 1_000_u32.checked_div(self.hz)?;
        Some(now.value.wrapping_mul(scale).wrapping_sub(now.echo)).filter(|&delay| delay != 0)
    }
}
