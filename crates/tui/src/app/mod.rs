//! The impure shell around the client: the tty, the socket, signals, one loop.
//!
//! Not here: what anything means (`client`), finding or starting a server (the caller).

use std::os::unix::net::UnixStream;

use kraal_api::config::Config;

/// Asks for a new connection after one was lost: `None` is "not yet, ask again soon", an error
/// gives up.
pub type Reconnect = Box<dyn FnMut() -> anyhow::Result<Option<UnixStream>>>;

/// How a client runs.
pub struct Options {
    /// What the user chose.
    pub config: Config,
    /// The environment's name, as the user knows it.
    pub session: String,
    /// The workspace to show, made where there is none.
    pub workspace: Option<String>,
    /// The folder a new workspace starts in.
    pub folder: Option<String>,
    /// How a lost connection is made again.
    pub reconnect: Reconnect,
    /// A line for the bottom bar while there is nothing else to say.
    pub hint: Option<String>,
    /// `0.1.0`.
    pub version: String,
}

/// How a client ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The user left; the session lives on.
    Detached,
    /// The session ended.
    Killed,
    /// The last pane closed, and the session with it.
    Empty,
    /// Something else, in one sentence.
    Because(String),
}

/// Shows the session on this process's terminal until the user leaves or the session ends.
///
/// # Errors
///
/// When standard input and output are no terminal, or the terminal fails.
#[allow(clippy::needless_pass_by_value)]
pub fn run(_connection: UnixStream, _options: Options) -> anyhow::Result<Ending> {
    anyhow::bail!("this build cannot attach yet")
}
