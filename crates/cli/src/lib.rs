//! The door: the programs `kraal` and `krad`. Arguments become one request, the answer is printed.
//!
//! Not here: any rule (`core`), anything the server does, anything the attached client draws. A
//! command that needs more than a request and a print is in the wrong place.

mod agents;
mod args;
mod client;
mod config;
mod demo;
mod doctor;
mod events;
mod failure;
mod hook;
mod integrations;
mod krad;
mod output;
mod panes;
mod processes;
mod sample;
mod screens;
mod sessions;
mod shell;
mod status_line;
mod target;

use std::ffi::OsString;
use std::process::ExitCode;

/// The program `kraal`, with its arguments, its own name first.
pub fn kraal(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(code) = processes::hidden(&args) {
        return code;
    }
    failure::report("kraal", args::run(args))
}

/// The program `krad`, with its arguments, its own name first.
pub fn krad(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    failure::report("krad", krad::run(args))
}
