//! The program `kraal`: a terminal workspace for people who run coding agents.
//!
//! Not here: everything (`kraal_cli`); a second program shares it.

use std::process::ExitCode;

fn main() -> ExitCode {
    kraal_cli::kraal(std::env::args_os())
}
