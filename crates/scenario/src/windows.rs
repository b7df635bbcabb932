//! Caps on a flow's window: those given, and that of a receiver whose window gets stuck.

use crate::model::Flow;

/// IP, TCP and timestamps: what of a packet is no payload.
pub(crate) const HEADER_BYTES: u32 = 52;
/// Where the window of a receiver of larger packets stopped growing in Linux 2.4.22 (Hegde et al. 2004, IV.B.2).
const STUCK_AT_BYTES: u64 = 3_148_472;
const WINDOW_UNIT_BYTES: u64 = 1024;

fn mss_bytes(flow: &Flow) -> u64 {
    u64::from(flow.mtu_bytes - HEADER_BYTES)
}

/// The largest window that a Linux 2.4.22 receiver of packets larger than those it gets advertises.
///
/// It grows to 3,148,472 bytes, rounded down to whole segments, then to the 1024 bytes that its window scale can say: 3,147,776 with
/// segments of 1448 bytes (Hegde et al. 2004, IV.B.2).
fn stuck_window_bytes(mss_bytes: u64) -> u64 {
    STUCK_AT_BYTES / mss_bytes * mss_bytes / WINDOW_UNIT_BYTES * WINDOW_UNIT_BYTES
}

/// The cap on a flow's window in its own packets, at least one; none for no cap.
pub(crate) fn window_packets(flow: &Flow) -> Option<u64> {
    window_bytes(flow).map(|cap| (cap / mss_bytes(flow)).max(1))
}

/// The cap on a flow's window in bytes of payload: the least of those given.
pub(crate) fn window_bytes(flow: &Flow) -> Option<u64> {
    let mss_bytes = mss_bytes(flow);
    let of_packets = flow.window_packets.map(|packets| packets * mss_bytes);
    let stuck = flow.receiver_mtu_bytes.filter(|&mtu_bytes| mtu_bytes > flow.mtu_bytes).map(|_| stuck_window_bytes(mss_bytes));
    [of_packets, flow.window_bytes, stuck].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::stuck_window_bytes;

    #[test]
    fn the_window_that_got_stuck_is_the_papers() {
        assert_eq!(stuck_window_bytes(1448), 3_147_776);
    }
}
