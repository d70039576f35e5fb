//! The account of a server's deaths: when to start it again, when to stop, which pane to suspect.
//!
//! Pure: times come in as milliseconds of a clock that never goes back. The rules are in [`super`]'s
//! documentation.

use std::collections::BTreeMap;

/// Deaths older than this are forgotten; a server that lives this long clears the account.
const MEMORY_MS: u64 = 60_000;
/// So many deaths within [`MEMORY_MS`] stop the restarting.
const MOST_DEATHS: usize = 5;
/// So many crashes while a pane was marked set its ring aside.
const MOST_STRIKES: u32 = 2;
const FIRST_WAIT_MS: u64 = 100;

/// Whose doing a death was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Death {
    /// The server's own: a fault, a panic, an error.
    Crash,
    /// `SIGKILL`, or an exit without an error.
    FromOutside,
}

/// What to do about a death.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Panes whose rings are to be set aside.
    pub(super) set_aside: Vec<u64>,
    /// When to start the next server; `None`: not at all.
    pub(super) start_in_ms: Option<u64>,
}

/// The account.
#[derive(Debug, Default)]
pub(super) struct Account {
    deaths: Vec<u64>,
    strikes: BTreeMap<u64, u32>,
    /// Since when the present server is ready.
    ready_since: Option<u64>,
}

impl Account {
    /// The server has got as far as `Ready`.
    pub(super) fn ready(&mut self, now: u64) {
        self.ready_since = Some(now);
    }

    /// The server died, while the journals of `marked` were being replayed or parsed.
    pub(super) fn died(&mut self, now: u64, death: Death, marked: &[u64]) -> Verdict {
        let ready_since = self.ready_since.take();
        if ready_since.is_some_and(|since| now.saturating_sub(since) >= MEMORY_MS) {
            *self = Self::default();
        }
        self.deaths.retain(|then| now.saturating_sub(*then) < MEMORY_MS);
        if death == Death::Crash || ready_since.is_none() {
            self.deaths.push(now);
        }
        let set_aside = match death {
            Death::Crash => marked.iter().copied().filter(|pane| self.strike(*pane)).collect(),
            Death::FromOutside => Vec::new(),
        };
        let start_in_ms = match self.deaths.len() {
            MOST_DEATHS.. => None,
            0 | 1 => Some(0),
            more => Some(FIRST_WAIT_MS << (more - 2)),
        };
        Verdict { set_aside, start_in_ms }
    }

    /// Someone wants it tried again.
    pub(super) fn forgive(&mut self) {
        self.deaths.clear();
    }

    fn strike(&mut self, pane: u64) -> bool {
        let strikes = self.strikes.entry(pane).or_default();
        *strikes += 1;
        let out = *strikes >= MOST_STRIKES;
        if out {
            self.strikes.remove(&pane);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_crashes_on_a_pane_set_it_aside() {
        let mut account = Account::default();
        account.ready(0);
        assert_eq!(account.died(1, Death::Crash, &[7, 8]).set_aside, []);
        assert_eq!(account.died(2, Death::Crash, &[7]).set_aside, [7]);
        assert_eq!(account.died(3, Death::Crash, &[8]).set_aside, [8]);
        // The slate is clean after it.
        assert_eq!(account.died(4, Death::Crash, &[7]).set_aside, []);
    }

    #[test]
    fn kills_from_outside_are_nobodys_fault() {
        let mut account = Account::default();
        for time in 0..100 {
            account.ready(time);
            let verdict = account.died(time, Death::FromOutside, &[1]);
            assert_eq!(verdict, Verdict { set_aside: vec![], start_in_ms: Some(0) });
        }
        // Unless it never gets ready: then something here is wrong.
        let waits: Vec<_> =
            (0..5).map(|time| account.died(time, Death::FromOutside, &[]).start_in_ms).collect();
        assert_eq!(waits, [Some(0), Some(100), Some(200), Some(400), None]);
        account.forgive();
        assert_eq!(account.died(9, Death::Crash, &[]).start_in_ms, Some(0));
    }

    #[test]
    fn a_minute_is_long_enough() {
        let mut account = Account::default();
        for round in 0..20 {
            let time = round * 16_000;
            account.ready(time);
            assert!(account.died(time + 10, Death::Crash, &[]).start_in_ms.is_some());
        }
        // Strikes are forgotten when a server has lived for a minute.
        account.died(1_000_000, Death::Crash, &[1]);
        account.ready(1_000_000);
        assert_eq!(account.died(1_060_000, Death::Crash, &[1]).set_aside, []);
    }
}
