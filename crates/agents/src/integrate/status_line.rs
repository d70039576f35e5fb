//! The status line in a JSON file: kraal's stands in front of the user's own, which the same shell runs
//! with the same input, and is given back as it was written.
//!
//! Not here: what is done with what a status line is told.

use jsonc_parser::ast::{ObjectProp, StringLit, Value};
use jsonc_parser::common::Ranged;

use super::json::{self, Json};
use super::lists::{self, Edits};
use super::{LeftAlone, without_bom};

/// The key of the status line.
const KEY: &str = "statusLine";
/// What ends kraal's part before the user's own: the `:` lets it be empty.
const OPENING: &str = "| { :\n";
/// What follows the user's own: the first newline may belong to a backslash before it.
const CLOSING: &str = "\n\n}";

/// The command where the user has none.
fn alone(agent: &str) -> String {
    format!("[ -z \"$KRAAL_SOCKET\" ] || \"${{KRAAL_EXE:-kraal}}\" status-line {agent} 2>/dev/null || :")
}

/// What stands before the user's own: it hands on all that it reads, as `cat` does without kraal.
fn before(agent: &str) -> String {
    format!(
        "{{ [ -n \"$KRAAL_SOCKET\" ] && \"${{KRAAL_EXE:-kraal}}\" status-line {agent} --through 2>/dev/null || cat; }} {OPENING}"
    )
}

/// What a command is.
#[derive(Debug, PartialEq, Eq)]
enum Command<'c> {
    Users,
    /// Kraal's, whichever version wrote it, with the user's own in it.
    Ours(Option<&'c str>),
}

fn read<'c>(agent: &str, command: &'c str) -> Command<'c> {
    let mark = format!("status-line {agent} ");
    match command.split_once(OPENING) {
        Some((front, rest)) if front.contains(&mark) && front.starts_with("{ [ -n \"$KRAAL_SOCKET\"") => {
            Command::Ours(Some(rest.strip_suffix(CLOSING).unwrap_or(rest)))
        }
        None if command.starts_with("[ -z \"$KRAAL_SOCKET\"") && command.contains(&mark) => {
            Command::Ours(None)
        }
        _ => Command::Users,
    }
}

fn wrong() -> LeftAlone {
    LeftAlone(format!("has `{KEY}` in a form that is not known: mend it, then try again"))
}

fn command_of<'p, 't>(property: &'p ObjectProp<'t>) -> Option<&'p StringLit<'t>> {
    match &property.value {
        Value::Object(line) => line.get_string("command"),
        _ => None,
    }
}

/// A text as it stands between the quotes of JSON.
fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

pub(super) fn install(agent: &str, text: &str) -> Result<String, LeftAlone> {
    let (bom, plain) = without_bom(text);
    let root = json::object(plain)?;
    let mut edits = Edits::default();
    match root.get(KEY) {
        None => {
            let layout = json::layout(plain, &root);
            let line = Json::Map(vec![
                ("type".to_owned(), Json::text("command")),
                ("command".to_owned(), Json::text(alone(agent))),
            ]);
            let render = |at: Option<&str>| vec![json::property(KEY, &line, &layout, at)];
            lists::put(plain, &json::properties(&root), &layout, render, &mut edits);
        }
        Some(property) => {
            let written = command_of(property).ok_or_else(wrong)?;
            let wanted = match read(agent, &written.value) {
                Command::Ours(None) => alone(agent),
                Command::Ours(Some(own)) => format!("{}{own}{CLOSING}", before(agent)),
                Command::Users => {
                    // Around it: what stands there stays as it is written.
                    edits.insert(written.start() + 1, escaped(&before(agent)));
                    edits.insert(written.end() - 1, escaped(CLOSING));
                    return Ok(format!("{bom}{}", edits.apply(plain)));
                }
            };
            if wanted == written.value {
                return Ok(text.to_owned());
            }
            edits.remove(written.start() + 1..written.end() - 1);
            edits.insert(written.end() - 1, escaped(&wanted));
        }
    }
    Ok(format!("{bom}{}", edits.apply(plain)))
}

/// The text without kraal's; none: nothing was there but kraal's own.
pub(super) fn uninstall(agent: &str, text: &str) -> Result<Option<String>, LeftAlone> {
    let (bom, plain) = without_bom(text);
    if plain.trim().is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let root = json::object(plain)?;
    let mut edits = Edits::default();
    let Some((property, written)) = root.get(KEY).and_then(|found| Some((found, command_of(found)?))) else {
        return Ok(Some(text.to_owned()));
    };
    match read(agent, &written.value) {
        Command::Users => return Ok(Some(text.to_owned())),
        Command::Ours(Some(own)) => {
            let inside = written.start() + 1..written.end() - 1;
            let raw = &plain[inside.clone()];
            let kept = raw.strip_prefix(&*escaped(&before(agent)));
            let kept = kept.and_then(|kept| kept.strip_suffix(&*escaped(CLOSING)));
            edits.remove(inside.clone());
            edits.insert(inside.end, kept.map_or_else(|| escaped(own), str::to_owned));
        }
        Command::Ours(None) => {
            let layout = json::layout(plain, &root);
            let all = json::properties(&root);
            if root.properties.len() == 1 && lists::looks_made(plain, &all) {
                return Ok(None);
            }
            let goes = |n: usize| root.properties[n].start() == property.start();
            lists::take(plain, &all, &layout, goes, &mut edits);
        }
    }
    Ok(Some(format!("{bom}{}", edits.apply(plain))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_comes_back_as_it_was_written() {
        for own in [r#"a \u00e9 \/ 'b' \"c\" \\"#, "", "exit 3", "# nothing"] {
            let text = format!("{{\"statusLine\": {{\"command\": \"{own}\"}}}}");
            let put = install("claude", &text).expect("it parses");
            assert_ne!(put, text);
            assert_eq!(install("claude", &put), Ok(put.clone()));
            assert_eq!(uninstall("claude", &put), Ok(Some(text.clone())));
            // Written anew by somebody, with other escapes: at least what it says.
            let value: serde_json::Value = serde_json::from_str(&put).expect("JSON");
            let put = value.to_string().replace("$KRAAL", "\\u0024KRAAL");
            let back = uninstall("claude", &put).expect("it parses").expect("a text");
            let back: serde_json::Value = serde_json::from_str(&back).expect("JSON");
            assert_eq!(back, serde_json::from_str::<serde_json::Value>(&text).expect("JSON"));
        }
    }

    #[test]
    fn what_another_version_put_in_front_is_replaced() {
        let old = before("claude").replace("--through", "--old");
        let text = format!(
            "{{\"statusLine\": {{\"command\": {}}}}}",
            serde_json::json!(format!("{old}mine{CLOSING}"))
        );
        let put = install("claude", &text).expect("it parses");
        assert!(put.contains("--through") && !put.contains("--old"), "{put}");
        assert_eq!(
            uninstall("claude", &text),
            Ok(Some("{\"statusLine\": {\"command\": \"mine\"}}".to_owned()))
        );
    }
}
