//! Worktrees: the requests on them, and the pure rules behind those.
//!
//! Not here: git, files, processes (`host` has the facts and does what it is told).

mod verbs;

pub use verbs::PREFIX;
pub(crate) use verbs::{Jobs, create, done, list, new, prune, remove, setup, trust};
