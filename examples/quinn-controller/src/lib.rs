//! A window of one size, whatever happens: the simplest controller that quinn takes, and one whose rate is known beforehand.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::congestion::{Controller, ControllerFactory};

/// What makes the controllers of connections: `TransportConfig::congestion_controller_factory` of quinn takes it.
#[derive(Clone, Debug)]
pub struct SteadyConfig {
    window: u64,
}

impl SteadyConfig {
    /// Of so many bytes in flight.
    pub fn new(window: u64) -> SteadyConfig {
        SteadyConfig { window }
    }
}

impl Default for SteadyConfig {
    fn default() -> SteadyConfig {
        SteadyConfig::new(100_000)
    }
}

impl ControllerFactory for SteadyConfig {
    fn build(self: Arc<Self>, _now: Instant, _current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Steady { window: self.window })
    }
}

/// The controller of one connection.
#[derive(Clone, Debug)]
struct Steady {
    window: u64,
}

impl Controller for Steady {
    fn on_congestion_event(&mut self, _now: Instant, _sent: Instant, _is_persistent_congestion: bool, _lost_bytes: u64) {}

    fn on_mtu_update(&mut self, _new_mtu: u16) {}

    fn window(&self) -> u64 {
        self.window
    }

    fn initial_window(&self) -> u64 {
        self.window
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
