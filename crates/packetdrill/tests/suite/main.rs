//! The public scripts, each with the verdict that `verdicts.txt` has of it: `make packetdrill`.
//!
//! They are under the GPL, so they are read where the user has them, in the folders that `PACKETDRILL` names, and nothing of them is kept here but names
//! and digests. Without a folder nothing is run, and that is said.

mod found;
mod verdicts;

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;

use packetdrill::{run, Outcome, Stack, Verdict};

use found::{scripts, Script, LAYOUTS};
use verdicts::{listed, Entry};

fn digest(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What differs from the list, if anything, as a line for it and why.
fn complaint(script: &Script, outcome: &Outcome, known: &[&Entry]) -> Option<String> {
    let sha256 = digest(&script.text);
    let now = Entry { path: script.path.clone(), sha256, outcome: outcome.to_string(), because: None };
    let same = known.iter().find(|entry| entry.sha256 == now.sha256);
    let why = match same {
        Some(entry) if entry.outcome == now.outcome => return None,
        Some(entry) => format!("was: {}", entry.outcome),
        None if known.is_empty() => "is new; if the verdict is right, add:".into(),
        None => "is another text than any that has a verdict; if the verdict is right, add:".into(),
    };
    let mark = if matches!(outcome.verdict, Verdict::Fail(_)) { "\n    because (say who is right, and why)" } else { "" };
    Some(format!("{} {why}\n{now}{mark}", script.path))
}

#[test]
fn every_script_has_the_verdict_that_is_listed() {
    let folders = env::var("PACKETDRILL").unwrap_or_default();
    let folders: Vec<PathBuf> = folders.split([':', '\n']).filter(|name| !name.is_empty()).map(PathBuf::from).collect();
    let entries = listed();
    let mut by_path: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in &entries {
        by_path.entry(&entry.path).or_default().push(entry);
    }
    let scripts = scripts(&folders);
    let mut complaints = Vec::new();
    let mut counts: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for script in &scripts {
        let outcome = run(&script.text, &Stack::linux("cubic"));
        let known = by_path.get(script.path.as_str()).map_or(&[][..], Vec::as_slice);
        complaints.extend(complaint(script, &outcome, known));
        *counts.entry(script.source().into()).or_default().entry(verdicts::kind(&outcome.to_string())).or_default() += 1;
    }
    for (source, counts) in &counts {
        let parts: Vec<String> = counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
        println!("{source}: {}", parts.join(", "));
    }
    for (_, source) in LAYOUTS.iter().filter(|(_, source)| !counts.contains_key(*source)) {
        let verdicts = entries.iter().filter(|entry| entry.source() == *source).count();
        println!("{source}: skipped, {verdicts} verdicts not compared: no folder of these scripts (PACKETDRILL names folders)");
    }
    assert!(complaints.is_empty(), "{} verdicts differ from tests/suite/verdicts.txt:\n\n{}\n", complaints.len(), complaints.join("\n"));
}

/// Which verdicts there are is on the page that a reader sees.
#[test]
fn the_page_of_validation_counts_the_verdicts() {
    let page = include_str!("../../../../docs/validation/kernel.md");
    let table = verdicts::table(&listed());
    assert!(page.contains(&table), "docs/validation/kernel.md should have\n{table}");
}
