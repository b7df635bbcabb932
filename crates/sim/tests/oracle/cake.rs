//! CAKE written down once more, after Linux's `sch_cake`: one tin, hashed by flow, without a shaper of its own.

use net::queue::hash;
use net::DisciplineSpec;
use units::{Stream, Time};

use super::cobalt::Cobalt;
use super::disciplines::{Discipline, Fits};
use super::link::Packet;

/// A flow's queue while it is on a list, or has something to remember.
struct Slot {
    place: usize,
    owner: u64,
    cobalt: Cobalt,
    deficit: i64,
    list: List,
}

#[derive(Clone, Copy, PartialEq)]
enum List {
    None,
    New,
    Old,
    Decaying,
}

/// All queues that were ever used, and the order on the lists: of those on one list, who joined it first is first.
pub struct Cake {
    spec: DisciplineSpec,
    rate: u64,
    perturbation: u64,
    slots: Vec<Slot>,
    order: Vec<usize>,
}

impl Cake {
    /// Empty queues.
    pub fn new(spec: &DisciplineSpec, rate: u64, mut stream: Stream) -> Cake {
        Cake { spec: *spec, rate, perturbation: stream.up_to(u64::MAX), slots: Vec::new(), order: Vec::new() }
    }

    fn quantum(&self) -> i64 {
        (self.rate / 8 / 4096).clamp(300, 1514) as i64
    }

    fn fresh(&self, place: usize, owner: u64) -> Slot {
        let stream = Stream::named(self.perturbation, format_args!("queue{place}"));
        Slot { place, owner, cobalt: Cobalt::of_cake(&self.spec, self.rate, stream), deficit: 0, list: List::None }
    }

    /// The slot of a packet: of the eight places of its set its own, an idle one, or the one it hashes to.
    fn slot_of(&mut self, packet: &Packet) -> usize {
        let owner = hash(2 * packet.connection as u32 + u32::from(packet.load.is_of_receiver()), self.perturbation);
        let place = (owner % 1024) as usize;
        let places: Vec<usize> = (0..8).map(|step| place / 8 * 8 + (place % 8 + step) % 8).collect();
        let known = |place: &usize| self.slots.iter().find(|slot| slot.place == *place);
        let mine = places.iter().find(|place| known(place).is_some_and(|slot| slot.owner == owner));
        let idle = places.iter().find(|place| known(place).is_none_or(|slot| slot.list == List::None));
        let place = *mine.or(idle).unwrap_or(&places[0]);
        if !self.slots.iter().any(|slot| slot.place == place) {
            self.slots.push(self.fresh(place, owner));
        }
        let index = self.slots.iter().position(|slot| slot.place == place).expect("a slot");
        self.slots[index].owner = owner;
        index
    }

    fn move_to_end(&mut self, index: usize, list: List) {
        self.order.retain(|other| *other != index);
        self.slots[index].list = list;
        if list != List::None {
            self.order.push(index);
        }
    }

    fn first_of(&self, list: List) -> Option<usize> {
        self.order.iter().copied().find(|index| self.slots[*index].list == list)
    }

    fn bytes(&self) -> u64 {
        self.slots.iter().map(|slot| slot.cobalt.bytes()).sum()
    }
}

impl Discipline for Cake {
    fn arrive(&mut self, now: Time, packet: Packet, fits: Fits) -> Vec<Packet> {
        let (index, bytes) = (self.slot_of(&packet), packet.bytes);
        self.slots[index].cobalt.line.push_back((now, packet));
        if matches!(self.slots[index].list, List::None | List::Decaying) {
            self.slots[index].deficit = self.quantum();
            self.move_to_end(index, List::New);
        }
        let mut dropped = Vec::new();
        while self.packets() > 0 && !fits(self.packets() - 1, self.bytes().saturating_sub(u64::from(bytes)), bytes) {
            let most = self.slots.iter().map(|slot| slot.cobalt.bytes()).max();
            let longest = self.slots.iter_mut().filter(|slot| Some(slot.cobalt.bytes()) == most).min_by_key(|slot| slot.place);
            let cobalt = &mut longest.expect("a packet").cobalt;
            dropped.extend(cobalt.line.pop_front().map(|(_, packet)| packet));
            cobalt.on_full(now.0 as i64);
        }
        dropped
    }

    fn next(&mut self, now: Time) -> (Vec<Packet>, Option<Packet>) {
        let mut all_dropped = Vec::new();
        let mut first = self.first_of(List::Decaying);
        while self.packets() > 0 {
            let turn = [List::New, List::Old, List::Decaying];
            let index = first.take().or_else(|| turn.into_iter().find_map(|list| self.first_of(list))).expect("a queue with a packet");
            let quantum = self.quantum();
            let slot = &mut self.slots[index];
            if slot.deficit <= 0 {
                slot.deficit += quantum;
                self.move_to_end(index, List::Old);
                continue;
            }
            let (dropped, packet) = slot.cobalt.next(now);
            all_dropped.extend(dropped);
            if let Some(packet) = packet {
                slot.deficit -= i64::from(packet.bytes);
                return (all_dropped, Some(packet));
            }
            let to = if slot.cobalt.is_at_rest(now.0 as i64) { List::None } else { List::Decaying };
            self.move_to_end(index, to);
        }
        (all_dropped, None)
    }

    fn packets(&self) -> usize {
        self.slots.iter().map(|slot| slot.cobalt.line.len()).sum()
    }
}
