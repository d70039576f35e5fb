//! kraal-server.
