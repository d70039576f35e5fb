//! A small runner that speaks what `cargo test` and `cargo nextest` ask of a test binary.

use std::panic::catch_unwind;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::tests::TESTS;

pub(crate) fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    if has("--list") {
        if !has("--ignored") {
            TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        }
        return ExitCode::SUCCESS;
    }
    let filters: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let is_wanted = |name: &str| {
        filters.is_empty()
            || filters
                .iter()
                .any(|filter| if has("--exact") { *filter == name } else { name.contains(*filter) })
    };
    let wanted: Vec<_> = TESTS.iter().filter(|(name, _)| is_wanted(name)).collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((name, test)) = wanted.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let passed = catch_unwind(test).is_ok();
                    failed.fetch_add(usize::from(!passed), Ordering::SeqCst);
                    println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
                }
            });
        }
    });
    let failed = failed.into_inner();
    println!("\ntest result: {} passed; {failed} failed", wanted.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
