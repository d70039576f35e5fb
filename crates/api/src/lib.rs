//! The words everyone speaks: every request, response, event, refusal and id as types, the
//! envelope they travel in, and the private screen stream.
//!
//! Not here: any rule about them (`core`), any socket (`host`), any pixel (`tui`).

pub mod agents;
pub mod config;
pub mod envelope;
pub mod events;
pub mod files;
pub mod hello;
pub mod hooks;
pub mod ids;
pub mod kraddies;
pub mod layout;
pub mod memory;
pub mod messages;
pub mod model;
pub mod panes;
pub mod refusal;
pub mod request;
pub mod screen;
pub mod sessions;
pub mod state;
pub mod stream;
pub mod time;
pub mod variants;
pub mod workers;
pub mod worktrees;

pub use ids::{ConnId, PaneId, PaneRef, TabId, WorkspaceId};
pub use refusal::{Code, Refusal};
pub use request::{Request, Response, Verb};
pub use state::{Kind, Source, State, Verdict};

/// The JSON Schema of every request and response, made from the types the server parses with.
pub fn schema() -> serde_json::Value {
    serde_json::json!({
        "request": schemars::schema_for!(Request),
        "response": schemars::schema_for!(Response),
        "refusal": schemars::schema_for!(Refusal),
        "event": schemars::schema_for!(events::Event),
        "agent_event": schemars::schema_for!(agents::AgentEvent),
    })
}
