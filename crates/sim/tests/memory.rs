//! What a flow costs in memory: under 2 kB beside its packets in flight and the records it leaves.

use std::alloc::System;

use cap::Cap;
use sim::Spec;

#[path = "common/build.rs"]
mod build;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

const FLOWS: usize = 5000;

/// Half a millisecond per flow and a window of one packet: in flight are at most a segment, its ACK and nothing else.
fn barely_sending() -> Spec {
    let mut flows = vec![build::flow("reno", 100); FLOWS];
    for (index, flow) in flows.iter_mut().enumerate() {
        flow.start_ns = index as u64 * 200_000;
        flow.window_packets = Some(1);
    }
    build::dumbbell(2500, 20_833, 2, flows)
}

/// The largest sum of live allocations during the run, less what it returns.
#[test]
fn a_flow_takes_less_than_two_kilobytes() {
    let spec = barely_sending();
    let before = ALLOCATOR.allocated();
    let records = sim::run(&spec, || false).unwrap();
    let left = ALLOCATOR.allocated() - before;
    let most = ALLOCATOR.max_allocated() - before;
    assert!(records.data_packets > 10 * FLOWS as u64);
    assert!(most - left < 2000 * FLOWS, "{} bytes per flow, of them {} records", most / FLOWS, left / FLOWS);
}
