//! What the keeper's tests stand on: a runner, a stand-in server, an environment to try things in.

pub(crate) mod place;
pub(crate) mod runner;
pub(crate) mod server;
pub(crate) mod tally;
mod tests;
