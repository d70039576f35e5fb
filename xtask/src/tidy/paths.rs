//! The paths a file names: `a::b::c`, with the braces of `use` written out.
//!
//! Paths are as written; nothing is resolved here.

use super::source::{Kind, Token};

/// A path of two or more segments.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// The segments; `*` for a glob.
    pub(crate) segments: Vec<String>,
    pub(crate) line: usize,
    pub(crate) in_test: bool,
}

impl Named {
    /// Whether these segments follow each other somewhere in the path.
    pub(crate) fn has(&self, segments: &[&str]) -> bool {
        self.segments.windows(segments.len()).any(|window| window == segments)
    }

    /// Whether the path starts with these segments.
    pub(crate) fn starts_with(&self, segments: &[&str]) -> bool {
        self.segments.len() >= segments.len() && self.segments.iter().zip(segments).all(|(a, b)| a == b)
    }
}

/// All paths in the tokens, in order.
pub(crate) fn named(tokens: &[Token]) -> Vec<Named> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if starts_path(tokens, at) {
            at = read(tokens, at, &[], &mut found);
        } else {
            at += 1;
        }
    }
    found.retain(|path| path.segments.len() > 1);
    found
}

fn starts_path(tokens: &[Token], at: usize) -> bool {
    if tokens[at].kind != Kind::Word {
        return false;
    }
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    match before {
        Some(token) if token.kind == Kind::PathSep => {
            // `::std::fs` starts here; `a::b`, `<T>::b` do not.
            let earlier = at.checked_sub(2).map(|earlier| &tokens[earlier]);
            !earlier.is_some_and(|token| token.kind == Kind::Word || token.is(">"))
        }
        Some(token) => !token.is("."),
        None => true,
    }
}

/// Reads one path (or one tree of `use`) after `prefix`; returns where it ends.
fn read(tokens: &[Token], at: usize, prefix: &[String], found: &mut Vec<Named>) -> usize {
    let mut segments = prefix.to_vec();
    let (line, in_test) = (tokens[at].line, tokens[at].in_test);
    let mut at = at;
    while let Some(token) = tokens.get(at) {
        if token.is("{") {
            return read_braces(tokens, at, &segments, found);
        }
        if token.kind != Kind::Word && !token.is("*") {
            break;
        }
        // `self` inside braces names the prefix itself.
        if !token.is("self") || segments.is_empty() {
            segments.push(token.text.clone());
        }
        at += 1;
        match tokens.get(at) {
            Some(sep) if sep.kind == Kind::PathSep => at += 1,
            _ => break,
        }
    }
    found.push(Named { segments, line, in_test });
    at
}

fn read_braces(tokens: &[Token], open: usize, prefix: &[String], found: &mut Vec<Named>) -> usize {
    let mut at = open + 1;
    while let Some(token) = tokens.get(at) {
        if token.is("}") {
            return at + 1;
        }
        if token.is("as") {
            at += 2;
        } else if token.kind == Kind::Word || token.is("*") {
            at = read(tokens, at, prefix, found);
        } else {
            at += 1;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source::Source;

    fn paths(text: &str) -> Vec<String> {
        named(&Source::new("a.rs", text, false).tokens).iter().map(|p| p.segments.join("::")).collect()
    }

    #[test]
    fn braces_are_written_out() {
        assert_eq!(
            paths("use std::{fs, io::{self, Read as R}, env};"),
            ["std::fs", "std::io", "std::io::Read", "std::env"]
        );
        assert_eq!(paths("use crate::a::*; use super::b;"), ["crate::a::*", "super::b"]);
    }

    #[test]
    fn paths_in_code_are_found_and_methods_are_not() {
        assert_eq!(
            paths("let a = ::std::time::Instant::now(); x.y(); <T as U>::z()"),
            ["std::time::Instant::now"]
        );
        assert_eq!(paths("Vec::<u8>::new()"), ["Vec"; 0]);
    }
}
