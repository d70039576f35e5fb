//! The `notify` command of a TOML file: kraal's runs first, then the user's own with the same
//! argument, and the user's is given back.
//!
//! Not here: what the notification means (`hooks`).

use std::ops::Range;

use toml_edit::{Array, Document, Value};

use super::lists::newline_of;
use super::tables::parse;
use super::{LeftAlone, Part, command, without_bom};

/// The key.
const KEY: &str = "notify";
/// How kraal's part is told from a script of the user's.
const NAME: &str = "kraal-notify";
/// How many words of the list are kraal's.
const OURS: usize = 4;

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

/// Behind the last of kraal's words and what parts it from the user's.
fn end_of_ours(text: &str, list: &Array) -> Option<usize> {
    let end = list.get(OURS - 1)?.span()?.end;
    let rest = &text[end..];
    let parted = rest.strip_prefix(", ").or_else(|| rest.strip_prefix(','));
    Some(text.len() - parted.unwrap_or(rest).len())
}

pub(super) fn install(part: &Part, text: Option<&str>) -> Result<String, LeftAlone> {
    let fresh = text.is_none();
    let (bom, text) = without_bom(text.unwrap_or_default());
    let document = parse(text)?;
    let ours = written(&first(part));
    let Some((list, span)) = list(&document)? else {
        let (before, after) = text.split_at(end_of_keys(&document, text));
        let newline = newline_of(text);
        // A last line without an end stays the last one without.
        return Ok(match before.is_empty() || before.ends_with('\n') {
            true if text.is_empty() => format!("{bom}{KEY} = [{ours}]{}", if fresh { newline } else { "" }),
            true => format!("{bom}{before}{KEY} = [{ours}]{newline}{after}"),
            false => format!("{bom}{before}{newline}{KEY} = [{ours}]"),
        });
    };
    let as_wanted = is_ours(list) && list.iter().zip(first(part)).all(|(a, b)| a.as_str() == Some(&b));
    if as_wanted {
        return Ok(format!("{bom}{text}"));
    }
    // Kraal's words come first, with a comma behind them where a list was; the rest stays as it is written.
    let open = span.start + 1;
    let (rest, parted) = match is_ours(list).then(|| end_of_ours(text, list)).flatten() {
        Some(end) => (&text[end..], text[..end].trim_end().ends_with(',')),
        None => (&text[open..], true),
    };
    let comma = match parted {
        true if rest.starts_with(']') => ",",
        true => ", ",
        false => "",
    };
    Ok(format!("{bom}{}{ours}{comma}{rest}", &text[..open]))
}

/// Behind the line of the last key that belongs to no table.
fn end_of_keys(document: &Document<&str>, text: &str) -> usize {
    let values = document.iter().filter(|(_, item)| item.is_value());
    let last = values.filter_map(|(_, item)| Some(item.span()?.end)).max();
    last.map_or(0, |end| text[end..].find('\n').map_or(text.len(), |rest| end + rest + 1))
}

/// The text without kraal's; none: nothing was there but kraal's own.
pub(super) fn uninstall(part: &Part, text: &str) -> Result<Option<String>, LeftAlone> {
    if install(part, None).is_ok_and(|fresh| fresh == text) {
        return Ok(None);
    }
    let (bom, plain) = without_bom(text);
    let document = parse(plain)?;
    let Some((list, span)) = list(&document)?.filter(|(list, _)| is_ours(list)) else {
        return Ok(Some(text.to_owned()));
    };
    let open = span.start + 1;
    let end = end_of_ours(plain, list).expect("kraal's words stand in a text");
    let was_there = list.len() > OURS || plain[..end].trim_end().ends_with(',');
    if was_there {
        return Ok(Some(format!("{bom}{}{}", &plain[..open], &plain[end..])));
    }
    let (before, after) = (&plain[..span.start], &plain[span.end..]);
    let mut before = &before[..before.rfind('\n').map_or(0, |line| line + 1)];
    let after = match after.find('\n') {
        Some(line) => &after[line + 1..],
        None => {
            before = before.strip_suffix("\r\n").or_else(|| before.strip_suffix('\n')).unwrap_or(before);
            ""
        }
    };
    Ok(Some(format!("{bom}{before}{after}")))
}
