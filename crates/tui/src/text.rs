//! Text on its way to cells: cleaned of what could act on a terminal, cut into grapheme clusters,
//! measured and shortened.
//!
//! Not here: cells (`grid`), the words themselves.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Names and titles past this many bytes are cut: no bar is that wide.
const CLEAN_BYTES_MAX: usize = 4096;

/// The text with control characters written out and invisible ones that turn text around left out.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(CLEAN_BYTES_MAX));
    for c in text.chars() {
        if out.len() >= CLEAN_BYTES_MAX {
            break;
        }
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            '\0'..='\u{1f}' => {
                out.push('^');
                out.push(char::from(c as u8 + b'@'));
            }
            '\u{7f}' => out.push_str("^?"),
            '\u{80}'..='\u{9f}' => out.push('\u{fffd}'),
            _ if turns(c) => {}
            _ => out.push(c),
        }
    }
    out
}

/// Characters that change the direction or hide: a name must not spell another one.
fn turns(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2060}'..='\u{2069}').contains(&c)
}

/// The clusters of a text with their width in cells: 0, 1 or 2.
pub(crate) fn clusters(text: &str) -> impl Iterator<Item = (&str, u16)> {
    text.graphemes(true).map(|cluster| (cluster, cluster_width(cluster)))
}

/// How many cells a cluster takes: 0, 1 or 2.
pub(crate) fn cluster_width(cluster: &str) -> u16 {
    if let [byte] = cluster.as_bytes() {
        return u16::from(*byte >= 0x20 && *byte != 0x7f);
    }
    cluster.width().min(2) as u16
}

/// How many cells a text takes.
pub(crate) fn width(text: &str) -> u16 {
    let cells = clusters(text).map(|(_, w)| usize::from(w)).sum::<usize>();
    u16::try_from(cells).unwrap_or(u16::MAX)
}

/// The text in at most `cols` cells; what was cut ends in `more` (one cell).
pub(crate) fn fit(text: &str, cols: u16, more: char) -> String {
    if width(text) <= cols {
        return text.to_owned();
    }
    let Some(room) = cols.checked_sub(1) else { return String::new() };
    let mut out = String::new();
    let mut used = 0;
    for (cluster, w) in clusters(text) {
        if used + w > room {
            break;
        }
        out.push_str(cluster);
        used += w;
    }
    out.push(more);
    out
}

/// The end of a path that fits: `…/crates/tui`.
pub(crate) fn fit_path(path: &str, cols: u16, more: char) -> String {
    if width(path) <= cols {
        return path.to_owned();
    }
    let mut best = None;
    for (at, _) in path.match_indices('/') {
        let tail = &path[at..];
        if width(tail) < cols {
            best = Some(format!("{more}{tail}"));
            break;
        }
    }
    best.unwrap_or_else(|| fit(path.rsplit('/').next().unwrap_or(path), cols, more))
}

/// Whether terminals disagree on how many cells this takes: the cursor is addressed anew after it.
pub(crate) fn risky(cluster: &str) -> bool {
    let mut chars = cluster.chars();
    let Some(first) = chars.next() else { return false };
    if first.is_ascii() && chars.next().is_none() {
        return false;
    }
    cluster.chars().count() > 1 || risky_char(first)
}

/// The same of a lone char: drawing lines, Latin and the common scripts are safe.
pub(crate) fn risky_char(c: char) -> bool {
    match c as u32 {
        0..=0xff => c == '\u{ad}',
        // Letters, Greek, Cyrillic; boxes and blocks; kana, CJK, Hangul syllables: all agree.
        0x100..=0x2ff | 0x370..=0x52f | 0x2500..=0x259f => false,
        0x3041..=0x3096 | 0x30a1..=0x30fa | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7a3 => false,
        0xff01..=0xff60 => false,
        // What the chrome itself draws often: dots, arrows, the ellipsis.
        0x2026 | 0x2190..=0x2193 | 0x25cb | 0x25cf | 0x2014 | 0x2013 | 0x2018..=0x201d => false,
        _ => true,
    }
}

/// How far two words are apart: insertions, deletions, changes and swaps of neighbours.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The known word nearest to a mistyped one, when it is near enough to be meant.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|k| (distance(word, k), k))
        .min_by_key(|(far, _)| *far)
        .filter(|(far, k)| *far <= 2.max(k.chars().count() / 3))
        .map(|(_, k)| k)
}

/// Splits a command line into words: blanks part them, quotes and a backslash keep them together.
/// Nothing is expanded; an open quote runs to the end.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some('"') | None, '\\') => {
                if let Some(next) = chars.next() {
                    word.get_or_insert_default().push(next);
                }
            }
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => out.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    out.extend(word);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(clean("a\x1b]0;x\x07b\u{9b}2J\n\u{202e}c"), "a^[]0;x^Gb\u{fffd}2J c");
        assert!(clean(&"x".repeat(100_000)).len() <= CLEAN_BYTES_MAX);
    }

    #[test]
    fn clusters_have_widths() {
        for (text, cells) in
            [("abc", 3), ("漢字", 4), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("❤️", 2), ("e\u{301}", 1), ("\u{301}", 0)]
        {
            assert_eq!(width(text), cells, "{text}");
        }
    }

    #[test]
    fn long_text_is_cut_between_clusters() {
        assert_eq!(fit("漢字漢字", 5, '…'), "漢字…");
        assert_eq!(fit("漢字漢字", 4, '…'), "漢…");
        assert_eq!(fit("abc", 3, '…'), "abc");
        assert_eq!(fit("abc", 0, '…'), "");
        assert_eq!(fit_path("/home/me/src/kraal/crates", 16, '…'), "…/kraal/crates");
    }

    #[test]
    fn typos_find_their_word() {
        assert_eq!(nearest("pane-colse", ["pane-close", "tab-close"].into_iter()), Some("pane-close"));
        assert_eq!(nearest("xyzzy", ["pane-close"].into_iter()), None);
        assert_eq!(distance("ab", "ba"), 1);
    }

    #[test]
    fn a_line_becomes_words() {
        assert_eq!(
            words(r#"git commit -m "two words" 'a "b"' c\ d ''"#),
            ["git", "commit", "-m", "two words", "a \"b\"", "c d", ""]
        );
        assert_eq!(words("  "), Vec::<String>::new());
    }
}
