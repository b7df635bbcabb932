//! Five segments in every order: which ACKs leave, when, and with which blocks (FreeBSD's scripts, in the folder of the same name).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use packetdrill::{run, Stack, Verdict};

/// ACKs compared in all.
const ACKS: usize = 689;
/// Orders in which Linux's ACKs are FreeBSD's.
const LINUX_PASSES: usize = 77;

fn scripts() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/freebsd");
    let paths = fs::read_dir(folder).expect("the scripts").map(|entry| entry.expect("an entry").path());
    let scripts = paths.filter(|path| path.extension().is_some_and(|extension| extension == "pkt"));
    scripts.map(|path| (path.display().to_string(), fs::read_to_string(&path).expect("a script"))).collect()
}

/// Until the connection ends, which is at once in the script with the FIN: it compares one ACK, and is no pass.
#[test]
fn every_order_is_acknowledged_as_freebsd_does() {
    let (mut passed, mut acks) = (0, 0);
    for (path, text) in scripts() {
        let outcome = run(&text, &Stack::freebsd());
        let is_cut_short = path.contains("5F4321");
        let expected = if is_cut_short { Verdict::Trivial } else { Verdict::Pass };
        assert_eq!(outcome.verdict, expected, "{path}: {outcome}");
        passed += usize::from(!is_cut_short);
        acks += outcome.counts.acks;
    }
    assert_eq!((passed, acks), (120, ACKS));
}

/// Linux acknowledges the first segments one by one and holds ACKs behind a hole back: other orders pass then, which shows that the scripts can fail.
#[test]
fn a_receiver_that_acknowledges_as_linux_does_is_told_apart() {
    let stack = Stack { is_prompt_at_end: true, ..Stack::linux("cubic") };
    let passes = scripts().values().filter(|text| run(text, &stack).verdict == Verdict::Pass).count();
    assert_eq!(passes, LINUX_PASSES);
}
