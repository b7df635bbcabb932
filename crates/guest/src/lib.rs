//! Congestion controllers from outside: a shared library with the table of `windtunnel.h`, or a C file in the kernel's dialect, which
//! is compiled into one.
//!
//! This crate must never know a scenario, a run or a record: it turns a file into a [`cc::GuestProtocol`], which a run takes.
//! It is the only crate that loads foreign code, and the only one below the bindings that reads files and starts programs.

pub mod abi;
mod compile;
mod compiled;
pub mod conform;
mod connection;
mod diagnostics;
mod dialect;
mod error;
mod law;
mod library;
mod page;
mod protocol;
mod stack;

use std::path::Path;
use std::sync::Arc;

pub use abi::{layout, ABI, HEADER};
pub use compile::{Made, Workshop};
pub use compiled::{Compiled, CompiledLaw};
pub use connection::from_shown;
pub use dialect::ARITHMETIC;
pub use error::GuestError;
pub use law::Law;
pub use page::{Hook, LastCall, Page};
pub use protocol::Protocol;
pub use stack::StackLibrary;

/// What a file is made into: a C file (`.c`) is compiled, a shared library is copied; nothing is loaded.
///
/// # Errors
/// When the file is neither, or does not compile.
pub fn make(file: &Path, workshop: &Workshop) -> Result<Made, GuestError> {
    let wrong = |what: &str| GuestError::new(file, what);
    if file.is_dir() {
        return Err(wrong("is a folder; give one file: C in the kernel's dialect (.c) or a shared library (.so)"));
    }
    if !file.exists() {
        return Err(wrong("does not exist"));
    }
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("c") => compile::compiled(file, workshop),
        Some("so" | "dylib" | "dll") => compile::copied(file, workshop),
        _ => Err(wrong("is neither C (.c) nor a shared library (.so): its name must end so")),
    }
}

/// The controller in a file: a C file (`.c`) or a shared library.
///
/// # Errors
/// As [`make`] and [`load`].
pub fn open(file: &Path, workshop: &Workshop) -> Result<Protocol, GuestError> {
    load(&make(file, workshop)?.library, file, Arc::default())
}

/// The controller in a library that was made of `file`; its hooks say on the page that they are called.
///
/// # Errors
/// When it holds no controller that this version can run.
pub fn load(library: &Path, file: &Path, page: Arc<Page>) -> Result<Protocol, GuestError> {
    Protocol::of_library(library, file, page)
}
