//! A file of kraal's own in an agent's folder: written and removed whole.
//!
//! Not here: keeping a copy of one that somebody edited (`host`).

use super::{Edit, LeftAlone, Part};

/// The templates, by name; `{agent}` stands for the agent's.
const TEMPLATES: &[(&str, &str)] = &[
    ("plugin", include_str!("../../integrations/plugin.js")),
    ("extension", include_str!("../../integrations/extension.ts")),
    ("copilot", include_str!("../../integrations/copilot.json")),
    ("script", include_str!("../../integrations/script.sh")),
];
/// What every one of them holds.
const MARK: &str = "KRAAL_SOCKET";

/// The text of a template for an agent.
pub(crate) fn template(name: &str, agent: &str) -> Option<String> {
    let (_, text) = TEMPLATES.iter().find(|(known, _)| *known == name)?;
    Some(text.replace("{agent}", agent))
}

fn wanted(part: &Part) -> Result<String, LeftAlone> {
    let name = part.file.template.as_deref().unwrap_or_default();
    template(name, &part.agent).ok_or_else(|| LeftAlone(format!("has no template `{name}`")))
}

/// Whether a text is kraal's, edited or not.
fn is_ours(part: &Part, text: &str) -> bool {
    let agent = &part.agent;
    let calls = [format!(" hook {agent} "), format!("[\"hook\", \"{agent}\", ")];
    text.contains(MARK) && calls.iter().any(|call| text.contains(call))
}

pub(super) fn install(part: &Part, text: Option<&str>) -> Result<String, LeftAlone> {
    match text {
        Some(text) if !text.trim().is_empty() && !is_ours(part, text) => {
            Err(LeftAlone("is not kraal's: move it away, then try again".to_owned()))
        }
        _ => wanted(part),
    }
}

pub(super) fn uninstall(part: &Part, text: &str) -> Edit {
    if is_ours(part, text) { Edit::Gone } else { Edit::Same }
}
