//! The words everyone speaks: every request, response, event, refusal and id as types, the
//! envelope they travel in, and the private screen stream.
//!
//! Not here: any rule about them (`core`), any socket (`host`), any pixel (`tui`).

pub mod state;

pub use state::{Kind, Source, State, Verdict};
