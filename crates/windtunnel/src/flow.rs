//! A flow: whose controller, and when.

use std::any::type_name;
use std::fmt::Debug;
use std::sync::Arc;

use cc::{CongestionControl, GuestProtocol};
use scenario::model::{self, ParameterValue};

use crate::own::Prototype;

/// One TCP flow through the bottleneck, from a controller of one's own ([`Flow::of`]) or a built-in one's name (`"cubic"`, `"cubic:rfc"`).
#[derive(Clone, Debug)]
pub struct Flow {
    pub(crate) own: Option<Arc<dyn GuestProtocol>>,
    pub(crate) model: model::Flow,
}

impl Flow {
    /// A flow whose connection starts with a clone of `controller`. It is called what its type is called.
    pub fn of<C: CongestionControl + Clone + Debug + Send + Sync + 'static>(controller: C) -> Flow {
        let path = type_name::<C>().split('<').next().unwrap_or_default();
        let name = path.rsplit("::").next().unwrap_or(path);
        Flow::named_of(name, controller)
    }

    /// As [`Flow::of`], under a name of letters, digits, `-` and `_` that no built-in controller has: that of figures and records.
    pub fn named_of<C: CongestionControl + Clone + Debug + Send + Sync + 'static>(name: &str, controller: C) -> Flow {
        Flow { own: Some(Arc::new(Prototype::new(name, controller))), ..Flow::from(name) }
    }

    /// Base round-trip time, seconds; the dumbbell's unless given.
    #[must_use]
    pub fn rtt_s(mut self, rtt_s: f64) -> Flow {
        self.model.rtt_s = Some(rtt_s);
        self
    }

    /// When it starts, seconds; at 0 unless given.
    #[must_use]
    pub fn start_s(mut self, start_s: f64) -> Flow {
        self.model.start_s = start_s;
        self
    }

    /// When it stops, seconds; never unless given.
    #[must_use]
    pub fn stop_s(mut self, stop_s: f64) -> Flow {
        self.model.stop_s = Some(stop_s);
        self
    }

    /// Payload that it transfers, bytes; it does not end unless given.
    #[must_use]
    pub fn bytes(mut self, bytes: u64) -> Flow {
        self.model.bytes = Some(bytes);
        self
    }

    /// A parameter of a built-in controller, in the unit of its page.
    #[must_use]
    pub fn parameter(mut self, name: &str, value: f64) -> Flow {
        self.model.parameters.insert(name.into(), ParameterValue::Number(value));
        self
    }

    /// Everything else that a flow may have.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut model::Flow)) -> Flow {
        change(&mut self.model);
        self
    }
}

impl From<&str> for Flow {
    /// A flow of a built-in controller: its name, and its variant behind a colon.
    fn from(name: &str) -> Flow {
        Flow { own: None, model: model::Flow::of(name) }
    }
}
