//! Unmodified modules of the installed kernel source against the recordings of Linux 6.1's.

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use cc::conform::Report;
use common::{kernels, vectors, workshop};

fn replay(source: &Path, recorded: &str, text: &str, file: &str) -> Option<Report> {
    let module = recorded.strip_suffix("_nohystart").unwrap_or(recorded);
    let path = source.join(format!("net/ipv4/tcp_{module}.c"));
    let path = path.is_file().then_some(path)?;
    let protocol = guest::open(&path, &workshop()).unwrap_or_else(|error| panic!("{error}\n{}", error.compiler.join("\n")));
    Some(guest::conform::replay(protocol, text, file).unwrap())
}

#[test]
fn unmodified_modules_replay_every_recorded_row() {
    for (version, source) in kernels() {
        let mut rows: BTreeMap<String, (u32, u32, u32)> = BTreeMap::new();
        let mut wrong = Vec::new();
        for (file, recorded, text) in vectors() {
            let Some(report) = replay(&source, &recorded, &text, &file) else { continue };
            let counts = rows.entry(recorded).or_default();
            *counts = (counts.0 + 1, counts.1 + report.rows, counts.2 + report.rows_matched);
            if !report.exact() {
                wrong.push(format!("{file}: {}/{} rows, {:?}", report.rows_matched, report.rows, report.first_mismatch));
            }
        }
        println!("Linux {version}: module: files, rows, rows matched: {rows:#?}");
        assert!(wrong.is_empty(), "Linux {version}\n{}", wrong.join("\n"));
        for module in ["scalable", "highspeed", "bic", "cubic", "cubic_nohystart", "htcp", "dctcp", "veno", "westwood"] {
            assert!(rows.contains_key(module), "no recording of {module} was replayed");
        }
        for module in ["vegas", "illinois", "hybla", "yeah", "lp", "bbr"] {
            assert!(rows.contains_key(module), "no recording of {module} was replayed");
        }
    }
}
