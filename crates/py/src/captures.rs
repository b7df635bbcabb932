//! A run's packets, written to a file.

use std::fs::File;
use std::io::BufWriter;
use std::sync::{Arc, Mutex};

use capture::{Named, Written};
use pyo3::prelude::*;
use sim::{Place, SharedTap, Spec};

use crate::bad;

/// Bytes that wait for one write to the file.
const BUFFER_BYTES: usize = 1 << 18;

/// A capture that is being written.
pub(crate) struct Capture {
    written: Arc<Mutex<Written<BufWriter<File>>>>,
    file: String,
}

impl Capture {
    /// Opens the file and writes how it begins.
    pub(crate) fn begin(wanted: &str, spec: &Spec) -> PyResult<Capture> {
        let wanted: serde_json::Value = serde_json::from_str(wanted).map_err(|error| bad("pcap", error))?;
        let text = |key: &str| wanted[key].as_str().unwrap_or_default().to_owned();
        let file = text("file");
        let places = wanted["places"].as_array().into_iter().flatten().filter_map(|place| place.as_str().and_then(Place::of_name));
        let named =
            Named { places: places.collect(), application: text("application"), comment: text("comment"), end_ns: spec.duration_ns };
        let opened = File::create(&file).and_then(|opened| Written::new(BufWriter::with_capacity(BUFFER_BYTES, opened), &named));
        let written = Arc::new(Mutex::new(opened.map_err(|error| refused(&file, &error))?));
        Ok(Capture { written, file })
    }

    /// What packets are shown to.
    pub(crate) fn tap(&self) -> SharedTap {
        capture::shared(&self.written)
    }

    /// The file takes no more.
    pub(crate) fn has_failed(&self) -> bool {
        capture::with(&self.written, |written| written.has_failed())
    }

    /// Writes what waits; returns how many packets were written at the sender, the bottleneck and the receiver, and how many waited at most.
    pub(crate) fn finish(&self) -> PyResult<([u64; 3], usize)> {
        let finished = capture::with(&self.written, Written::finish);
        finished.map(|counts| (counts.packets, counts.waited)).map_err(|error| refused(&self.file, &error))
    }
}

fn refused(file: &str, error: &std::io::Error) -> PyErr {
    bad("pcap", format!("{file:?} cannot be written: {error}; allowed: a file in a writable folder"))
}
