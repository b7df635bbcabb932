//! What an algorithm asks of the transport.

/// How a receiver must tell of congestion marks, beyond what RFC 3168 asks of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnFeedback {
    /// Every ACK says whether the segments it answers were marked (RFC 8257 3.2).
    Dctcp,
    /// Every ACK counts the marked segments so far (RFC 9768), and the segments say that their sender is scalable (RFC 9331).
    L4s,
}

/// Who moves the window, and what decides when segments leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Control {
    /// The algorithm lets the window grow and the transport brings it down; segments leave as the ACKs come.
    #[default]
    Window,
    /// The same, and segments are paced at `CongestionControl::pacing_rate`. The distances are the algorithm's own burst control: what the
    /// stack credits for lateness does not apply.
    PacedWindow {
        /// Segments by which the sender may run ahead of the rate, beyond the one that is due: a burst is one longer.
        ahead: u32,
    },
    /// The algorithm sets cwnd on every ACK itself, and segments are paced: no PRR, no `cwnd = ssthresh` when recovery ends, no idle restart.
    Full,
    /// The same from delivery-rate samples: `on_rate_sampled` in place of `on_acked`.
    FullByRate,
    /// As `Full`, and segments leave as the ACKs come where the stack does not pace.
    FullUnpaced,
}

impl Control {
    /// The algorithm sets cwnd on every ACK itself.
    #[inline]
    pub fn is_full(self) -> bool {
        matches!(self, Control::Full | Control::FullByRate | Control::FullUnpaced)
    }

    /// The algorithm wants delivery-rate samples.
    #[inline]
    pub fn is_by_rate(self) -> bool {
        self == Control::FullByRate
    }
}

/// Whether an algorithm is told of RTT samples, by which hook, and which clock times them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RttSamples {
    /// It is not: the hook is empty.
    #[default]
    Unused,
    /// The stack's, however coarse.
    ByStack,
    /// Its own: samples are exact (Linux 2.6's `TCP_CONG_RTT_STAMP`).
    Exact,
    /// The stack's, and where `on_rtt_sampled` and `on_acked` are both due `on_plain_ack` stands for the two: of a law for which one call is
    /// cheaper.
    ByStackWithAcks,
    /// The same with exact samples.
    ExactWithAcks,
}

impl RttSamples {
    /// The same, told together with the growth of the window.
    pub fn with_acks(self) -> RttSamples {
        match self {
            RttSamples::ByStack => RttSamples::ByStackWithAcks,
            RttSamples::Exact => RttSamples::ExactWithAcks,
            as_they_are => as_they_are,
        }
    }

    /// `on_plain_ack` stands for two hooks.
    #[inline]
    pub fn is_with_acks(self) -> bool {
        matches!(self, RttSamples::ByStackWithAcks | RttSamples::ExactWithAcks)
    }
}

/// What an algorithm asks of the transport. Constant per connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Who moves the window.
    pub control: Control,
    /// Calls of `on_rtt_sampled` and `on_plain_ack`. The RTTs of rate samples are exact always.
    pub rtt_samples: RttSamples,
    /// Calls of `on_ack_arrived`.
    pub ack_arrivals: bool,
    /// Calls of `on_packet_sent`, `on_packet_acked` and `on_packet_lost`.
    pub packets: bool,
    /// In slow start the algorithm looks at `Connection::pacing_rate`, paced or not.
    pub transport_rate: bool,
    /// The connection is ECN-capable, with this feedback; none for the stack's own choice.
    pub ecn: Option<EcnFeedback>,
}

impl Needs {
    /// RTTs are shown to the algorithm as they are, not as the stack's clock shows them.
    #[inline]
    pub fn has_exact_rtt(&self) -> bool {
        matches!(self.rtt_samples, RttSamples::Exact | RttSamples::ExactWithAcks) || self.control.is_by_rate()
    }
}
