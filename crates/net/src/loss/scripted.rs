//! The packets on a list: what a test needs to lose the very packet it is about.

use crate::Packet;

/// A list, and how far it is worked off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scripted {
    /// Whose packets are counted; none for those of all flows.
    flow: Option<u32>,
    /// Numbers of the packets to lose, counted from 1, ascending.
    packets: Vec<u64>,
    seen: u64,
    lost: usize,
}

impl Scripted {
    /// Loses the packets with these numbers, counted from 1 over those of `flow`, or over those of all flows. The numbers ascend.
    pub fn new(flow: Option<u32>, packets: Vec<u64>) -> Scripted {
        Scripted { flow, packets, seen: 0, lost: 0 }
    }

    pub(super) fn strikes(&mut self, packet: Packet) -> bool {
        if self.flow.is_some_and(|flow| flow != packet.flow) {
            return false;
        }
        self.seen += 1;
        let is_lost = self.packets.get(self.lost) == Some(&self.seen);
        self.lost += usize::from(is_lost);
        is_lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_flows_own_packets() {
        let mut scripted = Scripted::new(Some(1), vec![1, 3]);
        let of = |flow| Packet::data(1500, flow);
        let lost = [0, 1, 0, 1, 0, 1, 1].map(|flow| scripted.strikes(of(flow)));
        assert_eq!(lost, [false, true, false, false, false, true, false]);
    }
}
