//! Every dependency of the workspace has a row in docs/dependencies.md, and every row a dependency.
//!
//! Versions and licences are cargo-deny's business, not this rule's.

use super::finding::{Finding, Rule};

const DOCUMENT: &str = "docs/dependencies.md";

/// Compares the workspace's table with the first column of the document's tables.
pub(crate) fn check(manifest: &str, document: &str, findings: &mut Vec<Finding>) {
    let parsed: toml::Table = match manifest.parse() {
        Ok(parsed) => parsed,
        Err(error) => {
            findings.push(Finding::new(
                "Cargo.toml",
                1,
                Rule::Dependency,
                format!("not TOML: {}", error.message()),
            ));
            return;
        }
    };
    let table = parsed.get("workspace").and_then(|w| w.get("dependencies")).and_then(toml::Value::as_table);
    let names: Vec<&str> = table
        .into_iter()
        .flatten()
        .filter(|(_, value)| value.get("path").is_none())
        .map(|(name, _)| name.as_str())
        .collect();
    let rows: Vec<(&str, usize)> =
        document.lines().enumerate().filter_map(|(at, line)| Some((row_name(line)?, at + 1))).collect();
    for name in &names {
        if !rows.iter().any(|(row, _)| row == name) {
            let line = manifest.lines().position(|line| line.split([' ', '.']).next() == Some(name));
            let what = format!("{name} has no row in {DOCUMENT}");
            findings.push(Finding::new("Cargo.toml", line.map_or(1, |at| at + 1), Rule::Dependency, what));
        }
    }
    for (row, line) in rows {
        if !names.contains(&row) {
            let what = format!("{row} is not in the workspace's table");
            findings.push(Finding::new(DOCUMENT, line, Rule::Dependency, what));
        }
    }
}

/// `name` of a line that starts with "| `name` |".
fn row_name(line: &str) -> Option<&str> {
    line.strip_prefix("| `")?.split_once("` |").map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str =
        "[workspace.dependencies]\nkraal-api = { path = \"crates/api\" }\nvte = \"0.15\"\nserde = \"1\"\n";

    fn found(document: &str) -> Vec<(String, usize)> {
        let mut findings = Vec::new();
        check(MANIFEST, document, &mut findings);
        findings.into_iter().map(|finding| (finding.file, finding.line)).collect()
    }

    #[test]
    fn each_has_a_row() {
        assert_eq!(found("| crate | why |\n|---|---|\n| `serde` | json |\n| `vte` | parser |\n"), []);
    }

    #[test]
    fn a_missing_row_and_a_stale_row_are_found() {
        let document = "| `serde` | json |\n| `tokio` | gone |\n";
        assert_eq!(found(document), [("Cargo.toml".to_owned(), 3), (DOCUMENT.to_owned(), 2)]);
    }
}
