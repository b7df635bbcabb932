//! How the window comes down during Recovery and CWR.

use cc::{CaEvent, CaState, CongestionControl};

use crate::sender::{Progress, Sender, Wire};
use crate::Recovery;

/// Counters of the reduction under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reduction {
    delivered: u64,
    pub(crate) sent: u64,
    ack_parity: bool,
}

impl Reduction {
    /// Segments that proportional rate reduction allows to be sent now (Linux 6.1; RFC 6937 with prior cwnd as base).
    fn allowance(&mut self, pipe: u64, ssthresh: u64, prior_cwnd: u64, progress: &Progress) -> u64 {
        let newly = u64::from(progress.delivered);
        self.delivered += newly;
        let allowed = if pipe > ssthresh {
            (self.delivered * ssthresh).div_ceil(prior_cwnd).saturating_sub(self.sent)
        } else {
            let mut allowed = self.delivered.saturating_sub(self.sent).max(newly);
            if progress.acked > 0 && progress.lost == 0 {
                allowed += 1;
            }
            allowed.min(ssthresh - pipe)
        };
        allowed.max(u64::from(self.sent == 0))
    }
}

impl<C: CongestionControl> Sender<C> {
    /// A congestion episode begins, in state `to`: the one call of the algorithm's `ssthresh`.
    pub(crate) fn begin_reduction(&mut self, to: CaState, wire: &mut impl Wire) {
        self.recovery_point = self.c.nxt;
        self.probe_end = 0;
        self.w.cnt = 0;
        self.c.prior_cwnd = self.w.cwnd;
        self.reduction = Reduction::default();
        let cwnd = self.w.cwnd;
        self.ecn.on_reduced();
        self.w.ssthresh = self.cc.ssthresh(&mut self.w, &self.c);
        self.rtt.on_backed_off(self.c.now);
        self.enter(to);
        if matches!(self.spec.options.recovery, Recovery::AtOnce | Recovery::ToOne) && !self.needs.steering.is_full() {
            self.w.cwnd = self.w.ssthresh;
        }
        self.totals.loss_episodes += 1;
        wire.on_loss_episode(self.c.now, cwnd, self.w.ssthresh);
    }

    /// One ACK's worth of reduction.
    pub(crate) fn reduce(&mut self, progress: &Progress) {
        if self.needs.steering.is_full() {
            return;
        }
        match self.spec.options.recovery {
            Recovery::Prr if progress.delivered > 0 => {
                let pipe = u64::from(self.c.in_flight);
                let (ssthresh, prior) = (self.w.ssthresh as u64, (self.c.prior_cwnd as u64).max(1));
                let allowed = self.reduction.allowance(pipe, ssthresh, prior, progress);
                self.w.cwnd = (pipe + allowed).max(1) as f64;
            }
            Recovery::Prr | Recovery::AtOnce | Recovery::ToOne => {}
            Recovery::RateHalving => {
                self.reduction.ack_parity = !self.reduction.ack_parity;
                if !self.reduction.ack_parity && self.w.cwnd > self.w.ssthresh {
                    self.w.cwnd -= 1.0;
                }
                self.w.cwnd = self.w.cwnd.min(f64::from(self.c.in_flight + 1));
            }
        }
    }

    /// The episode is over.
    pub(crate) fn end_reduction(&mut self) {
        if self.needs.steering.is_full() {
            return;
        }
        let ends_here = self.w.ssthresh < cc::SSTHRESH_INFINITE && (self.c.ca_state == CaState::Cwr || self.undo.is_armed());
        match self.spec.options.recovery {
            Recovery::ToOne if ends_here => self.w.cwnd = 1.0,
            Recovery::Prr if ends_here => self.w.cwnd = self.w.ssthresh,
            Recovery::RateHalving | Recovery::AtOnce if ends_here => self.w.cwnd = self.w.cwnd.min(self.w.ssthresh),
            _ => {}
        }
        self.note_window_set();
        self.cc.on_event(&mut self.w, &self.c, CaEvent::ReductionCompleted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cumulative sends after 1, 2, 3, 10 and 50 deliveries from prior_cwnd 100 (transport specification, PRR vectors).
    fn sends(ssthresh: u64) -> Vec<u64> {
        let mut reduction = Reduction::default();
        let mut pipe = 99;
        (1..=50)
            .map(|_| {
                pipe -= 1;
                let progress = Progress { delivered: 1, ..Progress::default() };
                let allowed = reduction.allowance(pipe, ssthresh, 100, &progress);
                reduction.sent += allowed;
                pipe += allowed;
                reduction.sent
            })
            .collect()
    }

    #[test]
    fn proportional_reduction_spreads_the_sends() {
        let halved = sends(50);
        assert_eq!([halved[0], halved[1], halved[2], halved[9], halved[49]], [1, 1, 2, 5, 25]);
        let gentle = sends(70);
        assert_eq!([gentle[0], gentle[1], gentle[2], gentle[9], gentle[49]], [1, 2, 3, 7, 35]);
    }
}
