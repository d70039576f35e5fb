//! Links between documents resolve, anchors included, and the paths that ARCHITECTURE.md and
//! CONTRIBUTING.md name in backticks exist.
//!
//! Links to the network are not followed.

use super::finding::{Finding, Rule};
use super::repository::Repository;

/// Documents whose backticked paths are a map of the code.
const MAPS: &[&str] = &["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Folders that such a path starts with.
const MAPPED: &[&str] = &["crates/", "docs/", "bench/", "lab/", "xtask/", ".ci/"];

/// Checks one markdown file.
pub(crate) fn check(path: &str, text: &str, repository: &Repository, findings: &mut Vec<Finding>) {
    for (line, content) in prose(text) {
        for target in targets(content) {
            if let Some(what) = broken(path, text, target, repository) {
                findings.push(Finding::new(path, line, Rule::Link, what));
            }
        }
        if MAPS.contains(&path) {
            for named in content.split('`').skip(1).step_by(2).filter(|code| is_mapped(code)) {
                if !repository.exists(named.trim_end_matches('/')) {
                    findings.push(Finding::new(path, line, Rule::Link, format!("there is no {named}")));
                }
            }
        }
    }
}

fn is_mapped(code: &str) -> bool {
    MAPPED.iter().any(|start| code.starts_with(start))
        && !code.contains(['<', '*', '…', ' ', '{'])
        && !code.contains("/X")
}

/// The lines outside fenced code, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            return None;
        }
        (!fenced).then_some((at + 1, line))
    })
}

/// What stands in `](…)`, outside backticks.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let outside = line.split('`').step_by(2);
    outside
        .flat_map(|piece| piece.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(t, _)| t)))
}

/// Why a link leads nowhere.
fn broken(from: &str, text: &str, target: &str, repository: &Repository) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let resolved = if file.is_empty() { Some(from.to_owned()) } else { resolve(from, file) };
    let Some(resolved) = resolved.filter(|resolved| repository.exists(resolved)) else {
        return Some(format!("{target} does not exist"));
    };
    let document = if file.is_empty() { text } else { repository.text(&resolved).unwrap_or_default() };
    let found = anchor.is_empty() || prose(document).any(|(_, line)| slug(line).as_deref() == Some(anchor));
    (!found).then(|| format!("{resolved} has no heading #{anchor}"))
}

/// The path from the root that a link of `from` means; `None` when it climbs out.
fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The anchor of a heading, as the usual hosts make it.
fn slug(line: &str) -> Option<String> {
    let title = line.trim_start_matches('#');
    if title.len() == line.len() || !title.starts_with(' ') {
        return None;
    }
    let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    Some(kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<usize> {
        let files =
            [(path, text), ("docs/keys.md", "# Keys and mice\n## `ctrl+b`\n"), ("crates/api/src/lib.rs", "")];
        let repository = Repository::of_texts(&files);
        let mut findings = Vec::new();
        check(path, text, &repository, &mut findings);
        findings.into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn links_that_resolve_are_fine() {
        let text = "[a](keys.md) [b](keys.md#keys-and-mice) [c](keys.md#ctrlb) [d](../crates/api) [e](#own)\n# Own\n\
                    [f](https://example.org/x) `[g](nowhere.md)`\n```\n[h](nowhere.md)\n```\n";
        assert_eq!(found("docs/a.md", text), [0; 0]);
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        assert_eq!(
            found("docs/a.md", "[a](nowhere.md)\n[b](keys.md#mice)\n[c](../../out.md)\n[d](#own)\n"),
            [1, 2, 3, 4]
        );
    }

    #[test]
    fn the_map_names_only_what_exists() {
        let text = "`crates/api/src/lib.rs` `crates/api/` `crates/<name>/x`\n`crates/gone/src/lib.rs`\n";
        assert_eq!(found("ARCHITECTURE.md", text), [2]);
        assert_eq!(found("docs/a.md", text), [0; 0]);
    }
}
