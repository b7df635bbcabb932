//! Congestion controllers from outside: a shared library with the table of `windtunnel.h`, or a C file in the kernel's dialect, which
//! is compiled into one.
//!
//! This crate must never know a scenario, a run or a record: it turns a file into a [`cc::GuestProtocol`], which a run takes.
//! It is the only crate that loads foreign code, and the only one below the bindings that reads files and starts programs.

pub mod abi;
mod compile;
mod connection;
mod diagnostics;
mod dialect;
mod error;
mod law;
mod library;
mod protocol;

use std::path::Path;

pub use abi::{layout, ABI, HEADER};
pub use compile::Workshop;
pub use connection::from_shown;
pub use error::GuestError;
pub use protocol::Protocol;

/// The controller in a file: a C file (`.c`) or a shared library.
///
/// # Errors
/// When the file is neither, does not compile, or holds no controller that this version can run.
pub fn open(file: &Path, workshop: &Workshop) -> Result<Protocol, GuestError> {
    let wrong = |what: &str| GuestError::new(file, what);
    if file.is_dir() {
        return Err(wrong("is a folder; give one file: C in the kernel's dialect (.c) or a shared library (.so)"));
    }
    if !file.exists() {
        return Err(wrong("does not exist"));
    }
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("c") => Protocol::of_library(&compile::compiled(file, workshop)?, file),
        Some("so" | "dylib" | "dll") => Protocol::of_library(file, file),
        _ => Err(wrong("is neither C (.c) nor a shared library (.so): its name must end so")),
    }
}
