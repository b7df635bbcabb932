//! The router's loop: what has come, what the links make of it, what is due, and a sleep until more is.

use std::collections::BTreeMap;
use std::time::Duration;

use sim::{LinkRow, Spec};
use thiserror::Error;
use units::Time;

use crate::clock::Clock;
use crate::lateness::Lateness;
use crate::network::{Measured, Network};
use crate::passing::{source, Passing};
use crate::port::{now_ns, Arrived, Place, PortError, Socket};
use crate::report::{LinkReport, Report};

/// The longest sleep: the end and a wish to stop are not seen meanwhile.
const SLEEP: Duration = Duration::from_millis(20);

/// What a router is told beside the scenario.
#[derive(Clone, Debug)]
pub struct Orders {
    /// Of each flow the place of its sender, and of its receiver.
    pub places: Vec<[Place; 2]>,
    /// Real time at which the network's begins, nanoseconds of the monotonic clock.
    pub begin_ns: u64,
    /// Packets cross no link, only the propagation.
    pub plain: bool,
}

/// Why a router did not work.
#[derive(Debug, Error)]
pub enum RouteError {
    /// The scenario is refused.
    #[error("{0}")]
    Spec(#[from] sim::SpecError),
    /// Its socket.
    #[error("{0}")]
    Port(#[from] PortError),
}

/// What passes by one turn of the loop.
struct Router<'a> {
    orders: &'a Orders,
    network: Network,
    clock: Clock,
    socket: &'a mut Socket,
    /// Which flow a packet belongs to that came by a device from an address, and whether its receiver sent it.
    owners: BTreeMap<(i32, [u8; 4]), (u32, bool)>,
    now: Time,
    arrived: Vec<Arrived>,
    leaving: Vec<(Place, Vec<u8>)>,
    lateness: Lateness,
    refused: u64,
    strange: u64,
}

/// Forwards packets until the scenario's duration is over, by the network's clock, or the socket's `stop` says so.
///
/// # Errors
/// A scenario that is refused, or a socket that no longer works.
pub fn route(spec: &Spec, orders: &Orders, socket: &mut Socket) -> Result<Report, RouteError> {
    let accepted = sim::accept(spec)?;
    let places = orders.places.iter().enumerate();
    let owner = |end: &Place, flow: usize, returns| ((end.device, end.address), (flow as u32, returns));
    let owners = places.flat_map(|(flow, ends)| [owner(&ends[0], flow, false), owner(&ends[1], flow, true)]).collect();
    socket.overflowed();
    let mut router = Router {
        orders,
        network: Network::new(accepted, orders.plain),
        clock: Clock::new(orders.begin_ns),
        socket,
        owners,
        now: Time::ZERO,
        arrived: Vec::new(),
        leaving: Vec::new(),
        lateness: Lateness::default(),
        refused: 0,
        strange: 0,
    };
    let end = Time(spec.duration_ns);
    while router.turn()? < end {
        let next = router.network.next_at().min(end);
        let sleep = router.clock.real(next).map_or(SLEEP, |real| Duration::from_nanos(real.saturating_sub(now_ns())));
        if router.socket.wait(sleep.min(SLEEP))? {
            break;
        }
    }
    Ok(router.report(spec))
}

impl Router<'_> {
    /// One turn; returns the network's time.
    fn turn(&mut self) -> Result<Time, RouteError> {
        let real = now_ns();
        self.take()?;
        // First the clock: what came during a stall came when the network's time stood.
        let now = self.clock.absorb(self.clock.network(real), self.network.due_at());
        let floor = self.now;
        for Arrived { device, at_ns, bytes } in std::mem::take(&mut self.arrived) {
            let at = self.clock.network(at_ns).max(floor).min(now.max(floor));
            let owner = source(&bytes).and_then(|from| self.owners.get(&(device, from)));
            match owner.and_then(|&(flow, returns)| Passing::read(bytes, flow, returns)) {
                Some(passing) => self.network.arrive(at, Box::new(passing)),
                None => self.strange += 1,
            }
        }
        self.network.advance(now);
        self.now = self.clock.absorb(now, self.network.due_at()).max(floor);
        self.release()?;
        Ok(self.now)
    }

    /// Takes all that has come.
    fn take(&mut self) -> Result<(), PortError> {
        loop {
            let before = self.arrived.len();
            let taken = self.socket.receive(&mut self.arrived)?;
            self.strange += (taken - (self.arrived.len() - before)) as u64;
            if taken < 64 {
                return Ok(());
            }
        }
    }

    /// Gives to the kernel what is due.
    fn release(&mut self) -> Result<(), PortError> {
        let now = self.now;
        while let Some((due, passing)) = self.network.take_due(now) {
            self.lateness.note(now.since(due).0);
            let [sender, receiver] = self.orders.places[passing.flow as usize];
            self.leaving.push((if passing.returns { sender } else { receiver }, passing.bytes));
        }
        if !self.leaving.is_empty() {
            self.refused += self.socket.send(&self.leaving)?.refused as u64;
            self.leaving.clear();
        }
        Ok(())
    }

    fn report(self, spec: &Spec) -> Report {
        let Router { network, clock, lateness, refused, strange, socket, now, .. } = self;
        let Measured { links, samples, counts: mut flows, mut at_window, drops } = network.finish();
        let sources = flows.split_off(spec.flows.len());
        let window_ns = spec.duration_ns - spec.warmup_ns;
        let row = |(totals, capacity_bytes)| LinkRow { totals, window_ns, capacity_bytes };
        let rows = spec.links().into_iter().zip(links.into_iter().map(row));
        Report {
            links: rows.map(|(named, row)| link_report(named.name, &row)).collect(),
            samples,
            flows,
            sources,
            sources_at_window: at_window.split_off(spec.flows.len()),
            drops,
            stalls: clock.into_stalls(),
            end_ns: now.0,
            late_us_p50: lateness.quantile_us(0.5),
            late_us_p99: lateness.quantile_us(0.99),
            late_ns_max: lateness.largest_ns(),
            overflowed: socket.overflowed(),
            refused,
            strange,
        }
    }
}

fn link_report(name: String, row: &LinkRow) -> LinkReport {
    let totals = row.totals;
    LinkReport {
        name,
        utilisation: row.utilisation(),
        mean_queue_packets: row.mean_queue_packets(),
        max_queue_packets: totals.window_max_packets,
        delivered_bytes: totals.delivered_bytes,
        dropped_packets: totals.dropped,
        lost_packets: totals.lost,
        marked_packets: totals.marked,
        window_delivered_bytes: totals.window_delivered_bytes,
        window_dropped_packets: totals.window_dropped,
        window_marked_packets: totals.window_marked,
    }
}
