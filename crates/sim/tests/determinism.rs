//! The same scenario gives the same records, whenever and wherever it is run; another seed gives others.

mod common;

use std::fmt::{self, Write};
use std::thread;

use sim::{run_observed, AckHash, Records, Spec};

const SCENARIOS: u64 = 50;

/// Hashes what is written to it, so that records need not be held as text.
struct Fingerprint(u64);

impl Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }
}

/// Everything in the records. A number's shortest text that reads back as itself names its bits.
fn fingerprint(records: &Records) -> u64 {
    let mut fingerprint = Fingerprint(0xcbf2_9ce4_8422_2325);
    write!(fingerprint, "{records:?}").expect("a hash takes everything");
    fingerprint.0
}

fn scenario(index: u64) -> Spec {
    let spec = common::scenario(index);
    Spec { sample_ns: spec.duration_ns / 50, record_drops: true, ..spec }
}

fn run(spec: &Spec) -> (AckHash, u64) {
    let mut hash = AckHash::default();
    let records = run_observed(spec, &mut hash, || false).expect("the scenario is accepted");
    assert!(!records.link_samples.t_ns.is_empty() && !records.events.is_empty());
    (hash, fingerprint(&records))
}

#[test]
fn a_scenario_gives_the_same_records_every_time_and_on_every_thread() {
    let all = || (0..SCENARIOS).map(|index| run(&scenario(index))).collect::<Vec<_>>();
    let first = all();
    assert_eq!(first, all(), "a second run differs from the first");
    let (one, other) = (thread::spawn(all), thread::spawn(all));
    assert_eq!(first, one.join().expect("no panic"), "a run on a thread differs");
    assert_eq!(first, other.join().expect("no panic"), "a run on a second thread differs");
}

#[test]
fn another_seed_gives_another_run_where_there_is_jitter() {
    let mut compared = 0;
    for spec in (0..SCENARIOS).map(scenario).filter(|spec| spec.flows.iter().all(|flow| flow.jitter_ns > 0)) {
        let hash = run(&spec).0;
        // The first ACK of a flow always shows the jitter.
        if hash.acks > 0 {
            let reseeded = Spec { seed: spec.seed + 1, ..spec };
            assert_ne!(hash.hash, run(&reseeded).0.hash, "{reseeded:?}");
            compared += 1;
        }
    }
    assert!(compared >= 5, "only {compared} scenarios with jitter");
}
