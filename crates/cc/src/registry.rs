//! The registry: every protocol, one row each, and how to build one by name.

use std::collections::BTreeMap;

use serde_json::{json, Value};
use thiserror::Error;
use units::{ByteRate, Stream, Time};

use crate::algorithms::*;
use crate::parameter::{Protocol, Values};
use crate::slow_start::Kind;
use crate::{AckArrival, CaEvent, CaState, CongestionControl, Connection, Controller, LostSegment, Needs, RateSample, RttSample, Window};

/// The stack profiles, the default first.
pub const PROFILES: [&str; 5] = ["linux-6.1", "linux-2.6.23", "altaimd-2.6.6", "linux-2.4", "rfc"];

/// One row per protocol: its module (which holds the description, `PROTOCOL`), then the states its variants need.
macro_rules! protocols {
    ($($module:ident: $($state:ident($type:ty)),+;)+) => {
        /// The state of any registered algorithm. With a tag of its own: read from a spare value of some law's state it would take
        /// longer, and lie apart from the rest.
        #[derive(Clone, Debug)]
        #[repr(u8)]
        pub enum Algorithm {
            $($(#[doc = concat!("A state of `", stringify!($module), "`.")] $state($type),)+)+
        }

        /// Every registered protocol.
        pub static PROTOCOLS: &[&Protocol] = &[$(&$module::PROTOCOL),+];

        macro_rules! dispatch {
            ($me:expr, $law:ident => $call:expr) => { match $me { $($(Controller { law: Algorithm::$state($law), .. } => $call,)+)+ } };
        }

        impl Algorithm {
            /// The slow start of the law unless another is asked for; none when it has one of its own.
            pub(crate) fn slow_start(&self) -> Option<Kind> {
                match self { $($(Algorithm::$state(law) => law.slow_start(),)+)+ }
            }

            /// The smallest RTT known; none while samples do not show the path.
            pub(crate) fn path_rtt(&self, c: &Connection) -> Option<Time> {
                match self { $($(Algorithm::$state(law) => law.path_rtt(c),)+)+ }
            }
        }
    };
}

protocols! {
    reno: Reno(reno::Reno), RenoReal(reno::RenoReal);
    ptcp: Ptcp(reno::Reno), PtcpReal(reno::RenoReal);
    scalable: Scalable(scalable::Scalable), ScalableKelly(scalable::Kelly);
    hstcp: HstcpLinux(hstcp::HstcpLinux), HstcpReal(hstcp::HstcpReal);
    bic: Bic(bic::Bic), BicReal(bic::BicReal);
    cubic: Cubic(cubic::Cubic), CubicReal(Box<cubic::CubicReal>);
    htcp: Htcp(htcp::Htcp), HtcpReal(Box<htcp::HtcpReal>);
    fast: Fast(Box<fast::Fast>);
    fast_bqd: FastBqd(Box<fast::Fast>);
    veno: Veno(veno::Veno);
    westwood: Westwood(westwood::Westwood);
    vegas: Vegas(vegas::Vegas);
    illinois: Illinois(illinois::Illinois);
    hybla: Hybla(hybla::Hybla);
    yeah: Yeah(yeah::Yeah);
    ctcp: Ctcp(Box<ctcp::Ctcp>);
    convex: Convex(synthetic::Synthetic);
    concave_convex: ConcaveConvex(synthetic::Synthetic);
    areno: Areno(Box<areno::Areno>);
    hstcp_lp: HstcpLp(Box<hstcp_lp::HstcpLp>);
    copa: Copa(Box<copa::Copa>);
    bbr: Bbr(Box<bbr::Bbr>);
    bbr3: Bbr3(Box<bbr3::Bbr3>);
    ledbat: Ledbat(Box<ledbat::Ledbat>), LedbatPlus(Box<ledbat::LedbatPlus>);
    lp: Lp(lp::Lp), LpPaper(lp::LpPaper);
    dctcp: Dctcp(dctcp::Dctcp<dctcp::Integers>), DctcpReal(dctcp::Dctcp<dctcp::Reals>);
    prague: Prague(Box<prague::Prague>);
}

/// Out of line, so that no law pays for the registers of another: the dispatch is a jump.
#[inline(never)]
fn on_rtt_sampled(law: &mut impl CongestionControl, w: &mut Window, c: &Connection, s: &RttSample) {
    law.on_rtt_sampled(w, c, s);
}

/// As [`on_rtt_sampled`].
#[inline(never)]
fn on_acked(law: &mut impl CongestionControl, w: &mut Window, c: &Connection, acked: u32) {
    law.on_acked(w, c, acked);
}

impl CongestionControl for Controller {
    #[inline]
    fn needs(&self) -> Needs {
        let of_law = dispatch!(self, law => law.needs());
        Needs { transport_rate: self.slow_start.needs_rate(), rtt_samples: self.slow_start.rtt_samples(of_law.rtt_samples), ..of_law }
    }
    fn slow_start(&self) -> Option<Kind> {
        self.law.slow_start()
    }
    fn path_rtt(&self, c: &Connection) -> Option<Time> {
        self.law.path_rtt(c)
    }
    fn on_seeded(&mut self, stream: Stream) {
        dispatch!(self, law => law.on_seeded(stream))
    }
    #[inline]
    fn on_established(&mut self, w: &mut Window, c: &Connection) {
        dispatch!(self, law => law.on_established(w, c));
        self.slow_start.on_established(w, c);
    }
    #[inline(always)]
    fn on_rtt_sampled(&mut self, w: &mut Window, c: &Connection, s: &RttSample) {
        if self.slow_start.watches && w.in_slow_start() {
            self.watch(w, c, s);
        }
        dispatch!(self, law => on_rtt_sampled(law, w, c, s))
    }
    #[inline(always)]
    fn on_ack_arrived(&mut self, w: &mut Window, c: &Connection, a: &AckArrival) {
        dispatch!(self, law => law.on_ack_arrived(w, c, a))
    }
    #[inline(always)]
    fn on_acked(&mut self, w: &mut Window, c: &Connection, acked: u32) {
        let acked = if self.slow_start.shapes && w.in_slow_start() { self.shape(w, c, acked) } else { acked };
        dispatch!(self, law => on_acked(law, w, c, acked))
    }
    #[inline]
    fn on_rate_sampled(&mut self, w: &mut Window, c: &Connection, s: &RateSample) {
        dispatch!(self, law => law.on_rate_sampled(w, c, s))
    }
    #[inline]
    fn holds_back(&self) -> bool {
        dispatch!(self, law => law.holds_back())
    }
    fn on_segment_lost(&mut self, w: &mut Window, c: &Connection, s: &LostSegment) {
        dispatch!(self, law => law.on_segment_lost(w, c, s))
    }
    #[inline]
    fn ssthresh(&mut self, w: &mut Window, c: &Connection) -> f64 {
        dispatch!(self, law => law.ssthresh(w, c))
    }
    #[inline]
    fn on_state_changed(&mut self, w: &mut Window, c: &Connection, to: CaState) {
        dispatch!(self, law => law.on_state_changed(w, c, to));
        self.slow_start.on_state_changed(c, to);
    }
    #[inline]
    fn on_event(&mut self, w: &mut Window, c: &Connection, e: CaEvent) {
        dispatch!(self, law => law.on_event(w, c, e))
    }
    #[inline]
    fn undo(&mut self, w: &mut Window, c: &Connection) -> f64 {
        dispatch!(self, law => law.undo(w, c))
    }
    #[inline]
    fn pacing_rate(&self, w: &Window, c: &Connection) -> Option<ByteRate> {
        dispatch!(self, law => law.pacing_rate(w, c))
    }
    fn variable_names(&self) -> &'static [&'static str] {
        dispatch!(self, law => law.variable_names())
    }
    fn variables(&self, out: &mut [f64]) {
        dispatch!(self, law => law.variables(out))
    }
}

/// Why a protocol cannot be built as asked.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BuildError {
    /// No such protocol.
    #[error("algorithm: {value:?} is not known; allowed: {allowed}")]
    UnknownAlgorithm {
        /// What was asked for.
        value: String,
        /// The registered names.
        allowed: String,
    },
    /// The protocol has no such variant.
    #[error("variant: {algorithm} has no {value:?}; allowed: {allowed}")]
    UnknownVariant {
        /// The protocol.
        algorithm: &'static str,
        /// What was asked for.
        value: String,
        /// Its variants.
        allowed: String,
    },
    /// No such stack profile.
    #[error("profile: {value:?} is not known; allowed: {allowed}")]
    UnknownProfile {
        /// What was asked for.
        value: String,
        /// The profiles.
        allowed: String,
    },
    /// No such slow start.
    #[error("slow_start: {value:?} is not known; allowed: {allowed}")]
    UnknownSlowStart {
        /// What was asked for.
        value: String,
        /// The parts.
        allowed: String,
    },
    /// The law has a slow start of its own.
    #[error("slow_start: {algorithm} starts by a rule of its own, which no other can replace")]
    OwnSlowStart {
        /// The protocol.
        algorithm: &'static str,
    },
    /// The variant has no such parameter.
    #[error("parameter: {algorithm}:{variant} has no {value:?}; allowed: {allowed}")]
    UnknownParameter {
        /// The protocol.
        algorithm: &'static str,
        /// The variant.
        variant: &'static str,
        /// What was given.
        value: String,
        /// The variant's parameters.
        allowed: String,
    },
    /// The value is not a number or outside the range.
    #[error("{parameter}: {value} is outside {min} .. {max} ({unit}) of {algorithm}:{variant}")]
    OutOfRange {
        /// The protocol.
        algorithm: &'static str,
        /// The variant.
        variant: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        value: f64,
        /// Smallest value accepted.
        min: f64,
        /// Largest value accepted.
        max: f64,
        /// Unit of the parameter.
        unit: &'static str,
    },
}

/// A new algorithm state and what it is.
#[derive(Clone, Debug)]
pub struct Built {
    /// The state.
    pub algorithm: Controller,
    /// The protocol's own name, whatever alias was used.
    pub name: &'static str,
    /// The variant's own name.
    pub variant: &'static str,
    /// Whether this variant is the profile's own.
    pub belongs_to_profile: bool,
}

impl Built {
    /// The same with the slow start of that name in front of the law.
    ///
    /// # Errors
    /// When there is none of that name, or the law has one of its own.
    pub fn with_slow_start(mut self, name: &str) -> Result<Built, BuildError> {
        if self.algorithm.slow_start().is_none() {
            return Err(BuildError::OwnSlowStart { algorithm: self.name });
        }
        let kind = Kind::of_name(name)
            .ok_or_else(|| BuildError::UnknownSlowStart { value: name.into(), allowed: list(Kind::ALL.into_iter().map(Kind::name)) })?;
        self.algorithm = Controller::new(self.algorithm.law, kind);
        Ok(self)
    }
}

/// The protocol of that name or alias.
pub fn protocol(name: &str) -> Option<&'static Protocol> {
    PROTOCOLS.iter().copied().find(|p| p.name == name || p.aliases.contains(&name))
}

/// The state of a new connection under `name`, in `variant` or, without one, in what `profile` runs.
pub fn build(name: &str, variant: Option<&str>, profile: &str, parameters: &BTreeMap<String, f64>) -> Result<Built, BuildError> {
    let found = protocol(name)
        .ok_or_else(|| BuildError::UnknownAlgorithm { value: name.into(), allowed: list(PROTOCOLS.iter().map(|p| p.name)) })?;
    let of_profile = found
        .variant_for_profile(profile)
        .ok_or_else(|| BuildError::UnknownProfile { value: profile.into(), allowed: list(PROFILES.into_iter()) })?;
    let wanted = variant.unwrap_or(of_profile.variant);
    let variant = found.variant(wanted).ok_or_else(|| BuildError::UnknownVariant {
        algorithm: found.name,
        value: wanted.into(),
        allowed: list(found.variants.iter().map(|v| v.name)),
    })?;
    for (key, &value) in parameters {
        check(found, variant.name, key, value)?;
    }
    let values = Values { protocol: found, variant: variant.name, given: parameters };
    let belongs_to_profile = of_profile.belongs && of_profile.variant == variant.name;
    let law = (found.build)(&values);
    let slow_start = law.slow_start().unwrap_or(Kind::Standard);
    let algorithm = Controller::new(law, slow_start);
    Ok(Built { algorithm, name: found.name, variant: variant.name, belongs_to_profile })
}

fn check(protocol: &'static Protocol, variant: &'static str, key: &str, value: f64) -> Result<(), BuildError> {
    let parameter = protocol.parameter(key).filter(|p| p.default_in(variant).is_some()).ok_or_else(|| {
        let has = protocol.parameters.iter().filter(|p| p.default_in(variant).is_some());
        BuildError::UnknownParameter { algorithm: protocol.name, variant, value: key.into(), allowed: list(has.map(|p| p.name)) }
    })?;
    // Written so that a NaN is refused too.
    if value >= parameter.min && value <= parameter.max && value.is_finite() {
        return Ok(());
    }
    Err(BuildError::OutOfRange {
        algorithm: protocol.name,
        variant,
        parameter: parameter.name,
        value,
        min: parameter.min,
        max: parameter.max,
        unit: parameter.unit,
    })
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() {
        "none".into()
    } else {
        names.join(", ")
    }
}

/// The whole registry as JSON: an array of objects, one per protocol.
pub fn catalogue() -> Value {
    PROTOCOLS.iter().map(|p| describe(p)).collect()
}

fn describe(p: &'static Protocol) -> Value {
    let variants: Vec<Value> = p
        .variants
        .iter()
        .map(|v| json!({"name": v.name, "aliases": v.aliases, "summary": v.summary, "exact_kernel": v.exact_kernel}))
        .collect();
    let parameters: Vec<Value> = p
        .parameters
        .iter()
        .map(|q| {
            let defaults: BTreeMap<&str, f64> = q.defaults.iter().copied().collect();
            json!({
                "name": q.name, "default": q.defaults[0].1, "defaults": defaults, "unit": q.unit, "min": q.min, "max": q.max, "doc": q.doc,
            })
        })
        .collect();
    let parameters: Vec<Value> = parameters.into_iter().chain(describe_slow_start(p)).collect();
    let constants: Vec<Value> =
        p.constants.iter().map(|k| json!({"name": k.name, "variant": k.variant, "value": k.value, "unit": k.unit})).collect();
    let profiles: BTreeMap<&str, &str> = p.profiles.iter().map(|row| (row.profile, row.variant)).collect();
    let belongs: BTreeMap<&str, bool> = p.profiles.iter().map(|row| (row.profile, row.belongs)).collect();
    json!({
        "name": p.name, "aliases": p.aliases, "family": p.family, "year": p.year, "source": p.source, "summary": p.summary,
        "signals": p.signals, "variants": variants, "parameters": parameters, "constants": constants, "profiles": profiles,
        "profile_belongs": belongs,
    })
}

/// The choice of a slow start as one more parameter, in the variants that leave the choice.
fn describe_slow_start(p: &'static Protocol) -> Option<Value> {
    let default = |variant: &'static str| {
        let law = (p.build)(&Values { protocol: p, variant, given: &BTreeMap::new() });
        law.slow_start().map(|kind| (variant, kind.name()))
    };
    let defaults: BTreeMap<&str, &str> = p.variants.iter().filter_map(|v| default(v.name)).collect();
    let first = p.variants.iter().find_map(|v| defaults.get(v.name))?;
    let choices: Vec<&str> = Kind::ALL.into_iter().map(Kind::name).collect();
    Some(json!({
        "name": "slow_start", "default": first, "defaults": defaults, "unit": "choice", "choices": choices,
        "doc": "How the window grows below the threshold, and when that ends.",
    }))
}
