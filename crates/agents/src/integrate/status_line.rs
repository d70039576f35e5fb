//! The status line in a JSON file: kraal's stands in front of the user's own, which runs unchanged,
//! and is given back.
//!
//! Not here: what is done with what a status line is told.

use jsonc_parser::cst::CstInputValue;

use super::{LeftAlone, command, json, without_bom};

/// The key of the status line.
const KEY: &str = "statusLine";

/// The command: kraal's alone, or with the user's behind it.
fn line(agent: &str, original: Option<&str>) -> String {
    match original {
        None => format!(
            "[ -z \"$KRAAL_SOCKET\" ] || \"${{KRAAL_EXE:-kraal}}\" status-line {agent} 2>/dev/null || :"
        ),
        Some(own) => format!(
            "own={}; kraal=\"${{KRAAL_EXE:-kraal}}\"; \
             if [ -n \"$KRAAL_SOCKET\" ] && command -v \"$kraal\" >/dev/null 2>&1; \
             then exec \"$kraal\" status-line {agent} \"$own\"; else eval \"$own\"; fi",
            command::quoted(own)
        ),
    }
}

/// The user's own command behind kraal's; none where kraal's stands alone.
fn behind(agent: &str, written: &str) -> Option<Option<String>> {
    if !written.contains(&format!("status-line {agent} ")) {
        return None;
    }
    Some(written.strip_prefix("own=").and_then(command::unquoted))
}

pub(super) fn install(agent: &str, text: Option<&str>) -> Result<String, LeftAlone> {
    let fresh = text.is_none_or(|text| text.trim().is_empty());
    let (bom, text) = without_bom(text.filter(|_| !fresh).unwrap_or("{}"));
    let root = json::parse(text)?;
    let object = json::object(&root)?;
    let wrong = || LeftAlone(format!("has `{KEY}` in a form that is not known: mend it, then try again"));
    match object.get(KEY) {
        None => {
            object.ensure_multiline();
            let value = [("type", "command".to_owned()), ("command", line(agent, None))];
            let value = value.map(|(key, text)| (key.to_owned(), CstInputValue::String(text)));
            object.append(KEY, CstInputValue::Object(value.into()));
        }
        Some(property) => {
            let own = property.object_value().and_then(|inner| inner.get("command")).ok_or_else(wrong)?;
            let written = own.value().and_then(|value| value.as_string_lit()).ok_or_else(wrong)?;
            let written = written.decoded_value().map_err(|_| wrong())?;
            let original = behind(agent, &written).unwrap_or_else(|| Some(written.clone()));
            let wanted = line(agent, original.as_deref());
            if wanted != written {
                own.set_value(CstInputValue::String(wanted));
            }
        }
    }
    let mut written = root.to_string();
    if fresh && !written.ends_with('\n') {
        written.push('\n');
    }
    Ok(format!("{bom}{written}"))
}

pub(super) fn uninstall(agent: &str, text: &str) -> Result<String, LeftAlone> {
    let (bom, plain) = without_bom(text);
    if plain.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let root = json::parse(plain)?;
    let object = json::object(&root)?;
    let Some(property) = object.get(KEY) else { return Ok(text.to_owned()) };
    let own = property.object_value().and_then(|inner| inner.get("command"));
    let written = own.as_ref().and_then(|own| own.value()?.as_string_lit()?.decoded_value().ok());
    let Some((own, original)) = own.zip(written.and_then(|written| behind(agent, &written))) else {
        return Ok(text.to_owned());
    };
    match original {
        Some(original) => own.set_value(CstInputValue::String(original)),
        None => property.remove(),
    }
    Ok(format!("{bom}{root}"))
}
