//! The end of an environment: no program is left behind, whatever it ignores.
//!
//! Everything below the keeper is hung up, then asked to end, then killed. What is below another keeper (a session
//! started from a pane of this one) is not touched: it belongs to itself.

use std::collections::BTreeSet;

use super::registry;
use super::run::{Keeper, State};
use crate::clock::monotonic_ms;
use crate::process;

/// How long to go on killing before leaving what cannot be killed (stuck in the kernel) behind.
const PATIENCE_MS: u64 = 5_000;
/// How often to look while killing: a program may fork faster than it dies.
const LOOK_MS: u64 = 20;

/// How far the end has come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ending {
    stage: Stage,
    /// When the next stage begins.
    next_at: u64,
    grace_ms: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    HungUp,
    AskedToEnd,
    Killing {
        until: u64,
    },
    /// No program is left: the server is awaited.
    Programless,
}

impl Ending {
    pub(super) fn next_look(&self) -> Option<u64> {
        (self.stage != Stage::Programless).then_some(self.next_at)
    }
}

impl Keeper {
    /// Begins the end.
    pub(super) fn end(&mut self, grace_ms: u32) {
        if matches!(self.state, State::Ending(_)) {
            return;
        }
        self.signal_programs(&[libc::SIGHUP, libc::SIGCONT]);
        let grace_ms = u64::from(grace_ms);
        let next_at = monotonic_ms() + grace_ms / 2;
        self.state = State::Ending(Ending { stage: Stage::HungUp, next_at, grace_ms });
    }

    /// Carries the end on; whether it has come.
    pub(super) fn has_ended(&mut self) -> bool {
        let State::Ending(mut ending) = self.state else { return false };
        let now = monotonic_ms();
        if ending.stage != Stage::Programless && self.programs().is_empty() {
            ending.stage = Stage::Programless;
        } else if now >= ending.next_at {
            match ending.stage {
                Stage::HungUp => {
                    self.signal_programs(&[libc::SIGTERM, libc::SIGCONT]);
                    ending.stage = Stage::AskedToEnd;
                    ending.next_at = now + ending.grace_ms / 2;
                }
                Stage::AskedToEnd => {
                    self.signal_programs(&[libc::SIGKILL]);
                    ending.stage = Stage::Killing { until: now + PATIENCE_MS };
                    ending.next_at = now + LOOK_MS;
                }
                Stage::Killing { until } if now < until => {
                    self.signal_programs(&[libc::SIGKILL]);
                    ending.next_at = now + LOOK_MS;
                }
                Stage::Killing { .. } => {
                    self.note("programs that cannot be killed are left behind");
                    ending.stage = Stage::Programless;
                }
                Stage::Programless => {}
            }
        }
        self.state = State::Ending(ending);
        if ending.stage != Stage::Programless {
            return false;
        }
        self.close_wire();
        self.server.is_none()
    }

    fn signal_programs(&self, signals: &[i32]) {
        for pid in self.programs() {
            for signal in signals {
                process::signal(pid, *signal);
            }
        }
    }

    /// Everything that runs below this keeper, save the server and other keepers and what is below them.
    fn programs(&self) -> Vec<u32> {
        let me = std::process::id();
        let mut stop = registry::others(&self.dirs.keepers);
        stop.extend(self.server.as_ref().map(|server| server.pid));
        // A keeper with another runtime folder stands in another register.
        let below = process::descendants(me, &stop);
        let foreign: BTreeSet<u32> =
            below.iter().map(|(pid, _)| *pid).filter(|pid| is_a_keeper(*pid)).collect();
        if foreign.is_empty() {
            return below.into_iter().map(|(pid, _)| pid).collect();
        }
        stop.extend(foreign);
        process::descendants(me, &stop).into_iter().map(|(pid, _)| pid).collect()
    }
}

fn is_a_keeper(pid: u32) -> bool {
    process::cmdline(pid).is_some_and(|argv| argv.get(1).is_some_and(|arg| arg == "__keeper"))
}
