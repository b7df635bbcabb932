//! The native module `windtunnel._core`: converts and calls. This crate must never hold logic: what Python can obtain, a Rust
//! test can.

mod columns;

use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sim::{AckTrace, RunError, Silent, Spec};

fn refused(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn parse(spec_json: &str) -> PyResult<Spec> {
    serde_json::from_str(spec_json).map_err(|error| refused(format!("scenario: {error}")))
}

/// Everything a front end must know to check a scenario, as JSON.
#[pyfunction]
fn catalogue() -> String {
    sim::catalogue().to_string()
}

/// Replays one kernel-vector file against our variant; a JSON report.
#[pyfunction]
fn conform(text: &str, file: &str) -> PyResult<String> {
    let report = cc::conform::replay(text, file).map_err(refused)?;
    serde_json::to_string(&report).map_err(refused)
}

/// Raises ValueError if the engine refuses the scenario.
#[pyfunction]
fn check(spec_json: &str) -> PyResult<()> {
    sim::accept(&parse(spec_json)?).map(drop).map_err(refused)
}

/// Runs a scenario without the interpreter lock; signals are looked at every 20 ms. A panic names the digest.
#[pyfunction]
#[pyo3(signature = (spec_json, digest=None))]
fn run<'py>(py: Python<'py>, spec_json: &str, digest: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
    let spec = parse(spec_json)?;
    let mut signal = None;
    let mut looked = Instant::now();
    let mut interrupted = || {
        if looked.elapsed() > Duration::from_millis(20) {
            looked = Instant::now();
            signal = Python::with_gil(|py| py.check_signals()).err();
        }
        signal.is_some()
    };
    let begun = Instant::now();
    let (result, trace) = py.allow_threads(|| {
        let (result, trace) = if spec.per_ack {
            let mut trace = AckTrace::default();
            (sim::run_named(&spec, digest, &mut trace, &mut interrupted), Some(trace))
        } else {
            (sim::run_named(&spec, digest, &mut Silent, &mut interrupted), None)
        };
        (result.map(|records| (records.flow_samples.columns(), records)), trace)
    });
    let wall_s = begun.elapsed().as_secs_f64();
    match result {
        Ok((samples, records)) => columns::convert(py, records, samples, trace, wall_s),
        Err(RunError::Spec(error)) => Err(refused(error)),
        Err(RunError::Interrupted(_)) => Err(signal.unwrap_or_else(|| refused("interrupted"))),
    }
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(conform, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    Ok(())
}
