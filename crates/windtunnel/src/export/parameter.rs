//! What a user may set.

/// A parameter of an exported controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) doc: &'static str,
    pub(super) default: f64,
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) is_whole: bool,
}

impl Parameter {
    /// A plain number with its default and the smallest and largest value that it may have.
    pub const fn new(name: &'static str, default: f64, min: f64, max: f64) -> Parameter {
        Parameter { name, unit: "1", doc: "", default, min, max, is_whole: false }
    }

    /// The same in a unit: `s`, `packets`, `bytes`, `bit/s`, or `switch` for 0 or 1.
    #[must_use]
    pub const fn unit(self, unit: &'static str) -> Parameter {
        Parameter { unit, ..self }
    }

    /// The same with a line that explains it.
    #[must_use]
    pub const fn doc(self, doc: &'static str) -> Parameter {
        Parameter { doc, ..self }
    }

    /// The same for whole numbers alone.
    #[must_use]
    pub const fn whole(self) -> Parameter {
        Parameter { is_whole: true, ..self }
    }
}
