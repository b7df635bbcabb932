//! The folder of this library: the kernel is beside it, and what it is.
#![allow(unsafe_code)]

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What is beside this library.
#[derive(Debug, Default)]
pub struct Place {
    /// The kernel's program.
    pub kernel: PathBuf,
    /// Its version.
    pub version: String,
    /// Its congestion controls.
    pub algorithms: Vec<String>,
}

impl Place {
    /// Read once; empty where there is none.
    pub fn get() -> &'static Place {
        static PLACE: OnceLock<Place> = OnceLock::new();
        PLACE.get_or_init(|| folder().and_then(|folder| read(&folder)).unwrap_or_default())
    }
}

/// Two lines of the file `kernel`: version, and controls with blanks between.
fn read(folder: &Path) -> Option<Place> {
    let text = std::fs::read_to_string(folder.join("kernel")).ok()?;
    let mut lines = text.lines();
    let version = lines.next()?.to_owned();
    let algorithms = lines.next()?.split_whitespace().map(str::to_owned).collect();
    Some(Place { kernel: folder.join("linux"), version, algorithms })
}

fn folder() -> Option<PathBuf> {
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the address is one of this library; the answer is written where it is asked for, and its name stays as long as the library.
    let name = unsafe {
        if libc::dladdr((folder as fn() -> Option<PathBuf>) as *const libc::c_void, found.as_mut_ptr()) == 0 {
            return None;
        }
        CStr::from_ptr(found.assume_init().dli_fname)
    };
    Path::new(OsStr::from_bytes(name.to_bytes())).parent().map(Path::to_owned)
}
