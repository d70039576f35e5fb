//! The `notify` command of a TOML file: kraal's runs first, then the user's own with the same
//! argument, and the user's is given back.
//!
//! Not here: what the notification means (`hooks`).

use std::ops::Range;

use toml_edit::{Array, Document, Value};

use super::{LeftAlone, Part, command, without_bom};

/// The key.
const KEY: &str = "notify";
/// How kraal's part is told from a script of the user's.
const NAME: &str = "kraal-notify";
/// How many words of the list are kraal's.
const OURS: usize = 4;

fn parse(text: &str) -> Result<Document<&str>, LeftAlone> {
    Document::parse(text).map_err(|error| {
        let why = error.message().lines().next().unwrap_or_default().to_owned();
        LeftAlone(format!("does not parse ({why}): mend it, then try again"))
    })
}

/// The command before the user's own: the agent adds its payload at the end.
fn first(part: &Part) -> [String; OURS] {
    let event = part.events.first().map_or("", String::as_str);
    let script = format!(
        "for last; do :; done; [ -z \"$KRAAL_SOCKET\" ] || {}{event} \"$last\" >/dev/null 2>&1 || :; \
         [ $# -lt 2 ] || exec \"$@\"",
        command::mark(&part.agent)
    );
    ["sh".to_owned(), "-c".to_owned(), script, NAME.to_owned()]
}

fn written(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| Value::from(word).to_string()).collect();
    words.join(", ")
}

fn list<'d>(document: &'d Document<&str>) -> Result<Option<(&'d Array, Range<usize>)>, LeftAlone> {
    let Some(item) = document.get(KEY) else { return Ok(None) };
    let found = item.as_array().and_then(|list| Some((list, item.span()?)));
    found.map(Some).ok_or_else(|| {
        LeftAlone(format!("has `{KEY}` as something else than a list: mend it, then try again"))
    })
}

fn is_ours(list: &Array) -> bool {
    list.get(OURS - 1).and_then(Value::as_str) == Some(NAME)
}

/// Where the user's own words stand in a list, its closing bracket left out.
fn own(list: &Array, span: &Range<usize>) -> Option<Range<usize>> {
    let first = list.get(if is_ours(list) { OURS } else { 0 })?;
    Some(first.span()?.start..span.end - 1)
}

pub(super) fn install(part: &Part, text: Option<&str>) -> Result<String, LeftAlone> {
    let (bom, text) = without_bom(text.unwrap_or_default());
    let document = parse(text)?;
    let ours = written(&first(part));
    let Some((list, span)) = list(&document)? else {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let (before, after) = text.split_at(end_of_keys(&document, text));
        let apart = if before.is_empty() || before.ends_with('\n') { "" } else { newline };
        return Ok(format!("{bom}{before}{apart}{KEY} = [{ours}]{newline}{after}"));
    };
    let as_wanted = is_ours(list) && list.iter().zip(first(part)).all(|(a, b)| a.as_str() == Some(&b));
    if as_wanted {
        return Ok(format!("{bom}{text}"));
    }
    let wanted = match own(list, &span) {
        None => format!("[{ours}]"),
        Some(own) => format!("[{ours}, {}]", &text[own]),
    };
    Ok(format!("{bom}{}{wanted}{}", &text[..span.start], &text[span.end..]))
}

/// Behind the line of the last key that belongs to no table.
fn end_of_keys(document: &Document<&str>, text: &str) -> usize {
    let values = document.iter().filter(|(_, item)| item.is_value());
    let last = values.filter_map(|(_, item)| Some(item.span()?.end)).max();
    last.map_or(0, |end| text[end..].find('\n').map_or(text.len(), |rest| end + rest + 1))
}

pub(super) fn uninstall(text: &str) -> Result<String, LeftAlone> {
    let (bom, plain) = without_bom(text);
    let document = parse(plain)?;
    let Some((list, span)) = list(&document)?.filter(|(list, _)| is_ours(list)) else {
        return Ok(text.to_owned());
    };
    match own(list, &span) {
        Some(own) => Ok(format!("{bom}{}[{}]{}", &plain[..span.start], &plain[own], &plain[span.end..])),
        None => {
            let from = plain[..span.start].rfind('\n').map_or(0, |line| line + 1);
            let to = plain[span.end..].find('\n').map_or(plain.len(), |rest| span.end + rest + 1);
            Ok(format!("{bom}{}{}", &plain[..from], &plain[to..]))
        }
    }
}
