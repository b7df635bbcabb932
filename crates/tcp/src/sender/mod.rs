//! The sender: one ACK in, segments out, in the kernel's order of processing.
//!
//! A sender is made of parts that do not know it. Each keeps its own state, and is shown the connection where it must see more: the
//! scoreboard and RACK, the RTT estimator, the episode and its undo, the timer, the probe, the limits, the pacing gate, the rate sampler.
//! The files of this folder are the order in which the parts act, and nothing else.
//!
//! # The steps of an ACK
//!
//! 1. SACK blocks mark segments as delivered.
//! 2. Segments below the cumulative ACK leave the window; without SACK, duplicate ACKs are counted.
//! 3. Congestion marks are counted.
//! 4. RTT samples: the smoothed RTT and the timeout, the minimum. RACK's reordering window grows, or falls back.
//! 5. The algorithm is told the RTT sample, the packets that arrived, then the form of the ACK.
//! 6. A tail loss probe may be answered.
//! 7. The state machine: undo what was spurious, mark what is lost, change the state.
//! 8. The timer is armed anew.
//! 9. The window: a reduction, or growth by the algorithm, or all of it by the algorithm from a rate sample.
//! 10. The pacing rate.
//! 11. Segments leave: retransmissions, then new data.
//!
//! A plain ACK, which advances a window in which nothing was ever lost, SACKed or retransmitted, needs steps 2, 4, 5 and 9 to 11, and its
//! timer is armed last: by what it sends, if anything.
//!
//! A usual ACK is a plain one to a sender about which nothing is special: no pacing, no pieces, no older stack. Whether the next ACK may be
//! one is a single number in `way`, which whatever may be trouble sets anew. It takes the steps of a plain ACK without asking what is known
//! already. Three others have such a way too: a classic sender, whose stack is an older one, a paced one, and a steady one, which is paced and
//! whose law is told delivery rates.
//! While a loss is found and repaired, nearly every ACK reports one segment more: senders that only the window holds back have a file for it.

mod acks;
mod application;
mod episode;
mod expiry;
mod opening;
mod paced;
mod persist;
mod plain;
mod rates;
mod repaired;
mod sacked;
mod state;
mod steady;
mod transmit;
mod view;
mod way;

use cc::{CaState, CongestionControl, Connection, Needs, Window};
use units::{Stream, Time};

use crate::careful::Care;
use crate::counting::ByteCounting;
use crate::duplicates::Duplicates;
use crate::ecn::EcnState;
use crate::limits::Limits;
use crate::pacing::Pacer;
use crate::packets::Packets;
use crate::probe::TailLossProbe;
use crate::rack::{Detection, Rack};
use crate::rate::RateSampler;
use crate::recovery::Recovery;
use crate::reordering::Reordering;
use crate::rtt::RttEstimator;
use crate::scoreboard::Scoreboard;
use crate::ticks::Ticks;
use crate::timers::Timers;
use crate::undo::Undo;
use crate::SenderSpec;
use opening::Stage;
use persist::Held;
use way::{Manner, Way};

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

/// A sender with its algorithm. In memory what a plain ACK looks at comes first.
#[derive(Debug)]
#[repr(C)]
pub struct Sender<C> {
    c: Connection,
    w: Window,
    timers: Timers,
    needs: Needs,
    has_timestamps: bool,
    manner: Manner,
    detection: Detection,
    counting: ByteCounting,
    way: Way,
    ecn: EcnState,
    limits: Limits,
    probe: TailLossProbe,
    rack: Rack,
    rtt: RttEstimator,
    totals: SenderTotals,
    pacer: Pacer,
    cc: C,
    board: Scoreboard,
    recovery: Recovery,
    undo: Undo,
    reordering: Reordering,
    duplicates: Duplicates,
    care: Option<Box<Care>>,
    held: Held,
    stage: Stage,
    /// For an algorithm that wants delivery-rate samples.
    rates: Option<Box<RateSampler>>,
    /// For an algorithm that is told of each packet.
    packets: Option<Box<Packets>>,
}

units::clone_by_field! {
    Sender<C>: c w timers needs has_timestamps manner detection counting way ecn limits probe rack rtt totals pacer cc board recovery undo reordering
    duplicates care held stage rates packets
}

impl<C: CongestionControl> Sender<C> {
    /// A sender that has not started.
    pub fn new(mut spec: SenderSpec, cc: C) -> Sender<C> {
        let needs = cc.needs();
        let care = Care::of(&mut spec);
        let options = &spec.options;
        let pacer = Pacer::new(options, &needs);
        let is_rated = needs.control.is_by_rate();
        let manner = if is_rated {
            Manner::Rated
        } else if pacer.is_on() || care.is_some() || needs.packets {
            Manner::Careful
        } else {
            Manner::Lean
        };
        Sender {
            c: Connection { is_paced: pacer.is_on(), selective_acks: options.sack, ..Connection::new(spec.mss) },
            w: Window::new(options.initial_window).until(options.initial_ssthresh),
            timers: Timers::new(Ticks::of(options)),
            needs,
            has_timestamps: options.timestamps,
            manner,
            detection: Detection::new(options),
            counting: ByteCounting::new(options),
            way: Way::new(),
            ecn: EcnState::new(options),
            limits: Limits::new(&spec, &needs),
            probe: TailLossProbe::new(options.tlp && options.sack),
            rack: Rack::new(),
            rtt: RttEstimator::new(options),
            totals: SenderTotals::default(),
            pacer,
            cc,
            board: Scoreboard::new(is_rated || needs.packets),
            recovery: Recovery::new(options, &needs),
            undo: Undo::new(options),
            reordering: Reordering::new(),
            duplicates: Duplicates::default(),
            care,
            held: Held::default(),
            stage: Stage::New,
            rates: is_rated.then(Box::default),
            packets: needs.packets.then(Box::default),
        }
    }

    /// The sender, which has not started, is of a connection with `bytes` of payload; returns how many segments it sends.
    pub fn on_born(&mut self, bytes: u64) -> u64 {
        let segments = bytes.div_ceil(u64::from(self.c.mss));
        self.limits.on_born(segments);
        segments
    }

    /// Its algorithm draws from this stream.
    pub fn on_seeded(&mut self, draws: Stream) {
        self.cc.on_seeded(draws);
    }

    /// When [`Sender::on_deadline`] must be called; [`Time::NEVER`] for never. May move either way on any event.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.timers.expires().min(self.pacer.wakes_at())
    }

    /// Time passes: the time integral of cwnd is kept.
    #[inline]
    fn account(&mut self, now: Time) {
        // Signed, for the conversion is then one instruction.
        self.totals.cwnd_area += self.w.cwnd * (now - self.c.now).0 as i64 as f64;
        self.c.now = now;
    }

    #[inline]
    fn publish_in_flight(&mut self) {
        if !self.c.selective_acks {
            self.board.limit_counted_duplicates(&self.c);
        }
        self.c.in_flight = self.board.pipe(&self.c);
    }

    /// Nothing is missing, and none of what is outstanding was ever held to be.
    #[inline]
    fn is_open_and_clean(&self) -> bool {
        self.c.ca_state == CaState::Open && self.board.is_clean(self.c.una)
    }
}
