//! The gate: every recorded row of Linux 6.1's modules, exactly.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cc::conform::{replay, ReplayError};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/kernel-vectors")
}

fn vectors() -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ext| ext == "json"));
    files.sort();
    files.iter().map(|path| (path.file_name().unwrap().to_string_lossy().into(), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn every_recorded_row_is_exact() {
    let mut rows = BTreeMap::new();
    let mut wrong = Vec::new();
    for (file, text) in vectors() {
        let report = match replay(&text, &file) {
            Ok(report) => report,
            Err(ReplayError::NotImplemented { .. }) => continue,
            Err(error) => panic!("{error}"),
        };
        let counts = rows.entry(report.algorithm.clone()).or_insert((0, 0, 0, 0));
        *counts = (counts.0 + 1, counts.1 + report.rows, counts.2 + report.rows_matched, counts.3 + report.rows_matched_with_cnt);
        if !report.exact() {
            wrong.push(format!("{file}: {}/{} rows, {:?}", report.rows_matched, report.rows, report.first_mismatch));
        }
    }
    println!("algorithm: files, rows, rows matched, credit counter too: {rows:#?}");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    let others = ["veno", "westwood", "vegas", "illinois", "hybla", "yeah", "lp", "bbr"];
    for algorithm in ["reno", "scalable", "hstcp", "bic", "cubic", "cubic:nohystart", "htcp", "dctcp"].into_iter().chain(others) {
        assert!(rows.contains_key(algorithm), "no vectors of {algorithm} in {}", folder().display());
    }
}

#[test]
fn a_changed_expectation_is_found() {
    let text = std::fs::read_to_string(folder().join("S1_reno.json")).unwrap();
    let changed = text.replacen("\"r\":[20,", "\"r\":[21,", 1);
    assert_ne!(text, changed);
    let mismatch = replay(&changed, "changed").unwrap().first_mismatch.unwrap();
    assert_eq!((mismatch.row, mismatch.detail, mismatch.field, mismatch.expected, mismatch.got), (0, None, "cwnd", 21.0, 20.0));
}

#[test]
fn unknown_algorithms_and_damaged_files_say_so_in_one_line() {
    let text = std::fs::read_to_string(folder().join("S1_reno.json")).unwrap();
    let answer = |text: &str| replay(text, "f.json").unwrap_err().to_string();
    assert_eq!(answer(&text.replace("\"reno\"", "\"nobody\"")), "f.json: not implemented: nobody");
    assert!(answer(&text[..text.len() / 2]).starts_with("f.json: not JSON: "));
    assert!(answer(&text.replace("\"mss\"", "\"m\"")).starts_with("f.json: init: mss"));
    assert!(answer(&text.replacen("[\"acks\",", "[\"snacks\",", 1)).starts_with("f.json: event 0: e: \"snacks\""));
    assert!(answer("{}").starts_with("f.json: algorithm"));
}
