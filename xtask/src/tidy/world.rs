//! `World` has one `impl` block: features are modules with functions, not more methods of one struct.
//!
//! Trait implementations (`impl Default for World`) are not counted.

use super::finding::{Finding, Rule};
use super::repository::Crate;
use super::source::{Source, Token};

/// Reports each inherent `impl World` after the first.
pub(crate) fn check(krate: &Crate, findings: &mut Vec<Finding>) {
    let blocks = krate.modules().flat_map(|(_, source)| blocks(source));
    for (file, line) in blocks.skip(1) {
        findings.push(Finding::new(&file, line, Rule::World, "a second `impl World`"));
    }
}

fn blocks(source: &Source) -> Vec<(String, usize)> {
    let tokens = &source.tokens;
    let starts = tokens.iter().enumerate().filter(|(_, token)| token.is("impl") && !token.in_test);
    starts
        .filter(|(at, _)| names_world(&tokens[at + 1..]))
        .map(|(_, token)| (source.path.clone(), token.line))
        .collect()
}

/// Whether `<…> World <…> {` follows.
fn names_world(rest: &[Token]) -> bool {
    let rest = &rest[generics(rest)..];
    let Some(name) = rest.first() else { return false };
    let after = &rest[1..];
    name.is("World") && after.get(generics(after)).is_some_and(|token| token.is("{") || token.is("where"))
}

/// The length of a leading `<…>`.
fn generics(tokens: &[Token]) -> usize {
    let mut depth = 0i32;
    for (at, token) in tokens.iter().enumerate() {
        depth += i32::from(token.is("<")) - i32::from(token.is(">"));
        if depth == 0 {
            return if at == 0 { 0 } else { at + 1 };
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::repository::sample_crate;

    fn lines(files: &[(&str, &str)]) -> Vec<usize> {
        let mut findings = Vec::new();
        check(&sample_crate("core", "", files), &mut findings);
        findings.into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn the_second_block_is_found_in_any_file() {
        assert_eq!(lines(&[("src/a.rs", "impl World {}"), ("src/b.rs", "\nimpl<'a> World<'a> {}")]), [2]);
    }

    #[test]
    fn one_block_traits_tests_and_other_types_are_fine() {
        let text = "impl World {} impl Default for World {} impl Worlds {} impl World2 {}\n\
                    #[cfg(test)] mod tests { impl World {} }";
        assert_eq!(lines(&[("src/a.rs", text)]), [0; 0]);
    }
}
