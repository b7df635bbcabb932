//! An algorithm behind its slow start: what the transport drives.

use crate::registry::Algorithm;
use crate::slow_start::{Kind, RttOnPath, SlowStart};
use crate::{Connection, RttSample, Window};

/// A law of the registry and the slow start in front of it.
#[derive(Clone, Debug)]
pub struct Controller {
    pub(crate) slow_start: SlowStart,
    pub(crate) law: Algorithm,
}

impl Controller {
    pub(crate) fn new(law: Algorithm, slow_start: Kind) -> Controller {
        Controller { slow_start: SlowStart::new(slow_start), law }
    }

    /// An RTT sample in slow start, seen by a part that may end it. Out of line, as [`Controller::shape`]: few ACKs get here.
    #[inline(never)]
    pub(crate) fn watch(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        if let (Some(rtt), Some(path)) = (s.rtt, self.law.path_rtt(c)) {
            self.slow_start.on_rtt_sampled(w, c, RttOnPath { rtt, path });
        }
    }

    /// What an ACK of `acked` segments in slow start is worth to the law.
    #[inline(never)]
    pub(crate) fn shape(&mut self, w: &Window, c: &Connection, acked: u32) -> u32 {
        self.slow_start.worth(w, c, acked)
    }
}
