//! The example package is built as an outsider builds one, its tests pass, and its library gives the windows of the same law inside.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use cc::Guests;
use guest::Workshop;
use scenario::model::{Link, Scenario};
use sim::{run_with, AckHash, Beside};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

fn example() -> PathBuf {
    Path::new(HERE).join("../../examples/rust-controller")
}

/// Runs cargo on a package; answers where it builds.
fn cargo(package: &Path, arguments: &[&str]) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outsider");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).args(["--quiet", "--offline", "--locked"]).env("CARGO_TARGET_DIR", &place);
    cargo.arg("--manifest-path").arg(package.join("Cargo.toml"));
    assert!(cargo.status().unwrap().success(), "{cargo:?}");
    place
}

/// The blocks of code in a language of the guide, one after the other.
fn blocks(guide: &str, language: &str) -> String {
    let begin = format!("```{language}\n");
    guide.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap()).collect::<Vec<_>>().join("\n")
}

fn hash(algorithm: &str, guests: &Guests) -> AckHash {
    let mut scenario = Scenario::of(Link::of(50e6));
    (scenario.rtt_s, scenario.duration_s) = (Some(0.04), 20.0);
    scenario.flows = vec![scenario::model::Flow::of(algorithm), scenario::model::Flow::of("reno")];
    let mut hash = AckHash::default();
    let spec = scenario::fill(&scenario).unwrap().spec();
    run_with(&spec, Beside { guests, ..Beside::default() }, &mut hash, || false).unwrap();
    hash
}

#[test]
fn the_example_and_the_guide_build_pass_their_tests_and_run_as_a_library() {
    let place = cargo(&example(), &["test", "--lib"]);
    cargo(&example(), &["build"]);
    let library = place.join("debug/librust_controller.so");
    let workshop = Workshop { cache: place.join("controllers"), compiler: "cc".into() };
    let mut guests = Guests::default();
    guests.insert("./aimd.so", Arc::new(guest::open(&library, &workshop).unwrap()));
    // RFC 5681 with a real-valued window.
    assert_eq!(hash("./aimd.so", &guests), hash("reno:rfc", &Guests::default()));
    // The guide's own code is a package as well. In one test, for cargo locks the folder.
    let guide = fs::read_to_string(Path::new(HERE).join("../../docs/guides/rust.md")).unwrap();
    let package = place.join("guide");
    fs::create_dir_all(package.join("src")).unwrap();
    let rest = blocks(&guide, "toml").replace("../windtunnel/crates/windtunnel", HERE);
    let head = "[package]\nname = \"rust-controller\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n\n";
    fs::write(package.join("Cargo.toml"), format!("{head}{rest}")).unwrap();
    fs::write(package.join("src/lib.rs"), blocks(&guide, "rust")).unwrap();
    fs::copy(example().join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    cargo(&package, &["test", "--lib"]);
}
