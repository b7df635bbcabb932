//! The figures of a flow that was read, each with how it was estimated.

use serde_json::{json, Value};

use super::{Counts, Flow, Found, Happened};

/// Share of the round trip behind the place of the capture, below which that is the sender, and above which it is the receiver.
const AT_AN_END: f64 = 0.1;

/// Where a flow was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vantage {
    /// At the sender, or too near to measure the difference.
    Sender,
    /// On the way.
    Between,
    /// At the receiver.
    Receiver,
    /// Nothing tells: taken for the sender.
    Unknown,
}

/// Samples of all flows, as columns; NaN is null.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Seconds since the capture, or the run, began.
    pub t_s: Vec<f64>,
    /// Number of the flow.
    pub flow: Vec<u32>,
    /// The estimated window, segments, and what is outstanding.
    pub cwnd_packets: Vec<f64>,
    /// See there.
    pub inflight_packets: Vec<f64>,
    /// Seconds.
    pub srtt_s: Vec<f64>,
    /// Seconds.
    pub min_rtt_s: Vec<f64>,
    /// Payload acknowledged.
    pub delivered_bytes: Vec<u64>,
    /// Retransmissions.
    pub retransmitted_packets: Vec<u64>,
}

impl Flow {
    /// Where it was captured: an ACK is followed at once by data that echoes it at the sender, data by its ACK at the receiver.
    pub fn vantage(&self) -> Vantage {
        if self.to_ack.count == 0 || self.to_data.count == 0 {
            return Vantage::Unknown;
        }
        let (behind, before) = (self.to_ack.min_ns as f64, self.to_data.min_ns as f64);
        match before / (behind + before).max(1.0) {
            share if share < AT_AN_END => Vantage::Sender,
            share if share > 1.0 - AT_AN_END => Vantage::Receiver,
            _ => Vantage::Between,
        }
    }

    /// The RTT is the time to the ACK alone, and what is outstanding there is the sender's.
    fn is_at_sender(&self) -> bool {
        matches!(self.vantage(), Vantage::Sender | Vantage::Unknown)
    }

    /// Mean and least RTT, seconds.
    fn rtt_s(&self) -> (Option<f64>, Option<f64>) {
        let (own, other) = (&self.to_ack, &self.to_data);
        let least = self.least_to_ack_ns();
        let (mean, least) = if self.is_at_sender() {
            (own.mean_ns(), least)
        } else {
            (own.mean_ns().zip(other.mean_ns()).map(|(own, other)| own + other), least.map(|own| own + other.min_ns as f64))
        };
        (mean.map(|ns| ns * 1e-9), least.map(|ns| ns * 1e-9))
    }

    fn how_rtt(&self) -> String {
        let Counts { by_sequence, by_timestamp, .. } = self.counts;
        let own = format!(
            "from the newest segment that an ACK newly covers to the ACK: {by_sequence} samples by sequence number, {by_timestamp} of segments \
             sent twice by timestamp; the least is the handshake's where that is less"
        );
        match self.vantage() {
            Vantage::Sender => own,
            Vantage::Unknown => format!("{own}; taken for a capture at the sender, as no timestamps tell"),
            _ => format!("{own}; and from an ACK to the first data that echoes its timestamp: {} samples", self.to_data.count),
        }
    }

    fn how_rate(&self) -> String {
        let text = "bytes acknowledged or SACKed, from the first data to the last packet";
        match self.unseen_bytes() {
            0 => text.into(),
            unseen => format!("{text}; the packets of {unseen} bytes before the last are not in the capture"),
        }
    }

    fn how_window(&self) -> &'static str {
        match self.vantage() {
            Vantage::Sender => "most bytes sent and neither acknowledged nor SACKed, between two samples",
            Vantage::Unknown => "most bytes seen and neither acknowledged nor SACKed, between two samples; if captured at the sender",
            Vantage::Between => "unknown: captured between the ends, where what the sender has under way is not seen",
            Vantage::Receiver => "unknown: captured at the receiver, where what the sender has under way is not seen",
        }
    }

    fn how_losses(&self) -> String {
        let Counts { late, copies, .. } = self.counts;
        let by = if self.has_timestamps { "its timestamp is not older than those before" } else { "without timestamps any counts" };
        let mut text = format!("data below the highest sequence number, {by}");
        if late + copies > 0 {
            text += &format!("; {late} overtaken and {copies} copied on the way are left out");
        }
        if !self.is_at_sender() {
            text += "; those lost before they came here are not seen";
        }
        text
    }

    fn how_handshake(&self) -> &'static str {
        match (self.has_syn, self.has_syn_ack) {
            (true, true) => "seen",
            (true, false) => "SYN alone: the receiver's windows have an unknown scale",
            (false, true) => "SYN-ACK alone: data sent before it is unknown",
            (false, false) => "not seen: what was sent before and the scale of windows are unknown; the segment size is the largest seen",
        }
    }

    /// Its figures.
    pub fn figures(&self, zero_ns: i64) -> Value {
        let seconds = |ns: i64| (ns - zero_ns) as f64 * 1e-9;
        let start_ns = self.first_data_ns.unwrap_or(zero_ns);
        let lasted_s = (self.last_ns - start_ns) as f64 * 1e-9;
        let per_second = |bits: f64| (lasted_s > 0.0).then(|| bits / lasted_s);
        let arrived_bits = self.delivered_bytes() as f64 * 8.0;
        let (mean_rtt_s, min_rtt_s) = self.rtt_s();
        let (from, to) = self.ends();
        let c = &self.counts;
        json!({
            "from": from, "to": to, "start_s": seconds(start_ns), "end_s": seconds(self.last_ns), "is_ended": self.has_fin, "mss_bytes": self.mss(),
            "vantage": format!("{:?}", self.vantage()).to_lowercase(),
            "throughput_bps": per_second(arrived_bits * c.ip_bytes as f64 / c.payload_bytes.max(1) as f64),
            "goodput_bps": per_second(arrived_bits),
            "sent_packets": c.sent, "data_frames": c.data_frames, "retransmitted_packets": c.retransmitted,
            "retransmitted_in_vain_packets": c.in_vain, "overtaken_packets": c.late, "copied_packets": c.copies,
            "keep_alives": c.keep_alives, "unseen_bytes": self.unseen_bytes(),
            "acks": c.acks, "duplicates_reported": c.duplicate_reports, "marked_packets": c.marked, "ecn_echoes": c.echoes,
            "loss_episodes": c.loss_episodes, "timeouts": c.timeouts,
            "delivered_bytes": self.delivered_bytes(), "delivered_packets": self.delivered_bytes() / u64::from(self.mss()),
            "mean_rtt_s": mean_rtt_s, "min_rtt_s": min_rtt_s, "rtt_samples": self.to_ack.count,
            "receive_window_bytes": self.offered_bytes(),
            "how": {
                "rate": self.how_rate(),
                "rtt": self.how_rtt(), "window": self.how_window(), "retransmissions": self.how_losses(),
                "loss_episodes": "a retransmission once all that was sent before the episode's begin is acknowledged",
                "timeouts": "the oldest segment sent again after 200 ms in which nothing was seen",
                "handshake": self.how_handshake(),
            },
        })
    }
}

impl Found {
    /// The figures of all flows, and of the capture.
    pub fn figures(&self) -> Value {
        json!({
            "flows": self.flows.iter().map(|flow| flow.figures(self.zero_ns)).collect::<Vec<_>>(),
            "packets": self.packets, "others": self.others, "interface": self.interface, "interfaces": self.interfaces,
            "application": self.application,
        })
    }

    /// The samples of all flows.
    pub fn columns(&self) -> Columns {
        let mut columns = Columns::default();
        for (number, flow) in self.flows.iter().enumerate() {
            let (is_at_sender, mss) = (flow.is_at_sender(), f64::from(flow.mss()));
            for sample in &flow.samples {
                let (beyond, least) = if is_at_sender { (0.0, 0.0) } else { (sample.to_data_ns, flow.to_data.min_ns as f64) };
                let packets = |bytes: u64| if is_at_sender { bytes as f64 / mss } else { f64::NAN };
                columns.t_s.push((sample.at_ns - self.zero_ns) as f64 * 1e-9);
                columns.flow.push(number as u32);
                columns.cwnd_packets.push(packets(sample.most_outstanding_bytes));
                columns.inflight_packets.push(packets(sample.outstanding_bytes));
                columns.srtt_s.push((sample.to_ack_ns + beyond) * 1e-9);
                columns.min_rtt_s.push((sample.to_ack_min_ns + least) * 1e-9);
                columns.delivered_bytes.push(sample.delivered_bytes);
                columns.retransmitted_packets.push(sample.retransmitted);
            }
        }
        columns
    }

    /// What happened: seconds, number of the flow, kind, segments outstanding.
    pub fn events(&self) -> Vec<(f64, i32, &'static str, f64)> {
        let of_flow = |(number, flow): (usize, &Flow)| {
            let mss = f64::from(flow.mss());
            let row = |&(at_ns, happened, bytes): &(i64, Happened, u64)| {
                let kind = if happened == Happened::Timeout { "timeout" } else { "loss_episode" };
                ((at_ns - self.zero_ns) as f64 * 1e-9, number as i32, kind, bytes as f64 / mss)
            };
            flow.events.iter().map(row).collect::<Vec<_>>()
        };
        let mut all: Vec<_> = self.flows.iter().enumerate().flat_map(of_flow).collect();
        all.sort_by(|one, other| one.0.total_cmp(&other.0));
        all
    }
}
