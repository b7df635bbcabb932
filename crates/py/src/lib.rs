//! The native module `windtunnel._core`: converts and calls. This crate must never hold logic: what Python can obtain, a Rust
//! test can.

mod captures;
mod columns;
mod controllers;
mod episodes;
mod guests;
mod live;
mod metrics;

use std::sync::Mutex;
use std::time::{Duration, Instant};

use packetdrill::rows::Recording;
use packetdrill::segments::Law;
use packetdrill::Stack;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;
use scenario::units::{self, Unit};
use scenario::{Filled, Scenario};
use sim::{AckTrace, Beside, RunError, Watched as Observed};

use captures::Capture;
use controllers::{Described, Watched};
use guests::Named;

fn refused(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The error of a bad scenario: field and problem.
fn bad(field: &str, problem: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err((field.to_string(), problem.to_string()))
}

/// From so many flows on a scenario's text takes memory that its run needs.
const MANY_FLOWS: usize = 10_000;

fn filled(scenario_json: &str) -> PyResult<Filled> {
    let scenario = Scenario::from_json(scenario_json).map_err(|error| bad("scenario", error))?;
    scenario::fill(&scenario).map_err(|error| bad(&error.field, &error.problem))
}

/// What a scenario may say, as JSON.
#[pyfunction]
fn limits() -> String {
    sim::limits::json().to_string()
}

/// The value of a text with a unit, in SI.
#[pyfunction]
fn quantity(text: &str, unit: &str) -> PyResult<f64> {
    units::quantity(text, Unit::of_name(unit)).map_err(refused)
}

/// The field of a queue's size, and its value there.
#[pyfunction]
fn queue_size(text: &str) -> PyResult<(&'static str, f64)> {
    let size = units::queue_size(text).map_err(refused)?;
    Ok((size.field(), size.value()))
}

/// A scenario with defaults filled in, as JSON; what was adjusted; its digest.
#[pyfunction]
fn fill(scenario_json: &str) -> PyResult<(String, Vec<String>, String)> {
    let filled = filled(scenario_json)?;
    Ok((filled.shown_json(), filled.notes.clone(), filled.digest()))
}

/// The canonical JSON, of which the digest is made.
#[pyfunction]
fn canonical_json(scenario_json: &str) -> PyResult<String> {
    Ok(filled(scenario_json)?.canonical_json())
}

/// What the engine takes, as JSON.
#[pyfunction]
fn spec(scenario_json: &str) -> PyResult<String> {
    serde_json::to_string(&filled(scenario_json)?.spec()).map_err(refused)
}

/// Everything a front end must know to check a scenario, as JSON.
#[pyfunction]
fn catalogue() -> String {
    sim::catalogue().to_string()
}

/// The columns every backend writes, as JSON: frame, its columns with their types, whether it is optional, whether it is open, the
/// columns that it did not always have.
#[pyfunction]
fn schema() -> String {
    records::schema::json().to_string()
}

/// The digest of frames: of each its name, its rows, and its columns with name, type, nulls and values.
#[pyfunction]
fn records_digest(frames: Vec<(PyBackedStr, usize, Vec<columns::Given<'_>>)>) -> PyResult<String> {
    columns::digest(&frames)
}

/// Replays one kernel-vector file against our variant; a JSON report.
#[pyfunction]
fn conform(text: &str, file: &str) -> PyResult<String> {
    let report = cc::conform::replay(text, file).map_err(refused)?;
    serde_json::to_string(&report).map_err(refused)
}

/// Replays what a kernel answered segment by segment: `stimulus` is the text of a script, `rows` what the kernel printed, and `variant` of
/// `algorithm` the sender, which may be the name of one of `guests`, which are loaded, or of `classes`; a JSON report.
#[pyfunction]
#[pyo3(signature = (stimulus, rows, algorithm, variant = None, guests = Vec::new(), page_fd = None, classes = Vec::new()))]
#[allow(clippy::too_many_arguments)]
fn conform_rows(
    py: Python<'_>,
    stimulus: String,
    rows: String,
    algorithm: &str,
    variant: Option<String>,
    guests: Vec<Named>,
    page_fd: Option<i32>,
    classes: Vec<(String, Described)>,
) -> PyResult<String> {
    let page = guests::page(page_fd)?;
    let mut guests = guests::guests(&guests, &page)?;
    let watched = Watched::new(&page);
    controllers::seat(classes, &watched, &mut guests)?;
    let stack = Stack { variant, guests, ..Stack::linux(algorithm) };
    let recording = Recording { name: "rows".into(), stimulus, rows };
    let replayed = packetdrill::rows::replay(&recording, &stack);
    page.leave();
    let summary = replayed.map_err(|error| watched.caused(py, refused(error)))?.summary();
    let mismatch = summary
        .first_mismatch
        .map(|(row, field, expected, got)| serde_json::json!({ "row": row, "field": field, "expected": expected, "got": got }));
    Ok(serde_json::json!({ "rows": summary.rows, "rows_matched": summary.rows_matched, "first_mismatch": mismatch }).to_string())
}

/// Replays a file of recorded segments; a JSON report. A row is counted from 1 within its script. `algorithm`, the name of one of `guests`,
/// which are loaded, or of `classes`, stands for the recorded one.
#[pyfunction]
#[pyo3(signature = (text, algorithm = None, guests = Vec::new(), page_fd = None, classes = Vec::new()))]
fn conform_segments(
    py: Python<'_>,
    text: &str,
    algorithm: Option<&str>,
    guests: Vec<Named>,
    page_fd: Option<i32>,
    classes: Vec<(String, Described)>,
) -> PyResult<String> {
    let page = guests::page(page_fd)?;
    let mut guests = guests::guests(&guests, &page)?;
    let watched = Watched::new(&page);
    controllers::seat(classes, &watched, &mut guests)?;
    let law = algorithm.map(|name| Law { name, guests: &guests });
    let replayed = py.allow_threads(|| packetdrill::segments::replay_text_by(text, law));
    page.leave();
    let all = replayed.map_err(|error| watched.caused(py, refused(error)))?;
    let mismatch = all.first.map(|(script, first)| serde_json::json!({"script": script, "row": first.row + 1, "what": first.to_string()}));
    Ok(serde_json::json!({
        "scripts": all.scripts, "scripts_matched": all.exact, "rows": all.rows, "rows_matched": all.equal, "first_mismatch": mismatch,
    })
    .to_string())
}

/// Raises ValueError if the engine refuses the scenario; what `guests` names is loaded for that, and of each of `classes` an instance made.
#[pyfunction]
#[pyo3(signature = (scenario_json, guests = Vec::new(), page_fd = None, classes = Vec::new()))]
fn check(py: Python<'_>, scenario_json: &str, guests: Vec<Named>, page_fd: Option<i32>, classes: Vec<(String, Described)>) -> PyResult<()> {
    let page = guests::page(page_fd)?;
    let stacks = guests::stacks(&guests, &page)?;
    let mut guests = guests::guests(&guests, &page)?;
    let watched = Watched::new(&page);
    controllers::seat(classes, &watched, &mut guests)?;
    let checked =
        sim::accept_beside(&filled(scenario_json)?.spec(), &guests, &stacks).map(drop).map_err(|error| watched.caused(py, bad("", error)));
    page.leave();
    checked
}

/// Runs a scenario without the interpreter lock, but for one whose controllers are classes that are not compiled; signals are looked at every 20 ms. A panic
/// names the digest. What `guests` names is loaded into this process.
#[pyfunction]
#[pyo3(signature = (scenario_json, guests = Vec::new(), page_fd = None, classes = Vec::new()))]
fn run<'py>(
    py: Python<'py>,
    scenario_json: &str,
    guests: Vec<Named>,
    page_fd: Option<i32>,
    classes: Vec<(String, Described)>,
) -> PyResult<Bound<'py, PyDict>> {
    run_and_capture(py, scenario_json, (guests, page_fd, classes), None, None)
}

/// As [`run`] of laws of our own, and hands `take` the samples while it runs, as tables of about so many rows: those of the answer come after them.
#[pyfunction]
fn run_streamed<'py>(py: Python<'py>, take: Py<PyAny>, rows: usize, scenario_json: &str) -> PyResult<Bound<'py, PyDict>> {
    run_and_capture(py, scenario_json, (Vec::new(), None, Vec::new()), None, Some(Taker { take, drain: records::Drain::new(rows) }))
}

/// As [`run`], and writes the packets of TCP as pcapng while it runs. `wanted` is JSON: `file`, `places`, `application`, `comment`.
#[pyfunction]
#[pyo3(signature = (wanted, scenario_json, guests = Vec::new(), page_fd = None, classes = Vec::new()))]
fn run_captured<'py>(
    py: Python<'py>,
    wanted: &str,
    scenario_json: &str,
    guests: Vec<Named>,
    page_fd: Option<i32>,
    classes: Vec<(String, Described)>,
) -> PyResult<Bound<'py, PyDict>> {
    run_and_capture(py, scenario_json, (guests, page_fd, classes), Some(wanted), None)
}

/// Who takes samples while a run goes on.
struct Taker {
    take: Py<PyAny>,
    drain: records::Drain,
}

impl Taker {
    fn look(&mut self, records: &mut sim::Records) -> PyResult<u64> {
        let take = &self.take;
        self.drain.look(records, |frames| hand_over(take, frames))
    }

    fn finish(&self, records: &mut sim::Records) -> PyResult<()> {
        self.drain.finish(records, |frames| hand_over(&self.take, frames))
    }
}

fn hand_over(take: &Py<PyAny>, frames: Vec<records::Frame>) -> PyResult<()> {
    Python::with_gil(|py| take.call1(py, (columns::tables(py, frames)?,)).map(drop))
}

/// What a scenario refers to that has been loaded, or handed over.
type Given = (Vec<Named>, Option<i32>, Vec<(String, Described)>);

fn run_and_capture<'py>(
    py: Python<'py>,
    scenario_json: &str,
    (guests, page_fd, classes): Given,
    wanted: Option<&str>,
    taker: Option<Taker>,
) -> PyResult<Bound<'py, PyDict>> {
    let page = guests::page(page_fd)?;
    let stacks = guests::stacks(&guests, &page)?;
    let has_stacks = !stacks.is_empty();
    let mut guests = guests::guests(&guests, &page)?;
    let watched = Watched::new(&page);
    let holds_lock = classes.iter().any(|(_, class)| class.needs_lock());
    controllers::seat(classes, &watched, &mut guests)?;
    let filled = filled(scenario_json)?;
    let (spec, digest) = (filled.spec(), filled.digest());
    // Of very many flows both texts and the model take more memory than the run has to spare: they are made again behind it.
    let shown = (spec.flows.len() < MANY_FLOWS).then(|| filled.shown_json());
    let capture = wanted.map(|wanted| Capture::begin(wanted, &spec)).transpose()?;
    let Filled { notes, scenario } = filled;
    drop(scenario);
    let taker = taker.map(Mutex::new);
    let mut signal = None;
    let mut looked = Instant::now();
    let mut look = |records: &mut sim::Records| {
        page.beat();
        if looked.elapsed() > Duration::from_millis(20) {
            looked = Instant::now();
            signal = Python::with_gil(|py| py.check_signals()).err();
        }
        let mut next = sim::EVENTS_PER_LOOK;
        if let Some(taker) = taker.as_ref().filter(|_| signal.is_none()) {
            match taker.lock().expect("one thread").look(records) {
                Ok(events) => next = events,
                Err(error) => signal = Some(error),
            }
        }
        let has_failed = signal.is_some() || capture.as_ref().is_some_and(Capture::has_failed);
        (!has_failed).then_some(next)
    };
    let begun = Instant::now();
    let mut simulate = || {
        let beside = Beside { digest: Some(&digest), guests: &guests, stacks: &stacks };
        let (result, trace) = if spec.per_ack || capture.is_some() {
            let acks = spec.per_ack.then(AckTrace::default);
            let mut observed = Observed { acks, tap: capture.as_ref().map(Capture::tap) };
            (sim::run_watched(&spec, beside, &mut observed, &mut look), observed.acks)
        } else {
            (sim::run_silently(&spec, beside, &mut look), None)
        };
        page.leave();
        result.map(|mut run| {
            let rest = taker.as_ref().map_or(Ok(()), |taker| taker.lock().expect("one thread").finish(&mut run));
            rest.map(|()| (run.data_packets, run.core_events, records::frames(run, trace)))
        })
    };
    // Hooks in Python need the lock on every ACK: taking it each time would cost more than the hooks.
    let result = if holds_lock {
        simulate()
    } else if has_stacks {
        // What a stack's libraries keep for a thread begins anew with each run.
        py.allow_threads(|| std::thread::scope(|scope| scope.spawn(&mut simulate).join()))
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    } else {
        py.allow_threads(&mut simulate)
    };
    let wall_s = begun.elapsed().as_secs_f64();
    let captured = capture.as_ref().map(Capture::finish).transpose()?;
    match result {
        Ok(Err(error)) => Err(error),
        Ok(Ok((data_packets, events, frames))) => {
            let counters = PyDict::new(py);
            counters.set_item("data_packets", data_packets)?;
            counters.set_item("events", events)?;
            counters.set_item("wall_s", wall_s)?;
            let out = PyDict::new(py);
            out.set_item("frames", columns::tables(py, frames)?)?;
            out.set_item("counters", counters)?;
            let shown = shown.map_or_else(|| self::filled(scenario_json).map(|filled| filled.shown_json()), Ok)?;
            out.set_item("scenario", shown)?;
            out.set_item("digest", digest)?;
            out.set_item("notes", notes)?;
            out.set_item("captured", captured)?;
            Ok(out)
        }
        Err(RunError::Spec(error)) => Err(watched.caused(py, bad("", error))),
        Err(RunError::Guest(fault)) => Err(watched.caused(py, bad("", fault))),
        Err(RunError::Stack(fault)) => Err(bad("", fault)),
        Err(RunError::Interrupted(_)) => Err(signal.unwrap_or_else(|| bad("", "interrupted"))),
    }
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    controllers::declare(module)?;
    module.add_function(wrap_pyfunction!(catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(conform, module)?)?;
    module.add_function(wrap_pyfunction!(conform_rows, module)?)?;
    module.add_function(wrap_pyfunction!(conform_segments, module)?)?;
    module.add_function(wrap_pyfunction!(limits, module)?)?;
    module.add_function(wrap_pyfunction!(quantity, module)?)?;
    module.add_function(wrap_pyfunction!(queue_size, module)?)?;
    module.add_function(wrap_pyfunction!(fill, module)?)?;
    module.add_function(wrap_pyfunction!(canonical_json, module)?)?;
    module.add_function(wrap_pyfunction!(spec, module)?)?;
    module.add_function(wrap_pyfunction!(records_digest, module)?)?;
    module.add_function(wrap_pyfunction!(guests::guest_arithmetic, module)?)?;
    module.add_function(wrap_pyfunction!(guests::guest_layout, module)?)?;
    module.add_function(wrap_pyfunction!(guests::guest_made, module)?)?;
    module.add_function(wrap_pyfunction!(guests::guest_described, module)?)?;
    module.add_function(wrap_pyfunction!(guests::stack_described, module)?)?;
    module.add_function(wrap_pyfunction!(guests::guest_conform, module)?)?;
    module.add_function(wrap_pyfunction!(guests::guest_last_call, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::rates, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::common, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::jain, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::ratio_min_max, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::fraction, module)?)?;
    module.add_function(wrap_pyfunction!(metrics::epoch_s, module)?)?;
    module.add_function(wrap_pyfunction!(live::live_route, module)?)?;
    module.add_class::<episodes::Episodes>()?;
    module.add_function(wrap_pyfunction!(episodes::reading_columns, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(run_captured, module)?)?;
    module.add_function(wrap_pyfunction!(run_streamed, module)?)?;
    module.add_class::<columns::RecordsHash>()?;
    module.add_function(wrap_pyfunction!(captures::read_capture, module)?)?;
    Ok(())
}
