//! Hooks in a JSON file of the user's: entries are put into the lists of their events and taken out,
//! all else stays as it is.
//!
//! Not here: what the entries run (`command`).

use std::collections::HashSet;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

use super::{LeftAlone, Part, Shape, command, without_bom};

pub(super) fn parse(text: &str) -> Result<CstRootNode, LeftAlone> {
    let options =
        ParseOptions { allow_comments: true, allow_trailing_commas: true, ..ParseOptions::default() };
    CstRootNode::parse(text, &options)
        .map_err(|error| LeftAlone(format!("does not parse ({error}): mend it, then try again")))
}

/// The file's object; a file that is not there, or empty, begins as `base`.
pub(super) fn object(root: &CstRootNode) -> Result<CstObject, LeftAlone> {
    if root.value().is_none() {
        return Ok(root.object_value_or_set());
    }
    let object = root.object_value();
    let object =
        object.ok_or_else(|| LeftAlone("holds no JSON object: mend it, then try again".to_owned()))?;
    no_doubles(&object)?;
    Ok(object)
}

fn no_doubles(object: &CstObject) -> Result<(), LeftAlone> {
    let mut seen = HashSet::new();
    for property in object.properties() {
        if let Some(name) = property.decoded_name()
            && !seen.insert(name.clone())
        {
            return Err(LeftAlone(format!("has `{name}` twice: take one out, then try again")));
        }
    }
    Ok(())
}

/// Whether the text has this key, with something in it.
pub(super) fn has(text: &str, key: &str) -> bool {
    let (_, text) = without_bom(text);
    let Ok(object) = parse(text).and_then(|root| object(&root)) else { return false };
    object.object_value(key).is_some_and(|inner| !inner.properties().is_empty())
}

pub(super) fn install(part: &Part, text: Option<&str>) -> Result<String, LeftAlone> {
    let fresh = part.file.base.as_deref().unwrap_or("{}");
    let text = text.filter(|text| !text.trim().is_empty()).unwrap_or(fresh);
    let (bom, text) = without_bom(text);
    let root = parse(text)?;
    let object = object(&root)?;
    let events = match &part.file.root {
        None => object,
        Some(key) => inner(&object, key)?,
    };
    no_doubles(&events)?;
    for event in &part.events {
        put_in(part, &events, event)?;
    }
    let mut written = root.to_string();
    if text == fresh && !written.ends_with('\n') {
        written.push('\n');
    }
    Ok(format!("{bom}{written}"))
}

/// The object at a key, made where there is none.
fn inner(object: &CstObject, key: &str) -> Result<CstObject, LeftAlone> {
    if object.get(key).is_none() {
        object.ensure_multiline();
    }
    object.object_value_or_create(key).ok_or_else(|| {
        LeftAlone(format!("has `{key}` as something else than an object: mend it, then try again"))
    })
}

fn put_in(part: &Part, events: &CstObject, event: &str) -> Result<(), LeftAlone> {
    let wrong = || LeftAlone(format!("has `{event}` as something else than a list: mend it, then try again"));
    if events.get(event).is_none() {
        events.ensure_multiline();
    }
    let list = events.array_value_or_create(event).ok_or_else(wrong)?;
    let wanted = entry(part, event);
    let ours: Vec<CstNode> = list.elements().into_iter().filter(|e| is_ours(part, e)).collect();
    let as_wanted = |node: &CstNode| node.to_serde_value() == Some(wanted.clone());
    if ours.len() == 1 && ours.iter().all(as_wanted) {
        return Ok(());
    }
    for old in ours {
        old.remove();
    }
    list.ensure_multiline();
    list.append(input(&wanted));
    Ok(())
}

pub(super) fn uninstall(part: &Part, text: &str) -> Result<String, LeftAlone> {
    let (bom, text) = without_bom(text);
    if text.trim().is_empty() {
        return Ok(format!("{bom}{text}"));
    }
    let root = parse(text)?;
    let object = object(&root)?;
    let events = match &part.file.root {
        None => object,
        Some(key) => match object.object_value(key) {
            None => return Ok(format!("{bom}{text}")),
            Some(events) => events,
        },
    };
    let mut took = false;
    for property in events.properties() {
        let Some(list) = property.array_value() else { continue };
        took |= take_out(part, &list);
        if took && list.elements().is_empty() {
            property.remove();
        }
    }
    if !took {
        return Ok(format!("{bom}{text}"));
    }
    if let Some(key) = part.file.root.as_ref().filter(|_| events.properties().is_empty())
        && let Some(property) = root.object_value().and_then(|object| object.get(key))
    {
        property.remove();
    }
    Ok(format!("{bom}{root}"))
}

fn take_out(part: &Part, list: &CstArray) -> bool {
    let ours: Vec<CstNode> = list.elements().into_iter().filter(|e| is_ours(part, e)).collect();
    let took = !ours.is_empty();
    for one in ours {
        one.remove();
    }
    took
}

/// Whether an element is kraal's, whichever version wrote it: every command in it is.
fn is_ours(part: &Part, element: &CstNode) -> bool {
    let Some(value) = element.to_serde_value() else { return false };
    let runs = |hook: &serde_json::Value| {
        let command = hook.get("command").and_then(serde_json::Value::as_str).unwrap_or_default();
        let script = part.file.script.as_ref();
        command::is_ours(&part.agent, command)
            || script.is_some_and(|script| command.contains(&format!("/{script} ")))
    };
    match value.get("hooks").and_then(serde_json::Value::as_array) {
        Some(hooks) => !hooks.is_empty() && hooks.iter().all(runs),
        None => runs(&value),
    }
}

/// The entry of an event.
fn entry(part: &Part, event: &str) -> serde_json::Value {
    let file = &part.file;
    let line = match &file.script {
        None => command::shell_line(part, event),
        Some(script) => format!("~/{script} {event}"),
    };
    let mut hook = serde_json::Map::new();
    if file.shape == Shape::Groups {
        hook.insert("type".to_owned(), "command".into());
    }
    if let Some(name) = &file.name {
        hook.insert("name".to_owned(), name.as_str().into());
    }
    hook.insert("command".to_owned(), line.into());
    if let Some(timeout) = file.timeout {
        hook.insert("timeout".to_owned(), timeout.into());
    }
    if file.shape == Shape::List {
        return hook.into();
    }
    let mut group = serde_json::Map::new();
    if let Some(matcher) = file.matchers.get(event) {
        group.insert("matcher".to_owned(), matcher.as_str().into());
    }
    group.insert("hooks".to_owned(), vec![serde_json::Value::from(hook)].into());
    group.into()
}

pub(super) fn input(value: &serde_json::Value) -> CstInputValue {
    match value {
        serde_json::Value::Null => CstInputValue::Null,
        serde_json::Value::Bool(yes) => CstInputValue::Bool(*yes),
        serde_json::Value::Number(number) => CstInputValue::Number(number.to_string()),
        serde_json::Value::String(text) => CstInputValue::String(text.clone()),
        serde_json::Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        serde_json::Value::Object(map) => {
            CstInputValue::Object(map.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
