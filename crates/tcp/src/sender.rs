//! The sender: one ACK in, segments out, in the kernel's order of processing.

use cc::{AckArrival, CaEvent, CaState, CongestionControl, Connection, Needs, RttSample, RttSamples, Window};
use units::{Stream, Time};

use crate::application::Usage;
use crate::careful::Care;
use crate::ecn::EcnState;
use crate::pacing::Pacer;
use crate::rack::Rack;
use crate::rate::Change;
use crate::reduction::Reduction;
use crate::scoreboard::{Scoreboard, EVER_RETRANSMITTED, RETRANSMITTED, SACKED};
use crate::timers::Timer;
use crate::undo::Undo;
pub(crate) use crate::wire::Wire;
use crate::{Abc, Ack, LossDetection, Options, RttEstimator, Sack};

/// What a sender is told at the start.
#[derive(Clone, Debug)]
pub struct SenderSpec {
    /// The stack's options.
    pub options: Options,
    /// Payload bytes of a segment.
    pub mss: u32,
    /// Segments the application sends; `u64::MAX` for no end.
    pub segments: u64,
    /// Receiver's window, segments; `u64::MAX` for no limit.
    pub window: u64,
    /// The host's device queue may refuse a segment.
    pub device: bool,
}

/// Counters of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SenderTotals {
    /// Segments sent, retransmissions included.
    pub sent: u64,
    /// Retransmissions.
    pub retransmitted: u64,
    /// Segments delivered, as far as ACKs told.
    pub delivered: u64,
    /// Window reductions by Recovery or CWR.
    pub loss_episodes: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Spurious reductions undone.
    pub undos: u64,
    /// Sum of RTT samples, nanoseconds.
    pub rtt_sum_ns: u64,
    /// Number of RTT samples.
    pub rtt_samples: u64,
    /// Integral of cwnd over time, segment-nanoseconds.
    pub cwnd_area: f64,
}

/// What one ACK changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// Segments cumulatively acknowledged.
    pub(crate) acked: u64,
    /// Segments newly SACKed.
    pub(crate) sacked: u32,
    /// Segments delivered: cumulatively or selectively acknowledged for the first time.
    pub(crate) delivered: u32,
    /// A never-retransmitted segment below the recovery point was delivered.
    pub(crate) original_delivered: bool,
    /// A retransmitted segment was cumulatively acknowledged.
    pub(crate) retransmission_acked: bool,
    /// Segments newly marked lost.
    pub(crate) lost: u32,
    /// The ACK reported a segment that arrived twice.
    pub(crate) duplicate: bool,
    /// The ACK told of congestion marks.
    pub(crate) ece: bool,
    /// Timestamp echo of the ACK.
    pub(crate) echo: Time,
    /// Send times of the first and last never-retransmitted segment cumulatively acknowledged.
    pub(crate) first_acked: Option<Time>,
    pub(crate) last_acked: Option<Time>,
    pub(crate) first_sacked: Option<Time>,
    pub(crate) last_sacked: Option<Time>,
}

impl Progress {
    /// Neither data nor information: a duplicate ACK.
    pub(crate) fn is_duplicate_ack(&self) -> bool {
        self.acked == 0
    }
}

/// A sender with its algorithm. In memory what a plain ACK looks at comes first.
#[derive(Debug)]
#[repr(C)]
pub struct Sender<C> {
    pub(crate) c: Connection,
    pub(crate) w: Window,
    pub(crate) timer: Timer,
    pub(crate) window_filled: bool,
    /// The application writes in pieces: `usage` is kept.
    pub(crate) watches_use: bool,
    pub(crate) started: bool,
    /// Tail losses are probed for.
    pub(crate) probes: bool,
    /// More than the window may hold a new segment back, pacing or what is in `care`, or each is noted as it leaves, for rate samples.
    pub(crate) is_careful: bool,
    /// Timers are looked at every `care.tick`.
    pub(crate) has_jiffies: bool,
    pub(crate) needs: Needs,
    pub(crate) ecn: EcnState,
    pub(crate) most_out: u64,
    pub(crate) usage_end: u64,
    pub(crate) limit: u64,
    /// The probe outstanding, one past its end; 0 for none (Linux `tlp_high_seq`).
    pub(crate) probe_end: u64,
    pub(crate) rack: Rack,
    pub(crate) rtt: RttEstimator,
    pub(crate) totals: SenderTotals,
    pub(crate) pacer: Pacer,
    pub(crate) spec: SenderSpec,
    pub(crate) cc: C,
    pub(crate) board: Scoreboard,
    /// End of the current episode (Linux `high_seq`).
    pub(crate) recovery_point: u64,
    pub(crate) reduction: Reduction,
    pub(crate) care: Option<Box<Care>>,
    pub(crate) undo: Undo,
    pub(crate) probe_retransmitted: bool,
    /// Forward RTO recovery is under way.
    pub(crate) frto: bool,
    /// This ACK's new data tells whether the timeout was spurious: no retransmissions before it.
    pub(crate) probing_for_spurious_timeout: bool,
    pub(crate) expiries: u32,
    /// How an application that writes in pieces uses the window; none for one that always has more.
    pub(crate) usage: Option<Box<Usage>>,
}

units::clone_by_field! {
    Sender<C>: c w timer window_filled watches_use started probes is_careful has_jiffies needs ecn most_out usage_end limit probe_end rack
    rtt totals pacer spec cc board recovery_point reduction care undo probe_retransmitted frto probing_for_spurious_timeout expiries
    usage
}

impl<C: CongestionControl> Sender<C> {
    /// A sender that has not started.
    pub fn new(mut spec: SenderSpec, cc: C) -> Sender<C> {
        let needs = cc.needs();
        let care = Care::of(&mut spec);
        let pacer = Pacer::new(&spec.options, &needs);
        Sender {
            w: Window::starting_at(spec.options.initial_window, spec.options.initial_ssthresh),
            c: Connection { is_paced: pacer.is_on(), selective_acks: spec.options.sack, ..Connection::new(spec.mss) },
            needs,
            ecn: EcnState::new(spec.options.ecn),
            cc,
            board: Scoreboard::new(needs.steering.is_by_rate()),
            rtt: RttEstimator::new(&spec.options),
            rack: Rack::default(),
            reduction: Reduction::default(),
            undo: Undo::default(),
            timer: Timer::default(),
            is_careful: pacer.is_on() || care.is_some() || needs.steering.is_by_rate(),
            has_jiffies: care.as_ref().is_some_and(|care| care.tick > Time::ZERO),
            care,
            pacer,
            totals: SenderTotals::default(),
            recovery_point: 0,
            probe_end: 0,
            probe_retransmitted: false,
            frto: false,
            probing_for_spurious_timeout: false,
            expiries: 0,
            window_filled: true,
            most_out: 0,
            usage_end: 0,
            limit: spec.segments,
            usage: None,
            watches_use: false,
            started: false,
            probes: spec.options.tlp && spec.options.sack,
            spec,
        }
    }

    /// The sender, which has not started, is of a connection with `bytes` of payload and an algorithm that draws from `draws`.
    pub fn on_born(&mut self, bytes: u64, draws: Stream) {
        self.limit = bytes.div_ceil(u64::from(self.spec.mss));
        self.spec.segments = self.limit;
        self.cc.on_seeded(draws);
    }

    /// The connection opens: the handshake gave one RTT sample, the first window leaves.
    pub fn on_started(&mut self, now: Time, handshake_rtt: Time, wire: &mut impl Wire) {
        self.c.now = now;
        self.started = true;
        self.rtt.on_handshake(handshake_rtt);
        self.rtt.on_sampled(self.rtt.measured(now, now + handshake_rtt), 0, 0);
        self.rtt.on_min_sampled(self.rtt.stamped(now, now + handshake_rtt), now);
        self.publish_rtt();
        self.cc.on_established(&mut self.w, &self.c);
        self.cc.on_event(&mut self.w, &self.c, CaEvent::TxStarted);
        self.refresh_pacing_rate();
        self.recover_and_transmit(wire);
    }

    /// The application has no more data.
    pub fn on_stopped(&mut self) {
        self.on_paused();
        self.spec.segments = self.limit;
    }

    /// An ACK arrives.
    #[inline]
    pub fn on_ack(&mut self, now: Time, ack: &Ack, sack: Option<&Sack>, wire: &mut impl Wire) {
        self.account(now);
        let plain = sack.is_none()
            && self.c.ca_state == CaState::Open
            && ack.cumulative > self.c.una
            && self.board.is_clean(self.c.una)
            && self.probe_end == 0
            && ack.ecn == self.ecn.known;
        if plain && !self.is_careful {
            self.on_plain_ack::<false, false>(ack, wire);
        } else if plain {
            self.on_plain_careful_ack(ack, wire);
        } else {
            self.on_troubled_ack(ack, sack, wire);
        }
    }

    /// In order, nothing lost, SACKed or retransmitted: the kernel's steps without the scoreboard's.
    #[inline(always)]
    fn on_plain_ack<const CAREFUL: bool, const RATED: bool>(&mut self, ack: &Ack, wire: &mut impl Wire) {
        let now = self.c.now;
        let in_flight = self.c.in_flight;
        let acked = (ack.cumulative - self.c.una) as u32;
        let first = self.board.sent_at(self.c.una);
        let last = self.board.sent_at(ack.cumulative - 1);
        self.c.una = ack.cumulative;
        self.c.in_flight = (self.c.nxt - self.c.una) as u32;
        self.c.delivered += u64::from(acked);
        let rtt = self.rtt.stamped(last, now);
        self.rtt.on_min_sampled(rtt, now);
        self.rtt.on_sampled(self.rtt.measured(first, now), self.c.una, self.c.nxt);
        self.publish_rtt();
        self.totals.rtt_sum_ns += rtt.0;
        self.totals.rtt_samples += 1;
        self.rack.on_next_delivered(ack.cumulative - 1, last, now);
        let rtt = Some(self.rtt_for_algorithm(last, rtt));
        self.tell_rtt(|| RttSample { acked, rtt, forward: Some(ack.delay), echoed: Some(ack.echo), in_flight });
        self.tell_arrival(&AckArrival { slow_path: false, ece: false });
        if RATED {
            if let Some(rates) = self.board.rates.as_deref_mut() {
                rates.on_delivered(ack.cumulative - 1, last);
            }
            self.steer_by_rate(Change { acked, lost: 0, rtt, prior_in_flight: in_flight }, wire);
        } else {
            self.grow(acked, wire);
        }
        self.refresh_pacing_rate();
        // Sending arms a probe, but never moves a retransmission timer that already runs.
        let pipe = self.c.in_flight;
        let has_sent = if CAREFUL {
            self.pacer.release();
            self.transmit_one_by_one(pipe, wire)
        } else {
            self.transmit_at_once(pipe, wire)
        } > 0;
        if !(has_sent && self.may_probe()) {
            self.arm_after_progress();
        }
    }

    /// Out of line, so that the others do not pay for it.
    #[inline(never)]
    fn on_plain_careful_ack(&mut self, ack: &Ack, wire: &mut impl Wire) {
        if self.needs.steering.is_by_rate() {
            self.on_plain_ack::<true, true>(ack, wire);
        } else {
            self.on_plain_ack::<true, false>(ack, wire);
        }
    }

    #[inline(never)]
    fn on_troubled_ack(&mut self, ack: &Ack, sack: Option<&Sack>, wire: &mut impl Wire) {
        let in_flight = self.c.in_flight;
        let lost_before = self.board.lost;
        let mut progress = Progress { echo: ack.echo, ..Progress::default() };
        let highest_before = self.board.highest_sacked;
        if let Some(sack) = sack {
            self.tag(sack, &mut progress);
        }
        self.clean(ack.cumulative.max(self.c.una), highest_before, &mut progress);
        if !self.spec.options.sack {
            self.count_duplicate(&mut progress);
        }
        self.take_marks(ack, &mut progress);
        self.publish_in_flight();
        let (rtt, extends_timer) = self.sample_rtt(&progress);
        // Only an ACK that moves the window echoes a segment that it answers (RFC 7323 4.3).
        let forward = (progress.acked > 0).then_some(ack.delay);
        let echoed = forward.map(|_| ack.echo);
        self.tell_rtt(|| RttSample { acked: progress.acked as u32, rtt, forward, echoed, in_flight });
        // Header prediction knows no connection state: whatever is under way, a plain advance is fast (Linux `tcp_rcv_established`).
        let slow_path = sack.is_some() || progress.is_duplicate_ack() || progress.ece;
        self.tell_arrival(&AckArrival { slow_path, ece: progress.ece });
        self.end_probe(ack.cumulative, &progress, wire);
        let alerted = self.is_alert(&progress);
        let armed = alerted && self.alert(&mut progress, wire);
        if alerted {
            self.publish_in_flight();
        }
        if (progress.acked > 0 || extends_timer) && !armed {
            self.arm_after_progress();
        }
        progress.lost = (self.board.lost - lost_before) as u32;
        if self.needs.steering.is_by_rate() {
            self.report_losses();
            let Progress { delivered, lost, .. } = progress;
            self.steer_by_rate(Change { acked: delivered, lost, rtt, prior_in_flight: in_flight }, wire);
        } else {
            self.steer(&progress, wire);
        }
        self.refresh_pacing_rate();
        self.recover_and_transmit(wire);
    }

    /// Step 4: the algorithm's RTT sample, if it wants any.
    #[inline(always)]
    fn tell_rtt(&mut self, sample: impl FnOnce() -> RttSample) {
        if self.needs.rtt_samples != RttSamples::Unused {
            self.cc.on_rtt_sampled(&mut self.w, &self.c, &sample());
        }
    }

    /// Step 5: what the ACK looked like, if the algorithm wants to know.
    #[inline(always)]
    fn tell_arrival(&mut self, arrival: &AckArrival) {
        if self.needs.ack_arrivals {
            self.cc.on_ack_arrived(&mut self.w, &self.c, arrival);
        }
    }

    /// Step 8: reduce, or grow.
    fn steer(&mut self, progress: &Progress, wire: &mut impl Wire) {
        if self.in_reduction() {
            self.reduce(progress);
        } else if self.c.ca_state == CaState::Loss && self.spec.options.rto_freeze {
        } else if progress.acked > 0 || (self.rack.reordering_seen && progress.delivered > 0) {
            self.grow(progress.delivered, wire);
        }
    }

    /// Window growth by `delivered` segments, counted as the byte-counting mode says.
    #[inline(always)]
    fn grow(&mut self, delivered: u32, wire: &mut impl Wire) {
        let in_slow_start = self.w.in_slow_start();
        self.c.cwnd_limited = self.window_filled || (in_slow_start && self.w.cwnd < 2.0 * self.most_out as f64);
        let acked = match self.spec.options.abc {
            Abc::Linux => delivered,
            Abc::Rfc3465 if !in_slow_start => delivered,
            Abc::Rfc3465 if self.c.ca_state == CaState::Loss => delivered.min(1),
            Abc::Rfc3465 => delivered.min(self.spec.options.abc_limit.into()),
            Abc::Off => delivered.min(1),
        };
        self.cc.on_acked(&mut self.w, &self.c, acked);
        if in_slow_start && !self.w.in_slow_start() {
            wire.on_slow_start_exit(self.c.now, self.w.cwnd);
        }
        assert!(self.w.cwnd >= 1.0, "cwnd {} fell below one segment at {:?}", self.w.cwnd, self.c.now);
    }

    /// Step 1: SACK blocks.
    fn tag(&mut self, sack: &Sack, progress: &mut Progress) {
        if let Some(seq) = sack.duplicate {
            progress.duplicate = true;
            self.undo.on_duplicate(seq);
        }
        let Scoreboard { reported, sacked, newly_sacked, .. } = &mut self.board;
        for &(from, to) in sack.blocks.iter().filter(|block| block.1 > block.0 && !reported.contains(block)) {
            assert!(to <= self.c.nxt, "SACK {from}..{to} above snd_nxt {}", self.c.nxt);
            sacked.fill(from.max(self.c.una), to, |a, b| newly_sacked.push((a, b)));
        }
        *reported = sack.blocks;
        if newly_sacked.len() > 1 {
            newly_sacked.sort_unstable();
        }
        for index in 0..newly_sacked.len() {
            let (from, to) = self.board.newly_sacked[index];
            (from..to).for_each(|seq| self.on_sacked(seq, progress));
        }
        self.board.newly_sacked.clear();
    }

    fn on_sacked(&mut self, seq: u64, progress: &mut Progress) {
        let flags = self.board.flags(seq);
        let sent = self.board.sent_at(seq);
        let retransmitted = flags & EVER_RETRANSMITTED != 0;
        self.rack.on_delivered(seq, sent, self.c.now, retransmitted, self.rtt.min());
        if !retransmitted {
            self.rack.reordering_seen |= seq + 1 < self.board.highest_sacked;
            progress.original_delivered |= seq < self.recovery_point;
            progress.first_sacked.get_or_insert(sent);
            progress.last_sacked = Some(sent);
        }
        self.board.mark_sacked(seq);
        if let Some(rates) = &mut self.board.rates {
            rates.on_delivered(seq, sent);
        }
        self.c.delivered += 1;
        progress.sacked += 1;
        progress.delivered += 1;
    }

    /// Step 2: segments below `una` leave the window. One below what had been SACKed before this ACK was reordered.
    fn clean(&mut self, una: u64, highest_before: u64, progress: &mut Progress) {
        assert!(una <= self.c.nxt, "ACK {una} above snd_nxt {}", self.c.nxt);
        for seq in self.c.una..una {
            let sent = self.board.sent_at(seq);
            let flags = self.board.remove(seq);
            if flags & EVER_RETRANSMITTED != 0 {
                progress.retransmission_acked |= flags & RETRANSMITTED != 0;
            } else if flags & SACKED == 0 {
                progress.first_acked.get_or_insert(sent);
                progress.last_acked = Some(sent);
                self.rack.reordering_seen |= seq + 1 < highest_before;
                progress.original_delivered |= seq < self.recovery_point;
            }
            if flags & SACKED == 0 {
                let retransmitted = flags & EVER_RETRANSMITTED != 0;
                if let Some(rates) = &mut self.board.rates {
                    rates.on_delivered(seq, sent);
                }
                if self.spec.options.sack {
                    self.c.delivered += 1;
                    progress.delivered += 1;
                }
                self.rack.on_delivered(seq, sent, self.c.now, retransmitted, self.rtt.min());
            }
        }
        progress.acked = una - self.c.una;
        if progress.acked > 0 {
            self.c.una = una;
            self.expiries = 0;
            self.board.on_advanced(una);
        }
    }

    /// Keeps the time integral of cwnd.
    #[inline]
    pub(crate) fn account(&mut self, now: Time) {
        // Signed, for the conversion is then one instruction.
        self.totals.cwnd_area += self.w.cwnd * (now - self.c.now).0 as i64 as f64;
        self.c.now = now;
    }

    #[inline]
    pub(crate) fn publish_rtt(&mut self) {
        self.c.srtt8_us = self.rtt.srtt8_us();
        self.c.rtt_min = self.rtt.min();
    }

    #[inline]
    pub(crate) fn publish_in_flight(&mut self) {
        if !self.spec.options.sack {
            self.limit_counted_duplicates();
        }
        let out = (self.c.nxt - self.c.una) as u32 + self.board.retrans_out;
        let left = self.board.sacked_out + self.board.lost_out;
        assert!(out >= left, "pipe is negative: {out} < {left} at {:?}", self.c.now);
        self.c.in_flight = out - left;
    }

    pub(crate) fn uses_rack(&self) -> bool {
        self.spec.options.sack && self.spec.options.loss_detection == LossDetection::Rack
    }

    pub(crate) fn in_reduction(&self) -> bool {
        matches!(self.c.ca_state, CaState::Cwr | CaState::Recovery)
    }

    pub(crate) fn enter(&mut self, state: CaState) {
        self.cc.on_state_changed(&mut self.w, &self.c, state);
        self.c.ca_state = state;
    }
}
