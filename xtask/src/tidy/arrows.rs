//! Which crate may import which: the table of ARCHITECTURE.md against the manifests.
//!
//! It reads manifests only: cargo itself makes sure that code uses no more than those say.

use super::finding::{Finding, Rule};
use super::repository::Crate;

/// The crate that only tests may use, along with whatever it may import itself.
const TESTKIT: &str = "testkit";

/// A row of the crate table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) may_import: Vec<String>,
    pub(crate) pure: Purity,
    line: usize,
}

/// How far a crate stays away from the machine.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Purity {
    /// All of it.
    Whole,
    /// All of it but this top-level module.
    AllBut(String),
    /// It may do what it likes.
    None,
}

/// Reads the table whose header starts with `| crate`, and reports what can't be read.
pub(crate) fn read_table(document: &str, findings: &mut Vec<Finding>) -> Vec<Row> {
    let lines: Vec<&str> = document.lines().collect();
    let Some(header) = lines.iter().position(|line| line.starts_with("| crate")) else {
        findings.push(Finding::new(
            "ARCHITECTURE.md",
            1,
            Rule::Table,
            "there is no table that starts with `| crate`",
        ));
        return Vec::new();
    };
    let mut rows = Vec::new();
    for (at, line) in lines.iter().enumerate().skip(header + 2).take_while(|(_, line)| line.starts_with('|'))
    {
        match read_row(line, at + 1) {
            Some(row) => rows.push(row),
            None => findings.push(Finding::new(
                "ARCHITECTURE.md",
                at + 1,
                Rule::Table,
                "a row is `name` | one line | imports or – | yes, no or all but `module`",
            )),
        }
    }
    rows
}

fn read_row(line: &str, number: usize) -> Option<Row> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [name, _, imports, pure] = cells.as_slice() else { return None };
    let may_import = match *imports {
        "–" | "-" => Vec::new(),
        list => list.split(',').map(|name| name.trim().trim_matches('`').to_owned()).collect(),
    };
    let pure = match *pure {
        "yes" => Purity::Whole,
        "no" => Purity::None,
        other => Purity::AllBut(other.strip_prefix("all but `")?.strip_suffix('`')?.to_owned()),
    };
    Some(Row { name: name.strip_prefix('`')?.strip_suffix('`')?.to_owned(), may_import, pure, line: number })
}

/// Checks one crate's manifest against the table.
pub(crate) fn check(krate: &Crate, table: &[Row], findings: &mut Vec<Finding>) {
    let path = krate.manifest_path();
    let Some(row) = table.iter().find(|row| row.name == krate.name) else {
        let what = format!("crate {} has no row in ARCHITECTURE.md", krate.name);
        findings.push(Finding::new(&path, 1, Rule::Table, what));
        return;
    };
    let manifest: toml::Table = match krate.manifest.parse() {
        Ok(manifest) => manifest,
        Err(error) => {
            findings.push(Finding::new(&path, 1, Rule::Arrow, format!("not TOML: {}", error.message())));
            return;
        }
    };
    let testkit = table.iter().find(|row| row.name == TESTKIT);
    for section in ["dependencies", "build-dependencies", "dev-dependencies"] {
        for import in own_crates(&manifest, section) {
            let for_tests = section == "dev-dependencies"
                && (import == TESTKIT || testkit.is_some_and(|row| row.may_import.contains(&import)));
            if for_tests || row.may_import.contains(&import) {
                continue;
            }
            let line = line_of(&krate.manifest, &format!("kraal-{import}"));
            let what =
                format!("{} may not import {import} ({section}; ARCHITECTURE.md:{})", krate.name, row.line);
            findings.push(Finding::new(&path, line, Rule::Arrow, what));
        }
    }
}

/// The kraal crates that a section names, without their prefix.
fn own_crates(manifest: &toml::Table, section: &str) -> Vec<String> {
    let table = manifest.get(section).and_then(toml::Value::as_table);
    table
        .into_iter()
        .flat_map(toml::Table::keys)
        .filter_map(|key| key.strip_prefix("kraal-"))
        .map(str::to_owned)
        .collect()
}

fn line_of(text: &str, start: &str) -> usize {
    text.lines().position(|line| line.starts_with(start)).map_or(1, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::repository::sample_crate;

    const TABLE: &str = "\
text
| crate | one line | may import | pure |
|---|---|---|---|
| `api` | the words | – | yes |
| `tui` | a client | api, term | all but `app` |
| `testkit` | for tests | api, host | no |

| other | table |
";

    fn findings(name: &str, manifest: &str) -> Vec<(usize, String)> {
        let mut findings = Vec::new();
        let table = read_table(TABLE, &mut findings);
        check(&sample_crate(name, manifest, &[]), &table, &mut findings);
        findings.into_iter().map(|finding| (finding.line, finding.what)).collect()
    }

    #[test]
    fn the_table_is_read() {
        let mut findings = Vec::new();
        let rows = read_table(TABLE, &mut findings);
        assert_eq!(findings, []);
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[0].may_import, [""; 0]);
        assert_eq!(rows[1].may_import, ["api", "term"]);
        assert_eq!(rows[1].pure, Purity::AllBut("app".to_owned()));
    }

    #[test]
    fn a_row_that_cannot_be_read_is_named() {
        let mut findings = Vec::new();
        read_table("| crate |\n|---|\n| `api` | a | b |\n", &mut findings);
        assert_eq!((findings[0].line, findings[0].rule), (3, Rule::Table));
        read_table("", &mut findings);
        assert_eq!(findings.len(), 2);
    }

    #[test]
    fn imports_of_the_table_are_fine_and_so_are_tests() {
        let manifest = "[dependencies]\nkraal-api.workspace = true\nserde = \"1\"\n\
                        [dev-dependencies]\nkraal-testkit.workspace = true\nkraal-host.workspace = true\n";
        assert_eq!(findings("tui", manifest), []);
    }

    #[test]
    fn another_import_is_found_with_its_line() {
        let found = findings("tui", "[dependencies]\nkraal-api = 1\nkraal-host.workspace = true\n");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, 3);
        assert!(found[0].1.starts_with("tui may not import host"), "{}", found[0].1);
        assert_eq!(findings("tui", "[dependencies]\nkraal-testkit = 1\n").len(), 1);
    }

    #[test]
    fn a_crate_outside_the_table_is_found() {
        assert!(findings("utils", "").iter().any(|(_, what)| what.contains("no row")));
    }
}
