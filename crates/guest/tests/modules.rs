//! Every congestion-control module of the installed kernel sources compiles and runs, its states' clones too.

mod common;
#[allow(dead_code, unused_imports)]
#[path = "../../sim/tests/common/mod.rs"]
mod random;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use cc::Guests;
use common::{kernels, workshop};
use sim::{run_with, AckHash, Beside, FlowSpec, Spec};

const MODULES: [&str; 16] = [
    "bbr",
    "bic",
    "cdg",
    "cubic",
    "dctcp",
    "highspeed",
    "htcp",
    "hybla",
    "illinois",
    "lp",
    "nv",
    "scalable",
    "vegas",
    "veno",
    "westwood",
    "yeah",
];

/// All flows and transfers run this algorithm.
fn of(spec: &Spec, algorithm: &str) -> Spec {
    let mut spec = spec.clone();
    let change = |flow: &mut FlowSpec| {
        flow.algorithm = algorithm.into();
        flow.variant = None;
        flow.profile = "linux-6.1".into();
        flow.parameters = BTreeMap::new();
        flow.slow_start = None;
        flow.transport.retain(|option, _| !option.contains("rtt_"));
    };
    spec.flows.iter_mut().for_each(|flow| change(flow));
    spec.arrivals.iter_mut().flat_map(|source| &mut source.flows).for_each(change);
    spec.sessions.iter_mut().flat_map(|source| &mut source.flows).for_each(change);
    spec
}

fn hash(spec: &Spec, guests: &Guests) -> AckHash {
    let mut hash = AckHash::default();
    run_with(spec, Beside { guests, ..Beside::default() }, &mut hash, || false).unwrap();
    hash
}

fn guests(source: &Path, module: &str) -> Guests {
    let path = source.join(format!("net/ipv4/tcp_{module}.c"));
    let protocol = guest::open(&path, &workshop()).unwrap_or_else(|error| panic!("{error}\n{}", error.compiler.join("\n")));
    let mut guests = Guests::default();
    guests.insert("file", Arc::new(protocol));
    guests
}

/// Transfers are clones of a prototype: what a module allocates, as CDG does, must be cloned with it.
#[test]
fn every_module_runs_flows_and_transfers_the_same_way_twice() {
    for (version, source) in kernels() {
        for module in MODULES {
            let guests = guests(&source, module);
            for index in 0..6 {
                let spec = of(&random::scenario_with_arrivals(index), "file");
                let first = hash(&spec, &guests);
                assert_eq!(first, hash(&spec, &guests), "Linux {version}, {module}, scenario {index}");
                assert!(first.acks > 0);
            }
        }
    }
}

#[test]
fn transfers_of_modules_are_those_of_our_laws() {
    for (_, source) in kernels().into_iter().filter(|(version, _)| version == "6.1") {
        for law in ["scalable", "cubic", "htcp", "hybla", "illinois", "vegas", "veno", "westwood", "yeah", "bic"] {
            let guests = guests(&source, law);
            for index in 0..20 {
                let spec = random::scenario_with_arrivals(index);
                assert_eq!(hash(&of(&spec, "file"), &guests), hash(&of(&spec, law), &Guests::default()), "{law}, scenario {index}");
            }
        }
    }
}
