//! How an algorithm is built by its name, and why one cannot be.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::parameter::{Protocol, Values, PROFILES};
use crate::registry::{Algorithm, PROTOCOLS};
use crate::slow_start::Kind;
use crate::{CongestionControl, Controller, Guest, GuestProtocol, Guests};

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
    /// A guest has no variants.
    #[error("variant: {guest} comes from a file and has no variant {value:?}; leave it out")]
    GuestVariant {
        /// The guest.
        guest: String,
        /// What was asked for.
        value: String,
    },
    /// The guest has no such parameter.
    #[error("parameter: {guest} has no {value:?}; allowed: {allowed}")]
    GuestParameter {
        /// The guest.
        guest: String,
        /// What was given.
        value: String,
        /// Its parameters.
        allowed: String,
    },
    /// The value is not one that the guest's parameter can have.
    #[error("{parameter}: {value} is outside {allowed} of {guest}")]
    GuestValue {
        /// The guest.
        guest: String,
        /// The parameter.
        parameter: String,
        /// What was given.
        value: f64,
        /// What is allowed.
        allowed: String,
    },
    /// The guest refuses its parameters, or cannot start.
    #[error("{guest}: {what}")]
    GuestRefuses {
        /// The guest.
        guest: String,
        /// Why.
        what: String,
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

/// As [`build`], where `name` may also be that of one of these guests.
///
/// # Errors
/// As [`build`], or what the guest says.
pub fn build_with(
    guests: &Guests,
    name: &str,
    variant: Option<&str>,
    profile: &str,
    parameters: &BTreeMap<String, f64>,
) -> Result<Built, BuildError> {
    let Some(found) = guests.of_name(name) else { return build(name, variant, profile, parameters) };
    if let Some(value) = variant.filter(|&variant| variant != found.variant()) {
        return Err(BuildError::GuestVariant { guest: name.into(), value: value.into() });
    }
    for (key, &value) in parameters {
        check_of_guest(name, found, key, value)?;
    }
    let values: Vec<f64> = found.parameters().iter().map(|p| parameters.get(&p.name).copied().unwrap_or(p.default)).collect();
    let law = found.start(&values).map_err(|what| BuildError::GuestRefuses { guest: name.into(), what })?;
    Ok(Built {
        algorithm: Controller::new(Algorithm::Guest(Guest(law)), Kind::Standard),
        name: found.name(),
        variant: found.variant(),
        belongs_to_profile: false,
    })
}

fn check_of_guest(guest: &str, found: &dyn GuestProtocol, key: &str, value: f64) -> Result<(), BuildError> {
    let parameter = found.parameters().iter().find(|p| p.name == key).ok_or_else(|| BuildError::GuestParameter {
        guest: guest.into(),
        value: key.into(),
        allowed: list(found.parameters().iter().map(|p| p.name.as_str())),
    })?;
    let is_allowed = value >= parameter.min && value <= parameter.max && value.is_finite();
    if is_allowed && !(parameter.is_integer && value.fract() != 0.0) {
        return Ok(());
    }
    let whole = if parameter.is_integer { "whole numbers from " } else { "" };
    let allowed = format!("{whole}{} .. {} ({})", parameter.min, parameter.max, parameter.unit);
    Err(BuildError::GuestValue { guest: guest.into(), parameter: key.into(), value, allowed })
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
    let law = Algorithm::new(&values);
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
