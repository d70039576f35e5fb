//! The programs within the program: keeper, server and sample agent, told by a hidden first word.
//! They bypass the command line's arguments, which are for people.
//!
//! Not here: what they do (`host::keeper`, `server`, `sample`).

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use kraal_server::ServerConfig;
use tracing_subscriber::EnvFilter;

/// What the log holds unless `KRAAL_LOG` says otherwise.
const LOGGED: &str = "info";

/// Runs a hidden program when the arguments name one.
pub(crate) fn hidden(args: &[OsString]) -> Option<ExitCode> {
    let rest = || args[2..].iter().cloned();
    let done = match args.get(1)?.to_str()? {
        "__keeper" => {
            // It neither logs nor formats: what it has to say it writes itself.
            kraal_host::keeper::KeeperConfig::from_args(rest())
                .and_then(kraal_host::keeper::run)
                .map_err(anyhow::Error::from)
        }
        "__server" => {
            log();
            server(rest())
        }
        "hook" => {
            crate::hook::run(&args[2..]);
            return Some(ExitCode::SUCCESS);
        }
        "status-line" => {
            crate::status_line::run(&args[2..]);
            return Some(ExitCode::SUCCESS);
        }
        "__sample-agent" => return Some(crate::sample::run(rest())),
        _ => return None,
    };
    Some(match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error:#}");
            ExitCode::FAILURE
        }
    })
}

/// The server of the environment that the keeper names.
fn server(mut args: impl Iterator<Item = OsString>) -> anyhow::Result<()> {
    let environment = args.next().and_then(|name| name.into_string().ok());
    let environment =
        environment.context("the keeper names the session; this is not meant to be run by hand")?;
    let exe = std::env::current_exe().context("this program's own file is not known")?;
    kraal_server::run(ServerConfig {
        environment,
        exe,
        app: concat!("kraal ", env!("CARGO_PKG_VERSION")).to_owned(),
    })
}

/// Logs to standard error, which the keeper points to the session's log file.
fn log() {
    let filter = EnvFilter::try_from_env("KRAAL_LOG").unwrap_or_else(|_| EnvFilter::new(LOGGED));
    // A second subscriber in one process would be a mistake of ours, and cost only the log.
    let _ =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(false).try_init();
}
