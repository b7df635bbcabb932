//! The list of verdicts: of each script its path and the SHA-256 of its text, below that what it comes to, and below that, for one that fails,
//! why, and what a kernel does.

use std::collections::BTreeMap;
use std::fmt;

/// What is listed of a script.
pub struct Entry {
    pub path: String,
    pub sha256: String,
    pub outcome: String,
    pub because: Option<String>,
}

impl Entry {
    /// The collection.
    pub fn source(&self) -> &str {
        self.path.split('/').next().expect("a part")
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}\n    {}", self.path, self.sha256, self.outcome)?;
        self.because.as_ref().map_or(Ok(()), |because| write!(f, "\n    because {because}"))
    }
}

/// The verdict alone.
pub fn kind(outcome: &str) -> &'static str {
    let found = ["pass", "trivial", "fail", "not drivable"].into_iter().find(|kind| outcome.split(" |").next() == Some(kind));
    found.unwrap_or_else(|| panic!("{outcome}: no verdict"))
}

/// The list, strictly read.
pub fn listed() -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in include_str!("verdicts.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        match (line.strip_prefix("    "), entries.last_mut()) {
            (None, _) => {
                let (path, sha256) = line.split_once(' ').unwrap_or_else(|| panic!("{line}: no digest"));
                assert!(sha256.len() == 64 && sha256.bytes().all(|sign| sign.is_ascii_hexdigit()), "{line}: no digest");
                entries.push(Entry { path: path.into(), sha256: sha256.into(), outcome: String::new(), because: None });
            }
            (Some(text), Some(entry)) if entry.outcome.is_empty() => text.clone_into(&mut entry.outcome),
            (Some(text), Some(entry)) if entry.because.is_none() => entry.because = text.strip_prefix("because ").map(str::to_owned),
            _ => panic!("{line}: of no script"),
        }
    }
    for entry in &entries {
        assert_eq!(kind(&entry.outcome) == "fail", entry.because.is_some(), "{}: a script that fails needs a reason, no other", entry.path);
    }
    entries
}

/// How many scripts have which verdict, as the page of validation shows it.
pub fn table(entries: &[Entry]) -> String {
    let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for entry in entries {
        for source in [entry.source(), "~all"] {
            *counts.entry(source).or_default().entry(kind(&entry.outcome)).or_default() += 1;
        }
    }
    let mut lines =
        vec!["| collection | scripts | pass | trivial | fail | not drivable |".to_owned(), "|---|---:|---:|---:|---:|---:|".to_owned()];
    for (source, counts) in &counts {
        let of = |kind| counts.get(kind).copied().unwrap_or(0);
        let cells = ["pass", "trivial", "fail", "not drivable"].map(|kind| of(kind).to_string());
        lines.push(format!("| {} | {} | {} |", source.trim_start_matches('~'), counts.values().sum::<usize>(), cells.join(" | ")));
    }
    lines.join("\n")
}
