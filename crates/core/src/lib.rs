//! The facts and the rules: `World::handle(Input) -> Vec<Effect>`.
//!
//! Not here: a clock, a disk, a socket, a process, a cell. Time comes in as a parameter; what needs
//! the machine leaves as an effect and comes back as an input.

pub mod effect;
mod house;
pub mod input;
pub mod saved;
mod world;

pub use effect::{Effect, Start};
pub use house::{Setup, Tokens};
pub use input::{Input, Outcome, PaneChange, Peer, Settings, Ticket};
pub use saved::{Revival, Saved, SavedError};
pub use world::World;
