//! The machine, as facts: terminals, processes, git, files, sockets, memory that survives the server, time.
//!
//! Everything here answers what *is* or does what it is told; nothing decides what it means (a dirty worktree,
//! a blocked agent, a path worth trusting): verdicts live in `kraal-core`. It knows no other kraal crate, no
//! JSON of clients and no screen. Unsafe code is allowed in the modules that say so in their first lines.
//!
//! Linux is what is built and tested. What macOS does otherwise is kept behind small functions: `/proc` in
//! [`process`], `memfd` in [`memory`], the subreaper and `signalfd` in [`keeper`].

pub mod clock;
pub mod dirs;
pub mod edit;
pub mod files;
pub mod git;
pub mod journal;
pub mod keeper;
pub mod letters;
pub mod lock;
pub mod memory;
pub mod notify;
pub mod process;
pub mod pty;
pub mod sentinel;
pub mod slots;
pub mod socket;
pub mod spawn;
pub mod watch;
