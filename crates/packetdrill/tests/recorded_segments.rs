//! The gate: what Linux 6.1 and 6.12 answered to thousands of scripts, row by row. What still differs is listed, and a change either way fails.
//!
//! `make segments-redraw` writes the list anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use packetdrill::segments::{cause, read, replay, replay_text, Recording};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/kernel-segments").join(name)
}

fn files(folder: &Path) -> Vec<(String, Vec<Recording>)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    let named = |path: &PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("a file");
        read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    files.iter().map(|path| (named(path), read(path))).collect()
}

/// How much was compared, and by cause how many scripts differ.
#[derive(Default)]
struct Sums {
    scripts: usize,
    exact: usize,
    rows: usize,
    equal: usize,
    causes: BTreeMap<String, usize>,
}

impl Sums {
    fn header(&self) -> String {
        let Sums { scripts, exact, rows, equal, .. } = self;
        let mut made = format!("# {exact} of {scripts} scripts agree in every row; {equal} of {rows} rows do.\n");
        let mut causes: Vec<_> = self.causes.iter().collect();
        causes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (name, count) in causes {
            writeln!(made, "# {count:4} {name}").expect("text");
        }
        made + "# algorithm, script, first row that differs, cause as far as the recording tells\n"
    }
}

/// Every row of a folder is the kernel's but for those listed there. Returns how many scripts it has.
fn replayed(folder: &Path, profile: &str) -> usize {
    let mut sums = Sums::default();
    let mut lines = String::new();
    for (algorithm, recordings) in files(folder) {
        for recording in &recordings {
            assert_eq!(recording.profile(), profile, "{algorithm}");
            let played = replay(recording).unwrap_or_else(|error| panic!("{algorithm}: {error}"));
            sums.scripts += 1;
            sums.rows += played.rows;
            sums.equal += played.equal;
            sums.exact += usize::from(played.first.is_none());
            if let Some(difference) = &played.first {
                let cause = cause(recording, difference);
                writeln!(lines, "{algorithm} {} {} {cause}", recording.name, difference.row).expect("text");
                *sums.causes.entry(cause).or_default() += 1;
            }
        }
    }
    let made = sums.header() + &lines;
    let path = folder.join("differences");
    if std::env::var("SEGMENTS").is_ok_and(|value| value == "redraw") {
        std::fs::write(&path, &made).expect("a list");
    }
    let listed = std::fs::read_to_string(&path).expect("a list");
    let [listed, made]: [Vec<&str>; 2] = [listed.lines().collect(), made.lines().collect()];
    let only = |these: &[&str], others: &[&str]| these.iter().filter(|line| !others.contains(line)).map(ToString::to_string).collect();
    let [gone, new]: [Vec<String>; 2] = [only(&listed, &made), only(&made, &listed)];
    assert!(gone.is_empty() && new.is_empty(), "listed, and not so any more: {gone:#?}\nnot listed: {new:#?}");
    sums.scripts
}

#[test]
fn every_row_is_the_kernels_but_for_those_listed() {
    let scripts = replayed(&folder("recorded"), "linux-6.1");
    assert!(scripts >= 3000, "{scripts} scripts");
}

#[test]
fn every_row_is_the_newer_kernels_but_for_those_listed() {
    let scripts = replayed(&folder("recorded-6.12"), "linux-6.12");
    assert!(scripts >= 3000, "{scripts} scripts");
}

/// Others than those that are kept whole were drawn, and these were not the kernel's when they first were.
#[test]
fn every_row_that_once_differed_is_the_kernels_but_for_those_listed() {
    assert_eq!(replayed(&folder("once-different"), "linux-6.1"), 23);
}

#[test]
fn a_changed_answer_is_found() {
    let (_, mut recordings) = files(&folder("recorded")).into_iter().find(|(algorithm, _)| algorithm == "reno").expect("reno");
    let exact = |recording: &&mut Recording| replay(recording).is_ok_and(|played| played.first.is_none());
    let recording = recordings.iter_mut().find(exact).expect("an exact one");
    let row = recording.rows.iter().rposition(|row| row.state.is_some()).expect("a row");
    recording.rows[row].state.as_mut().expect("a state")[0] += 1;
    let difference = replay(recording).expect("a replay").first.expect("a difference");
    assert_eq!((difference.row, difference.fields.len(), difference.fields[0].0), (row, 1, "snd_cwnd"));
}

/// What the front end shows of a file is the sum of its scripts.
#[test]
fn a_file_s_rows_are_those_of_its_scripts() {
    let path = folder("recorded-6.12").join("vegas.txt");
    let text = std::fs::read_to_string(path).expect("a file");
    let recordings = read(&text).expect("recordings");
    let played: Vec<_> = recordings.iter().map(|recording| replay(recording).expect("a replay")).collect();
    let all = replay_text(&text).expect("a file");
    assert_eq!((all.scripts, all.rows), (recordings.len(), recordings.iter().map(|recording| recording.rows.len()).sum::<usize>()));
    assert_eq!(all.equal, played.iter().map(|one| one.equal).sum::<usize>());
    assert_eq!(all.exact, played.iter().filter(|one| one.first.is_none()).count());
    assert_eq!(replay_text("# Linux 6.1, reno: 0 scripts\n").err(), Some("there is no script in it".into()));
}
