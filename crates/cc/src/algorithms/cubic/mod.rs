//! CUBIC: the window follows a cubic of the time since the last loss, flat around the window at which that loss came.
//!
//! Source: Ha/Rhee/Xu 2008; Linux 6.1 `tcp_cubic.c`, reproduced exactly; the 2.6.23 rules after Linux's history of that file.
//! Units: segments; time in milliseconds (kernel ticks), K in 1/1024 s; RTTs in microseconds.
//! State: last_max, the epoch (start, origin, K), segments per increment with the window and tick it was computed for, the
//! Reno-friendly window with its count, the smallest RTT. HyStart is a part of its own, `slow_start`.
//! Departures: the cube saturates where the kernel's 64-bit product would wrap (an epoch of some 350 s). `2.6.23` enters congestion
//! avoidance at cwnd = ssthresh, not above it; its tick is 1 ms; before the first loss it grows at least 5 % per RTT.

mod cube_root;
mod rfc9438;

use units::Time;

use self::cube_root::cube_root;
pub use self::rfc9438::CubicReal;
use super::{borrows, runs, switch};
use crate::parameter::{Parameter, Protocol, Values, Variant};
use crate::slow_start::Kind;
use crate::{Algorithm, CaEvent, CaState, CongestionControl, Connection, RttSample, Window};

const V61: &str = "linux-6.1";
const NOHYSTART: &str = "nohystart";
const V2623: &str = "2.6.23";
const RFC: &str = "rfc9438";
const KEEP: f64 = 717.0 / 1024.0;
const OLD_KEEP: f64 = 819.0 / 1024.0;
const SCALE: f64 = 41.0 / 102.4;

/// The registry's description.
pub const PROTOCOL: Protocol = Protocol {
    name: "cubic",
    aliases: &[],
    family: "loss-based high-speed",
    year: 2005,
    source: "Ha/Rhee/Xu 2008; RFC 9438; Linux 6.1 and 2.6.23",
    summary: "A cubic function of the time since the last loss: the Internet's default.",
    signals: &["loss", "ecn", "time", "rtt"],
    variants: &[
        Variant { name: V61, aliases: &[], summary: "Linux's integers, HyStart on.", exact_kernel: true },
        Variant { name: NOHYSTART, aliases: &[], summary: "Linux's integers, HyStart off.", exact_kernel: true },
        Variant { name: V2623, aliases: &["linux-2.6.23"], summary: "Keeps 0.8, at most 160 segments/s, no HyStart.", exact_kernel: false },
        Variant { name: RFC, aliases: &["rfc"], summary: "RFC 9438 with a real-valued window.", exact_kernel: false },
    ],
    parameters: &[
        Parameter {
            name: "beta",
            unit: "1",
            min: 0.1,
            max: 0.95,
            defaults: &[(V61, KEEP), (NOHYSTART, KEEP), (V2623, OLD_KEEP), (RFC, 0.7)],
            doc: "Fraction of the window kept on loss.",
        },
        Parameter {
            name: "c",
            unit: "segments/s^3",
            min: 0.01,
            max: 100.0,
            defaults: &[(V61, SCALE), (NOHYSTART, SCALE), (V2623, SCALE), (RFC, 0.4)],
            doc: "Steepness of the cubic; the integer variants round it to 1/102.4.",
        },
        switch(
            "fast_convergence",
            &[(V61, 1.0), (NOHYSTART, 1.0), (V2623, 1.0), (RFC, 1.0)],
            "Aim lower after a loss below the last maximum.",
        ),
        switch("tcp_friendliness", &[(V61, 1.0), (NOHYSTART, 1.0), (V2623, 1.0), (RFC, 1.0)], "Never slower than Reno would be."),
        Parameter { name: "s_max", unit: "segments per 100 ms", min: 1.0, max: 1e4, defaults: &[(V2623, 16.0)], doc: "Largest increase." },
    ],
    constants: &[],
    profiles: &[
        runs(V61, V61),
        runs("linux-2.6.23", V2623),
        borrows("altaimd-2.6.6", V2623),
        borrows("linux-2.4", V2623),
        runs("rfc", RFC),
    ],
    build: |values| match values.variant() {
        RFC => Algorithm::CubicReal(Box::new(CubicReal::new(values))),
        _ => Algorithm::Cubic(Cubic::new(values)),
    },
};

/// `per_segment` stands this long while the window does, ms.
const HOLD_MS: u64 = 31;

/// CUBIC in Linux's integers.
#[derive(Clone, Copy, Debug)]
pub struct Cubic {
    /// 1024 times the kept fraction.
    beta: u32,
    /// 1024 times C, per 1/1024 s cubed: (2^40 per segment)/`scale` is K^3 of one segment.
    scale: u64,
    cube_factor: u64,
    friendly_scale: u32,
    fast_convergence: bool,
    friendly: bool,
    old: Option<Old>,
    /// Linux's default: HyStart.
    slow_start: Kind,
    epoch: Epoch,
}

/// What 2.6.23 has in addition.
#[derive(Clone, Copy, Debug)]
struct Old {
    s_max: u32,
    delayed_ack: u32,
}

/// What a timeout makes CUBIC forget.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    per_segment: u32,
    last_max: u32,
    computed_for: u32,
    computed_ms: u64,
    origin: u32,
    /// K, 1/1024 s.
    k: u32,
    min_us: u32,
    start_ms: Option<u64>,
    acked: u32,
    w_est: u32,
}

impl Epoch {
    /// The queue is draining just after a loss: those samples would not show the path.
    #[inline]
    fn shows_path(&self, c: &Connection) -> bool {
        self.start_ms.is_none_or(|start| c.now.as_ms() >= start + 1_000)
    }
}

impl Cubic {
    fn new(values: &Values) -> Cubic {
        let beta = (values.get("beta") * 1024.0 + 0.5) as u32;
        let scale = ((values.get("c") * 102.4 + 0.5) as u64).max(1) * 10;
        let old = values.variant() == V2623;
        Cubic {
            beta,
            scale,
            cube_factor: (1 << 40) / scale,
            friendly_scale: 8 * (1024 + beta) / 3 / (1024 - beta),
            fast_convergence: values.on("fast_convergence"),
            friendly: values.on("tcp_friendliness"),
            old: old.then(|| Old { s_max: values.get("s_max") as u32, delayed_ack: 2 << 4 }),
            slow_start: if values.variant() == V61 { Kind::HyStart } else { Kind::Standard },
            epoch: Epoch::default(),
        }
    }

    #[inline]
    fn update(&mut self, cwnd: u32, acked: u32, now_ms: u64) {
        self.epoch.acked = self.epoch.acked.saturating_add(acked);
        if self.epoch.computed_for == cwnd && now_ms <= self.epoch.computed_ms + HOLD_MS {
            return;
        }
        // Within one tick the cubic cannot have moved: only the Reno-friendly part is done again.
        if self.epoch.start_ms.is_none() || now_ms != self.epoch.computed_ms {
            self.follow_cubic(cwnd, acked, now_ms);
        }
        self.keep_up_with_reno(cwnd);
        match self.old {
            None => self.epoch.per_segment = self.epoch.per_segment.max(2),
            Some(old) => self.epoch.per_segment = (self.epoch.per_segment.saturating_mul(16) / old.delayed_ack.max(1)).max(1),
        }
    }

    fn follow_cubic(&mut self, cwnd: u32, acked: u32, now_ms: u64) {
        let e = &mut self.epoch;
        e.computed_for = cwnd;
        e.computed_ms = now_ms;
        let start_ms = *e.start_ms.get_or_insert_with(|| {
            e.acked = acked;
            e.w_est = cwnd;
            e.k = if e.last_max <= cwnd { 0 } else { cube_root(self.cube_factor.saturating_mul(u64::from(e.last_max - cwnd))) };
            e.origin = e.last_max.max(cwnd);
            now_ms
        });
        // One smallest RTT ahead, since the window set now acts a round trip later.
        let t = ((now_ms.saturating_sub(start_ms) + u64::from(e.min_us.div_ceil(1_000))) << 10) / 1_000;
        let k = u64::from(e.k);
        let offset = t.abs_diff(k);
        let cube = self.scale.saturating_mul(offset).saturating_mul(offset).saturating_mul(offset);
        let delta = (cube >> 40) as u32;
        let target = if t < k { e.origin.saturating_sub(delta) } else { e.origin.saturating_add(delta) };
        e.per_segment = if target > cwnd { cwnd / (target - cwnd) } else { cwnd.saturating_mul(100) };
        if let Some(old) = self.old {
            let min_ms = e.min_us.div_ceil(1_000).max(1);
            e.per_segment = e.per_segment.max((u64::from(cwnd) * 100 / (u64::from(old.s_max) * u64::from(min_ms))) as u32);
        }
        if e.last_max == 0 {
            e.per_segment = e.per_segment.min(20);
        }
    }

    fn keep_up_with_reno(&mut self, cwnd: u32) {
        if !self.friendly {
            return;
        }
        let e = &mut self.epoch;
        let step = ((u64::from(cwnd) * u64::from(self.friendly_scale)) >> 3).max(1) as u32;
        if e.acked > step {
            // The window rises by one whenever the count exceeds a step; a count equal to a step stays.
            let rises = (e.acked - 1) / step;
            e.acked -= rises * step;
            e.w_est += rises;
        }
        if e.w_est > cwnd {
            e.per_segment = e.per_segment.min(cwnd / (e.w_est - cwnd));
        }
    }
}

impl CongestionControl for Cubic {
    fn slow_start(&self) -> Option<Kind> {
        Some(self.slow_start)
    }

    fn path_rtt(&self, c: &Connection) -> Option<Time> {
        let known = if self.epoch.min_us == 0 { Time::NEVER } else { Time::from_us(u64::from(self.epoch.min_us)) };
        self.epoch.shows_path(c).then_some(known)
    }

    #[inline]
    fn on_rtt_sampled(&mut self, _w: &mut Window, c: &Connection, s: &RttSample) {
        if let Some(old) = self.old.as_mut().filter(|_| c.ca_state == CaState::Open) {
            old.delayed_ack = old.delayed_ack + s.acked - (old.delayed_ack >> 4);
        }
        let Some(rtt) = s.rtt else { return };
        if !self.epoch.shows_path(c) {
            return;
        }
        let rtt_us = (rtt.as_us() as u32).max(1);
        if self.epoch.min_us == 0 || rtt_us < self.epoch.min_us {
            self.epoch.min_us = rtt_us;
        }
    }

    #[inline]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        if !c.cwnd_limited {
            return;
        }
        let rest = if w.in_slow_start() { w.slow_start(acked) } else { acked };
        if rest > 0 {
            self.update(w.segments(), rest, c.now.as_ms());
            w.add_credit(rest, self.epoch.per_segment);
        }
    }

    fn ssthresh(&mut self, w: &mut Window, _c: &Connection) -> f64 {
        let cwnd = w.segments();
        let scaled = |factor: u32, by: u32| (u64::from(cwnd) * u64::from(factor) / u64::from(by)) as u32;
        let aims_lower = self.fast_convergence && cwnd < self.epoch.last_max;
        self.epoch.start_ms = None;
        self.epoch.last_max = if aims_lower { scaled(1024 + self.beta, 2048) } else { cwnd };
        f64::from(scaled(self.beta, 1024).max(2))
    }

    fn on_state_changed(&mut self, _w: &mut Window, _c: &Connection, to: CaState) {
        if to == CaState::Loss {
            self.epoch = Epoch::default();
            if let Some(old) = &mut self.old {
                old.delayed_ack = 2 << 4;
            }
        }
    }

    fn on_event(&mut self, _w: &mut Window, c: &Connection, e: CaEvent) {
        // An idle time is no part of the epoch. 2.6.23 did not know that yet.
        if e == CaEvent::TxStarted && self.old.is_none() {
            let now_ms = c.now.as_ms();
            let idle_ms = now_ms.saturating_sub(c.last_sent.as_ms());
            self.epoch.start_ms = self.epoch.start_ms.map(|start| (start + idle_ms).min(now_ms));
        }
    }

    fn variable_names(&self) -> &'static [&'static str] {
        &["last_max_packets", "k_s"]
    }

    fn variables(&self, out: &mut [f64]) {
        out[0] = if self.epoch.last_max == 0 { f64::NAN } else { f64::from(self.epoch.last_max) };
        out[1] = if self.epoch.start_ms.is_none() { f64::NAN } else { f64::from(self.epoch.k) / 1024.0 };
    }
}
