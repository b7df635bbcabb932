//! What the flows of a run are called.

use crate::accept::AcceptedFlow;

/// Protocol and variant of each flow: each pair once, and two bytes per flow.
pub(super) struct Names {
    pairs: Vec<(&'static str, &'static str)>,
    of_flow: Vec<u16>,
}

impl Names {
    /// The names of these flows.
    pub(super) fn new(flows: &[AcceptedFlow]) -> Names {
        let mut pairs = Vec::new();
        let number = |flow: &AcceptedFlow| {
            let pair = (flow.algorithm, flow.variant);
            let known = pairs.iter().position(|&known| known == pair);
            known.unwrap_or_else(|| {
                pairs.push(pair);
                pairs.len() - 1
            }) as u16
        };
        let of_flow = flows.iter().map(number).collect();
        Names { pairs, of_flow }
    }

    /// Protocol and variant of flow number `index`.
    pub(super) fn at(&self, index: usize) -> (&'static str, &'static str) {
        self.pairs[usize::from(self.of_flow[index])]
    }

    /// Protocol and variant, flow after flow.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        self.of_flow.iter().map(|&number| self.pairs[usize::from(number)])
    }
}
