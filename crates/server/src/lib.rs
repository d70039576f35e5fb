//! The server: one loop that owns the panes and the connections, feeds the rules and does what they
//! say.
//!
//! Not here: any rule (`core`), any drawing (`tui`), starting itself (`host::keeper`).

mod boot;
mod caller;
mod conn;
mod history;
mod homes;
mod hooks;
mod keeping;
mod marks;
mod notices;
pub mod own;
mod pane;
mod perform;
mod pool;
mod prompts;
mod queue;
mod saved_screen;
mod screens;
mod server;
mod show;
mod store;
mod talk;
mod watch;

pub use boot::{ServerConfig, run};
pub use saved_screen::saved_screen;
