//! Memory follows from how many transfers are alive, not from how many there were.

use std::alloc::System;

use cap::Cap;
use sim::{ArrivalSpec, Law, Offered, Spec, TransferRow};

#[path = "common/build.rs"]
mod build;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Some 200,000 transfers in 40 seconds, each of a fifth of a second or somewhat more.
fn many() -> Spec {
    let source = ArrivalSpec {
        flows: vec![build::flow("reno", 100)],
        offered: Offered::PerSecond(5000.0),
        sizes: Law::Exponential { mean: 15_000.0 },
        max_bytes: None,
        start_ns: 0,
        stop_ns: None,
    };
    Spec { arrivals: vec![source], ..build::dumbbell(1000, 8333, 40, Vec::new()) }
}

/// Most transfers that were alive at one time.
fn most_alive(rows: &[TransferRow]) -> usize {
    let begins = rows.iter().map(|row| (row.start_ns, 1));
    let ends = rows.iter().map(|row| (row.start_ns.saturating_add(row.completion_ns), -1));
    let mut changes: Vec<(u64, i64)> = begins.chain(ends).collect();
    changes.sort_unstable();
    let alive = changes.iter().scan(0, |alive, &(_, change)| {
        *alive += change;
        Some(*alive)
    });
    alive.max().unwrap_or(0) as usize
}

/// The largest sum of live allocations during the run, less what it returns: of each transfer alive what a flow takes, twice, since room
/// for them doubles, and its packets under way; besides, the link's queue and the like.
#[test]
fn memory_is_bounded_by_the_transfers_alive() {
    let spec = many();
    let before = ALLOCATOR.allocated();
    let records = sim::run(&spec, || false).unwrap();
    let left = ALLOCATOR.allocated() - before;
    let most = ALLOCATOR.max_allocated() - before;
    let (rows, alive) = (&records.transfers.rows, most_alive(&records.transfers.rows));
    assert!(rows.len() > 190_000 && alive < 3000, "{} transfers, {alive} at once", rows.len());
    assert!(most - left < 2 * 2500 * alive + 1_000_000, "{} bytes per transfer alive", (most - left) / alive);
}
