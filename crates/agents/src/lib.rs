//! kraal-agents.
