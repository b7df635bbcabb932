//! The example in C++ is built as its head says, and runs: it is Scalable TCP without a legacy window, which we have.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use cc::{GuestProtocol, Guests, NO_GUESTS};
use common::workshop;
use sim::{run_with, AckHash, Beside, Spec};

fn built() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp");
    fs::create_dir_all(&folder).unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = folder.join("libmimd.so");
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-I"]).arg(here.join("include"));
    compiler.arg("-o").arg(&library).arg(here.join("../../examples/cpp-controller/mimd.cpp"));
    assert!(compiler.status().unwrap().success());
    library
}

fn hash(algorithm: serde_json::Value, guests: &Guests) -> AckHash {
    let mut flow = serde_json::json!({"rtt_ns": 40_000_000});
    flow.as_object_mut().unwrap().extend(algorithm.as_object().unwrap().clone());
    let spec = serde_json::json!({
        "seed": 1, "duration_ns": 20_000_000_000_u64, "warmup_ns": 0, "sample_ns": 10_000_000,
        "forward": {"rate_bps": 50_000_000, "queue": {"unit": "packets", "limit": 100}}, "flows": [flow.clone(), flow],
    });
    let spec = Spec::from_json(&spec.to_string()).unwrap();
    let mut hash = AckHash::default();
    run_with(&spec, Beside { guests, ..Beside::default() }, &mut hash, || false).unwrap();
    hash
}

#[test]
fn the_example_in_cpp_moves_the_windows_of_our_own_scalable() {
    let protocol = guest::open(&built(), &workshop()).unwrap();
    assert_eq!((protocol.name(), protocol.variables()), ("mimd", &["window_at_loss"][..]));
    let mut guests = Guests::default();
    guests.insert("./libmimd.so", Arc::new(protocol));
    let ours = serde_json::json!({"algorithm": "scalable", "variant": "kelly", "parameters": {"low_window": 0.0}});
    assert_eq!(hash(serde_json::json!({"algorithm": "./libmimd.so"}), &guests), hash(ours.clone(), &NO_GUESTS));
    let gentle = serde_json::json!({"algorithm": "./libmimd.so", "parameters": {"kept": 0.5}});
    assert_ne!(hash(gentle, &guests), hash(ours, &NO_GUESTS));
}
