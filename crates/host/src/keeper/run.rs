//! The keeper's life.
use crate::dirs::EnvironmentDirs;
use std::io;
use std::path::PathBuf;
/// What a keeper is told at its start.
#[derive(Debug)]
pub struct KeeperConfig {
    /// The environment's files.
    pub dirs: EnvironmentDirs,
    /// The binary to start servers from: remembered at launch.
    pub exe: PathBuf,
}
impl KeeperConfig {
    /// From the arguments after `__keeper`.
    pub fn from_args(_args: impl IntoIterator<Item = std::ffi::OsString>) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
/// The keeper's whole life.
pub fn run(_config: KeeperConfig) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
