//! What a kernel recorded, replayed against a controller from a file.

use std::panic::{catch_unwind, AssertUnwindSafe};

use cc::conform::{recorded, replay_guest, Recorded, ReplayError, Report};
use cc::{GuestFault, GuestProtocol};

use crate::protocol::Protocol;

/// Replays the recording whose content is `text`, of whatever module; `file` is only named in the answer. A recording that was made
/// without HyStart sets the parameter `hystart` to 0, and one that tells what was drawn at random pins the draw.
///
/// # Errors
/// When the recording is damaged, or the controller refuses to start or does what none may.
pub fn replay(protocol: Protocol, text: &str, file: &str) -> Result<Report, ReplayError> {
    let damaged = |what: String| ReplayError::Damaged { file: file.into(), what };
    let Recorded { is_without_hystart, phase_draw, .. } = recorded(text, file)?;
    let protocol = match phase_draw {
        Some(draw) => protocol.with_pinned_draw(draw),
        None => protocol,
    };
    let off = |name: &str| (is_without_hystart && name == "hystart").then_some(0.0);
    let values: Vec<f64> = protocol.parameters().iter().map(|p| off(&p.name).unwrap_or(p.default)).collect();
    let law = protocol.start(&values).map_err(damaged)?;
    // Nothing of a replay that unwound is looked at again.
    match catch_unwind(AssertUnwindSafe(|| replay_guest(law, text, file))) {
        Ok(report) => report,
        Err(panic) => match panic.downcast::<GuestFault>() {
            Ok(fault) => Err(damaged(fault.to_string())),
            Err(panic) => std::panic::resume_unwind(panic),
        },
    }
}
