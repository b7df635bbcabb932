//! Who has events, and in what order those of one time come.

/// A part of the run whose next event the loop waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Party {
    /// A link whose queue decides late.
    Link(usize),
    /// The way between two hops.
    Gap(usize),
    /// A source of transfers.
    Arrivals(usize),
    /// A flow, or the slot of a transfer.
    Flow(usize),
    /// A source of datagrams.
    Datagrams(usize),
    /// A flow that is a whole stack's.
    Stack(usize),
}

/// The parties' numbers: at one time the lowest comes first. Links come first, then the ways between hops, sources of transfers, flows,
/// datagrams, whole stacks and, since there may be ever more of them, the slots of transfers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    gaps_at: usize,
    arrivals_at: usize,
    flows_at: usize,
    datagrams_at: usize,
    stacks_at: usize,
    slots_at: usize,
}

/// How many there are of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) links: usize,
    pub(crate) gaps: usize,
    pub(crate) arrivals: usize,
    pub(crate) flows: usize,
    pub(crate) datagrams: usize,
    pub(crate) stacks: usize,
}

impl Numbers {
    /// Of so many.
    pub(crate) fn new(counts: Counts) -> Numbers {
        let Counts { links, gaps, arrivals, flows, datagrams, stacks } = counts;
        let (arrivals_at, flows_at) = (links + gaps, links + gaps + arrivals);
        let (datagrams_at, stacks_at) = (flows_at + flows, flows_at + flows + datagrams);
        Numbers { gaps_at: links, arrivals_at, flows_at, datagrams_at, stacks_at, slots_at: stacks_at + stacks }
    }

    /// How many there are before the first transfer begins.
    pub(crate) fn len(&self) -> usize {
        self.slots_at
    }

    /// The number of a party.
    #[inline]
    pub(crate) fn number(&self, party: Party) -> usize {
        match party {
            Party::Link(index) => index,
            Party::Gap(index) => self.gaps_at + index,
            Party::Arrivals(index) => self.arrivals_at + index,
            Party::Flow(index) if self.flows_at + index < self.datagrams_at => self.flows_at + index,
            Party::Flow(index) => self.slots_at + index - (self.datagrams_at - self.flows_at),
            Party::Datagrams(index) => self.datagrams_at + index,
            Party::Stack(index) => self.stacks_at + index,
        }
    }

    /// The party of a number.
    #[inline]
    pub(crate) fn party(&self, number: usize) -> Party {
        // One comparison for most runs, two for those of transfers.
        let (flow, flows) = (number.wrapping_sub(self.flows_at), self.datagrams_at - self.flows_at);
        if flow < flows {
            Party::Flow(flow)
        } else if number >= self.slots_at {
            Party::Flow(number - self.slots_at + flows)
        } else if number >= self.datagrams_at {
            if number < self.stacks_at {
                Party::Datagrams(number - self.datagrams_at)
            } else {
                Party::Stack(number - self.stacks_at)
            }
        } else if number < self.gaps_at {
            Party::Link(number)
        } else if number < self.arrivals_at {
            Party::Gap(number - self.gaps_at)
        } else {
            Party::Arrivals(number - self.arrivals_at)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_party_has_a_number_of_its_own_in_the_order_of_precedence() {
        let numbers = Numbers::new(Counts { links: 2, gaps: 1, arrivals: 3, flows: 4, datagrams: 2, stacks: 1 });
        let parties: Vec<Party> = (0..numbers.len() + 5).map(|number| numbers.party(number)).collect();
        assert!(parties.iter().enumerate().all(|(number, &party)| numbers.number(party) == number));
        let places = [
            (0, Party::Link(0)),
            (2, Party::Gap(0)),
            (3, Party::Arrivals(0)),
            (6, Party::Flow(0)),
            (10, Party::Datagrams(0)),
            (12, Party::Stack(0)),
        ];
        assert!(places.iter().all(|&(number, party)| parties[number] == party));
        // Flows 0 to 3 are the scenario's; slots follow the stacks.
        assert_eq!(parties[13], Party::Flow(4));
    }
}
