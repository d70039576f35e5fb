//! kraal-core.
