//! Frames as dictionaries of numpy arrays, each column crossing once; and columns from Python, as they are hashed.

use std::borrow::Cow;

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyDict;
use records::{Cells, Column, ColumnView, Frame, FrameView, Payload};

/// Frames by name, each a table of columns by name. What was not measured at all is left out.
pub(crate) fn tables(py: Python<'_>, frames: Vec<Frame>) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    for frame in frames {
        let table = PyDict::new(py);
        for column in frame.columns.into_iter().filter(|column| !column.is_absent()) {
            put(&table, column)?;
        }
        out.set_item(frame.name, table)?;
    }
    Ok(out)
}

/// Numbers of which some are null cross as doubles, which hold those that a run can reach, with NaN for null.
fn put(table: &Bound<'_, PyDict>, column: Column) -> PyResult<()> {
    let (py, name) = (table.py(), column.name);
    if let Some(numbers) = column.numbers_with_nulls() {
        return table.set_item(name, numbers.into_pyarray(py));
    }
    match column.cells {
        Cells::Float64(cells) => table.set_item(name, cells.into_pyarray(py)),
        Cells::UInt64(cells) => table.set_item(name, cells.into_pyarray(py)),
        Cells::UInt32(cells) => table.set_item(name, cells.into_pyarray(py)),
        Cells::UInt8(cells) => table.set_item(name, cells.into_pyarray(py)),
        Cells::Int32(cells) => table.set_item(name, cells.into_pyarray(py)),
        Cells::String(cells) => {
            let nulls = column.nulls.unwrap_or_default();
            let words = cells.iter().enumerate().map(|(row, word)| (!nulls.get(row).is_some_and(|&null| null)).then_some(&**word));
            table.set_item(name, words.collect::<Vec<_>>())
        }
    }
}

/// A column from Python: its name, the name of its type, where it is null, and its values, as bytes or as words.
#[derive(FromPyObject)]
pub(crate) struct Given<'py>(PyBackedStr, PyBackedStr, Option<PyReadonlyArray1<'py, bool>>, Values<'py>);

#[derive(FromPyObject)]
pub(crate) enum Values<'py> {
    Bytes(PyReadonlyArray1<'py, u8>),
    Words(Vec<PyBackedStr>),
}

pub(crate) fn contiguous<'a, T: numpy::Element>(array: &'a PyReadonlyArray1<'_, T>) -> PyResult<&'a [T]> {
    array.as_slice().map_err(|error| PyValueError::new_err(error.to_string()))
}

impl Given<'_> {
    fn view(&self) -> PyResult<ColumnView<'_>> {
        let Given(name, kind, nulls, values) = self;
        let payload = values.payload()?;
        let nulls = nulls.as_ref().map(contiguous).transpose()?.map(Cow::Borrowed);
        Ok(ColumnView { name: Cow::Borrowed(name), kind: Cow::Borrowed(kind), nulls, payload })
    }
}

/// The digest of records that are hashed a piece at a time.
#[pyclass]
#[derive(Default)]
pub(crate) struct RecordsHash(records::Hasher);

#[pymethods]
impl RecordsHash {
    #[new]
    fn new() -> RecordsHash {
        RecordsHash::default()
    }

    /// A frame begins.
    fn frame(&mut self, name: &str, height: usize) {
        self.0.frame(name, height);
    }

    /// A column of it begins; false if it does not count.
    fn column(&mut self, name: &str, kind: &str, is_absent: bool) -> bool {
        self.0.column(name, kind, is_absent)
    }

    /// Where its next rows are null; an array of bool, or None where none is.
    #[pyo3(signature = (rows, nulls))]
    fn nulls(&mut self, rows: usize, nulls: Option<PyReadonlyArray1<'_, bool>>) -> PyResult<()> {
        self.0.nulls(rows, nulls.as_ref().map(contiguous).transpose()?);
        Ok(())
    }

    /// The values of its next rows, as little-endian bytes; or all of its words.
    fn values(&mut self, values: Values<'_>) -> PyResult<()> {
        self.0.values(&values.payload()?);
        Ok(())
    }

    /// The digest of what was given, in hexadecimal.
    fn digest(&self) -> String {
        self.0.clone().finish()
    }
}

impl Values<'_> {
    fn payload(&self) -> PyResult<Payload<'_>> {
        Ok(match self {
            Values::Bytes(bytes) => Payload::Numbers(Cow::Borrowed(contiguous(bytes)?)),
            Values::Words(words) => Payload::Words(words.iter().map(|word| Cow::Borrowed(&**word)).collect()),
        })
    }
}

/// The digest of frames from Python: each its name, its rows and its columns.
pub(crate) fn digest(frames: &[(PyBackedStr, usize, Vec<Given<'_>>)]) -> PyResult<String> {
    let views: Vec<FrameView<'_>> = frames
        .iter()
        .map(|(name, height, columns)| {
            let columns = columns.iter().map(Given::view).collect::<PyResult<_>>()?;
            Ok(FrameView { name: Cow::Borrowed(&**name), height: *height, columns })
        })
        .collect::<PyResult<_>>()?;
    Ok(records::digest(views))
}
