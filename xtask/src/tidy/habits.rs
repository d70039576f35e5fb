//! What every file keeps: an opening doc, no `unwrap`, a reason for its length, for an ignored test, and
//! no path of somebody's machine.
//!
//! Style that rustfmt and clippy see is not looked at here.

use super::finding::{Finding, Rule};
use super::source::{Kind, Source};

/// Lines beyond which a file says why it is long.
const LONG: usize = 800;

/// Files under this many lines, and tests, may say only what they are.
const SHORT: usize = 80;

/// Words by which an opening says what a file is not.
const NEGATIONS: &[&str] =
    &["not", "no", "never", "nothing", "nor", "none", "without", "neither", "nobody", "only"];

/// Folders that exist on one machine and not on the next; pieces, so that this file passes its own rule.
const MACHINE_FOLDERS: &[&str] = &[concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/Us", "ers/")];

/// Checks a Rust file.
pub(crate) fn check(source: &Source, findings: &mut Vec<Finding>) {
    check_opening(source, findings);
    check_unwrap(source, findings);
    check_ignore(source, findings);
    let lines = source.text.lines().count();
    if lines > LONG && !source.module_doc().any(|line| line.trim_start().starts_with("Long because")) {
        findings.push(Finding::new(
            &source.path,
            1,
            Rule::Long,
            format!("{lines} lines and no reason for them"),
        ));
    }
}

fn check_opening(source: &Source, findings: &mut Vec<Finding>) {
    let doc: Vec<&str> = source.module_doc().collect();
    let mut words = doc.iter().flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '\''));
    let mut report = |what: &str| findings.push(Finding::new(&source.path, 1, Rule::Opening, what));
    if doc.iter().all(|line| line.trim().is_empty()) {
        report("the first line is no `//!` doc");
    } else if source.text.lines().count() >= SHORT
        && !source.tokens.iter().all(|token| token.in_test)
        && !words.any(|word| NEGATIONS.contains(&word.to_lowercase().as_str()) || word.ends_with("n't"))
    {
        report("the module doc doesn't say what the file is not");
    }
}

fn check_unwrap(source: &Source, findings: &mut Vec<Finding>) {
    for window in source.tokens.windows(3) {
        let [dot, name, open] = window else { continue };
        if dot.is(".") && name.is("unwrap") && open.is("(") && !name.in_test {
            findings.push(Finding::new(&source.path, name.line, Rule::Unwrap, "unwrap() outside tests"));
        }
    }
}

fn check_ignore(source: &Source, findings: &mut Vec<Finding>) {
    for window in source.tokens.windows(5) {
        let [hash, open, name, next, reason] = window else { continue };
        if !(hash.is("#") && open.is("[") && name.is("ignore")) {
            continue;
        }
        let has_reason =
            next.is("=") && reason.kind == Kind::Literal && reason.text.chars().any(char::is_alphabetic);
        if !has_reason {
            findings.push(Finding::new(
                &source.path,
                name.line,
                Rule::Ignore,
                "an ignored test without a reason",
            ));
        }
    }
}

/// Checks any text file for paths of one machine.
pub(crate) fn check_machine_paths(path: &str, text: &str, findings: &mut Vec<Finding>) {
    for (number, line) in text.lines().enumerate() {
        let starts_here = |at: usize| {
            line[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || "\"'`(=:,<[".contains(c))
        };
        for folder in MACHINE_FOLDERS {
            if line.match_indices(folder).any(|(at, _)| starts_here(at)) {
                let what = format!("a path under {folder}");
                findings.push(Finding::new(path, number + 1, Rule::MachinePath, what));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<(Rule, usize)> {
        let mut findings = Vec::new();
        check(&Source::new("a.rs", text, false), &mut findings);
        findings.into_iter().map(|finding| (finding.rule, finding.line)).collect()
    }

    #[test]
    fn a_file_opens_with_what_it_is_and_is_not() {
        assert_eq!(rules("//! A thing.\n"), []);
        assert_eq!(rules("use a;\n//! A thing.\n"), [(Rule::Opening, 1)]);
        assert_eq!(rules("//!\nfn f() {}\n"), [(Rule::Opening, 1)]);
        let body = "fn f() {}\n".repeat(SHORT);
        assert_eq!(rules(&format!("//! A thing.\n{body}")), [(Rule::Opening, 1)]);
        assert_eq!(rules(&format!("//! A thing; it doesn't sing.\n{body}")), []);
        assert_eq!(rules(&format!("//! A thing.\n//!\n//! Never a song.\n{body}")), []);
    }

    #[test]
    fn unwrap_is_for_tests() {
        assert_eq!(rules("//! A.\nfn f() { a.unwrap(); }"), [(Rule::Unwrap, 2)]);
        let fine = "//! A.\n// a.unwrap()\nfn f() { a.unwrap_or(1); \"a.unwrap()\"; }\n\
                    #[cfg(test)] mod tests { fn g() { a.unwrap(); } }";
        assert_eq!(rules(fine), []);
    }

    #[test]
    fn an_ignored_test_has_a_reason() {
        assert_eq!(rules("//! A.\n#[ignore]\nfn f() {}"), [(Rule::Ignore, 2)]);
        assert_eq!(rules("//! A.\n#[ignore = \"\"]\nfn f() {}"), [(Rule::Ignore, 2)]);
        assert_eq!(rules("//! A.\n#[ignore = \"slow: run by hand\"]\nfn f() {}"), []);
    }

    #[test]
    fn a_long_file_says_why() {
        let body = "fn f() {}\n".repeat(LONG);
        assert_eq!(rules(&format!("//! Not short.\n{body}")), [(Rule::Long, 1)]);
        assert_eq!(rules(&format!("//! Not short.\n//!\n//! Long because it is a table.\n{body}")), []);
    }

    #[test]
    fn machine_paths_are_found_where_they_start() {
        let lines = |text: &str| {
            let mut findings = Vec::new();
            check_machine_paths("a.md", text, &mut findings);
            findings.into_iter().map(|finding| finding.line).collect::<Vec<_>>()
        };
        let home = MACHINE_FOLDERS[0];
        assert_eq!(lines(&format!("fine\nsee `{home}x`\n\"{home}y\"")), [2, 3]);
        assert_eq!(lines(&format!("under {{dir}}{home}x or ./a{home}b; /src/app")), [0; 0]);
    }
}
