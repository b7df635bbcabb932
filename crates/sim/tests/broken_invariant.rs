//! A broken invariant is a panic that says how to see it again: simulated time, seed and scenario.

#[path = "common/build.rs"]
mod build;

use std::panic::{catch_unwind, AssertUnwindSafe};

use build::{dumbbell, flow};
use cc::Controller;
use sim::{run_named, Observer, Spec};
use tcp::Sender;
use units::Time;

/// Finds something wrong at the first ACK after a second, in the middle of the run, as an assertion of the stack does.
struct Pedant;

impl Observer for Pedant {
    fn on_acked(&mut self, now: Time, _flow: usize, sender: &Sender<Controller>) {
        assert!(now < Time::from_ms(1000), "cwnd {} fell below one segment at {now:?}", sender.window().cwnd);
    }
}

fn message(spec: &Spec, digest: Option<&str>) -> String {
    let run = AssertUnwindSafe(|| run_named(spec, digest, &mut Pedant, || false).map(drop));
    *catch_unwind(run).expect_err("a panic").downcast::<String>().expect("a message")
}

#[test]
fn its_panic_names_time_seed_and_scenario() {
    let spec = Spec { seed: 4711, ..dumbbell(10, 50, 10, vec![flow("reno", 40)]) };
    let named = message(&spec, Some("0123abcd"));
    assert!(named.starts_with("cwnd ") && named.contains(" fell below one segment at "), "{named}");
    assert!(named.ends_with("; seed 4711, scenario 0123abcd"), "{named}");
    // Without a name, the scenario itself, complete enough to be run again.
    let unnamed = message(&spec, None);
    let (_, json) = unnamed.split_once("; seed 4711, scenario ").expect("a scenario");
    assert_eq!(Spec::from_json(json).expect("a scenario"), spec);
}
