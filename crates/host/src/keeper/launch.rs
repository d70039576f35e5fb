//! Starting an environment, from a client.
use crate::dirs::EnvironmentDirs;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use thiserror::Error;
/// What to start.
#[derive(Debug, Clone)]
pub struct LaunchConfig {
    /// The environment's files.
    pub dirs: EnvironmentDirs,
    /// This program, by its real path: keeper and servers are started from it.
    pub exe: PathBuf,
    /// Variables to set (`Some`) or to remove (`None`) for keeper and server, besides the pane's own, which are removed always.
    pub vars: Vec<(OsString, Option<OsString>)>,
}
/// Why there is no server.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// In one sentence.
    #[error("{0}")]
    Failed(String),
}
/// Starts keeper and server of an environment, unless they run, and returns when the server accepts.
pub fn launch(_config: &LaunchConfig) -> Result<(), LaunchError> {
    Err(LaunchError::Failed(String::new()))
}
/// Asks the binary at `exe` whether it can take over from this keeper ([`super::ToKeeper::Upgrade`]). Blocks up to five seconds.
pub fn probe(_exe: &Path) -> Result<(), LaunchError> {
    Err(LaunchError::Failed(String::new()))
}
