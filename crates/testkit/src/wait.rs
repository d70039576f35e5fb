//! Waiting for conditions.
//!
//! Not here: what is waited for.

use std::time::{Duration, Instant};

/// How long a condition may take. Far longer than it ever should: tests share their machine.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How often a condition is looked at that cannot tell us itself.
const AGAIN: Duration = Duration::from_millis(10);

/// Waits until `look` finds something, and gives it.
///
/// # Panics
///
/// When it does not come true in time; says `what`.
pub fn await_some<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "this did not come true in {PATIENCE:?}: {what}");
        std::thread::sleep(AGAIN);
    }
}

/// Waits until `look` is true.
///
/// # Panics
///
/// When it does not come true in time; says `what`.
pub fn await_true(what: &str, mut look: impl FnMut() -> bool) {
    await_some(what, || look().then_some(()));
}
