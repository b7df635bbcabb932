//! What packets carry while they wait for a link's decision, or travel from one link to the next.

use net::Supersede;
use tcp::{Ack, EcnBits, Sack};
use units::Time;

use super::tap;

/// A segment. Two words, for whatever waits is copied, and bits of their own would be copied one by one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// Its number, then one bit for CWR and one for "congestion experienced".
    seq_cwr_ce: u64,
    /// The flow's clock when it was sent.
    pub(crate) sent: Time,
}

impl Segment {
    /// Segment `seq` with these bits.
    #[inline]
    pub(crate) fn new(seq: u64, sent: Time, bits: EcnBits) -> Segment {
        Segment { seq_cwr_ce: seq << 2 | u64::from(bits.cwr) << 1 | u64::from(bits.ce), sent }
    }

    /// Its number.
    #[inline]
    pub(crate) fn seq(self) -> u64 {
        self.seq_cwr_ce >> 2
    }

    /// Whether a link on its way has marked it, and whether it carries CWR.
    #[inline]
    pub(crate) fn bits(self) -> EcnBits {
        EcnBits { ce: self.seq_cwr_ce & 1 == 1, cwr: self.seq_cwr_ce & 2 == 2 }
    }

    /// As it is shown.
    pub(crate) fn shown(self, is_capable: bool) -> tap::Content {
        tap::Content::Segment { seq: self.seq(), sent: self.sent, is_capable, bits: self.bits(), blocks: Default::default() }
    }

    /// The same with a mark.
    pub(crate) fn marked(self) -> Segment {
        Segment { seq_cwr_ce: self.seq_cwr_ce | 1, ..self }
    }
}

/// An acknowledgement.
#[derive(Clone, Debug)]
pub(crate) struct AckLoad {
    pub(crate) ack: Ack,
    pub(crate) sack: Option<Sack>,
}

/// What a packet carries. Small, for it is copied from queue to queue; ACKs, which are larger, seldom wait in queues and are boxed.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Segment(Segment),
    Ack(Box<AckLoad>),
    /// It has no answer.
    Datagram,
    /// A datagram of a whole stack.
    Foreign(Box<Payload>),
}

/// A datagram of a whole stack: its UDP payload.
#[derive(Clone, Debug)]
pub(crate) struct Payload {
    pub(crate) bytes: Vec<u8>,
    pub(crate) ecn: endpoint::Ecn,
    /// From the client to the server.
    pub(crate) is_data: bool,
}

/// A packet's content, and the number of its flow or, of a datagram, its source.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub(crate) owner: u32,
    pub(crate) content: Content,
}

impl Supersede for Load {
    /// An ACK that acknowledges more, unless the one that waits has what it has not: SACK information, or another ECN feedback. A receiver
    /// that reports every change of marks at once (RFC 8257 3.2) is so understood as if no ACK were missing.
    fn supersedes(&self, waiting: &Load) -> bool {
        match (&self.content, &waiting.content) {
            (Content::Ack(new), Content::Ack(old)) => {
                let old_tells = old.ack.has_sack && old.sack.is_none_or(|sack| sack.tells_of_disorder());
                let (new, old) = (&new.ack, &old.ack);
                new.cumulative > old.cumulative && !new.is_special() && !old_tells && new.ecn == old.ecn
            }
            _ => false,
        }
    }
}
