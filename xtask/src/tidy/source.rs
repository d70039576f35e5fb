//! A Rust file as tokens: comments and the insides of literals are gone, and each token knows its line
//! and whether it stands in test code.
//!
//! Not a parser: it knows brackets, attributes and where an item ends, no grammar beyond that.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or keyword.
    Word,
    /// `::`
    PathSep,
    /// A string, byte string or char literal; the text of the token is the whole literal.
    Literal,
    /// Any other single character.
    Mark,
}

/// A piece of code.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// The token as it is written.
    pub(crate) text: String,
    /// 1-based.
    pub(crate) line: usize,
    /// Inside `#[cfg(test)]`, `#[test]`, or a file that is all tests.
    pub(crate) in_test: bool,
}

impl Token {
    /// Whether this is exactly that word or mark (never a literal).
    pub(crate) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Literal && self.text == text
    }
}

/// A Rust file.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Path from the root of the repository, with `/`.
    pub(crate) path: String,
    /// The file as it is.
    pub(crate) text: String,
    pub(crate) tokens: Vec<Token>,
    /// Names `x` of `#[cfg(test)] mod x;`: files that are all tests.
    pub(crate) test_modules: Vec<String>,
}

impl Source {
    /// Reads a text. `all_test` for files under `tests/` and `benches/`.
    pub(crate) fn new(path: &str, text: &str, all_test: bool) -> Self {
        let mut tokens = tokenize(text);
        let mut test_modules = Vec::new();
        for range in test_regions(&tokens) {
            if let Some(name) = module_declared(&tokens[range.clone()]) {
                test_modules.push(name);
            }
            tokens[range].iter_mut().for_each(|token| token.in_test = true);
        }
        let mut source = Self { path: path.to_owned(), text: text.to_owned(), tokens, test_modules };
        if all_test {
            source.mark_all_test();
        }
        source
    }

    /// Marks the whole file as test code.
    pub(crate) fn mark_all_test(&mut self) {
        self.tokens.iter_mut().for_each(|token| token.in_test = true);
    }

    /// The lines of the module doc, without `//!`.
    pub(crate) fn module_doc(&self) -> impl Iterator<Item = &str> {
        self.text.lines().map_while(|line| line.strip_prefix("//!"))
    }
}

/// Cuts a text into tokens; whitespace, comments and lifetimes' quotes are dropped.
fn tokenize(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut line = 1;
    while at < bytes.len() {
        let (end, kind) = next_piece(bytes, at);
        if let Some(kind) = kind {
            let text = String::from_utf8_lossy(&bytes[at..end]).into_owned();
            tokens.push(Token { kind, text, line, in_test: false });
        }
        line += bytes[at..end].iter().filter(|&&byte| byte == b'\n').count();
        at = end;
    }
    tokens
}

/// The end of the piece that starts at `at`, and what it is; `None` for what is dropped.
fn next_piece(bytes: &[u8], at: usize) -> (usize, Option<Kind>) {
    let rest = &bytes[at..];
    let byte = rest[0];
    if byte.is_ascii_whitespace() {
        return (at + 1, None);
    }
    if rest.starts_with(b"//") {
        let len = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        return (at + len, None);
    }
    if rest.starts_with(b"/*") {
        return (at + block_comment(rest), None);
    }
    if let Some(len) = string_literal(rest) {
        return (at + len, Some(Kind::Literal));
    }
    if byte == b'\'' {
        return match char_literal(rest) {
            Some(len) => (at + len, Some(Kind::Literal)),
            None => (at + 1, None),
        };
    }
    if rest.starts_with(b"::") {
        return (at + 2, Some(Kind::PathSep));
    }
    if is_word(byte) {
        let len = rest.iter().position(|&b| !is_word(b)).unwrap_or(rest.len());
        return (at + len, Some(Kind::Word));
    }
    (at + 1, Some(Kind::Mark))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The length of a nested block comment.
fn block_comment(rest: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    at
}

/// The length of a string literal of any kind that starts here.
fn string_literal(rest: &[u8]) -> Option<usize> {
    let prefix = [&b"br"[..], b"cr", b"b", b"c", b"r", b""].into_iter().find(|p| {
        rest.starts_with(p) && matches!(rest.get(p.len()), Some(b'"')) || raw_opening(rest, p).is_some()
    })?;
    if let Some(hashes) = raw_opening(rest, prefix) {
        let mut close = vec![b'"'];
        close.resize(1 + hashes, b'#');
        let body = prefix.len() + hashes + 1;
        let end = rest[body..].windows(close.len()).position(|w| w == close);
        return Some(end.map_or(rest.len(), |end| body + end + close.len()));
    }
    let body = prefix.len() + 1;
    let mut at = body;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    Some(rest.len())
}

/// The number of hashes when `prefix` opens a raw string here.
fn raw_opening(rest: &[u8], prefix: &[u8]) -> Option<usize> {
    if !prefix.ends_with(b"r") || !rest.starts_with(prefix) {
        return None;
    }
    let hashes = rest[prefix.len()..].iter().take_while(|&&b| b == b'#').count();
    (rest.get(prefix.len() + hashes) == Some(&b'"')).then_some(hashes)
}

/// The length of a char literal, or `None` for a lifetime.
fn char_literal(rest: &[u8]) -> Option<usize> {
    if rest.get(1) == Some(&b'\\') {
        let end = rest.iter().skip(3).position(|&b| b == b'\'')?;
        return Some(3 + end + 1);
    }
    let width = match rest.get(1)? {
        0..0x80 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    };
    (rest.get(1 + width) == Some(&b'\'')).then_some(width + 2)
}

/// The ranges of tokens that belong to test items, their attributes included.
fn test_regions(tokens: &[Token]) -> Vec<Range<usize>> {
    let mut regions = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some(attribute) = attribute(tokens, at) else {
            at += 1;
            continue;
        };
        let inner = tokens[at + 1].is("!");
        if !is_test_attribute(&tokens[attribute.clone()]) {
            at = attribute.end + 1;
        } else if inner {
            return vec![Range { start: 0, end: tokens.len() }];
        } else {
            let end = item_end(tokens, attribute.end + 1);
            regions.push(at..end);
            at = end;
        }
    }
    regions
}

/// The tokens between the brackets of an attribute that starts at `at`.
fn attribute(tokens: &[Token], at: usize) -> Option<Range<usize>> {
    if !tokens[at].is("#") {
        return None;
    }
    let open = if tokens.get(at + 1)?.is("!") { at + 2 } else { at + 1 };
    if !tokens.get(open)?.is("[") {
        return None;
    }
    Some(open + 1..closing(tokens, open))
}

fn is_test_attribute(inside: &[Token]) -> bool {
    let words: Vec<&str> = inside.iter().take(5).map(|token| token.text.as_str()).collect();
    matches!(words.as_slice(), ["test"] | ["cfg", "(", "test", ")"] | ["cfg", "(", "all", "(", "test"])
}

/// The index of the bracket that closes the one at `open` (or the end).
pub(crate) fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is("(") || token.is("[") || token.is("{") {
            depth += 1;
        } else if token.is(")") || token.is("]") || token.is("}") {
            depth -= 1;
            if depth == 0 {
                return at;
            }
        }
    }
    tokens.len()
}

/// The index after the item that starts at `at` (with more attributes, perhaps).
fn item_end(tokens: &[Token], mut at: usize) -> usize {
    while let Some(more) = tokens.get(at).and_then(|_| attribute(tokens, at)) {
        at = more.end + 1;
    }
    while at < tokens.len() {
        let token = &tokens[at];
        if token.is(";") {
            return at + 1;
        }
        if token.is("}") {
            return at;
        }
        if token.is("{") {
            return (closing(tokens, at) + 1).min(tokens.len());
        }
        at = if token.is("(") || token.is("[") { closing(tokens, at) + 1 } else { at + 1 };
    }
    tokens.len()
}

/// `x` when the item is `mod x;`.
fn module_declared(item: &[Token]) -> Option<String> {
    let [.., keyword, name, end] = item else { return None };
    (keyword.is("mod") && end.is(";")).then(|| name.text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        Source::new("a.rs", text, false).tokens.into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_and_lifetimes_are_dropped_and_literals_are_one_token() {
        assert_eq!(words("a // b\n/* c /* d */ e */ f"), ["a", "f"]);
        assert_eq!(
            words("&'a str '\\'' 'é' b'x' '\\u{1b}'"),
            ["&", "a", "str", "'\\''", "'é'", "b", "'x'", "'\\u{1b}'"]
        );
        assert_eq!(
            words(r####"r#"a " b"# "c \" // d" br"e\" cr##"f"#"## g"####),
            [r##"r#"a " b"#"##, r#""c \" // d""#, r#"br"e\""#, r###"cr##"f"#"##"###, "g"]
        );
    }

    #[test]
    fn lines_are_counted_through_literals_and_comments() {
        let source = Source::new("a.rs", "\"x\ny\"\n/*\n*/ here", false);
        assert_eq!(source.tokens.last().map(|token| token.line), Some(4));
    }

    fn tested(text: &str) -> Vec<String> {
        let source = Source::new("a.rs", text, false);
        source.tokens.into_iter().filter(|t| t.in_test && t.kind == Kind::Word).map(|t| t.text).collect()
    }

    #[test]
    fn test_items_are_marked_and_nothing_after_them() {
        let text = "fn a() {} #[cfg(test)] #[path = \"x\"] mod b { fn c(x: [u8; 2]) {} } fn d() {}";
        assert_eq!(tested(text), ["cfg", "test", "path", "mod", "b", "fn", "c", "x", "u8", "2"]);
        assert_eq!(tested("#[test] fn a() { b(); } fn c() {}"), ["test", "fn", "a", "b"]);
        assert_eq!(tested("#[cfg(feature = \"test\")] fn a() {}"), [""; 0]);
        assert_eq!(tested("#![cfg(test)] fn a() {}"), ["cfg", "test", "fn", "a"]);
    }

    #[test]
    fn a_test_module_in_a_file_of_its_own_is_remembered() {
        assert_eq!(Source::new("a.rs", "#[cfg(test)] mod b; mod c;", false).test_modules, ["b"]);
    }
}
