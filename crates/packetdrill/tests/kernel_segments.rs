//! What Linux answered segment by segment, row by row: `data/kernel-segments`. The rows that differ are in `differences.txt` there, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use packetdrill::rows::{replay_folder, Replay};
use packetdrill::Stack;

/// File, rows `from-to`, and the fields that differ in each of them.
type Line = (String, String, String);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/kernel-segments")
}

fn replays(algorithm: &str) -> Vec<Replay> {
    replay_folder(&folder(), &Stack::linux(algorithm)).expect("replays")
}

/// Rows in a row in which the same fields differ are one line.
fn lines(replay: &Replay) -> Vec<Line> {
    let mut spans: Vec<(usize, usize, String)> = Vec::new();
    for difference in &replay.differences {
        let fields = difference.fields.iter().map(|(name, _, _)| name.as_str()).collect::<Vec<_>>().join(" ");
        match spans.last_mut() {
            Some((_, to, same)) if *to + 1 == difference.row && *same == fields => *to += 1,
            _ => spans.push((difference.row, difference.row, fields)),
        }
    }
    spans.into_iter().map(|(from, to, fields)| (replay.name.clone(), format!("{from}-{to}"), fields)).collect()
}

/// The file's lines, each with its cause.
fn listed() -> BTreeMap<Line, String> {
    let text = fs::read_to_string(folder().join("differences.txt")).expect("the list of differences");
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let parts: Vec<String> = line.split('|').map(|part| part.trim().to_owned()).collect();
            let [file, rows, fields, cause] = <[String; 4]>::try_from(parts).unwrap_or_else(|_| panic!("{line}: not four parts"));
            assert!(!cause.is_empty(), "{line}: no cause");
            ((file, rows, fields), cause)
        })
        .collect()
}

#[test]
fn every_row_is_the_kernels_but_for_those_listed() {
    let replays = replays("cubic");
    assert_eq!((replays.len(), replays.iter().map(|replay| replay.rows).sum::<usize>()), (9, 212));
    let found: Vec<Line> = replays.iter().flat_map(lines).collect();
    let listed = listed();
    let mut sorted = found.clone();
    sorted.sort();
    if !sorted.iter().eq(listed.keys()) {
        let cause = |line| listed.get(line).map_or("(why?)", String::as_str);
        let shown = found.iter().map(|line| format!("{} | {} | {} | {}", line.0, line.1, line.2, cause(line)));
        let values = replays.iter().flat_map(|replay| replay.differences.iter().map(|d| format!("{} {d}", replay.name)));
        let [shown, values] = [shown.collect::<Vec<_>>(), values.collect()].map(|lines| lines.join("\n"));
        panic!("other rows differ than differences.txt lists. These do:\n{shown}\nwhich are\n{values}");
    }
    assert!(replays.iter().all(|replay| replay.not_judged == 0), "a field that the stack does not know");
}

/// Three stimuli, 40 rows, in which Linux and the stack agree in every count of segments.
#[test]
fn what_agreed_when_it_was_recorded_agrees_in_every_count() {
    let exact = ["lost-retransmission", "partial-window-lost", "reorder-large"];
    let replays: Vec<Replay> = replays("cubic").into_iter().filter(|replay| exact.contains(&replay.name.as_str())).collect();
    assert_eq!(replays.iter().map(|replay| replay.rows).sum::<usize>(), 40);
    let fields = replays.iter().flat_map(|replay| &replay.differences).flat_map(|difference| &difference.fields);
    assert_eq!(fields.filter(|(name, _, _)| name != "rto").count(), 0);
}

/// Another algorithm is another sender: Reno takes half where CUBIC takes 0.7.
#[test]
fn the_rows_are_those_of_cubic() {
    let matched = |algorithm| -> usize { replays(algorithm).iter().map(Replay::matched).sum() };
    assert!(matched("reno") < matched("cubic"));
}

/// What is listed as a burst's is one. Linux sends by twos at least (`tcp_min_tso_segs`), and the last of an odd room waits where something has just left and
/// the oldest segment was sent a smoothed RTT ago or more (`tcp_tso_should_defer`), as after an undo. Where ours leave by twos every row is the kernel's.
/// Ours waits whatever the head's age, so only the stimulus with those rows is asked.
#[test]
fn the_listed_rows_are_the_kernels_where_segments_leave_by_twos() {
    let mut stack = Stack::linux("cubic");
    stack.options.offload_segments = 2;
    let replays = replay_folder(&folder(), &stack).expect("replays");
    let listed: BTreeSet<String> = listed().into_keys().map(|(file, _, _)| file).collect();
    assert_eq!(listed.iter().map(String::as_str).collect::<Vec<_>>(), ["frto-spurious"]);
    let found: Vec<Line> = replays.iter().filter(|replay| listed.contains(&replay.name)).flat_map(lines).collect();
    assert_eq!(found, []);
}
