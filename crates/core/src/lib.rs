//! The facts and the rules: `World::handle(Input) -> Vec<Effect>`.
//!
//! Not here: a clock, a disk, a socket, a process, a cell. Time comes in as a parameter; what needs
//! the machine leaves as an effect and comes back as an input.

mod agents;
mod attach;
mod caller;
mod clients;
mod desk;
pub mod effect;
mod events;
mod focus;
mod hello;
mod hooks;
mod house;
pub mod input;
pub mod jobs;
mod later;
mod notify;
mod outbox;
mod panes;
mod resume;
mod rights;
pub mod saved;
mod sessions;
mod sizes;
mod tree;
mod views;
mod waits;
mod words;
pub mod worktrees;
mod world;

pub use effect::{Effect, Start};
pub use house::{Setup, Tokens};
pub use input::{Input, Outcome, PaneChange, Peer, Settings, Ticket};
pub use saved::{Revival, Saved, SavedError};
pub use world::World;
