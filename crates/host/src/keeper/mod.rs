//! The keeper: the process that outlives the server, so that no program ends with it.
//!
//! It starts the panes' programs, holds their terminals, journals and the world's memory file, reports exits, and
//! starts the server again when it dies. It parses no terminal and no request of a client: a versioned handful of
//! verbs ([`ToKeeper`], [`ToServer`]) over a socket pair is all it knows.
//!
//! - [`launch`] starts an environment, from a client.
//! - [`run`] is the keeper's whole life: `exe __keeper …`, see [`KeeperConfig::from_args`].
//! - [`Link`] is the server's end: `exe __server <environment>`, see [`Link::from_env`].
//!
//! # When the server dies
//!
//! It is started again at once, later only after a wait that doubles. A death by a signal other than `SIGKILL`, by
//! a panic (exit code 101) or with any code but 0 is a **crash**: every pane whose journal is marked as being
//! replayed or parsed gets a strike; at the second its ring is set aside ([`crate::journal::Journal::is_faulty`]).
//! `SIGKILL` comes from outside and is nobody's fault: no strike. Five deaths within a minute stop the
//! restarting; deaths by `SIGKILL` count only when the server had not got as far as `Ready`. Strikes are forgotten
//! when a server has lived for a minute.
//!
//! While stopped, the programs run on, the keeper listens on nothing, and the file
//! [`crate::dirs::EnvironmentDirs::halted`] holds the reason in one sentence. `SIGUSR1` makes it try again, which
//! [`launch`] does for the next client.
//!
//! # Signals
//!
//! `SIGTERM` ends the environment as [`ToKeeper::End`] does, with three seconds of grace; `SIGHUP` and `SIGINT`
//! are ignored.

mod crash;
mod end;
mod launch;
mod link;
mod panes;
mod protocol;
mod registry;
mod run;
mod server;
mod signals;
mod table;
mod wire;

pub use launch::{LaunchConfig, LaunchError, launch, probe};
pub use link::{Held, HeldPane, LINK_FD, LOCK_FD, Link};
pub use protocol::{Exit, Spawn, ToKeeper, ToServer, VERSION};
pub use registry::{Registered, is_keeper, registered};
pub use run::{KeeperConfig, run};
pub use wire::LONGEST_MESSAGE;
