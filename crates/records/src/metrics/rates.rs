//! Throughput and goodput.

/// IP and UDP headers of a datagram, bits.
const UDP_HEADER_BITS: f64 = 8.0 * 28.0;

/// What flows delivered in their measurement windows: a value per flow in each.
#[derive(Clone, Copy, Debug)]
pub struct Delivered<'a> {
    /// Seconds of the measurement window.
    pub window_s: &'a [f64],
    /// Whole packets.
    pub packets: &'a [f64],
    /// Payload, each byte once.
    pub payload_bytes: &'a [f64],
    /// IP bits of a full packet of the flow.
    pub packet_bits: &'a [f64],
    /// Whether it is a source of datagrams, each of which is its payload and headers.
    pub is_datagrams: &'a [bool],
}

impl Delivered<'_> {
    /// Delivered IP bits (whole packets) per second of the window; NaN where there was no window.
    ///
    /// Source: Li, Leith, Shorten (ToN 2007), eq. 1, with the rate of delivered packets.
    pub fn throughput_bps(&self) -> Vec<f64> {
        self.per_second(|flow| match self.is_datagrams[flow] {
            true => self.payload_bytes[flow] * 8.0 + self.packets[flow] * UDP_HEADER_BITS,
            false => self.packets[flow] * self.packet_bits[flow],
        })
    }

    /// Payload bits delivered once per second of the window; NaN where there was no window.
    ///
    /// Source: RFC 5166, section 2.1 (goodput); retransmissions and headers are left out.
    pub fn goodput_bps(&self) -> Vec<f64> {
        self.per_second(|flow| self.payload_bytes[flow] * 8.0)
    }

    fn per_second(&self, bits: impl Fn(usize) -> f64) -> Vec<f64> {
        let rate = |(flow, &window_s): (usize, &f64)| if window_s > 0.0 { bits(flow) / window_s } else { f64::NAN };
        self.window_s.iter().enumerate().map(rate).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Delivered;

    #[test]
    fn rates_are_over_each_flows_own_window() {
        // 100 packets of 1500 bytes in 2 s are 0.6 Mbit/s; 100 datagrams of 1000 bytes and their headers 0.4112 Mbit/s.
        let delivered = Delivered {
            window_s: &[2.0, 2.0, 0.0],
            packets: &[100.0, 100.0, 1.0],
            payload_bytes: &[144_800.0, 100_000.0, 1.0],
            packet_bits: &[12_000.0; 3],
            is_datagrams: &[false, true, false],
        };
        let (throughput, goodput) = (delivered.throughput_bps(), delivered.goodput_bps());
        assert_eq!((&throughput[..2], &goodput[..2]), (&[600e3, 411.2e3][..], &[579.2e3, 400e3][..]));
        assert!(throughput[2].is_nan() && goodput[2].is_nan());
    }
}
