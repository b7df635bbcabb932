//! The metrics of a run, from its frames.

use super::{common, Common, Delivered, Flows};
use crate::frame::Frame;

/// IP bits of a full packet where a flow names no other.
const PACKET_BITS: f64 = 8.0 * 1500.0;

/// Metrics of a run, and of each of its flows, those of datagrams among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfRun {
    /// Throughput of each row of `flows`, bits per second; NaN without a measurement window.
    pub throughput_bps: Vec<f64>,
    /// Goodput of each row, bits per second.
    pub goodput_bps: Vec<f64>,
    /// What the flows are together, datagrams not among them.
    pub common: Common,
}

/// The metrics of frames that [`crate::frames`] made; `packet_bits` are the IP bits of a full packet by the number of the flow.
pub fn of_run(frames: &[Frame], packet_bits: &[f64], measured_s: f64) -> OfRun {
    let Some(flows) = frames.iter().find(|frame| frame.name == "flows") else { return OfRun::default() };
    let is = |name, word: &str| flows.words(name).iter().map(|found| found == word).collect::<Vec<bool>>();
    let (is_datagrams, is_forward) = (is("algorithm", "udp"), is("direction", "forward"));
    let bits: Vec<f64> = flows.numbers("flow").iter().map(|&flow| packet_bits.get(flow as usize).copied().unwrap_or(PACKET_BITS)).collect();
    let (window_s, packets, payload) =
        (flows.numbers("window_s"), flows.numbers("window_delivered_packets"), flows.numbers("window_goodput_bytes"));
    let delivered =
        Delivered { window_s: &window_s, packets: &packets, payload_bytes: &payload, packet_bits: &bits, is_datagrams: &is_datagrams };
    // Flows come first, then sources of datagrams.
    let tcp = is_datagrams.iter().position(|&is| is).unwrap_or(is_datagrams.len());
    let counts = ["window_sent_packets", "window_retransmitted_packets", "sent_packets", "lost_packets"].map(|name| flows.numbers(name));
    let [sent_in_window, again, sent, lost] = &counts;
    let together = Flows {
        delivered: Delivered {
            window_s: &window_s[..tcp],
            packets: &packets[..tcp],
            payload_bytes: &payload[..tcp],
            packet_bits: &bits[..tcp],
            is_datagrams: &is_datagrams[..tcp],
        },
        is_forward: &is_forward[..tcp],
        window_sent: &sent_in_window[..tcp],
        window_retransmitted: &again[..tcp],
        sent: &sent[..tcp],
        lost: &lost[..tcp],
    };
    OfRun { throughput_bps: delivered.throughput_bps(), goodput_bps: delivered.goodput_bps(), common: common(&together, measured_s) }
}
