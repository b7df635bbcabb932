//! A run's packets, written to a file.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::sync::{Arc, Mutex};

use capture::read::Wanted;
use capture::{Named, Written};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
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
        let named = Named {
            places: places.collect(),
            application: text("application"),
            comment: text("comment"),
            end_ns: spec.duration_ns,
            has_stacks: spec.flows.iter().any(|flow| flow.stack.is_some()),
        };
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

/// Reads a capture: its figures as JSON, its samples and events as columns.
#[pyfunction]
#[pyo3(signature = (file, every_ns, interface = None))]
pub(crate) fn read_capture<'py>(py: Python<'py>, file: &str, every_ns: u64, interface: Option<String>) -> PyResult<Bound<'py, PyDict>> {
    let unread = |what: String| bad(file, what);
    let opened = File::open(file).map_err(|error| unread(format!("cannot be read: {error}")))?;
    let wanted = Wanted { interface, every_ns };
    let found = py.allow_threads(|| capture::read::read(BufReader::with_capacity(BUFFER_BYTES, opened), &wanted));
    let found = found.map_err(|error| unread(error.to_string()))?;
    let (columns, events) = (found.columns(), found.events());
    let samples = PyDict::new(py);
    samples.set_item("t_s", columns.t_s.into_pyarray(py))?;
    samples.set_item("flow", columns.flow.into_pyarray(py))?;
    samples.set_item("cwnd_packets", columns.cwnd_packets.into_pyarray(py))?;
    samples.set_item("inflight_packets", columns.inflight_packets.into_pyarray(py))?;
    samples.set_item("srtt_s", columns.srtt_s.into_pyarray(py))?;
    samples.set_item("min_rtt_s", columns.min_rtt_s.into_pyarray(py))?;
    samples.set_item("delivered_bytes", columns.delivered_bytes.into_pyarray(py))?;
    samples.set_item("retransmitted_packets", columns.retransmitted_packets.into_pyarray(py))?;
    let out = PyDict::new(py);
    out.set_item("figures", found.figures().to_string())?;
    out.set_item("flow_samples", samples)?;
    out.set_item("events", events)?;
    Ok(out)
}

fn refused(file: &str, error: &std::io::Error) -> PyErr {
    bad("pcap", format!("{file:?} cannot be written: {error}; allowed: a file in a writable folder"))
}
