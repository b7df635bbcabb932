//! After an idle time the flow goes on at the bandwidth known, and the idle time is no reason to probe for the RTT.
//!
//! Source: draft-cardwell-iccrg-bbr-congestion-control-00, "Restarting From Idle"; Linux 6.1.

use super::{Bbr, Mode, UNIT};
use crate::{Connection, Window};

impl Bbr {
    pub(super) fn restart_from_idle(&mut self, w: &mut Window, c: &Connection) {
        self.restarts = true;
        self.aggregation.restart(c.now);
        if self.mode == Mode::ProbeBw {
            self.pace_at(UNIT, w, c);
        } else if self.mode == Mode::ProbeRtt {
            self.check_probe_rtt_done(w, c);
        }
    }
}
