//! A link as a textbook has it: one packet in service, the others in line, and an event when a transmission ends.

use std::collections::VecDeque;

use net::{FifoSpec, Limit, LinkTotals};
use sim::{AcceptedLink, DelayStep};
use tcp::{Ack, EcnBits, Sack};
use units::{Duration, Stream, Time};

use super::client::Question;
use super::disciplines::{self, Discipline};
use super::loss::Loss;
use super::service::{Left, Service};

/// What a packet carries.
#[derive(Clone, Debug)]
pub enum Load {
    /// A segment and when it was sent.
    Segment {
        /// Its number.
        seq: u64,
        /// The sender's clock when it left.
        sent: Time,
        /// Its ECN bits; none if it is not ECN-capable.
        ecn: Option<EcnBits>,
    },
    /// A packet that nobody answers.
    Datagram,
    /// An acknowledgement.
    Ack {
        /// The ACK.
        ack: Ack,
        /// Its SACK information.
        sack: Option<Sack>,
    },
    /// A packet of a request, on the way of the ACKs.
    Question(Question),
}

impl Load {
    /// It goes the way of the ACKs.
    pub fn is_of_receiver(&self) -> bool {
        matches!(self, Load::Ack { .. } | Load::Question(_))
    }
}

/// A packet on a link.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Whose it is.
    pub flow: usize,
    /// Number of the connection: that of a flow, or of a transfer, whose place others take.
    pub connection: usize,
    /// IP bytes.
    pub bytes: u32,
    /// ECT(1).
    pub is_l4s: bool,
    /// A hop before this one has marked it.
    pub was_marked: bool,
    /// Content.
    pub load: Load,
}

/// What became of a packet that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is being transmitted, until this moment.
    Served(Time),
    /// It stands in line.
    Queued,
    /// It stands in line, and nothing may leave before this moment.
    Waits(Time),
    /// It is gone.
    Lost,
}

/// A link: drop-tail with a step of marks, or another discipline, which then holds the line.
pub struct Link {
    spec: FifoSpec,
    loss: Stream,
    losses: Vec<Loss>,
    /// The packet being transmitted and when that ends.
    in_service: Option<(Packet, Time)>,
    waiting: VecDeque<Packet>,
    discipline: Option<Box<dyn Discipline>>,
    /// What the discipline has dropped.
    pub dropped: Vec<Packet>,
    service: Service,
    delay_steps: Vec<DelayStep>,
    far_end_at: Time,
    /// What the last service left over; nothing on an idle link.
    left_over: Option<Left>,
    totals: LinkTotals,
    window: (Time, Time),
    settled: Time,
}

impl Link {
    /// An idle link that measures over `window`.
    pub fn new(link: &AcceptedLink, window: (Time, Time), (loss, losses, draws): (Stream, Vec<Loss>, Stream), service: Service) -> Link {
        let spec = link.fifo;
        let (delay_steps, far_end_at) = (service.delay_steps(), Time::ZERO);
        Link {
            delay_steps,
            far_end_at,
            spec,
            loss,
            losses,
            in_service: None,
            waiting: VecDeque::new(),
            discipline: link.discipline.map(|discipline| disciplines::make(&discipline, spec.rate.0, service.is_constant(), draws)),
            dropped: Vec::new(),
            service,
            left_over: None,
            totals: LinkTotals::default(),
            window,
            settled: Time::ZERO,
        }
    }

    /// A packet arrives; whether it was marked too. If it is served at once, the caller schedules the end of its transmission.
    pub fn arrive(&mut self, now: Time, mut packet: Packet) -> (Arrival, bool) {
        self.settle(now);
        let before_end = u64::from(now < self.window.1);
        let in_window = now >= self.window.0 && now < self.window.1;
        let mut is_lost = self.spec.loss_probability > 0.0 && self.loss.chance(self.spec.loss_probability);
        for loss in &mut self.losses {
            is_lost |= loss.takes(now, (packet.connection, !packet.load.is_of_receiver()));
        }
        if is_lost {
            self.totals.lost += before_end;
            return (Arrival::Lost, false);
        }
        if self.discipline.is_some() {
            return (self.arrive_late(now, packet), false);
        }
        if !self.has_room(self.service.limit(now), now, packet.bytes) {
            self.totals.dropped += before_end;
            self.totals.window_dropped += u64::from(in_window);
            return (Arrival::Lost, false);
        }
        self.totals.accepted += before_end;
        let mut is_marked = false;
        if let (Some(mark_at), Load::Segment { ecn: Some(bits), .. }) = (self.spec.mark_at, &mut packet.load) {
            is_marked = !self.has_room(mark_at, now, packet.bytes);
            bits.ce = is_marked;
            self.totals.marked += before_end * u64::from(is_marked);
            self.totals.window_marked += u64::from(in_window && is_marked);
        }
        let arrival = if self.in_service.is_none() {
            self.left_over = None;
            Arrival::Served(self.serve(now, packet))
        } else {
            self.waiting.push_back(packet);
            Arrival::Queued
        };
        if in_window {
            self.note_population();
        }
        (arrival, is_marked)
    }

    /// A packet arrives at a discipline that may decide later.
    fn arrive_late(&mut self, now: Time, packet: Packet) -> Arrival {
        self.totals.accepted += u64::from(now < self.window.1);
        let (spec, served, left_over) = (self.spec, self.in_service.as_ref(), self.left_over);
        let counted = served.filter(|_| !spec.excludes_in_service).map(|(packet, _)| packet);
        let (counted, counted_bytes) = (usize::from(counted.is_some()), counted.map_or(0, |packet| u64::from(packet.bytes)));
        let residual = served.map_or(Duration::ZERO, |(_, done)| *done - now);
        let limit = self.service.limit(now);
        let fits = |packets: usize, bytes: u64, arriving: u32| match limit {
            Limit::Packets(limit) => packets + counted < limit as usize,
            Limit::Bytes(limit) => bytes + counted_bytes + u64::from(arriving) <= limit,
            Limit::Delay(limit) => {
                let ahead = u128::from(bytes) * 8 * 1_000_000_000 + left_over.unwrap_or_default().work;
                residual <= limit && ahead / u128::from(spec.rate.0) <= u128::from((limit - residual).0)
            }
        };
        let discipline = self.discipline.as_mut().expect("a discipline");
        let dropped = discipline.arrive(now, packet, &fits);
        self.note_dropped(now, dropped);
        let arrival = if self.in_service.is_none() {
            self.left_over = None;
            self.serve_next(now).map_or_else(|| self.waits(), Arrival::Served)
        } else {
            Arrival::Queued
        };
        if now >= self.window.0 && now < self.window.1 {
            self.note_population();
        }
        arrival
    }

    fn note_dropped(&mut self, now: Time, dropped: Vec<Packet>) {
        let (before_end, in_window) = (now < self.window.1, now >= self.window.0 && now < self.window.1);
        self.totals.dropped += u64::from(before_end) * dropped.len() as u64;
        self.totals.accepted -= u64::from(before_end) * dropped.len() as u64;
        self.totals.window_dropped += u64::from(in_window) * dropped.len() as u64;
        self.dropped.extend(dropped);
    }

    /// Takes the next packet in line into service; when its transmission ends.
    fn serve_next(&mut self, now: Time) -> Option<Time> {
        let Some(discipline) = &mut self.discipline else {
            return self.waiting.pop_front().map(|next| self.serve(now, next));
        };
        let (dropped, next) = discipline.next(now);
        self.note_dropped(now, dropped);
        next.map(|next| self.serve(now, next))
    }

    fn waits(&self) -> Arrival {
        let until = self.discipline.as_ref().and_then(|discipline| discipline.waits_until());
        until.map_or(Arrival::Queued, Arrival::Waits)
    }

    /// Whether a transmission ends now.
    pub fn transmits_until(&self, now: Time) -> bool {
        self.in_service.as_ref().is_some_and(|(_, done)| *done == now)
    }

    /// Something may leave now, if the link is idle: when its transmission ends, or when to ask again.
    pub fn wake(&mut self, now: Time) -> Option<Time> {
        if self.in_service.is_some() {
            return None;
        }
        self.settle(now);
        self.left_over = None;
        self.serve_next(now).or_else(|| self.asks_again())
    }

    fn asks_again(&self) -> Option<Time> {
        match self.waits() {
            Arrival::Waits(until) if self.in_service.is_none() => Some(until),
            _ => None,
        }
    }

    /// A transmission ends: the packet transmitted, and when the next one's will, if any stands in line.
    pub fn complete(&mut self, now: Time) -> (Packet, Option<Time>) {
        self.settle(now);
        let (packet, done) = self.in_service.take().expect("a transmission ends on an idle link");
        assert_eq!(done, now, "a transmission ends at the wrong time");
        if now <= self.window.1 {
            self.totals.delivered_bytes += u64::from(packet.bytes);
            self.totals.window_delivered_bytes += if now > self.window.0 { u64::from(packet.bytes) } else { 0 };
        }
        if self.discipline.is_some() {
            let is_marked = matches!(packet.load, Load::Segment { ecn: Some(EcnBits { ce: true, .. }), .. });
            self.totals.marked += u64::from(now <= self.window.1 && is_marked);
            self.totals.window_marked += u64::from(now > self.window.0 && now <= self.window.1 && is_marked);
        }
        let next = self.serve_next(now).or_else(|| self.asks_again());
        (packet, next)
    }

    /// Marks are counted when a packet leaves: its queue may mark it then.
    pub fn decides_late(&self) -> bool {
        self.discipline.is_some()
    }

    /// When what was transmitted now is as far as it would be at once without steps of delay, behind all that was before it.
    pub fn far_end(&mut self, now: Time) -> Time {
        let steps = self.delay_steps.iter().filter(|step| step.at_ns <= now.0);
        let extra = steps.max_by_key(|step| step.at_ns).map_or(0, |step| step.extra_ns);
        self.far_end_at = self.far_end_at.max(now + Duration(extra));
        self.far_end_at
    }

    /// Totals once nothing is left on the link.
    pub fn totals(&self) -> LinkTotals {
        assert!(self.in_service.is_none() && self.waiting.is_empty(), "packets are left on the link");
        self.totals
    }

    fn serve(&mut self, now: Time, packet: Packet) -> Time {
        let (done, left_over) = self.service.end(now, packet.bytes, self.left_over);
        self.left_over = Some(left_over);
        self.in_service = Some((packet, done));
        done
    }

    fn note_population(&mut self) {
        self.totals.window_max_packets = self.totals.window_max_packets.max(self.population() as u32);
    }

    fn population(&self) -> usize {
        let late = self.discipline.as_ref().map_or(0, |discipline| discipline.packets());
        late + self.waiting.len() + usize::from(self.in_service.is_some())
    }

    fn has_room(&self, limit: Limit, now: Time, bytes: u32) -> bool {
        let served = self.in_service.as_ref().filter(|_| !self.spec.excludes_in_service);
        match limit {
            Limit::Packets(limit) => self.waiting.len() + usize::from(served.is_some()) < limit as usize,
            Limit::Bytes(limit) => {
                let line = self.waiting.iter().chain(served.map(|served| &served.0));
                line.map(|packet| u64::from(packet.bytes)).sum::<u64>() + u64::from(bytes) <= limit
            }
            Limit::Delay(limit) => self.wait(now) <= limit,
        }
    }

    /// How long a packet that arrives now waits for its service.
    fn wait(&self, now: Time) -> Duration {
        let Some((_, done)) = &self.in_service else { return Duration::ZERO };
        let (mut until, mut left_over) = (*done, self.left_over);
        for packet in &self.waiting {
            let (end, rest) = self.service.end(until, packet.bytes, left_over);
            (until, left_over) = (end, Some(rest));
        }
        until - now
    }

    /// Keeps the integrals of the population and of the server's work over the window.
    fn settle(&mut self, now: Time) {
        if self.settled <= self.window.0 && now > self.window.0 {
            self.note_population();
        }
        let span = now.min(self.window.1).since(self.settled.max(self.window.0)).0;
        self.totals.window_busy_ns += if self.in_service.is_some() { span } else { 0 };
        self.totals.window_sojourn_ns += span * self.population() as u64;
        self.settled = now;
    }
}
