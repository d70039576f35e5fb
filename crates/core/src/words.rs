//! Words of people and programs made fit to show, and hints for words that fit nothing.
//!
//! Not here: what a name stands for (`tree::names`).

/// The longest name of a pane, tab or workspace, in characters.
const NAME_MAX: usize = 100;

/// Characters that change how others are drawn, or are not drawn at all.
fn unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// One line without control characters: they become blanks.
pub(crate) fn line(text: &str) -> String {
    let seen: String = text.chars().map(|c| if unseen(c) { ' ' } else { c }).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Several lines without other control characters.
pub(crate) fn lines(text: &str) -> String {
    text.lines().map(line).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// A name as it is kept: one line, cut at [`NAME_MAX`]; None when nothing is left.
pub(crate) fn name(text: &str) -> Option<String> {
    let name: String = line(text).chars().take(NAME_MAX).collect();
    let name = name.trim().to_owned();
    (!name.is_empty()).then_some(name)
}

/// The last part of a path, as a name.
pub(crate) fn last_part(path: &str) -> Option<String> {
    name(path.trim_end_matches('/').rsplit('/').next().unwrap_or_default())
}

/// `: did you mean X?` for a word near one that is known, else nothing.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let word = word.to_lowercase();
    let near = known
        .map(|known| (strsim::damerau_levenshtein(&known.to_lowercase(), &word), known))
        .filter(|(distance, known)| *distance <= 1 + known.chars().count().min(word.chars().count()) / 3)
        .min();
    near.map_or_else(String::new, |(_, known)| format!(": did you mean {known}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_clean_line() {
        assert_eq!(name(" a\u{1b}[2Jb\r\nc\u{202e} "), Some("a [2Jb c".to_owned()));
        assert_eq!(name("\u{7}\n"), None);
        assert_eq!(name(&"x".repeat(500)).map(|n| n.len()), Some(NAME_MAX));
        assert_eq!(lines("a\u{7}\n\nb\n"), "a\n\nb");
        assert_eq!(last_part("/src/api/"), Some("api".to_owned()));
        assert_eq!(last_part("/"), None);
    }

    #[test]
    fn hints_are_near_or_none() {
        let known = ["claude", "codex", "opencode"];
        assert_eq!(did_you_mean("cluade", known.into_iter()), ": did you mean claude?");
        assert_eq!(did_you_mean("vim", known.into_iter()), "");
    }
}
