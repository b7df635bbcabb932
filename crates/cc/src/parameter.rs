//! What the registry knows of a protocol: its variants, its parameters, the profiles it belongs to.

use std::collections::BTreeMap;

/// The stack profiles, the default first.
pub const PROFILES: [&str; 6] = ["linux-6.1", "linux-6.12", "linux-2.6.23", "altaimd-2.6.6", "linux-2.4", "rfc"];

/// One way to run a protocol: a stack's arithmetic, a paper's constants.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The word after the colon in `cubic:nohystart`.
    pub name: &'static str,
    /// Other words for it.
    pub aliases: &'static [&'static str],
    /// One line.
    pub summary: &'static str,
    /// Reproduces the recorded rows of the Linux 6.1 module exactly.
    pub exact_kernel: bool,
}

/// A number the user may set.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name in scenarios.
    pub name: &'static str,
    /// Its unit, `1` for a plain number.
    pub unit: &'static str,
    /// Smallest value accepted.
    pub min: f64,
    /// Largest value accepted.
    pub max: f64,
    /// Default in each variant that has it; the other variants refuse it.
    pub defaults: &'static [(&'static str, f64)],
    /// One line.
    pub doc: &'static str,
}

impl Parameter {
    /// The default in `variant`; none where the variant does not have this parameter.
    pub fn default_in(&self, variant: &str) -> Option<f64> {
        self.defaults.iter().find(|(name, _)| *name == variant).map(|&(_, value)| value)
    }
}

/// A number of the law that cannot be set, for those who compare it with its source.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its name.
    pub name: &'static str,
    /// The variant it belongs to.
    pub variant: &'static str,
    /// Its value.
    pub value: f64,
    /// Its unit, `1` for a plain number.
    pub unit: &'static str,
}

/// The variant that a stack profile runs.
#[derive(Clone, Copy, Debug)]
pub struct ProfileVariant {
    /// The profile.
    pub profile: &'static str,
    /// The variant it runs.
    pub variant: &'static str,
    /// Whether that variant really is the profile's own, or only the nearest thing.
    pub belongs: bool,
}

/// One protocol's row.
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// Its one lowercase name.
    pub name: &'static str,
    /// Other names accepted, the kernel's among them.
    pub aliases: &'static [&'static str],
    /// What kind of law it is.
    pub family: &'static str,
    /// When it was first published.
    pub year: u16,
    /// Where.
    pub source: &'static str,
    /// One line.
    pub summary: &'static str,
    /// What it reacts to: `loss`, `ecn`, `rtt`, `rate`, `time`.
    pub signals: &'static [&'static str],
    /// Its variants, at least one.
    pub variants: &'static [Variant],
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Its constants, as far as a source prints them.
    pub constants: &'static [Constant],
    /// One entry per profile.
    pub profiles: &'static [ProfileVariant],
}

impl Protocol {
    /// What `profile` runs; none for an unknown profile.
    pub fn variant_for_profile(&self, profile: &str) -> Option<&'static ProfileVariant> {
        self.profiles.iter().find(|row| row.profile == profile)
    }

    /// The variant of that name or alias.
    pub fn variant(&self, name: &str) -> Option<&'static Variant> {
        self.variants.iter().find(|v| v.name == name || v.aliases.contains(&name))
    }

    /// The parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|p| p.name == name)
    }
}

/// The checked parameters of one flow: what was given, defaults for the rest.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    pub(crate) protocol: &'static Protocol,
    pub(crate) variant: &'static str,
    pub(crate) given: &'a BTreeMap<String, f64>,
}

impl Values<'_> {
    /// The variant being built.
    pub fn variant(&self) -> &'static str {
        self.variant
    }

    /// The value of a parameter that the variant declares.
    pub fn get(&self, name: &str) -> f64 {
        let default = || self.protocol.parameter(name).and_then(|p| p.default_in(self.variant));
        self.given.get(name).copied().or_else(default).expect("a builder reads only parameters that its variant declares")
    }

    /// A switch: any number but 0 is on.
    pub fn on(&self, name: &str) -> bool {
        self.get(name) != 0.0
    }
}

/// What a protocol makes that needs one kind of state in some variants and another in the rest.
#[derive(Clone, Copy, Debug)]
pub enum Either<A, B> {
    /// The state that its row names first.
    First(A),
    /// The other.
    Second(B),
}
