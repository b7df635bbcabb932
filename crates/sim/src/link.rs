//! A link of a run: one that knows departures on arrival, or one with events of its own.

use net::{Fifo, LinkTotals, Occupancy, Served, Supersede};
use tcp::{Ack, Sack};
use units::{Stream, Time};

use crate::accept::AcceptedLink;

/// What a packet on a link with events of its own carries.
#[derive(Clone, Debug)]
pub(crate) enum Load {
    /// A segment.
    Segment {
        /// Whose.
        flow: usize,
        /// Its number.
        seq: u64,
        /// The flow's clock when it was sent.
        sent: Time,
        /// It carries CWR.
        cwr: bool,
        /// A hop before this one has marked it.
        ce: bool,
    },
    /// A packet that nobody answers.
    Datagram {
        /// Whose.
        source: usize,
    },
    /// An ACK.
    Ack {
        /// Whose.
        flow: usize,
        /// The ACK.
        ack: Ack,
        /// Its SACK information.
        sack: Option<Sack>,
    },
}

impl Supersede for Load {
    /// An ACK that acknowledges more, unless the one that waits has what it has not: SACK information, or another ECN feedback. A receiver
    /// that reports every change of marks at once (RFC 8257 3.2) is so understood as if no ACK were missing.
    fn supersedes(&self, waiting: &Load) -> bool {
        match (self, waiting) {
            (Load::Ack { ack: new, .. }, Load::Ack { ack: old, .. }) => {
                new.cumulative > old.cumulative && !old.has_sack && new.ecn == old.ecn
            }
            _ => false,
        }
    }
}

/// The link. The one that is common lies in place: whoever uses it looks at nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) fifo: Fifo,
    /// In use instead of `fifo` if the queue is not drop-tail.
    pub(crate) served: Option<Box<Served<Load>>>,
}

impl Link {
    /// The link, idle, measuring over `window`.
    pub(crate) fn new(link: AcceptedLink, window: (Time, Time), seed: u64) -> Link {
        let AcceptedLink { fifo, discipline, losses, changes, stream: name } = link;
        let stream = |part| Stream::named(seed, &format!("{name}/{part}"));
        let idle = Fifo::new(fifo, window, stream("loss"));
        let Some(discipline) = discipline else { return Link { fifo: idle.with_losses(losses).with_changes(changes), served: None } };
        let served = Served::new(fifo, discipline, window, stream("loss"), stream("queue")).with_losses(losses).with_changes(changes);
        Link { fifo: idle, served: Some(Box::new(served)) }
    }

    /// Queue content at `now`.
    pub(crate) fn occupancy(&mut self, now: Time) -> Occupancy {
        match &self.served {
            Some(served) => served.occupancy(),
            None => self.fifo.occupancy(now),
        }
    }

    /// Bytes that could have left within the window; none where the rate is constant.
    pub(crate) fn window_capacity_bytes(&self) -> Option<f64> {
        match &self.served {
            Some(served) => served.window_capacity_bytes(),
            None => self.fifo.window_capacity_bytes(),
        }
    }

    /// Totals at the end of the window.
    pub(crate) fn totals(&mut self) -> LinkTotals {
        match &mut self.served {
            Some(served) => served.totals(),
            None => self.fifo.totals(),
        }
    }
}
