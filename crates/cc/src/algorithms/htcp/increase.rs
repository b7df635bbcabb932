//! H-TCP's increase in Linux's integers: alpha = 2 (1 - beta) f(Delta), f growing with the time since the last congestion.
//!
//! Source: Leith/Shorten, PFLDnet 2004; Linux 6.1. Units: alpha and beta in 128ths; milliseconds.

/// 1.0 in fixed point.
pub(super) const ONE: u32 = 128;

/// f after `delta_ms`: 1 + 10 x + (x/2)^2 from one second on, in whole numbers.
pub(super) fn factor(delta_ms: u64) -> u64 {
    if delta_ms <= 1_000 {
        return 1;
    }
    let x = delta_ms - 1_000;
    1 + (10 * x + (x / 2) * (x / 2) / 1_000) / 1_000
}

/// `factor` for a smallest RTT of `min_ms`, relative to 100 ms: in eighths, from a half to ten.
pub(super) fn scaled(factor: u64, min_ms: u32) -> u64 {
    let scale = (8_000 / (10 * u64::from(min_ms))).clamp(4, 80);
    ((factor << 3) / scale).max(1)
}

/// alpha for that f.
pub(super) fn alpha(factor: u64, beta: u32) -> u32 {
    (2 * factor * u64::from(ONE - beta)).min(1 << 30) as u32
}
