//! What the tests of this crate share.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use guest::Workshop;

/// A workshop whose cache is the build's.
pub fn workshop() -> Workshop {
    Workshop { cache: Path::new(env!("CARGO_TARGET_TMPDIR")).join("controllers"), compiler: "cc".into() }
}

/// The kernel sources that the distribution installed, by version: their congestion-control modules are unpacked into the build's
/// folder, and stay there. Without any the tests say so.
pub fn kernels() -> Vec<(String, PathBuf)> {
    let given = std::env::var("WINDTUNNEL_KERNEL_SOURCES").unwrap_or_else(|_| "/usr/src".into());
    let mut found = Vec::new();
    for folder in given.split(':') {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some((version, _)) = name.strip_prefix("linux-source-").and_then(|rest| rest.split_once(".tar")) else { continue };
            found.push((version.to_owned(), unpacked(&entry.path(), version)));
        }
    }
    found.sort();
    if found.is_empty() {
        println!("skipped: no linux-source-*.tar.* in {given} (.ci/kernel-source installs it)");
    }
    found
}

fn unpacked(tarball: &Path, version: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("linux-{version}"));
    if !place.join("net").is_dir() {
        let bench = place.with_extension(std::process::id().to_string());
        fs::create_dir_all(&bench).unwrap();
        let members = [format!("linux-source-{version}/net/ipv4/tcp_*.c"), format!("linux-source-{version}/net/ipv4/tcp_*.h")];
        let mut tar = Command::new("tar");
        tar.arg("-xf").arg(tarball).args(["--strip-components=1", "--wildcards", "-C"]).arg(&bench).args(members);
        assert!(tar.status().unwrap().success(), "{} cannot be unpacked", tarball.display());
        if fs::rename(&bench, &place).is_err() {
            fs::remove_dir_all(&bench).unwrap();
        }
    }
    place
}

/// The recordings: file, the kernel's name of the algorithm, content.
pub fn vectors() -> Vec<(String, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/kernel-vectors");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |path: &PathBuf| {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let algorithm = if stem.ends_with("cubic_nohystart") { "cubic_nohystart" } else { stem.rsplit('_').next().unwrap() };
        (stem.clone(), algorithm.to_owned(), fs::read_to_string(path).unwrap())
    };
    files.iter().map(read).collect()
}
