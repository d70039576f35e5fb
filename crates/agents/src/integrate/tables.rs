//! Hooks as `[[hooks]]` tables of a TOML file of the user's: a block of tables at its end, marked, or
//! items of the list where the user wrote one.
//!
//! Not here: what the hooks run (`command`), how a list is changed (`lists`).

use toml_edit::{Array, Document, Item, Table, TableLike, Value};

use super::lists::{self, Edits, Layout, List, newline_of};
use super::{LeftAlone, Part, command, without_bom};

/// The key.
const KEY: &str = "hooks";
/// What ends the block.
const END: &str = "# end of kraal's hooks";

pub(super) fn parse(text: &str) -> Result<Document<&str>, LeftAlone> {
    Document::parse(text).map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let place = line.map_or(String::new(), |line| format!(" in line {line}"));
        let why = error.message().lines().next().unwrap_or_default().to_owned();
        LeftAlone(format!("does not parse{place} ({why}): mend it, then try again"))
    })
}

/// What begins the block.
fn begin(part: &Part) -> String {
    format!("# kraal's hooks: `kraal integration uninstall {}` takes them out", part.agent)
}

pub(super) fn install(part: &Part, text: Option<&str>) -> Result<String, LeftAlone> {
    let Some(text) = text else { return Ok(fresh(part)) };
    let (bom, plain) = without_bom(text);
    if as_wanted(part, &parse(plain)?) {
        return Ok(text.to_owned());
    }
    let without = uninstall(part, plain)?.unwrap_or_default();
    let document = parse(&without)?;
    let newline = newline_of(&without);
    let written = match document.get(KEY) {
        Some(Item::Value(Value::Array(list))) => {
            let layout = Layout { newline, unit: "    ".to_owned(), line_comment: "#" };
            let render = |_: Option<&str>| part.events.iter().map(|event| item(part, event)).collect();
            let mut edits = Edits::default();
            lists::put(&without, &places(list)?, &layout, render, &mut edits);
            edits.apply(&without)
        }
        Some(item) if !item.is_array_of_tables() => {
            let wrong = format!("has `{KEY}` as something else than tables: mend it, then try again");
            return Err(LeftAlone(wrong));
        }
        // A last line without an end stays the last one without.
        _ if without.is_empty() => block(part, newline),
        _ if without.ends_with('\n') => format!("{without}{newline}{}{newline}", block(part, newline)),
        _ => format!("{without}{newline}{newline}{}", block(part, newline)),
    };
    // What was written must be what the agent reads.
    parse(&written)?;
    Ok(format!("{bom}{written}"))
}

/// A file where none was.
fn fresh(part: &Part) -> String {
    format!("{}\n", block(part, "\n"))
}

fn block(part: &Part, newline: &str) -> String {
    let mut lines = vec![begin(part)];
    for event in &part.events {
        lines.push(format!("[[{KEY}]]"));
        lines.extend(keys(part, event));
        lines.push(String::new());
    }
    lines.pop();
    lines.push(END.to_owned());
    lines.join(newline)
}

fn keys(part: &Part, event: &str) -> Vec<String> {
    let mut keys = vec![
        format!("event = \"{event}\""),
        format!("command = {}", Value::from(command::shell_line(part, event))),
    ];
    keys.extend(part.file.timeout.map(|timeout| format!("timeout = {timeout}")));
    keys
}

fn item(part: &Part, event: &str) -> String {
    format!("{{ {} }}", keys(part, event).join(", "))
}

fn places(list: &Array) -> Result<List, LeftAlone> {
    let unplaced = || LeftAlone(format!("has `{KEY}` in a form that is not known: mend it, then try again"));
    let span = list.span().ok_or_else(unplaced)?;
    let items: Option<Vec<_>> = list.iter().map(Value::span).collect();
    Ok(List { open: span.start + 1, close: span.end - 1, items: items.ok_or_else(unplaced)? })
}

/// The hooks of a document, whoever wrote them.
fn hooks<'d>(document: &'d Document<&str>) -> Vec<&'d dyn TableLike> {
    match document.get(KEY) {
        Some(Item::ArrayOfTables(tables)) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Some(Item::Value(Value::Array(list))) => {
            list.iter().filter_map(|value| value.as_inline_table()).map(|table| table as _).collect()
        }
        _ => Vec::new(),
    }
}

fn is_ours(part: &Part, hook: &dyn TableLike) -> bool {
    hook.get("command").and_then(Item::as_str).is_some_and(|line| command::is_ours(&part.agent, line))
}

/// Whether each wanted event has kraal's hook, once and as this kraal writes it, and no other event one.
fn as_wanted(part: &Part, document: &Document<&str>) -> bool {
    let ours: Vec<&dyn TableLike> = hooks(document).into_iter().filter(|hook| is_ours(part, *hook)).collect();
    let stands = |event: &String| {
        let fits = |hook: &&dyn TableLike| {
            hook.get("event").and_then(Item::as_str) == Some(event)
                && hook.get("command").and_then(Item::as_str) == Some(&command::shell_line(part, event))
                && hook.get("timeout").and_then(Item::as_integer) == part.file.timeout
        };
        ours.iter().any(fits)
    };
    ours.len() == part.events.len() && part.events.iter().all(stands)
}

/// The text without kraal's; none: nothing was there but kraal's own.
pub(super) fn uninstall(part: &Part, text: &str) -> Result<Option<String>, LeftAlone> {
    if text == fresh(part) {
        return Ok(None);
    }
    let (bom, plain) = without_bom(text);
    let without = without_block(part, plain).unwrap_or_else(|| plain.to_owned());
    let document = parse(&without)?;
    let mut edits = Edits::default();
    match document.get(KEY) {
        Some(Item::Value(Value::Array(list))) => {
            let layout = Layout { newline: newline_of(&without), unit: String::new(), line_comment: "#" };
            let ours = |n: usize| {
                let hook = list.get(n).and_then(Value::as_inline_table);
                hook.is_some_and(|hook| is_ours(part, hook))
            };
            lists::take(&without, &places(list)?, &layout, ours, &mut edits);
        }
        // Somebody wrote the file anew, without the marks.
        Some(Item::ArrayOfTables(tables)) => {
            for table in tables.iter().filter(|table| is_ours(part, *table)) {
                edits.remove(whole(&without, table)?);
            }
        }
        _ => {}
    }
    Ok(Some(format!("{bom}{}", edits.apply(&without))))
}

/// The text without the block and what set it apart, where it is there.
fn without_block(part: &Part, text: &str) -> Option<String> {
    let from = text.find(&begin(part))?;
    let end = from + text[from..].find(END)? + END.len();
    let cut =
        |text: &'_ str| text.len() - usize::from(text.ends_with('\n')) - usize::from(text.ends_with("\r\n"));
    let mut before = &text[..from];
    before = &before[..cut(before)];
    let after = &text[end..];
    let after = match after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')) {
        Some(after) => after,
        None => {
            before = &before[..cut(before)];
            after
        }
    };
    Some(format!("{before}{after}"))
}

/// A table with its header, to where the next line that is not its own begins.
fn whole(text: &str, table: &Table) -> Result<std::ops::Range<usize>, LeftAlone> {
    let unplaced = || LeftAlone(format!("has `{KEY}` in a form that is not known: mend it, then try again"));
    let span = table.span().ok_or_else(unplaced)?;
    let ends = table.iter().filter_map(|(_, item)| Some(item.span()?.end));
    let end = ends.chain([span.end]).max().unwrap_or(span.end);
    let from = text[..span.start].rfind('\n').map_or(0, |line| line + 1);
    let to = text[end..].find('\n').map_or(text.len(), |line| end + line + 1);
    Ok(from..to)
}
