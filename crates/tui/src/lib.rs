//! kraal-tui.
