//! An algorithm behind its slow start: what the transport drives.

use crate::registry::Algorithm;
use crate::slow_start::{Kind, SlowStart};
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

    /// Out of line: most laws, and most of a connection's life, have nothing that watches the RTT for the end of slow start.
    #[inline(never)]
    pub(crate) fn watch(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        if let Some(rtt) = s.rtt.filter(|_| self.law.trusts_rtt(c)) {
            self.slow_start.on_rtt_sampled(w, c, rtt);
        }
    }
}
