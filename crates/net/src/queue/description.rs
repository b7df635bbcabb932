//! What is said of a discipline, and the numbers it takes.

use std::collections::BTreeMap;

use units::Duration;

use super::{Qdisc, DISCIPLINES};

/// A number that a discipline takes.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name in scenarios; one that ends in `_s` is in seconds.
    pub name: &'static str,
    /// Its unit, `1` for a plain number.
    pub unit: &'static str,
    /// Smallest value accepted.
    pub min: f64,
    /// Largest value accepted.
    pub max: f64,
    /// What it is when it is not given.
    pub default: f64,
    /// One line.
    pub doc: &'static str,
}

pub(super) const fn number(name: &'static str, (min, max): (f64, f64), default: f64, doc: &'static str) -> Parameter {
    Parameter { name, unit: "1", min, max, default, doc }
}

pub(super) const fn seconds(name: &'static str, (min, max): (f64, f64), default: f64, doc: &'static str) -> Parameter {
    Parameter { name, unit: "s", min, max, default, doc }
}

pub(super) const fn gain(name: &'static str, default: f64, doc: &'static str) -> Parameter {
    Parameter { name, unit: "1/s", min: 0.0, max: 100.0, default, doc }
}

pub(super) const fn packets(name: &'static str, default: f64, doc: &'static str) -> Parameter {
    Parameter { name, unit: "packets", min: 1.0, max: 1e6, default, doc }
}

/// A discipline's description.
#[derive(Debug)]
pub struct Discipline {
    /// Its one lowercase name.
    pub name: &'static str,
    /// When it was first published.
    pub year: u16,
    /// Where.
    pub source: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// What stands for it in a Linux kernel; none where nothing does.
    pub qdisc: Option<Qdisc>,
}

/// A discipline with its parameters.
#[derive(Clone, Copy, Debug)]
pub struct DisciplineSpec {
    /// Which it is.
    discipline: &'static Discipline,
    /// Values, in the order of its parameters.
    values: [f64; PARAMETERS_MAX],
}

const PARAMETERS_MAX: usize = 8;

impl DisciplineSpec {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.discipline.name
    }

    pub(super) fn is(&self, discipline: &Discipline) -> bool {
        self.discipline.name == discipline.name
    }

    /// The value of one of its parameters.
    ///
    /// # Panics
    /// When the discipline has no such parameter.
    pub fn value(&self, name: &str) -> f64 {
        let place = self.discipline.parameters.iter().position(|parameter| parameter.name == name);
        self.values[place.expect("a discipline reads its own parameters")]
    }

    /// The same as a time.
    pub fn duration(&self, name: &str) -> Duration {
        Duration::from_secs_f64(self.value(name))
    }
}

/// A discipline by name, with `given` parameters and defaults for the rest.
///
/// # Errors
/// What is wrong and what is allowed, in words.
pub fn discipline(name: &str, given: &BTreeMap<String, f64>) -> Result<DisciplineSpec, String> {
    let Some(discipline) = DISCIPLINES.iter().find(|discipline| discipline.name == name) else {
        let names: Vec<_> = DISCIPLINES.iter().map(|discipline| discipline.name).collect();
        return Err(format!("choose one of {}", names.join(", ")));
    };
    let known = discipline.parameters;
    if let Some(unknown) = given.keys().find(|key| known.iter().all(|parameter| parameter.name != key.as_str())) {
        let names: Vec<_> = known.iter().map(|parameter| parameter.name).collect();
        return Err(format!("{name} has no parameter {unknown}; it has {}", names.join(", ")));
    }
    let mut values = [0.0; PARAMETERS_MAX];
    for (value, parameter) in values.iter_mut().zip(known) {
        *value = given.get(parameter.name).copied().unwrap_or(parameter.default);
        if !(parameter.min..=parameter.max).contains(value) {
            return Err(format!("{value} for {} is out of range; give {} to {}", parameter.name, parameter.min, parameter.max));
        }
    }
    Ok(DisciplineSpec { discipline, values })
}
