//! Clients, checked.

use super::laws::accept_law;
use super::refusal::refuse;
use crate::error::SpecError;
use crate::limits::{REQUEST_BYTES, REQUEST_COUNT, RESPONSE_BYTES, THINK_S};
use crate::spec::{FlowSpec, RequestsSpec};

/// Refuses what no client of flow `index` can be.
pub(crate) fn accept_requests(index: usize, given: &RequestsSpec, flow: &FlowSpec) -> Result<(), SpecError> {
    let field = |name: &str| format!("flows[{index}].{name}");
    if flow.bytes.is_some() || flow.writes.is_some() {
        let other = if flow.bytes.is_some() { "bytes" } else { "writes" };
        return refuse(field("response"), "given", format!("leave out {other}: a flow sends what it is asked for, or that"));
    }
    if let Some(count) = given.count.filter(|&count| !REQUEST_COUNT.holds(count as f64)) {
        return refuse(field("requests"), count, format!("give {REQUEST_COUNT}"));
    }
    accept_law(&field("request"), given.sizes, 1.0, REQUEST_BYTES)?;
    accept_law(&field("response"), given.responses, 1.0, RESPONSE_BYTES)?;
    accept_law(&field("think"), given.think, 1e9, THINK_S)
}
