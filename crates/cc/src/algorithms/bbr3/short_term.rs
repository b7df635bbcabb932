//! The short term: while not probing, each round with a loss brings the bounds down towards what was just delivered, by 30 % at most.

use super::super::real::larger;
use super::{Bbr3, Sample, BETA};
use crate::{Connection, LostSegment, Window};

/// Bounds of this cycle, and the round's delivery that they follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortTerm {
    /// BBR.bw_shortterm, segments per second.
    pub(super) bw: f64,
    /// BBR.inflight_shortterm, segments.
    pub(super) inflight: f64,
    bw_latest: f64,
    /// The most delivered over one sample of this round, segments.
    pub(super) inflight_latest: f64,
    /// The round in which losses are counted ends when a segment sent after this delivery is delivered.
    round_delivered: u64,
    /// This ACK began a new round of losses.
    pub(super) round_began: bool,
    pub(super) lost_in_round: bool,
    /// Separate runs of lost segments in the round under way, and in the one that this ACK ended.
    losses: u32,
    pub(super) losses_before: u32,
    last_lost: u64,
}

impl Default for ShortTerm {
    fn default() -> ShortTerm {
        ShortTerm {
            bw: f64::INFINITY,
            inflight: f64::INFINITY,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            round_delivered: 0,
            round_began: false,
            lost_in_round: false,
            losses: 0,
            losses_before: 0,
            last_lost: u64::MAX - 1,
        }
    }
}

impl ShortTerm {
    /// ResetShortTermModel.
    pub(super) fn forget(&mut self) {
        self.bw = f64::INFINITY;
        self.inflight = f64::INFINITY;
    }

    /// ResetCongestionSignals.
    pub(super) fn reset_signals(&mut self) {
        self.lost_in_round = false;
        self.bw_latest = 0.0;
        self.inflight_latest = 0.0;
    }

    /// InitLowerBounds and LossLowerBounds.
    fn lower(&mut self, max_bw: f64, w: &Window) {
        let bw = if self.bw.is_finite() { self.bw } else { max_bw };
        let inflight = if self.inflight.is_finite() { self.inflight } else { w.cwnd };
        self.bw = self.bw_latest.max(BETA * bw);
        self.inflight = self.inflight_latest.max(BETA * inflight);
    }
}

impl Bbr3 {
    /// NoteLoss.
    pub(super) fn note_loss(&mut self, w: &Window, c: &Connection, s: &LostSegment) {
        if !self.short.lost_in_round {
            self.short.round_delivered = c.delivered;
            self.short.losses = 0;
            self.save_upon_loss(w, c);
        }
        self.short.lost_in_round = true;
        self.short.losses += u32::from(s.seq != self.short.last_lost + 1);
        self.short.last_lost = s.seq;
    }

    /// UpdateLatestDeliverySignals.
    pub(super) fn update_latest(&mut self, c: &Connection, s: &Sample) {
        let short = &mut self.short;
        short.round_began = false;
        if s.of.delivered.is_none() {
            return;
        }
        short.bw_latest = larger(short.bw_latest, s.rate);
        short.inflight_latest = larger(short.inflight_latest, s.delivered);
        if s.of.prior_delivered >= short.round_delivered {
            short.round_delivered = c.delivered;
            short.round_began = true;
            short.losses_before = std::mem::take(&mut short.losses);
        }
    }

    /// UpdateCongestionSignals: once per round with a loss, when not probing.
    pub(super) fn update_congestion(&mut self, w: &Window, c: &Connection, s: &Sample) {
        self.update_max_bw(c, s);
        if !self.short.round_began {
            return;
        }
        if !self.state.accelerates() && self.short.lost_in_round {
            self.short.lower(self.bandwidth.largest(), w);
        }
        self.short.lost_in_round = false;
    }

    /// AdvanceLatestDeliverySignals.
    pub(super) fn advance_latest(&mut self, s: &Sample) {
        if self.short.round_began {
            self.short.bw_latest = s.rate;
            self.short.inflight_latest = s.delivered;
        }
    }
}
