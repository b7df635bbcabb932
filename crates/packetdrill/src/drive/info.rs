//! What Linux's `tcp_info` says of a connection, of ours.

/// The fields of `tcp_info` that the stack knows, in the kernel's units: segments and microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// The congestion window.
    pub snd_cwnd: u32,
    /// The slow-start threshold; 2147483647 for none.
    pub snd_ssthresh: u32,
    /// 0 Open, 1 Disorder, 2 CWR, 3 Recovery, 4 Loss.
    pub ca_state: u8,
    /// SACKed and not cumulatively acknowledged; without SACK duplicate ACKs.
    pub sacked: u32,
    /// Outstanding and held to be lost.
    pub lost: u32,
    /// Retransmissions in flight.
    pub retrans: u32,
    /// Sent and not cumulatively acknowledged.
    pub unacked: u32,
    /// Retransmissions so far.
    pub total_retrans: u64,
    /// Delivered so far, and the SYN, which Linux counts.
    pub delivered: u64,
    /// Of those, how many were echoed as marked.
    pub delivered_ce: u64,
    /// The retransmission timeout, backed off, microseconds.
    pub rto: u64,
    /// The smoothed RTT, microseconds.
    pub rtt: u64,
    /// The smallest RTT, microseconds.
    pub min_rtt: u64,
    /// Payload bytes of a segment.
    pub snd_mss: u32,
    /// The largest distance by which a segment was overtaken, 3 at least.
    pub reordering: u32,
    /// How often a segment was overtaken.
    pub reord_seen: u32,
    /// Since when no data has arrived, or the connection is there: so many milliseconds ago.
    pub last_data_recv: u64,
    /// Payload bytes that the peer was told a segment of its own may have, less what timestamps take.
    pub advmss: u64,
    /// Payload bytes that the receiver takes for those of the peer's whole segments.
    pub rcv_mss: u64,
    /// The round trip that the receiver measures, microseconds; none without timestamps.
    pub rcv_rtt: Option<u64>,
}

impl Info {
    /// The field of Linux's name, without `tcpi_`; none of what the stack does not know.
    pub fn field(&self, name: &str) -> Option<u64> {
        Some(match name {
            "snd_cwnd" => self.snd_cwnd.into(),
            "snd_ssthresh" => self.snd_ssthresh.into(),
            "ca_state" => self.ca_state.into(),
            "sacked" => self.sacked.into(),
            "lost" => self.lost.into(),
            "retrans" => self.retrans.into(),
            "unacked" => self.unacked.into(),
            "total_retrans" => self.total_retrans,
            "delivered" => self.delivered,
            "delivered_ce" => self.delivered_ce,
            "rto" => self.rto,
            "rtt" => self.rtt,
            "min_rtt" => self.min_rtt,
            "snd_mss" => self.snd_mss.into(),
            "reordering" => self.reordering.into(),
            "reord_seen" => self.reord_seen.into(),
            "last_data_recv" => self.last_data_recv,
            "advmss" => self.advmss,
            "rcv_mss" => self.rcv_mss,
            "rcv_rtt" => return self.rcv_rtt,
            _ => return None,
        })
    }
}
