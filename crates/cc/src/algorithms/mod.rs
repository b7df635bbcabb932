//! The laws, one file per protocol. A file holds the description (`PROTOCOL`) and the state; the registry names it once.

pub mod areno;
pub mod bbr;
pub mod bbr3;
pub mod bic;
pub mod bic_real;
pub mod concave_convex;
pub mod convex;
pub mod copa;
pub mod ctcp;
mod cube_root;
pub mod cubic;
pub mod cubic_rfc9438;
pub mod dctcp;
pub mod dctcp_rfc8257;
mod early_indication;
pub mod fast;
pub mod fast_bqd;
pub mod hstcp;
pub mod hstcp_lp;
mod hstcp_table;
pub mod htcp;
pub mod htcp_real;
mod htcp_throughput;
pub mod hybla;
pub mod illinois;
pub mod ledbat;
mod ledbat_delay;
pub mod ledbat_plus;
pub mod lp;
pub mod lp_paper;
pub mod prague;
pub mod ptcp;
pub mod reno;
mod round_rtt;
mod rounds;
pub mod scalable;
mod sliding;
pub mod synthetic;
pub mod vegas;
pub mod veno;
pub mod westwood;
mod windowed_max;
pub mod yeah;

use crate::parameter::{Parameter, ProfileVariant};

/// A profile's row for a protocol that has a variant of its own there.
pub(crate) const fn runs(profile: &'static str, variant: &'static str) -> ProfileVariant {
    ProfileVariant { profile, variant, belongs: true }
}

/// A profile's row for a protocol that the profile's stack never had: the nearest variant.
pub(crate) const fn borrows(profile: &'static str, variant: &'static str) -> ProfileVariant {
    ProfileVariant { profile, variant, belongs: false }
}

/// A parameter that is on (1) or off (0).
pub(crate) const fn switch(name: &'static str, defaults: &'static [(&'static str, f64)], doc: &'static str) -> Parameter {
    Parameter { name, unit: "switch", min: 0.0, max: 1.0, defaults, doc }
}
