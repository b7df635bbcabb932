//! What every ACK is shown to: nothing, a hash, or a trace.

use cc::Controller;
use tcp::Sender;
use units::Time;

use crate::parts::tap::SharedTap;

/// Called after each ACK has been handled.
pub trait Observer {
    /// False of one that does nothing: it costs nothing.
    fn looks(&self) -> bool {
        true
    }

    /// What packets are shown to.
    fn tap(&self) -> Option<SharedTap> {
        None
    }

    /// `flow` has handled an ACK at `now`, in its own clock.
    fn on_acked(&mut self, now: Time, flow: usize, sender: &Sender<Controller>);
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn looks(&self) -> bool {
        false
    }

    fn on_acked(&mut self, _now: Time, _flow: usize, _sender: &Sender<Controller>) {}
}

/// What the engine is compiled for: once to show nothing, and once to show what an observer wants to see. Observers are called through a pointer:
/// a program that has one of its own need not compile the engine for it.
pub(super) trait Audience {
    /// There may be a tap.
    const SEES_PACKETS: bool = false;

    /// What packets are shown to.
    fn tap(&self) -> Option<SharedTap> {
        None
    }

    /// As [`Observer::on_acked`].
    fn on_acked(&mut self, now: Time, flow: usize, sender: &Sender<Controller>);
}

impl Audience for Silent {
    #[inline]
    fn on_acked(&mut self, _now: Time, _flow: usize, _sender: &Sender<Controller>) {}
}

/// An observer that looks.
pub(super) struct Present<'o>(pub(super) &'o mut dyn Observer);

impl Audience for Present<'_> {
    const SEES_PACKETS: bool = true;

    fn tap(&self) -> Option<SharedTap> {
        self.0.tap()
    }

    fn on_acked(&mut self, now: Time, flow: usize, sender: &Sender<Controller>) {
        self.0.on_acked(now, flow, sender);
    }
}

/// A hash over time, flow, cwnd, una and pipe after every ACK, in their total order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckHash {
    /// The hash so far.
    pub hash: u64,
    /// ACKs so far.
    pub acks: u64,
}

impl Default for AckHash {
    fn default() -> AckHash {
        AckHash { hash: 0xcbf2_9ce4_8422_2325, acks: 0 }
    }
}

impl Observer for AckHash {
    fn on_acked(&mut self, now: Time, flow: usize, sender: &Sender<Controller>) {
        let connection = sender.connection();
        for word in [now.0, flow as u64, sender.window().cwnd.to_bits(), connection.una, connection.in_flight.into()] {
            self.hash = (self.hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
        }
        self.acks += 1;
    }
}

/// Every ACK, as columns.
#[derive(Clone, Debug, Default)]
pub struct AckTrace {
    /// Seconds.
    pub t_s: Vec<f64>,
    /// Flow index.
    pub flow: Vec<u32>,
    /// Segments.
    pub cwnd: Vec<f64>,
    /// Segments cumulatively acknowledged.
    pub una: Vec<u64>,
    /// Pipe, segments.
    pub in_flight: Vec<u32>,
}

impl Observer for AckTrace {
    fn on_acked(&mut self, now: Time, flow: usize, sender: &Sender<Controller>) {
        self.t_s.push(now.as_secs_f64());
        self.flow.push(flow as u32);
        self.cwnd.push(sender.window().cwnd);
        self.una.push(sender.connection().una);
        self.in_flight.push(sender.connection().in_flight);
    }
}

/// Every ACK as columns if they are asked for, every packet to a tap if there is one.
#[derive(Debug, Default)]
pub struct Watched {
    /// Every ACK.
    pub acks: Option<AckTrace>,
    /// Every packet.
    pub tap: Option<SharedTap>,
}

impl Observer for Watched {
    fn tap(&self) -> Option<SharedTap> {
        self.tap.clone()
    }

    fn on_acked(&mut self, now: Time, flow: usize, sender: &Sender<Controller>) {
        if let Some(acks) = &mut self.acks {
            acks.on_acked(now, flow, sender);
        }
    }
}
