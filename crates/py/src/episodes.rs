//! Runs in steps, many at a time: actions in and readings out as arrays, so that a step of all of them crosses once.

use std::sync::Mutex;

use numpy::ndarray::{Array2, ArrayView2};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray2};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use sim::{Act, Action, Agents, Reading, RunError, Stepped, Stride, COLUMNS};
use units::Duration;

use crate::columns;
use crate::{bad, filled};

/// No thread ends while it has the runs, but with the call.
const WHOLE: &str = "runs that are whole";

type Rows<'py> = Bound<'py, PyArray2<f64>>;

/// How flows are acted for: what an action does (`factor` or `window`), its doublings, the largest window, whether segments are paced.
type Acted = (String, f64, f64, bool);

/// Names of what a reading has.
#[pyfunction]
pub(crate) fn reading_columns() -> Vec<&'static str> {
    COLUMNS.to_vec()
}

/// So many runs in steps, each with the same number of flows that are acted for.
#[pyclass(module = "windtunnel._core")]
pub(crate) struct Episodes {
    /// No other thread locks it: a step has all of it to itself.
    runs: Mutex<Vec<Option<Stepped>>>,
    flows: Vec<usize>,
    action: Option<Action>,
    stride: Stride,
    threads: usize,
}

#[pymethods]
impl Episodes {
    #[new]
    #[pyo3(signature = (count, flows, acted, rtts, seconds, threads))]
    fn new(count: usize, flows: Vec<usize>, acted: Option<Acted>, rtts: f64, seconds: Option<f64>, threads: usize) -> Episodes {
        let action = acted.map(|(act, octaves, window_max, is_paced)| Action {
            act: if act == "window" { Act::Window } else { Act::Factor { octaves } },
            window_max,
            is_paced,
        });
        let stride = seconds.map_or(Stride::Rtts(rtts), |seconds| Stride::Time(Duration::from_secs_f64(seconds)));
        let runs = Mutex::new((0..count).map(|_| None).collect());
        Episodes { runs, flows, action, stride, threads: threads.max(1) }
    }

    /// Begins run `index` anew; its readings at the first decision, a row per flow.
    fn reset<'py>(&mut self, py: Python<'py>, index: usize, scenario_json: &str) -> PyResult<Rows<'py>> {
        let place = self.runs.get_mut().expect(WHOLE).get_mut(index).ok_or_else(|| PyIndexError::new_err(index))?;
        let spec = filled(scenario_json)?.spec();
        let agents = Agents { flows: self.flows.clone(), action: self.action, stride: self.stride };
        let begun = py.allow_threads(|| Stepped::new(spec, agents));
        let (run, rows) = begun.map_err(|error| bad("", error))?;
        *place = Some(run);
        Ok(table(py, rows))
    }

    /// All runs go on by one step; a row of two numbers per flow in, run after run, and a row per flow out. Runs that are over stay as they
    /// are, and their rows are zero.
    fn step<'py>(&mut self, py: Python<'py>, actions: PyReadonlyArray2<'py, f64>) -> PyResult<Rows<'py>> {
        let (flows, threads) = (self.flows.len(), self.threads);
        let given: Vec<[f64; 2]> = pairs(actions.as_array());
        let runs = self.runs.get_mut().expect(WHOLE);
        if given.len() != flows * runs.len() {
            return Err(bad("actions", format!("{} rows; one per flow and run, {} of them", given.len(), flows * runs.len())));
        }
        let mut rows = vec![[0.0; COLUMNS.len()]; given.len()];
        let share = runs.len().div_ceil(threads).max(1);
        py.allow_threads(|| {
            let mut parts = runs.chunks_mut(share).zip(given.chunks(share * flows)).zip(rows.chunks_mut(share * flows));
            let first = parts.next();
            std::thread::scope(|scope| {
                let others: Vec<_> = parts.map(|((runs, given), rows)| scope.spawn(move || all(runs, given, rows, flows))).collect();
                let done = first.map_or(Ok(()), |((runs, given), rows)| all(runs, given, rows, flows));
                others
                    .into_iter()
                    .map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                    .fold(done, Result::and)
            })
        })
        .map_err(|error| bad("", error))?;
        Ok(table(py, rows))
    }

    /// Which runs are over, or have not begun.
    fn over(&mut self) -> Vec<bool> {
        self.runs.get_mut().expect(WHOLE).iter().map(|run| run.as_ref().is_none_or(Stepped::is_over)).collect()
    }

    /// What run `index` measured, its rest with the windows as they are; frames as of `run`. Another reset makes it anew.
    fn finish<'py>(&mut self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        let run = self.runs.get_mut().expect(WHOLE).get_mut(index).and_then(Option::take).ok_or_else(|| PyIndexError::new_err(index))?;
        let frames = py.allow_threads(|| run.finish().map(|records| records::frames(records, None)));
        columns::tables(py, frames.map_err(|error| bad("", error))?)
    }
}

fn all(runs: &mut [Option<Stepped>], given: &[[f64; 2]], rows: &mut [Reading], flows: usize) -> Result<(), RunError> {
    for ((run, given), rows) in runs.iter_mut().zip(given.chunks(flows)).zip(rows.chunks_mut(flows)) {
        if let Some(run) = run.as_mut().filter(|run| !run.is_over()) {
            rows.copy_from_slice(&run.step(given)?);
        }
    }
    Ok(())
}

fn pairs(actions: ArrayView2<'_, f64>) -> Vec<[f64; 2]> {
    actions.rows().into_iter().map(|row| [row[0], row.get(1).copied().unwrap_or(0.0)]).collect()
}

fn table(py: Python<'_>, rows: Vec<Reading>) -> Rows<'_> {
    let count = rows.len();
    let cells = rows.into_iter().flatten().collect();
    Array2::from_shape_vec((count, COLUMNS.len()), cells).expect("whole rows").into_pyarray(py)
}
