//! What a recording says of itself.

use serde_json::Value;

use super::report::ReplayError;

/// What a recording says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The kernel's name of the module.
    pub module: String,
    /// It ran with `hystart=0`.
    pub is_without_hystart: bool,
    /// What the module drew at random, where it does.
    pub phase_draw: Option<i64>,
}

/// What the vector file says of itself whose content is `text`; `file` is only named in the answer.
///
/// # Errors
/// When it is damaged.
pub fn recorded(text: &str, file: &str) -> Result<Recorded, ReplayError> {
    let damaged = |what: String| ReplayError::Damaged { file: file.into(), what };
    let root: Value = serde_json::from_str(text).map_err(|e| damaged(format!("not JSON: {e}")))?;
    let name = root_name(&root).ok_or_else(|| damaged("algorithm: missing".into()))?;
    let module = name.strip_suffix("_nohystart");
    Ok(Recorded {
        module: module.unwrap_or(name).into(),
        is_without_hystart: module.is_some(),
        phase_draw: root["init"]["phase_draw"].as_i64(),
    })
}

/// The kernel's name of what is recorded.
pub(super) fn root_name(root: &Value) -> Option<&str> {
    root["algorithm"].as_str()
}
