//! The scripts in folders.

use std::fs;
use std::path::{Path, PathBuf};

/// Where a collection has its scripts, and its name here.
pub const LAYOUTS: [(&str, &str); 3] = [
    ("gtests/net/tcp", "google"),
    ("tools/testing/selftests/net/packetdrill", "linux"),
    ("gtests/net/packetdrill/tests/linux", "google-2013"),
];

/// A script that was found.
pub struct Script {
    /// The collection's name and the path within it.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl Script {
    /// The collection.
    pub fn source(&self) -> &str {
        self.path.split('/').next().expect("a part")
    }
}

/// All scripts in `folders`: of a known collection, wherever in or above the folder it lies, or of the folder as it is called.
pub fn scripts(folders: &[PathBuf]) -> Vec<Script> {
    let mut found = Vec::new();
    for folder in folders {
        assert!(folder.is_dir(), "{}: no folder", folder.display());
        let known = LAYOUTS.iter().find_map(|(layout, source)| {
            let inside = folder.join(layout);
            let root = if inside.is_dir() { inside } else { folder.clone() };
            root.ends_with(layout).then_some((root, *source))
        });
        let (root, source) =
            known.unwrap_or_else(|| (folder.clone(), folder.file_name().and_then(|name| name.to_str()).unwrap_or("other")));
        let mut paths = Vec::new();
        collect(&root, &mut paths);
        assert!(!paths.is_empty(), "{}: no scripts", root.display());
        for path in paths {
            let within = path.strip_prefix(&root).expect("within").display().to_string();
            let text = fs::read(&path).expect("a script");
            found.push(Script { path: format!("{source}/{within}"), text: String::from_utf8_lossy(&text).into_owned() });
        }
    }
    found
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "pkt") {
            paths.push(path);
        }
    }
}
