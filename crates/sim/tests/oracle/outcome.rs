//! What a run came to.

use net::LinkTotals;
use sim::{ExchangeRow, PageRow, SourceTotals, TransferRow};
use tcp::SenderTotals;

/// What is compared with the simulator's records.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Counters of the links.
    pub links: Vec<LinkTotals>,
    /// Counters of the flows.
    pub flows: Vec<SenderTotals>,
    /// Segments of each flow that were dropped or lost.
    pub lost: Vec<u64>,
    /// Segments of each flow that were marked.
    pub marked: Vec<u64>,
    /// Segments of each flow that its device refused.
    pub refused: Vec<u64>,
    /// What the processor of each host had worked at each sampling time: time, host, work.
    pub worked: Vec<(u64, u32, u64)>,
    /// Transfers.
    pub transfers: Vec<TransferRow>,
    /// Exchanges of clients.
    pub exchanges: Vec<ExchangeRow>,
    /// Pages of sessions.
    pub pages: Vec<PageRow>,
    /// Of each source: packets lost, counters when the window began, counters at the end.
    pub sources: Vec<(u64, SourceTotals, SourceTotals)>,
}

/// A transfer's row as of now.
pub(super) fn note_totals(row: &mut TransferRow, totals: &SenderTotals) {
    row.sent = totals.sent as u32;
    row.retransmitted = totals.retransmitted as u32;
    row.timeouts = totals.timeouts as u32;
}
