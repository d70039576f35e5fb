//! kraal-term.
