//! Controllers from files: made in any process, loaded in one of their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cc::{GuestProtocol, Guests};
use endpoint::{Opens, Stacks};
use guest::{GuestError, Page, StackLibrary, Workshop};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::{bad, refused};

fn unusable(error: GuestError) -> PyErr {
    PyValueError::new_err((error.file, error.what, error.compiler))
}

/// The name that a scenario has for a controller, and its library.
pub(crate) type Named = (String, PathBuf);

/// The page that the process shares with the process that watches it; one of its own without a file.
pub(crate) fn page(fd: Option<i32>) -> PyResult<Arc<Page>> {
    let Some(fd) = fd else { return Ok(Arc::default()) };
    Ok(Arc::new(Page::mapped(fd).map_err(PyOSError::new_err)?))
}

fn opened((name, library): &Named, page: &Arc<Page>) -> PyResult<guest::Protocol> {
    let (file, variant) = name.split_once(':').unwrap_or((name, ""));
    let protocol = guest::load(library, Path::new(file), Arc::clone(page)).map_err(|error| bad(&error.file, error.what))?;
    Ok(protocol.known_as(file, variant))
}

pub(crate) fn guests(named: &[Named], page: &Arc<Page>) -> PyResult<Guests> {
    let mut guests = Guests::default();
    for one in named.iter().filter(|one| !is_stack(&one.0)) {
        guests.insert(&one.0, Arc::new(opened(one, page)?));
    }
    Ok(guests)
}

/// Whether a name is that of a whole stack, `quinn:KEY`: what is made of a file has the file's ending in its name.
fn is_stack(name: &str) -> bool {
    !name.split(':').next().unwrap_or(name).contains('.')
}

/// The whole stacks among what is named.
pub(crate) fn stacks(named: &[Named], page: &Arc<Page>) -> PyResult<Stacks> {
    let mut stacks = Stacks::default();
    for (name, library) in named.iter().filter(|one| is_stack(&one.0)) {
        stacks.insert(Box::new(StackLibrary::load(library, name, Arc::clone(page)).map_err(|error| bad(&error.file, error.what))?));
    }
    Ok(stacks)
}

/// What a stack's library says of itself, as JSON; it is loaded.
#[pyfunction]
#[pyo3(signature = (library, page_fd = None))]
pub(crate) fn stack_described(library: PathBuf, page_fd: Option<i32>) -> PyResult<String> {
    let page = page(page_fd)?;
    let stack = StackLibrary::load(&library, "", Arc::clone(&page)).map_err(unusable)?;
    page.leave();
    Ok(serde_json::json!({ "version": stack.version(), "algorithms": stack.algorithms().iter().map(|named| named.own).collect::<Vec<_>>() }).to_string())
}

/// Where the fields of the header's structures are, bytes, by their names.
#[pyfunction]
pub(crate) fn guest_layout() -> BTreeMap<&'static str, BTreeMap<&'static str, usize>> {
    guest::layout().into_iter().map(|(name, _, fields)| (name, fields.into_iter().collect())).collect()
}

/// The header of the kernel's dialect that a BPF program has too: its name, and what stands in it.
#[pyfunction]
pub(crate) fn guest_arithmetic() -> (&'static str, &'static str) {
    guest::ARITHMETIC
}

/// The key and the library of a file, made in the cache; nothing is loaded.
#[pyfunction]
pub(crate) fn guest_made(py: Python<'_>, file: PathBuf, cache: PathBuf, compiler: String) -> PyResult<(String, PathBuf)> {
    let made = py.allow_threads(|| guest::make(&file, &Workshop { cache, compiler })).map_err(unusable)?;
    Ok((made.key, made.library))
}

/// What a library says of itself, as JSON; it is loaded.
#[pyfunction]
#[pyo3(signature = (library, file, page_fd = None))]
pub(crate) fn guest_described(py: Python<'_>, library: PathBuf, file: PathBuf, page_fd: Option<i32>) -> PyResult<String> {
    let page = page(page_fd)?;
    let protocol = py.allow_threads(|| guest::load(&library, &file, page)).map_err(unusable)?;
    let parameter = |p: &cc::GuestParameter| {
        serde_json::json!({
            "name": p.name, "unit": p.unit, "doc": p.doc, "default": p.default, "min": p.min, "max": p.max, "whole": p.is_integer,
        })
    };
    Ok(serde_json::json!({
        "name": protocol.name(),
        "summary": protocol.summary(),
        "parameters": protocol.parameters().iter().map(parameter).collect::<Vec<_>>(),
        "variables": protocol.variables(),
        "needs": { "control": format!("{:?}", protocol.needs().control), "ecn": protocol.needs().ecn.map(|ecn| format!("{ecn:?}")) },
    })
    .to_string())
}

/// Replays one file of a kernel's recordings against a library, which is loaded; a JSON report.
#[pyfunction]
#[pyo3(signature = (text, file, guest, page_fd = None))]
pub(crate) fn guest_conform(py: Python<'_>, text: &str, file: &str, guest: Named, page_fd: Option<i32>) -> PyResult<String> {
    let page = page(page_fd)?;
    let protocol = opened(&guest, &page)?;
    let report = py.allow_threads(|| guest::conform::replay(protocol, text, file)).map_err(refused)?;
    page.leave();
    serde_json::to_string(&report).map_err(refused)
}

/// The hook that a copy of a page says was called last, its flow and the simulated time in seconds.
#[pyfunction]
pub(crate) fn guest_last_call(page: &[u8]) -> Option<(&'static str, Option<(u64, f64)>)> {
    let last = Page::last_call(page)?;
    Some((last.hook, last.place.map(|(flow, now_ns)| (flow, now_ns as f64 * 1e-9))))
}
