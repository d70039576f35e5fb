//! Hooks in a JSON file of the user's: entries are put into the lists of their events and taken out.
//!
//! Not here: what the entries run (`command`), how a text is changed (`lists`).

use std::collections::BTreeSet;

use jsonc_parser::ast::{Array, Object, Value};

use super::json::{self, Json};
use super::lists::{self, Edits, Layout};
use super::{LeftAlone, Part, Shape, command, without_bom};

/// The text with kraal's entries.
pub(super) fn install(part: &Part, text: Option<&str>) -> Result<String, LeftAlone> {
    let Some(text) = text else { return fresh(part) };
    let (bom, text) = without_bom(text);
    if text.trim().is_empty() {
        // With a blank line: so it is told from one where no file was.
        return Ok(format!("{bom}{text}{}\n", fresh(part)?));
    }
    let root = json::object(text)?;
    let events = events(part, &root)?;
    if events.is_some_and(|events| as_wanted(part, events)) {
        return Ok(format!("{bom}{text}"));
    }
    let has_ours =
        events.is_some_and(|events| lists_of(events).any(|(_, list)| ours(part, list).contains(&true)));
    if has_ours {
        return match uninstall(part, text)? {
            Some(without) => Ok(format!("{bom}{}", install(part, Some(&without))?)),
            None => fresh(part),
        };
    }
    let layout = json::layout(text, &root);
    let mut edits = Edits::default();
    match (events, &part.file.root) {
        (Some(events), _) => put_in(part, (text, events), &layout, &mut edits)?,
        (None, key) => {
            let key = key.as_deref().unwrap_or_default();
            let render = |at: Option<&str>| vec![json::property(key, &all(part), &layout, at)];
            lists::put(text, &json::properties(&root), &layout, render, &mut edits);
        }
    }
    Ok(format!("{bom}{}", edits.apply(text)))
}

/// A file where none was.
fn fresh(part: &Part) -> Result<String, LeftAlone> {
    let mut map = match &part.file.root {
        None => return Ok(format!("{}\n", all(part).written(&fresh_layout(), Some("")))),
        Some(key) => vec![(key.clone(), all(part))],
    };
    // Behind kraal's: so it is told from a file of the user's that held just this.
    if let Some(base) = &part.file.base {
        let base: serde_json::Map<String, serde_json::Value> = serde_json::from_str(base)
            .map_err(|error| LeftAlone(format!("would begin with what is no JSON object ({error})")))?;
        map.extend(base.into_iter().map(|(key, value)| (key, Json::Other(value))));
    }
    Ok(format!("{}\n", Json::Map(map).written(&fresh_layout(), Some(""))))
}

fn fresh_layout() -> Layout {
    Layout { newline: "\n", unit: "  ".to_owned(), line_comment: "//" }
}

/// The object that holds the events, where there is one.
fn events<'r, 't>(part: &Part, root: &'r Object<'t>) -> Result<Option<&'r Object<'t>>, LeftAlone> {
    let Some(key) = &part.file.root else { return Ok(Some(root)) };
    match root.get(key).map(|property| &property.value) {
        None => Ok(None),
        Some(Value::Object(events)) => Ok(Some(events)),
        Some(_) => {
            Err(LeftAlone(format!("has `{key}` as something else than an object: mend it, then try again")))
        }
    }
}

fn put_in(
    part: &Part,
    (text, events): (&str, &Object<'_>),
    layout: &Layout,
    edits: &mut Edits,
) -> Result<(), LeftAlone> {
    let mut new = Vec::new();
    for event in &part.events {
        match events.get(event).map(|property| &property.value) {
            None => new.push(event),
            Some(Value::Array(list)) => {
                let render = |at: Option<&str>| vec![entry(part, event).written(layout, at)];
                lists::put(text, &json::elements(list), layout, render, edits);
            }
            Some(_) => {
                return Err(LeftAlone(format!(
                    "has `{event}` as something else than a list: mend it, then try again"
                )));
            }
        }
    }
    if !new.is_empty() {
        let render = |at: Option<&str>| {
            let list = |event: &&String| Json::List(vec![entry(part, event)]);
            new.iter().map(|event| json::property(event, &list(event), layout, at)).collect()
        };
        lists::put(text, &json::properties(events), layout, render, edits);
    }
    Ok(())
}

/// The text without kraal's entries; none: nothing was there but kraal's own.
pub(super) fn uninstall(part: &Part, text: &str) -> Result<Option<String>, LeftAlone> {
    let (bom, plain) = without_bom(text);
    if plain.trim().is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let fresh = fresh(part)?;
    if text == fresh {
        return Ok(None);
    }
    if let Some(blank) = plain.strip_suffix(&format!("{fresh}\n")).filter(|before| before.trim().is_empty()) {
        return Ok(Some(format!("{bom}{blank}")));
    }
    let root = json::object(plain)?;
    let Ok(Some(events)) = events(part, &root) else { return Ok(Some(text.to_owned())) };
    let layout = json::layout(plain, &root);
    let mut edits = Edits::default();
    // Lists that kraal made go with their keys, and so does the object that holds nothing else.
    let made: Vec<bool> =
        events.properties.iter().map(|property| is_made(part, plain, &property.value)).collect();
    let places = json::properties(events);
    let all_go = !made.is_empty() && made.iter().all(|made| *made) && lists::looks_made(plain, &places);
    if all_go && let Some(key) = &part.file.root {
        let rest = json::properties(&root);
        if root.properties.len() == 1 && lists::looks_made(plain, &rest) {
            return Ok(None);
        }
        let goes = |n: usize| root.properties[n].name.as_str() == key;
        lists::take(plain, &rest, &layout, goes, &mut edits);
        return Ok(Some(format!("{bom}{}", edits.apply(plain))));
    }
    if all_go {
        return Ok(None);
    }
    for (property, made) in events.properties.iter().zip(&made) {
        if let Value::Array(list) = &property.value
            && !made
        {
            let ours = ours(part, list);
            lists::take(plain, &json::elements(list), &layout, |n| ours[n], &mut edits);
        }
    }
    lists::take(plain, &places, &layout, |n| made[n], &mut edits);
    Ok(Some(format!("{bom}{}", edits.apply(plain))))
}

/// The events of which a text holds hooks, kraal's left out.
pub(super) fn theirs(part: &Part, text: Option<&str>) -> Result<BTreeSet<String>, LeftAlone> {
    let (_, text) = without_bom(text.unwrap_or_default());
    if text.trim().is_empty() {
        return Ok(BTreeSet::new());
    }
    let root = json::object(text)?;
    let events = events(part, &root)?;
    let found = events.into_iter().flat_map(lists_of).filter(|(_, list)| ours(part, list).contains(&false));
    Ok(found.map(|(event, _)| event.to_owned()).collect())
}

/// Whether a value is a list that kraal made for its own entries.
fn is_made(part: &Part, text: &str, value: &Value<'_>) -> bool {
    let Value::Array(list) = value else { return false };
    let ours = ours(part, list);
    !ours.is_empty() && !ours.contains(&false) && lists::looks_made(text, &json::elements(list))
}

fn lists_of<'r, 't>(events: &'r Object<'t>) -> impl Iterator<Item = (&'r str, &'r Array<'t>)> {
    events.properties.iter().filter_map(|property| match &property.value {
        Value::Array(list) => Some((property.name.as_str(), list)),
        _ => None,
    })
}

/// Whether each wanted event has kraal's entry, once and as this kraal writes it, and no other event one.
fn as_wanted(part: &Part, events: &Object<'_>) -> bool {
    let mut found = 0;
    for (event, list) in lists_of(events) {
        let ours = ours(part, list);
        let ours: Vec<&Value<'_>> =
            list.elements.iter().zip(ours).filter(|(_, ours)| *ours).map(|(element, _)| element).collect();
        match ours[..] {
            [] => {}
            [one] if part.events.iter().any(|wanted| wanted == event) => {
                if serde_json::Value::from(one.clone()) != entry(part, event).value() {
                    return false;
                }
                found += 1;
            }
            _ => return false,
        }
    }
    found == part.events.len()
}

/// Which elements are kraal's, whichever version wrote them: every command in them is.
fn ours(part: &Part, list: &Array<'_>) -> Vec<bool> {
    list.elements.iter().map(|element| is_ours(part, &element.clone().into())).collect()
}

fn is_ours(part: &Part, value: &serde_json::Value) -> bool {
    let runs = |hook: &serde_json::Value| {
        let command = hook.get("command").and_then(serde_json::Value::as_str).unwrap_or_default();
        let script = part.file.script.as_ref();
        command::is_ours(&part.agent, command)
            || script.is_some_and(|script| command.contains(&format!("/{script} ")))
    };
    match value.get("hooks").and_then(serde_json::Value::as_array) {
        Some(hooks) => !hooks.is_empty() && hooks.iter().all(runs),
        None => runs(value),
    }
}

/// Every event with its entry.
fn all(part: &Part) -> Json {
    Json::Map(part.events.iter().map(|event| (event.clone(), Json::List(vec![entry(part, event)]))).collect())
}

/// The entry of an event.
fn entry(part: &Part, event: &str) -> Json {
    let file = &part.file;
    let line = match &file.script {
        None => command::shell_line(part, event),
        Some(script) => format!("~/{script} {event}"),
    };
    let mut hook = Vec::new();
    if file.shape == Shape::Groups {
        hook.push(("type".to_owned(), Json::text("command")));
    }
    if let Some(name) = &file.name {
        hook.push(("name".to_owned(), Json::text(name)));
    }
    hook.push(("command".to_owned(), Json::text(line)));
    if let Some(timeout) = file.timeout {
        hook.push(("timeout".to_owned(), Json::Other(timeout.into())));
    }
    if file.shape == Shape::List {
        return Json::Map(hook);
    }
    let mut group = Vec::new();
    if let Some(matcher) = file.matchers.get(event) {
        group.push(("matcher".to_owned(), Json::text(matcher)));
    }
    group.push(("hooks".to_owned(), Json::List(vec![Json::Map(hook)])));
    Json::Map(group)
}
