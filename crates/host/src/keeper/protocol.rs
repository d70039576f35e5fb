//! The words between keeper and server: a versioned handful.
//!
//! Only their shapes; how they travel is [`super::wire`]'s business. Descriptors travel beside a message in the
//! order its documentation names. New variants are appended, never inserted: an old server must still read the
//! answers that an upgraded keeper gives it.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::pty::Size;

/// The protocol's version; it stands in every packet.
pub const VERSION: u16 = 1;

/// What the server asks of the keeper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToKeeper {
    /// Run a program in a pane: answered by `Spawned` or `SpawnFailed`.
    Spawn(Spawn),
    /// Keep a journal for a pane that runs nothing (yet): answered by `Reserved`, or `SpawnFailed`.
    Reserve {
        /// The pane.
        pane: u64,
        /// History blocks of its journal.
        history: u32,
    },
    /// Send a signal to the pane's process group and its terminal's foreground; `SIGHUP`, `SIGTERM` and `SIGKILL`
    /// to every process of its session.
    Signal {
        /// The pane.
        pane: u64,
        /// The signal's number.
        signal: i32,
    },
    /// The pane is gone: close its terminal and drop its journal. Its exit is reported no more.
    Forget {
        /// The pane.
        pane: u64,
    },
    /// Become the binary at `exe`, under the running programs: answered by `Upgraded` (the server saves and
    /// exits; the new one is started then) or `UpgradeFailed` (nothing changed). [`super::probe`] it first.
    Upgrade {
        /// Absolute path.
        exe: PathBuf,
    },
    /// The server accepts connections.
    Ready,
    /// The server cannot run and exits: one sentence for whoever started the environment.
    Failed {
        /// Why.
        reason: String,
    },
    /// The environment ends: hang up every program, kill what is left after the grace period, close the link,
    /// wait for the server to exit, exit.
    End {
        /// Milliseconds between hanging up and killing.
        grace_ms: u32,
    },
}

/// A program for a pane. A pane that has run a program keeps its journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spawn {
    /// The pane.
    pub pane: u64,
    /// Program and arguments; a program without `/` is looked for in the `PATH` of `env`.
    pub argv: Vec<OsString>,
    /// The whole environment: nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
    /// Its folder; not having it is a failure.
    #[serde(with = "os_path")]
    pub cwd: PathBuf,
    /// Its terminal's size.
    pub size: Size,
    /// History blocks of its journal, where it has none yet.
    pub history: u32,
}

/// What the keeper tells the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToServer {
    /// First, with the world's memory file ([`crate::slots`]). `panes` messages `Pane` follow.
    Hello {
        /// How many panes the keeper holds.
        panes: u32,
        /// How often it has started a server again.
        restarts: u32,
        /// What the last server died of, in words.
        last_death: Option<String>,
    },
    /// A pane the keeper holds. Descriptors: its journal, then its terminal's master when `terminal`.
    Pane {
        /// The pane.
        pane: u64,
        /// Its program's pid, when it has or had one.
        pid: Option<u32>,
        /// How the program ended, when it did.
        exit: Option<Exit>,
        /// Whether a master comes along.
        terminal: bool,
    },
    /// The program runs. Descriptors: journal, master.
    Spawned {
        /// The pane.
        pane: u64,
        /// Its pid, which is also its session and first process group.
        pid: u32,
    },
    /// It does not.
    SpawnFailed {
        /// The pane.
        pane: u64,
        /// The system's number for it, 0 when it is none of the system's.
        errno: i32,
        /// One sentence.
        message: String,
    },
    /// The journal is there. Descriptor: journal.
    Reserved {
        /// The pane.
        pane: u64,
    },
    /// A pane's program ended; what it wrote last may still be unread.
    Exited {
        /// The pane.
        pane: u64,
        /// How.
        exit: Exit,
    },
    /// The keeper is the new binary now: save and exit.
    Upgraded,
    /// It is still the old one, and nothing changed.
    UpgradeFailed {
        /// Why: one sentence.
        message: String,
    },
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// Paths as the bytes they are: serde's own form refuses those that are not UTF-8.
mod os_path {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().as_bytes().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        Ok(PathBuf::from(OsString::from_vec(Vec::deserialize(deserializer)?)))
    }
}
