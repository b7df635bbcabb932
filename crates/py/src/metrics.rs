//! Metrics over columns from Python.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use records::metrics::{self, Flows};

use crate::columns::contiguous;

type Doubles<'py> = PyReadonlyArray1<'py, f64>;
type Flags<'py> = PyReadonlyArray1<'py, bool>;
type Made<'py> = Bound<'py, PyArray1<f64>>;

/// Seconds of the window, packets, payload bytes, IP bits of a packet, whether it sends datagrams.
#[derive(FromPyObject)]
pub(crate) struct Delivered<'py>(Doubles<'py>, Doubles<'py>, Doubles<'py>, Doubles<'py>, Flags<'py>);

/// Packets sent and retransmitted in the window, sent and lost in the whole run.
#[derive(FromPyObject)]
pub(crate) struct Packets<'py>(Doubles<'py>, Doubles<'py>, Doubles<'py>, Doubles<'py>);

impl Delivered<'_> {
    fn view(&self) -> PyResult<metrics::Delivered<'_>> {
        Ok(metrics::Delivered {
            window_s: contiguous(&self.0)?,
            packets: contiguous(&self.1)?,
            payload_bytes: contiguous(&self.2)?,
            packet_bits: contiguous(&self.3)?,
            is_datagrams: contiguous(&self.4)?,
        })
    }
}

/// Throughput and goodput of each flow.
#[pyfunction]
pub(crate) fn rates<'py>(py: Python<'py>, delivered: Delivered<'py>) -> PyResult<(Made<'py>, Made<'py>)> {
    let view = delivered.view()?;
    Ok((view.throughput_bps().into_pyarray(py), view.goodput_bps().into_pyarray(py)))
}

/// What flows are together.
#[pyfunction]
pub(crate) fn common<'py>(
    py: Python<'py>,
    delivered: Delivered<'py>,
    packets: Packets<'py>,
    is_forward: Flags<'py>,
    measured_s: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let flows = Flows {
        delivered: delivered.view()?,
        is_forward: contiguous(&is_forward)?,
        window_sent: contiguous(&packets.0)?,
        window_retransmitted: contiguous(&packets.1)?,
        sent: contiguous(&packets.2)?,
        lost: contiguous(&packets.3)?,
    };
    let found = metrics::common(&flows, measured_s);
    let out = PyDict::new(py);
    out.set_item("jain", found.jain)?;
    out.set_item("ratio_min_max", found.ratio_min_max)?;
    out.set_item("throughput_bps", found.throughput_bps)?;
    out.set_item("goodput_bps", found.goodput_bps)?;
    out.set_item("loss_overhead", found.loss_overhead)?;
    out.set_item("lost_fraction", found.lost_fraction)?;
    Ok(out)
}

/// Jain's index.
#[pyfunction]
pub(crate) fn jain(rates: Vec<f64>) -> Option<f64> {
    metrics::jain(&rates)
}

/// The smallest over the largest.
#[pyfunction]
pub(crate) fn ratio_min_max(rates: Vec<f64>) -> Option<f64> {
    metrics::ratio_min_max(&rates)
}

/// The sum of one column over that of another.
#[pyfunction]
pub(crate) fn fraction(part: Doubles<'_>, whole: Doubles<'_>) -> PyResult<Option<f64>> {
    Ok(metrics::fraction(contiguous(&part)?, contiguous(&whole)?))
}

/// The mean time between ascending times.
#[pyfunction]
pub(crate) fn epoch_s(times_s: Doubles<'_>) -> PyResult<Option<f64>> {
    Ok(metrics::epoch_s(contiguous(&times_s)?))
}
