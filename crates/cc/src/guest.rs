//! A law from outside the registry: it stands wherever the name of a registered one may stand.
//!
//! This crate knows no file and no library: what loads one passes in a [`GuestProtocol`] under the name that scenarios use for it.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use units::Time;

use crate::CongestionControl;

/// What stands for the variant of a guest that has no other.
pub const GUEST_VARIANT: &str = "file";

/// The state of a guest's law.
pub trait GuestLaw: CongestionControl + Debug + Send {
    /// A clone in a box of its own.
    fn boxed_clone(&self) -> Box<dyn GuestLaw>;

    /// Before anything else: the number of the flow whose law this is, for what is said of a fault.
    fn on_seated(&mut self, flow: usize);
}

/// A state in its box.
#[derive(Debug)]
pub struct Guest(pub(crate) Box<dyn GuestLaw>);

impl Clone for Guest {
    fn clone(&self) -> Guest {
        Guest(self.0.boxed_clone())
    }
}

/// A number that the user of a guest may set.
#[derive(Clone, Debug, PartialEq)]
pub struct GuestParameter {
    /// Its name in scenarios.
    pub name: String,
    /// Its unit, `1` for a plain number.
    pub unit: String,
    /// One line.
    pub doc: String,
    /// Its value unless another is given.
    pub default: f64,
    /// Smallest value accepted.
    pub min: f64,
    /// Largest value accepted.
    pub max: f64,
    /// Only whole numbers are accepted.
    pub is_integer: bool,
}

/// What makes states of a guest's law.
pub trait GuestProtocol: Debug + Send + Sync {
    /// What it calls itself.
    fn name(&self) -> &'static str;

    /// What stands for its variant in records.
    fn variant(&self) -> &'static str {
        GUEST_VARIANT
    }

    /// Its parameters.
    fn parameters(&self) -> &[GuestParameter];

    /// The state of a new connection; `values` are one per parameter, each within its range.
    ///
    /// # Errors
    /// When the guest refuses them, in one line.
    fn start(&self, values: &[f64]) -> Result<Box<dyn GuestLaw>, String>;

    /// The same protocol for another run, which shares no state with this one.
    fn for_another_run(&self) -> Arc<dyn GuestProtocol>;
}

/// The guests of a run by the names under which its scenario knows them.
#[derive(Clone, Debug, Default)]
pub struct Guests(BTreeMap<String, Arc<dyn GuestProtocol>>);

/// No guest.
pub static NO_GUESTS: Guests = Guests(BTreeMap::new());

impl Guests {
    /// Adds a guest under a name; that of a registered protocol then means the guest.
    pub fn insert(&mut self, name: &str, guest: Arc<dyn GuestProtocol>) {
        self.0.insert(name.to_owned(), guest);
    }

    /// The guest of that name.
    pub fn of_name(&self, name: &str) -> Option<&dyn GuestProtocol> {
        self.0.get(name).map(AsRef::as_ref)
    }

    /// The same guests for another run: no state is shared between runs.
    pub fn for_another_run(&self) -> Guests {
        Guests(self.0.iter().map(|(name, guest)| (name.clone(), guest.for_another_run())).collect())
    }
}

/// The largest window that is accepted, segments: that of no threshold.
const CWND_MAX: f64 = crate::SSTHRESH_INFINITE;

/// Whether a guest may leave a window like this.
#[inline]
pub fn is_sound_window(cwnd: f64, ssthresh: f64) -> bool {
    (1.0..=CWND_MAX).contains(&cwnd) && (0.0..=CWND_MAX).contains(&ssthresh)
}

/// What is wrong with a window that is not sound, in one line.
#[cold]
pub fn wrong_window(cwnd: f64, ssthresh: f64) -> String {
    let is_cwnd = !(1.0..=CWND_MAX).contains(&cwnd);
    let (field, value, least) = if is_cwnd { ("cwnd", cwnd, 1) } else { ("ssthresh", ssthresh, 0) };
    format!("{field} is {}; allowed: {least} .. {CWND_MAX} segments", short(value))
}

/// A number in few digits: those that are far beyond every window by their power of ten.
fn short(value: f64) -> String {
    if value.is_finite() && value.abs() >= 1e15 {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// What is wrong with a window that a hook answers with, in one line; none when nothing is.
#[inline]
pub fn wrong_answer(answer: f64) -> Option<String> {
    (!(1.0..=CWND_MAX).contains(&answer)).then(|| format!("it answers {}; allowed: 1 .. {CWND_MAX} segments", short(answer)))
}

/// What a guest did wrong. A guest's law unwinds with it, for no hook has an error to return; the run ends with it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{file}: {hook} of flow {} at {:.6} s: {what}", .flow + 1, now.as_secs_f64())]
pub struct GuestFault {
    /// Where the guest comes from.
    pub file: String,
    /// The hook that was called.
    pub hook: &'static str,
    /// Number of the flow.
    pub flow: usize,
    /// Simulated time.
    pub now: Time,
    /// What is wrong.
    pub what: String,
}

impl GuestFault {
    /// Unwinds to the caller of the simulation, without a message on the way.
    pub fn raise(self) -> ! {
        std::panic::resume_unwind(Box::new(self))
    }
}
