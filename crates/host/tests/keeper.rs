//! The keeper end to end, as a real process with real programs; the server is a stand-in.
//!
//! This binary is its own keeper (`__keeper`) and its own server (`__server`), so it brings its own `main`. The
//! stand-in server passes what its link says to the test over a socket, and the test's orders to the link; what
//! a server does with terminals and journals the test does by orders too. A test waits for conditions, never for
//! time; the environments' folders are temporary, and each test sees to it that nothing of it is left running.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "test code with its own main"
)]

mod keeper_support;

use std::process::ExitCode;

use keeper_support::{runner, server};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next().as_deref().and_then(|arg| arg.to_str()) {
        Some("__keeper") => {
            let kept = kraal_host::keeper::KeeperConfig::from_args(args).and_then(kraal_host::keeper::run);
            kept.map_or_else(
                |error| {
                    eprintln!("keeper: {error}");
                    ExitCode::FAILURE
                },
                |()| ExitCode::SUCCESS,
            )
        }
        Some("__server") => server::main(),
        _ => runner::main(),
    }
}
