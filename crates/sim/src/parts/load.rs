//! What packets carry while they wait for a link's decision, or travel from one link to the next.

use net::Supersede;
use tcp::{Ack, Sack};
use units::Time;

/// A segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// Its number.
    pub(crate) seq: u64,
    /// The flow's clock when it was sent.
    pub(crate) sent: Time,
    /// It carries CWR.
    pub(crate) cwr: bool,
    /// A link on its way has marked it.
    pub(crate) ce: bool,
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
    /// Nobody answers it.
    Datagram,
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
                let (new, old) = (&new.ack, &old.ack);
                new.cumulative > old.cumulative && !new.is_syn_ack() && !old.has_sack && new.ecn == old.ecn
            }
            _ => false,
        }
    }
}
