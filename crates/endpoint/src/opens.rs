//! The stacks of a run: where it gets its endpoints from.

use crate::ends::{Config, Endpoint, Fault};

/// A congestion controller of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The stack's own name of it.
    pub own: &'static str,
    /// What records call it: another program's CUBIC is another protocol than ours.
    pub shown: &'static str,
}

/// A stack as a run knows it: where it gets its endpoints from.
pub trait Opens: std::fmt::Debug + Send + Sync {
    /// Its name in a scenario.
    fn name(&self) -> &'static str;

    /// What records call it: its name and its version.
    fn known_as(&self) -> &'static str;

    /// Its congestion controllers.
    fn algorithms(&self) -> &[Named];

    /// One end of a connection.
    ///
    /// # Errors
    /// What it refuses, in one line.
    fn open(&self, config: &Config) -> Result<Box<dyn Endpoint>, Fault>;
}

/// The stacks that a run may use.
#[derive(Debug, Default)]
pub struct Stacks(Vec<Box<dyn Opens>>);

/// None.
pub static NO_STACKS: Stacks = Stacks(Vec::new());

impl Stacks {
    /// One more.
    pub fn insert(&mut self, stack: Box<dyn Opens>) {
        self.0.push(stack);
    }

    /// The one of this name.
    pub fn get(&self, name: &str) -> Option<&dyn Opens> {
        self.0.iter().find(|stack| stack.name() == name).map(AsRef::as_ref)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Their names, as a message lists them.
    pub fn names(&self) -> String {
        self.0.iter().map(|stack| stack.name()).collect::<Vec<_>>().join(", ")
    }
}
