//! Packets by their numbers, for algorithms that ask for each: a transmission of a segment is a packet, as in stacks that number them.

use cc::{Connection, Packet};

/// The latest packet of each outstanding segment, and what an ACK delivers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packets {
    /// Of each outstanding segment, in the slot of its number modulo the capacity.
    latest: Box<[Packet]>,
    /// Packets that have left.
    sent: u64,
    /// Delivered by this ACK, and not told yet.
    acked: Vec<Packet>,
    /// How many of the segments whose loss is being told were told as packets.
    lost_told: usize,
}

impl Packets {
    /// The latest packet of `seq`, which is outstanding.
    pub(crate) fn of(&self, seq: u64) -> &Packet {
        &self.latest[seq as usize & (self.latest.len() - 1)]
    }

    /// `seq` is about to be sent, or sent again; `lost` segments were ever held to be lost.
    pub(crate) fn on_sent(&mut self, seq: u64, c: &Connection, lost: u64) -> Packet {
        if (seq.max(c.nxt) + 1 - c.una) as usize > self.latest.len() {
            self.grow(c);
        }
        let packet = Packet {
            number: self.sent,
            seq,
            sent: c.now,
            delivered: c.delivered,
            lost,
            bytes: c.mss,
            in_flight: c.in_flight + 1,
            app_limited: c.app_limited_until > 0,
            repeated: seq < c.nxt,
        };
        self.sent += 1;
        let slot = seq as usize & (self.latest.len() - 1);
        self.latest[slot] = packet;
        packet
    }

    #[cold]
    fn grow(&mut self, c: &Connection) {
        let capacity = ((c.nxt + 1 - c.una) as usize).next_power_of_two().max(16);
        let mut grown = vec![Packet::default(); capacity].into_boxed_slice();
        for seq in c.una..c.nxt {
            grown[seq as usize & (capacity - 1)] = *self.of(seq);
        }
        self.latest = grown;
    }

    /// `seq` was delivered for the first time.
    pub(crate) fn on_delivered(&mut self, seq: u64) {
        self.acked.push(*self.of(seq));
    }

    /// What was delivered since this was asked, in the order in which it was sent. Hand it back with [`Packets::take_back`].
    pub(crate) fn take_acked(&mut self) -> Vec<Packet> {
        self.acked.sort_unstable_by_key(|packet| packet.number);
        std::mem::take(&mut self.acked)
    }

    /// Of segments that were found lost, those that are yet to be told as packets.
    pub(crate) fn newly_lost<'a>(&self, found: &'a [u64]) -> &'a [u64] {
        &found[self.lost_told..]
    }

    /// So many of them are told now.
    pub(crate) fn on_losses_told(&mut self, count: usize) {
        self.lost_told = count;
    }

    /// The room of [`Packets::take_acked`] is used again.
    pub(crate) fn take_back(&mut self, mut room: Vec<Packet>) {
        room.clear();
        self.acked = room;
    }
}
