//! After an idle time the flow goes on at the bandwidth known, and the idle time is no reason to probe for the RTT.

use super::{Bbr3, State};
use crate::{Connection, Window};

impl Bbr3 {
    /// HandleRestartFromIdle.
    pub(super) fn restart_from_idle(&mut self, w: &mut Window, c: &Connection) {
        self.restarts = true;
        self.aggregation.restart(c.now);
        if self.state.is_probe_bw() {
            self.pace(1.0);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done(w, c);
        }
    }
}
