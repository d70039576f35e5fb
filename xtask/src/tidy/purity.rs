//! Pure crates touch no machine: no files, network, processes, environment, clock, threads or runtime.
//!
//! Tests of a pure crate may: only what is shipped is looked at, and only under `src/`.

use super::arrows::Purity;
use super::finding::{Finding, Rule};
use super::paths::{self, Named};
use super::repository::Crate;

/// Beginnings of paths of the standard library that reach the machine.
const FORBIDDEN_STARTS: &[&[&str]] = &[
    &["std", "env"],
    &["std", "fs"],
    &["std", "net"],
    &["std", "os"],
    &["std", "process"],
    &["std", "thread"],
    &["std", "io", "stdin"],
    &["std", "io", "stdout"],
    &["std", "io", "stderr"],
];

/// Crates that reach it. They count where the manifest has them: elsewhere it is a module of that name.
const FORBIDDEN_CRATES: &[&str] = &[
    "tokio",
    "async_std",
    "smol",
    "mio",
    "rustix",
    "libc",
    "nix",
    "notify",
    "signal_hook",
    "signal_hook_mio",
    "tempfile",
    "getrandom",
    "rand",
    "memmap2",
];

/// Readings of a clock, wherever they stand in a path.
const FORBIDDEN_ANYWHERE: &[&[&str]] =
    &[&["Instant", "now"], &["SystemTime", "now"], &["Timestamp", "now"], &["Zoned", "now"], &["Utc", "now"]];

/// Checks the crate as far as the table calls it pure.
pub(crate) fn check(krate: &Crate, purity: &Purity, findings: &mut Vec<Finding>) {
    let excepted = match purity {
        Purity::None => return,
        Purity::Whole => None,
        Purity::AllBut(module) => Some(module),
    };
    let crates: Vec<&[&str]> =
        FORBIDDEN_CRATES.chunks(1).filter(|name| depends_on(&krate.manifest, name[0])).collect();
    for (module, source) in krate.modules() {
        if excepted.is_some_and(|name| module.first() == Some(name)) {
            continue;
        }
        for named in paths::named(&source.tokens).iter().filter(|named| !named.in_test) {
            if let Some(what) = forbidden(named, &crates) {
                let what = format!("{} is pure and names {what}", krate.name);
                findings.push(Finding::new(&source.path, named.line, Rule::Pure, what));
            }
        }
    }
}

fn depends_on(manifest: &str, name: &str) -> bool {
    let key = name.replace('_', "-");
    manifest.lines().any(|line| line.split(['.', ' ', '=']).next() == Some(&key))
}

fn forbidden(named: &Named, crates: &[&[&str]]) -> Option<String> {
    let start = FORBIDDEN_STARTS.iter().chain(crates).find(|start| named.starts_with(start));
    let clock = || FORBIDDEN_ANYWHERE.iter().find(|part| named.has(part));
    start.or_else(clock).map(|path| path.join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::repository::sample_crate;

    fn found(purity: &Purity, files: &[(&str, &str)]) -> Vec<(String, String)> {
        let mut findings = Vec::new();
        check(&sample_crate("tui", "rustix.workspace = true", files), purity, &mut findings);
        findings.into_iter().map(|finding| (finding.file, finding.what)).collect()
    }

    #[test]
    fn the_machine_is_found_in_uses_and_in_code() {
        let text = "use std::{collections::BTreeMap, fs};\nfn f() { std::time::Instant::now(); }\n\
                    fn g() { std::thread::spawn(|| ()); rustix::process::getpid() }";
        let whats: Vec<String> =
            found(&Purity::Whole, &[("src/a.rs", text)]).into_iter().map(|f| f.1).collect();
        let expected = ["std::fs", "Instant::now", "std::thread", "rustix"];
        assert_eq!(whats, expected.map(|path| format!("tui is pure and names {path}")));
    }

    #[test]
    fn types_text_and_tests_are_fine() {
        let text = "use std::time::{Duration, Instant};\n// std::fs::read\nconst S: &str = \"std::fs\";\n\
                    const V: &str = env!(\"CARGO_PKG_VERSION\");\n#[cfg(test)] mod tests { use std::fs; }\nfn f() { notify::tell(); }";
        assert_eq!(found(&Purity::Whole, &[("src/a.rs", text)]), []);
    }

    #[test]
    fn the_excepted_module_and_impure_crates_are_left_alone() {
        let files = [
            ("src/app/run.rs", "use std::fs;"),
            ("src/app.rs", "use std::env;"),
            ("build.rs", "use std::fs;"),
        ];
        assert_eq!(found(&Purity::AllBut("app".to_owned()), &files), []);
        assert_eq!(found(&Purity::None, &[("src/a.rs", "use std::fs;")]), []);
        assert_eq!(found(&Purity::AllBut("app".to_owned()), &[("src/b.rs", "use std::fs;")]).len(), 1);
    }
}
