//! The laws, one file per protocol, which holds the description (`PROTOCOL`) and the state; the registry names it once. A law that does
//! not fit into some 150 lines is a folder: the hooks and their state in `mod.rs`, one idea in each other file, the description in
//! `protocol.rs`. What several protocols share stands beside them.

pub mod areno;
pub mod bbr;
pub mod bbr3;
pub mod bic;
pub mod concave_convex;
pub mod convex;
pub mod copa;
pub mod ctcp;
pub mod cubic;
pub mod dctcp;
mod early_indication;
pub mod fast;
pub mod fast_bqd;
pub mod hstcp;
pub mod hstcp_lp;
pub mod htcp;
pub mod hybla;
pub mod illinois;
pub mod ledbat;
pub mod lp;
mod observation_window;
pub mod prague;
pub mod ptcp;
pub mod reno;
mod round_rtt;
mod rounds;
pub mod scalable;
mod sliding;
pub mod synthetic;
pub mod vegas;
mod vegas_round;
pub mod veno;
pub mod westwood;
mod windowed_max;
pub mod yeah;

use crate::parameter::{Parameter, ProfileVariant, PROFILES};

/// A profile's row for a protocol that has a variant of its own there.
pub(crate) const fn runs(profile: &'static str, variant: &'static str) -> ProfileVariant {
    ProfileVariant { profile, variant, belongs: true }
}

/// A profile's row for a protocol that the profile's stack never had: the nearest variant.
pub(crate) const fn borrows(profile: &'static str, variant: &'static str) -> ProfileVariant {
    ProfileVariant { profile, variant, belongs: false }
}

/// The rows of a protocol that no profile's stack ever had.
pub(crate) const fn borrowed_by_all(variant: &'static str) -> [ProfileVariant; PROFILES.len()] {
    let mut rows = [borrows(PROFILES[0], variant); PROFILES.len()];
    let mut row = 1;
    while row < PROFILES.len() {
        rows[row].profile = PROFILES[row];
        row += 1;
    }
    rows
}

/// The rows of a protocol with one variant that is Linux 6.1's and 6.12's, the first two profiles'.
pub(crate) const fn of_linux61(variant: &'static str) -> [ProfileVariant; PROFILES.len()] {
    let mut rows = borrowed_by_all(variant);
    rows[0].belongs = true;
    rows[1].belongs = true;
    rows
}

/// A parameter that is on (1) or off (0).
pub(crate) const fn switch(name: &'static str, defaults: &'static [(&'static str, f64)], doc: &'static str) -> Parameter {
    Parameter { name, unit: "switch", min: 0.0, max: 1.0, defaults, doc }
}
