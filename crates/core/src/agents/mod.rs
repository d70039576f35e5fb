//! Agents: starting one, what is known of the one in a pane, the rows of all, and who leads.
//!
//! Not here: how a state is found (`kraal_agents`), notifications (`notify`).

mod prompt;
mod rows;
mod start;
mod state;
mod stream;

pub(crate) use prompt::prompt;
pub(crate) use rows::{list, statuses};
pub(crate) use start::{launch, lead, start, unlead};
pub(crate) use state::{changed, gone, no_transcript, ran};
pub(crate) use stream::Rows;
