//! Controllers of a user's own crate: none. `windtunnel stacks build quinn --with FOLDER` puts a file of the same form in the place of this one.

use std::sync::Arc;

use quinn_proto::congestion::ControllerFactory;

/// All controllers of this build, quinn's own first.
pub(crate) const ALGORITHMS: &[&str] = &["cubic", "reno", "bbr"];

/// One that is not quinn's own.
pub(crate) fn controller(_name: &str) -> Option<Arc<dyn ControllerFactory + Send + Sync>> {
    None
}
