//! Completions for shells and the man page, both from the declaration of the arguments.
//!
//! Not here: the arguments (`args`).

use std::io::Write as _;

use clap::Args;
use clap_complete::Shell;

use crate::failure::Done;

/// `kraal completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

pub(crate) fn completions(args: &CompletionsArgs) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::args::command(), "kraal", &mut script);
    Ok(std::io::stdout().lock().write_all(&script)?)
}

/// The main page, with the commands' own pages after it.
pub(crate) fn man() -> Done {
    let mut page = Vec::new();
    let command = crate::args::command();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let man = clap_mangen::Man::new(sub.clone());
        writeln!(page, ".SH \"kraal {}\"", sub.get_name())?;
        man.render_description_section(&mut page)?;
        man.render_synopsis_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    Ok(std::io::stdout().lock().write_all(&page)?)
}
