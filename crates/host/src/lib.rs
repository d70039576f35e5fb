//! kraal-host.
