//! Puts items into a bracketed list of a text, and takes them out so that what was there comes back to
//! the byte: nothing but the items, their commas and their own lines is written or removed.
//!
//! Where the two could not be told apart afterwards, the layout tells: items put into a list that was
//! empty are followed by the closing bracket at once, where a list of kraal's own closes on a line of its
//! own. Not here: what a list or an item is in a format (`json`, `tables`).

use std::ops::Range;

/// A list in a text: from behind its opening bracket to its closing one, and its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct List {
    pub(super) open: usize,
    pub(super) close: usize,
    pub(super) items: Vec<Range<usize>>,
}

/// How a text is laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) newline: &'static str,
    /// One step of indentation.
    pub(super) unit: String,
    /// What begins a comment to the end of its line.
    pub(super) line_comment: &'static str,
}

/// Changes of a text, made all at once.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    pub(super) fn insert(&mut self, at: usize, text: String) {
        self.0.push((at..at, text));
    }

    pub(super) fn remove(&mut self, range: Range<usize>) {
        self.0.push((range, String::new()));
    }

    /// The text with the changes; of two at one place the first made comes first.
    pub(super) fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|(range, _)| range.start);
        let mut out = String::with_capacity(text.len() + 1024);
        let mut from = 0;
        for (range, new) in self.0 {
            out.push_str(&text[from..range.start.max(from)]);
            out.push_str(&new);
            from = from.max(range.end);
        }
        out.push_str(&text[from..]);
        out
    }
}

/// The newline of a text.
pub(super) fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The blanks that the line of a place begins with.
pub(super) fn indent(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Whether only blanks are before a place in its line.
fn begins_line(text: &str, at: usize) -> bool {
    text[..at].trim_end_matches([' ', '\t']).ends_with('\n')
}

/// Puts items at the end of a list. `render` writes them, for lines of their own with this indentation,
/// or in one line.
pub(super) fn put(
    text: &str,
    list: &List,
    layout: &Layout,
    render: impl Fn(Option<&str>) -> Vec<String>,
    edits: &mut Edits,
) {
    let newline = layout.newline;
    let out = indent(text, list.open);
    let Some(last) = list.items.last() else {
        let within = format!("{out}{}", layout.unit);
        let lines: Vec<String> =
            render(Some(&within)).into_iter().map(|item| format!("{newline}{within}{item}")).collect();
        // What closes on the next line would look like a list of kraal's own.
        let end = if text[list.open..list.close].contains('\n') { newline } else { "" };
        edits.insert(list.open, format!("{}{end}", lines.join(",")));
        return;
    };
    let tail = Tail::read(&text[..list.close], last.end, layout);
    let at_own_line = list.items.iter().rev().find(|item| begins_line(text, item.start));
    let within = match at_own_line {
        Some(item) => indent(text, item.start).to_owned(),
        None => format!("{out}{}", layout.unit),
    };
    let trailing = match (tail.newline, tail.comma) {
        (Some(line), Some(comma)) if comma < line => true,
        (Some(_), None) => false,
        // All in one line, or a comma in an odd place.
        _ => {
            let items: Vec<String> = render(None).into_iter().map(|item| format!(", {item}")).collect();
            edits.insert(last.end, items.concat());
            return;
        }
    };
    let line = tail.newline.expect("it was just looked at");
    if !trailing {
        edits.insert(last.end, ",".to_owned());
    }
    let items: Vec<String> =
        render(Some(&within)).into_iter().map(|item| format!("{newline}{within}{item}")).collect();
    edits.insert(line, format!("{}{}", items.join(","), if trailing { "," } else { "" }));
}

/// Whether a list holds nothing but what `put` would write into one that was made for it.
pub(super) fn looks_made(text: &str, list: &List) -> bool {
    let (Some(first), Some(last)) = (list.items.first(), list.items.last()) else { return false };
    let (before, after) = (&text[list.open..first.start], &text[last.end..list.close]);
    match before {
        "" => after.is_empty(),
        _ => before.trim().is_empty() && end_of_line(after) == Some(indent(text, list.open)),
    }
}

/// What follows the end of a line that a text begins with.
fn end_of_line(text: &str) -> Option<&str> {
    text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n'))
}

/// Takes items out of a list.
pub(super) fn take(
    text: &str,
    list: &List,
    layout: &Layout,
    goes: impl Fn(usize) -> bool,
    edits: &mut Edits,
) {
    let inside = &text[..list.close];
    let last = list.items.len().saturating_sub(1);
    let last_kept = (0..list.items.len()).rev().find(|n| !goes(*n));
    for (n, item) in list.items.iter().enumerate().filter(|(n, _)| goes(*n)) {
        let from = with_blanks_before(text, item.start).max(list.open);
        let comma = Tail::read(inside, item.end, layout).comma;
        match comma {
            Some(comma) if comma == item.end => edits.remove(from..comma + 1),
            // Something stands between: it stays.
            Some(comma) if n < last => {
                edits.remove(from..item.end);
                edits.remove(comma..comma + 1);
            }
            _ => edits.remove(from..item.end),
        }
    }
    let Some(end) = list.items.last().map(|item| item.end).filter(|_| goes(last)) else { return };
    let ended_by_comma = text[end..list.close].starts_with(',');
    match last_kept {
        Some(kept) if !ended_by_comma => {
            if let Some(comma) = Tail::read(inside, list.items[kept].end, layout).comma {
                edits.remove(comma..comma + 1);
            }
        }
        Some(_) => {}
        None => {
            let end = end + usize::from(ended_by_comma);
            let after = &text[end..list.close];
            if let Some(rest) = end_of_line(after).filter(|rest| rest.contains('\n')) {
                edits.remove(end..list.close - rest.len());
            }
        }
    }
}

/// Where the blanks before a place begin, and the end of the line before it.
fn with_blanks_before(text: &str, at: usize) -> usize {
    let head = text[..at].trim_end_matches([' ', '\t']);
    head.strip_suffix("\r\n").or_else(|| head.strip_suffix('\n')).unwrap_or(head).len()
}

/// What follows an item, up to the next one or the end.
struct Tail {
    comma: Option<usize>,
    /// The first end of a line that is in no comment.
    newline: Option<usize>,
}

impl Tail {
    fn read(text: &str, from: usize, layout: &Layout) -> Tail {
        let mut tail = Tail { comma: None, newline: None };
        let mut at = from;
        while let Some(next) = text[at..].chars().next() {
            let rest = &text[at..];
            if rest.starts_with(layout.line_comment) {
                at += rest.find(['\r', '\n']).unwrap_or(rest.len());
                continue;
            }
            if layout.line_comment == "//" && rest.starts_with("/*") {
                at += rest.find("*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            match next {
                ',' if tail.comma.is_none() => tail.comma = Some(at),
                '\r' | '\n' => tail.newline = tail.newline.or(Some(at)),
                ' ' | '\t' => {}
                _ => break,
            }
            at += next.len_utf8();
        }
        tail
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        Layout { newline: newline_of(text), unit: "  ".to_owned(), line_comment: "//" }
    }

    /// A list of single letters.
    fn list(text: &str) -> List {
        let (open, close) = (text.find('[').unwrap() + 1, text.rfind(']').unwrap());
        let mut items = Vec::new();
        let mut at = open;
        while at < close {
            let rest = &text[at..close];
            if rest.starts_with("//") {
                at += rest.find('\n').unwrap();
            } else if rest.starts_with("/*") {
                at += rest.find("*/").unwrap() + 2;
            } else {
                let letter = rest.chars().next().unwrap();
                if letter.is_alphabetic() {
                    items.push(at..at + 1);
                }
                at += letter.len_utf8();
            }
        }
        List { open, close, items }
    }

    fn with(text: &str, letters: &str) -> String {
        let mut edits = Edits::default();
        let render = |_: Option<&str>| letters.chars().map(String::from).collect();
        put(text, &list(text), &layout(text), render, &mut edits);
        edits.apply(text)
    }

    fn without(text: &str, letters: &str) -> String {
        let (mut edits, list) = (Edits::default(), list(text));
        let goes = |n: usize| letters.contains(&text[list.items[n].clone()]);
        take(text, &list, &layout(text), goes, &mut edits);
        edits.apply(text)
    }

    #[test]
    fn what_is_put_in_stands_where_one_would_write_it() {
        for (before, after) in [
            ("[a]", "[a, X, Y]"),
            ("[a, b,]", "[a, b, X, Y,]"),
            ("[\n  a\n]", "[\n  a,\n  X,\n  Y\n]"),
            ("[\n  a,\n]", "[\n  a,\n  X,\n  Y,\n]"),
            ("[\r\n\ta // why\r\n]", "[\r\n\ta, // why\r\n\tX,\r\n\tY\r\n]"),
            ("[\n  a\n  // no: b\n]", "[\n  a,\n  X,\n  Y\n  // no: b\n]"),
            ("[]", "[\n  X,\n  Y]"),
        ] {
            assert_eq!(with(before, "XY"), after);
        }
    }

    #[test]
    fn taking_out_undoes_putting_in() {
        let texts = [
            "[]",
            "[ ]",
            "[\n]",
            "[\n\n  ]",
            "[ // none\n]",
            "[/* none */]",
            "[a]",
            "[ a ]",
            "[a,]",
            "[a , ]",
            "[a /* x */]",
            "[a /* x */,]",
            "[a, /* x */]",
            "[\n  a\n]",
            "[\n  a,\n]",
            "[\n  a // x\n]",
            "[\n  a, // x\n]",
            "[\n  a // x\n  ,\n]",
            "[\n  a\n  , b\n]",
            "[\n  a /* x\n y */\n]",
            "[a\n]",
            "[\na]",
            "[a, b,\n c]",
            "  [\r\n\ta,\r\n\tb\r\n  ]",
            "[\n  a\n\n\n  // end\n]",
            "[a,\n // b,\n]",
        ];
        for text in texts {
            for letters in ["X", "XYZ"] {
                let put = with(text, letters);
                assert_eq!(without(&put, letters), text, "{text:?} -> {put:?}");
            }
        }
    }

    #[test]
    fn what_came_after_stays() {
        assert_eq!(without("[\n  a,\n  X,\n  b\n]", "X"), "[\n  a,\n  b\n]");
        assert_eq!(without("[X, b]", "X"), "[ b]");
        assert_eq!(without("[\n  X /* mine */,\n  b\n]", "X"), "[ /* mine */\n  b\n]");
        assert_eq!(without("[\n  a,\n  X,\n  b,\n  Y\n]", "XY"), "[\n  a,\n  b\n]");
        assert_eq!(without("[a]", "X"), "[a]");
    }

    #[test]
    fn a_list_of_our_own_is_told_from_one_that_was_empty() {
        for (text, made) in
            [("[X]", true), ("[\n  X\n]", true), ("[]", false), ("[ X ]", false), ("[ // a\n X\n]", false)]
        {
            assert_eq!(looks_made(text, &list(text)), made, "{text:?}");
        }
        for text in ["[]", "[ ]", "[\n]", "[\n\n]"] {
            let put = with(text, "XY");
            assert!(!looks_made(&put, &list(&put)), "{put:?}");
        }
    }
}
