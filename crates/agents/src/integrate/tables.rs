//! Hooks as `[[hooks]]` tables of a TOML file of the user's: a block of tables at its end, marked, or
//! entries of the list where the user wrote one.
//!
//! Not here: what the hooks run (`command`).

use toml_edit::{Array, DocumentMut, InlineTable, Item, Value};

use super::{LeftAlone, Part, command, without_bom};

fn parse(text: &str) -> Result<DocumentMut, LeftAlone> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let place = line.map_or(String::new(), |line| format!(" in line {line}"));
        let why = error.message().lines().next().unwrap_or_default().to_owned();
        LeftAlone(format!("does not parse{place} ({why}): mend it, then try again"))
    })
}

fn marks(agent: &str) -> (String, String) {
    (
        format!("# kraal's hooks: `kraal integration uninstall {agent}` takes them out"),
        "# end of kraal's hooks".to_owned(),
    )
}

pub(super) fn install(part: &Part, text: Option<&str>) -> Result<String, LeftAlone> {
    let (bom, plain) = without_bom(text.unwrap_or_default());
    let without = remove(part, plain)?;
    let mut document = parse(&without)?;
    let newline = if without.contains("\r\n") { "\r\n" } else { "\n" };
    let written = match document.get("hooks") {
        None => with_block(part, &without, newline),
        Some(item) if item.is_array_of_tables() => with_block(part, &without, newline),
        Some(item) if item.is_array() => {
            let before = parse(plain)?;
            let old = before.get("hooks").and_then(Item::as_array);
            if old.is_some_and(|old| lines(part).iter().all(|(_, line)| has(old, line))) {
                return Ok(format!("{bom}{plain}"));
            }
            if let Some(list) = document.get_mut("hooks").and_then(Item::as_array_mut) {
                for (event, line) in lines(part) {
                    push(list, part, (&event, &line));
                }
            }
            with_line_ends(plain, &document)?
        }
        Some(_) => {
            return Err(LeftAlone(
                "has `hooks` as something else than tables: mend it, then try again".to_owned(),
            ));
        }
    };
    // What was written must be what the agent reads.
    parse(&written)?;
    Ok(format!("{bom}{written}"))
}

fn lines(part: &Part) -> Vec<(String, String)> {
    let line = |event: &String| (event.clone(), command::shell_line(part, event));
    part.events.iter().map(line).collect()
}

fn with_block(part: &Part, text: &str, newline: &str) -> String {
    let (begin, end) = marks(&part.agent);
    let mut block = vec![begin];
    for (event, line) in lines(part) {
        block.push("[[hooks]]".to_owned());
        block.push(format!("event = \"{event}\""));
        block.push(format!("command = {}", Value::from(line)));
        if let Some(timeout) = part.file.timeout {
            block.push(format!("timeout = {timeout}"));
        }
        block.push(String::new());
    }
    block.pop();
    block.push(end);
    let apart = match text {
        "" => "",
        _ if text.ends_with('\n') => newline,
        _ => &format!("{newline}{newline}"),
    };
    format!("{text}{apart}{}{newline}", block.join(newline))
}

fn has(list: &Array, line: &str) -> bool {
    list.iter().any(|value| {
        let table = value.as_inline_table();
        table.and_then(|table| table.get("command")?.as_str()) == Some(line)
    })
}

fn push(list: &mut Array, part: &Part, (event, line): (&str, &str)) {
    let mut table = InlineTable::new();
    table.insert("event", event.into());
    table.insert("command", line.into());
    if let Some(timeout) = part.file.timeout {
        table.insert("timeout", timeout.into());
    }
    list.push(table);
}

pub(super) fn uninstall(part: &Part, text: &str) -> Result<String, LeftAlone> {
    let (bom, plain) = without_bom(text);
    let without = remove(part, plain)?;
    parse(&without)?;
    Ok(format!("{bom}{without}"))
}

fn remove(part: &Part, text: &str) -> Result<String, LeftAlone> {
    let (begin, end) = marks(&part.agent);
    if let Some(from) = text.find(&begin)
        && let Some(length) = text[from..].find(&end)
    {
        let after = &text[from + length + end.len()..];
        let after = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after);
        let before = &text[..from];
        // The blank line that set the block apart was kraal's.
        let before = before.strip_suffix("\r\n").or_else(|| before.strip_suffix('\n')).unwrap_or(before);
        return Ok(format!("{before}{after}"));
    }
    let mut document = parse(text)?;
    let Some(list) = document.get_mut("hooks").and_then(Item::as_array_mut) else {
        return Ok(text.to_owned());
    };
    let before = list.len();
    list.retain(|value| {
        let line =
            value.as_inline_table().and_then(|table| table.get("command")?.as_str()).unwrap_or_default();
        !command::is_ours(&part.agent, line)
    });
    if list.len() == before { Ok(text.to_owned()) } else { with_line_ends(text, &document) }
}

/// The document with the line ends its text had: the library knows one kind only.
fn with_line_ends(text: &str, document: &DocumentMut) -> Result<String, LeftAlone> {
    let returns = text.matches("\r\n").count();
    match returns {
        0 => Ok(document.to_string()),
        all if all == text.matches('\n').count() => Ok(document.to_string().replace('\n', "\r\n")),
        _ => Err(LeftAlone("mixes two kinds of line ends: make them one, then try again".to_owned())),
    }
}
