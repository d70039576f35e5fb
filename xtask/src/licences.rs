//! Licences and sources of all dependencies, for machines where cargo-deny can't be had.
//!
//! It reads the same `deny.toml`, and no licence text: what a package declares is believed. Bans and duplicate
//! versions are left to cargo-deny.

use anyhow::{Context, Result};
use serde_json::Value;

/// What is wrong, one line a package. `metadata` is what `cargo metadata` prints, `deny` the text of `deny.toml`.
pub(crate) fn check(metadata: &str, deny: &str) -> Result<Vec<String>> {
    let metadata: Value = serde_json::from_str(metadata).context("cargo metadata printed no JSON")?;
    let deny: toml::Table = deny.parse().context("deny.toml is not TOML")?;
    let allowed = strings(&deny, "licenses", "allow");
    let registries = strings(&deny, "sources", "allow-registry");
    let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
    let mut problems = Vec::new();
    for package in packages {
        // A package without a source is one of ours.
        let Some(source) = package["source"].as_str() else { continue };
        let name = format!("{} {}", text(&package["name"]), text(&package["version"]));
        if !registries.iter().any(|registry| source.ends_with(registry)) {
            problems.push(format!("{name}: comes from {source}, which deny.toml does not allow"));
        }
        let licence = text(&package["license"]);
        if !satisfied(licence, &allowed) {
            problems.push(format!("{name}: licence `{licence}` is not allowed by deny.toml"));
        }
    }
    Ok(problems)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("none")
}

fn strings(table: &toml::Table, section: &str, key: &str) -> Vec<String> {
    let list = table.get(section).and_then(|section| section.get(key)).and_then(toml::Value::as_array);
    list.into_iter().flatten().filter_map(toml::Value::as_str).map(str::to_owned).collect()
}

/// Whether an SPDX expression can be met with the allowed licences. `/` is the old way to write OR.
fn satisfied(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { words: &words, allowed };
    parser.any() && parser.words.is_empty()
}

struct Parser<'a> {
    words: &'a [&'a str],
    allowed: &'a [String],
}

impl Parser<'_> {
    fn take(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.words = &self.words[1..];
        }
        found
    }

    fn any(&mut self) -> bool {
        let mut met = self.all();
        while self.take("OR") {
            met |= self.all();
        }
        met
    }

    fn all(&mut self) -> bool {
        let mut met = self.one();
        while self.take("AND") {
            met &= self.one();
        }
        met
    }

    fn one(&mut self) -> bool {
        if self.take("(") {
            let met = self.any();
            return self.take(")") && met;
        }
        let Some((name, rest)) = self.words.split_first() else { return false };
        self.words = rest;
        let mut licence = (*name).to_owned();
        if self.take("WITH")
            && let Some((exception, rest)) = self.words.split_first()
        {
            self.words = rest;
            licence = format!("{licence} WITH {exception}");
        }
        self.allowed.contains(&licence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENY: &str = "[licenses]\nallow = [\"MIT\", \"Apache-2.0\", \"Apache-2.0 WITH LLVM-exception\"]\n\
                        [sources]\nallow-registry = [\"https://registry.example/index\"]\n";

    fn problems(licence: &str, source: &str) -> usize {
        let metadata = serde_json::json!({ "packages": [
            { "name": "ours", "version": "1.0.0", "source": null, "license": null },
            { "name": "a", "version": "1.0.0", "source": source, "license": licence },
        ]});
        check(&metadata.to_string(), DENY).unwrap().len()
    }

    #[test]
    fn expressions_are_met_or_not() {
        let source = "registry+https://registry.example/index";
        for fine in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0/MIT",
            "(GPL-3.0 OR MIT) AND Apache-2.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert_eq!(problems(fine, source), 0, "{fine}");
        }
        for bad in
            ["GPL-3.0", "MIT AND GPL-3.0", "MIT AND (GPL-3.0 OR LGPL-2.1)", "MIT WITH Other", "", "(MIT"]
        {
            assert_eq!(problems(bad, source), 1, "{bad}");
        }
    }

    #[test]
    fn another_source_is_named() {
        assert_eq!(problems("MIT", "git+https://host.example/a"), 1);
    }
}
