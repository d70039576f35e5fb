//! One thing to put right, and the names of the rules with the way out of each. No rule itself.

use std::fmt;

/// A broken rule at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// Path from the root of the repository, with `/`.
    pub(crate) file: String,
    /// 1-based; 1 for what concerns the whole file.
    pub(crate) line: usize,
    /// Which rule.
    pub(crate) rule: Rule,
    /// What was found, without a full stop.
    pub(crate) what: String,
}

impl Finding {
    /// A finding at a line of a file.
    pub(crate) fn new(file: &str, line: usize, rule: Rule, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, rule, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, rule, what } = self;
        write!(f, "{file}:{line}: [{}] {what}\n    {}", rule.name(), rule.remedy())
    }
}

/// The rules. Their names stand in CONTRIBUTING.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    Table,
    Arrow,
    Circle,
    Pure,
    World,
    Opening,
    Unwrap,
    Long,
    Ignore,
    MachinePath,
    Dependency,
    Link,
}

/// Rule, its name, and what to do about it.
const RULES: &[(Rule, &str, &str)] = &[
    (
        Rule::Table,
        "table",
        "every folder of crates/ has one row in ARCHITECTURE.md's crate table, and every row a folder; a new crate needs an ADR",
    ),
    (
        Rule::Arrow,
        "arrow",
        "take the dependency out, or move the code to a crate that may have it; the table changes only by an ADR",
    ),
    (Rule::Circle, "circle", "move what both need into a module below them, or pass it in as a value"),
    (Rule::Pure, "pure", "take it as a parameter, or leave it to the caller as an effect; host does it"),
    (Rule::World, "world", "make it a function of the module it is about; World only passes inputs on"),
    (
        Rule::Opening,
        "opening",
        "begin the file with `//!` lines: what it is, and what it deliberately is not, does not or never does",
    ),
    (Rule::Unwrap, "unwrap", "return the error, or write expect(\"why it holds\")"),
    (Rule::Long, "long", "split the file by subject, or add a line `//! Long because …` to its module doc"),
    (Rule::Ignore, "ignore", "write #[ignore = \"why, and how to run it\"], or make the test run"),
    (
        Rule::MachinePath,
        "machine-path",
        "use a relative path, a temporary folder, or an invented one such as /src/app",
    ),
    (
        Rule::Dependency,
        "dependency",
        "keep one row for each dependency of the workspace in docs/dependencies.md: why it is there",
    ),
    (Rule::Link, "link", "point the link at what exists, or write what it should point at"),
];

impl Rule {
    fn row(self) -> &'static (Rule, &'static str, &'static str) {
        RULES.iter().find(|row| row.0 == self).expect("RULES has a row for each rule")
    }

    /// The short name shown in brackets.
    pub(crate) fn name(self) -> &'static str {
        self.row().1
    }

    /// One sentence: what to do.
    pub(crate) fn remedy(self) -> &'static str {
        self.row().2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_says_where_which_rule_and_what_to_do() {
        let text = Finding::new("crates/api/src/a.rs", 7, Rule::Unwrap, "unwrap()").to_string();
        assert!(text.starts_with("crates/api/src/a.rs:7: [unwrap] unwrap()\n    return the error"), "{text}");
    }
}
