//! The program `krad`: the Agents API on the command line.
//!
//! Not here: everything (`kraal_cli`); a second program shares it.

use std::process::ExitCode;

fn main() -> ExitCode {
    kraal_cli::krad(std::env::args_os())
}
