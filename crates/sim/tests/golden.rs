//! Golden window traces: every registered protocol in every profile, one row per base RTT.
//!
//! `GOLDEN=redraw cargo test -p windtunnel-sim --test golden` draws them anew.

#[path = "common/build.rs"]
mod build;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use build::{dumbbell, flow, MS};
use cc::parameter::Protocol;
use sim::{FlowSpec, Spec};
use tcp::Options;

const RTT_NS: u64 = 60_000_000;

/// One flow, or one application's, 100 Mbit/s, 60 ms, a queue of one bandwidth-delay product, 60 s, no jitter.
fn scenario(protocol: &Protocol, profile: &str) -> Spec {
    let flow = FlowSpec { profile: profile.into(), ..flow(protocol.name, RTT_NS / MS) };
    let streams = protocol.parameter("streams").map_or(1, |streams| streams.defaults[0].1 as usize);
    Spec { sample_ns: RTT_NS, ..dumbbell(100, 500, 60, vec![flow; streams]) }
}

/// Windows and thresholds of all connections together.
fn trace(protocol: &Protocol, profile: &str) -> String {
    let records = sim::run(&scenario(protocol, profile), || false).expect("a legal scenario");
    let samples = records.flow_samples.columns();
    let mut rows: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for ((t, cwnd), ssthresh) in samples.t_ns.iter().zip(&samples.cwnd).zip(&samples.ssthresh) {
        let row = rows.entry(t / RTT_NS).or_default();
        (row.0, row.1) = (row.0 + cwnd, row.1 + ssthresh);
    }
    let mut text = String::from("# time in base RTTs, cwnd and ssthresh in whole segments (- for none)\n");
    for (t, (cwnd, ssthresh)) in rows {
        let shown = if ssthresh.is_nan() { "-".to_string() } else { ssthresh.floor().to_string() };
        let _ = writeln!(text, "{t} {} {shown}", cwnd.floor());
    }
    text
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

#[test]
fn traces_are_as_drawn() {
    let redraw = std::env::var("GOLDEN").is_ok_and(|value| value == "redraw");
    let mut differences = vec![];
    for protocol in cc::PROTOCOLS {
        for profile in Options::PROFILES {
            let path = folder().join(protocol.name).join(format!("{profile}.txt"));
            let now = trace(protocol, profile);
            if redraw {
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder that can be made");
                std::fs::write(&path, now).expect("a file that can be written");
                continue;
            }
            let name = format!("tests/golden/{}/{profile}.txt", protocol.name);
            let Ok(drawn) = std::fs::read_to_string(&path) else {
                differences.push(format!("{name} is missing; draw it with GOLDEN=redraw"));
                continue;
            };
            let rows = drawn.lines().zip(now.lines()).enumerate().find(|(_, (old, new))| old != new);
            if let Some((row, (old, new))) = rows {
                differences.push(format!("{name}, row {}: drawn {old:?}, now {new:?}", row + 1));
            } else if drawn.lines().count() != now.lines().count() {
                differences.push(format!("{name}: {} rows drawn, now {}", drawn.lines().count(), now.lines().count()));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn no_trace_is_left_over() {
    for entry in std::fs::read_dir(folder()).expect("tests/golden") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        assert!(cc::PROTOCOLS.iter().any(|protocol| protocol.name == name), "tests/golden/{name} belongs to no protocol");
    }
}
