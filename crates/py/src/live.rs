//! The router between network namespaces.

use ::live::{Orders, Place, Socket};
use pyo3::prelude::*;

use crate::refused;

/// A device's number, and the hardware address and the IPv4 address behind it.
type Given = (i32, [u8; 6], [u8; 4]);

/// Routes packets by the links of an engine's scenario, without the interpreter lock, until it is over or `stop` is readable; a JSON report.
/// `places` are those of each flow's sender and receiver; `begin_ns` is of the monotonic clock; with `plain` there are no links.
#[pyfunction]
#[pyo3(signature = (spec_json, sockets, places, begin_ns, plain = false))]
pub fn live_route(
    py: Python<'_>,
    spec_json: &str,
    sockets: (i32, i32),
    places: Vec<[Given; 2]>,
    begin_ns: u64,
    plain: bool,
) -> PyResult<String> {
    let spec = sim::Spec::from_json(spec_json).map_err(refused)?;
    let places = places.into_iter().map(|ends| ends.map(|(device, mac, address)| Place { device, mac, address })).collect();
    let orders = Orders { places, begin_ns, plain };
    let report = py.allow_threads(|| {
        let mut socket = Socket::new(sockets.0, sockets.1).map_err(|error| error.to_string())?;
        ::live::route(&spec, &orders, &mut socket).map_err(|error| error.to_string())
    });
    serde_json::to_string(&report.map_err(refused)?).map_err(refused)
}
