//! The two clocks, as plain numbers to hand to code that takes time as a parameter.
//!
//! No timers and no formatting: a deadline is arithmetic on these numbers.

use std::time::{SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

/// Milliseconds since the Unix epoch, by the wall clock (it may jump). 0 on a clock set before 1970.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// Milliseconds of a clock that never goes back, the same in every process of one boot.
pub fn monotonic_ms() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1000 + now.tv_nsec as u64 / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_run_forward() {
        let first = monotonic_ms();
        assert!(monotonic_ms() >= first);
        assert!(now_ms() > 1_700_000_000_000);
    }
}
