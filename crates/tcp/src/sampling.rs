//! RTT samples of one ACK: for the retransmission timer from the segment sent first, for the algorithm from the one sent last.

use cc::CongestionControl;
use units::Time;

use crate::sender::{Progress, Sender};

impl<C: CongestionControl> Sender<C> {
    /// Step 3: RTT samples. Returns the algorithm's sample, and whether the RTO may start anew without progress.
    pub(crate) fn sample_rtt(&mut self, progress: &Progress) -> (Option<Time>, bool) {
        let now = self.c.now;
        let (mut smooth, mut latest) = (None, None);
        if !progress.retransmission_acked {
            smooth = progress.first_acked;
            latest = progress.last_acked;
        }
        let extends = progress.acked == 0
            && progress.first_sacked.is_some_and(|sent| self.c.nxt > self.c.una && sent < self.board.sent_at(self.c.una));
        latest = progress.last_sacked.or(latest);
        smooth = smooth.or(progress.first_sacked);
        if smooth.is_none() && progress.acked > 0 {
            // Timestamps tick in milliseconds.
            let rtt = Time::from_ms((now.as_ms() - progress.echo.as_ms()).max(1));
            smooth = Some(Time(now.0.saturating_sub(rtt.0)));
            latest = smooth;
        }
        let (Some(smooth), Some(latest)) = (smooth, latest) else { return (None, extends) };
        let rtt = self.rtt.stamped(latest, now);
        self.rtt.on_min_sampled(rtt, now);
        self.rtt.on_sampled(self.rtt.measured(smooth, now), self.c.una, self.c.nxt);
        self.publish_rtt();
        self.totals.rtt_sum_ns += rtt.0;
        self.totals.rtt_samples += 1;
        (Some(self.rtt_for_algorithm(latest, rtt)), extends)
    }
}
