//! kraal-testkit.
