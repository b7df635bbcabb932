//! Clients that ask for what a flow sends.

use sim::RequestsSpec;

use crate::laws::law;
use crate::model::{Flow, Law, LawKind, SHAPE};
use crate::ScenarioError;

/// A request that names no size: one packet, bytes.
const REQUEST: Law = Law { law: LawKind::Fixed, mean: 400.0, shape: None };

/// Thoughts that name no law, seconds: those of sessions.
const THINK: Law = Law { law: LawKind::Exponential, mean: 1.0, shape: None };

/// Flow `index` with every law of its client filled in, if it has one.
///
/// # Errors
/// When a client is described that gets no responses.
pub(crate) fn filled(flow: &Flow, index: usize) -> Result<Flow, ScenarioError> {
    let Some(responses) = flow.response_bytes else {
        let others = [("request", flow.request_bytes.is_some()), ("think", flow.think_s.is_some()), ("requests", flow.requests.is_some())];
        return match others.iter().find(|(_, is_given)| *is_given) {
            None => Ok(flow.clone()),
            Some((name, _)) => Err(ScenarioError {
                field: format!("flows[{index}].response_bytes"),
                problem: format!("is missing, and {name} is given; allowed: both, or none"),
            }),
        };
    };
    let whole = |given: Law| Law { shape: given.shape.or((given.law == LawKind::Pareto).then_some(SHAPE)), ..given };
    Ok(Flow {
        response_bytes: Some(whole(responses)),
        request_bytes: Some(whole(flow.request_bytes.unwrap_or(REQUEST))),
        think_s: Some(whole(flow.think_s.unwrap_or(THINK))),
        ..flow.clone()
    })
}

/// What the engine takes of a filled flow's client.
pub(crate) fn spec(flow: &Flow) -> Option<RequestsSpec> {
    let scaled = |given: Law, scale: f64| law(given.law, given.mean * scale, given.shape);
    Some(RequestsSpec {
        count: flow.requests,
        responses: scaled(flow.response_bytes?, 1.0),
        sizes: scaled(flow.request_bytes?, 1.0),
        think: scaled(flow.think_s?, 1e9),
    })
}
