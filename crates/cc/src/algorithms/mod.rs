//! The laws, one file per protocol, which holds the description (`PROTOCOL`) and the state; the list below names it once. A law that does
//! not fit into some 150 lines is a folder: the hooks and their state in `mod.rs`, one idea in each other file, the description in
//! `protocol.rs`. What several protocols share stands beside them.

/// The registered protocols. A word is a module, a file or a folder beside this one, that declares `PROTOCOL`, its state `State` and `build`, which
/// makes one: that word is all that a new protocol needs here. The older rows name the states of their variants.
macro_rules! registered {
    ($then:ident) => {
        $then! {
            reno: Reno(reno::Reno), RenoReal(reno::RenoReal);
            ptcp: Ptcp(reno::Reno), PtcpReal(reno::RenoReal);
            scalable: Scalable(scalable::Scalable), ScalableKelly(scalable::Kelly);
            hstcp: HstcpLinux(hstcp::HstcpLinux), HstcpReal(hstcp::HstcpReal);
            bic: Bic(bic::Bic), BicReal(Box<bic::BicReal>);
            cubic: Cubic(cubic::Cubic), CubicReal(Box<cubic::CubicReal>);
            htcp: Htcp(htcp::Htcp), HtcpReal(Box<htcp::HtcpReal>);
            fast: Fast(Box<fast::Fast>);
            fast_bqd: FastBqd(Box<fast::Fast>);
            veno: Veno(veno::Veno);
            westwood: Westwood(westwood::Westwood);
            vegas: Vegas(vegas::Vegas);
            illinois: Illinois(Box<illinois::Illinois>);
            hybla: Hybla(hybla::Hybla);
            yeah: Yeah(yeah::Yeah);
            ctcp: Ctcp(Box<ctcp::Ctcp>);
            convex: Convex(Box<synthetic::Synthetic>);
            concave_convex: ConcaveConvex(Box<synthetic::Synthetic>);
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
    };
}

macro_rules! modules {
    ($($module:ident $(: $($state:ident($type:ty)),+)?;)+) => { $(pub mod $module;)+ };
}

registered!(modules);
pub(crate) use registered;

mod early_indication;
mod observation_window;
mod real;
mod round_rtt;
mod rounds;
mod sliding;
pub mod synthetic;
mod vegas_round;
mod windowed_max;

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
