//! For tests only: a sandbox home in which the real binary runs, a client of its API, and the real
//! client on a terminal of our own, whose screen our own `term` reads.
//!
//! Not here: any test. Nothing sleeps for a time: conditions are awaited, up to a generous deadline.

mod api;
mod attached;
pub mod fuzz;
mod sandbox;
mod wait;

pub use api::{Api, Stream};
pub use attached::{Attached, Screen};
pub use sandbox::{Done, Sandbox, is_running};
pub use wait::{PATIENCE, await_some, await_true};
