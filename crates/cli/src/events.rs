//! The stream of events, and notifications.
//!
//! Not here: which events there are (`kraal_api::events`), who is told (`core`).

use clap::Args;
use kraal_api::events::{Events, Happening};
use kraal_api::panes::Notify;
use kraal_api::{Request, Verb};

use crate::client::Item;
use crate::failure::{Done, Failure};
use crate::output::Output;
use crate::panes::ask_ok;
use crate::target::Target;

/// `kraal events`.
#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// Only these: agent.changed, or agent for all of agent.*
    #[arg(value_name = "TYPE")]
    types: Vec<String>,
    /// Begins after this event.
    #[arg(long, value_name = "SEQ", requires = "boot")]
    since: Option<u64>,
    /// The boot that --since counts in.
    #[arg(long, requires = "since")]
    boot: Option<String>,
    /// Lists the types there are.
    #[arg(long, conflicts_with_all = ["types", "since", "boot"])]
    list: bool,
}

pub(crate) fn run(args: EventsArgs, target: &Target, output: &Output) -> Done {
    if args.list {
        return list(output);
    }
    for word in &args.types {
        known(word)?;
    }
    let wanted = Events { types: args.types, since: args.since, boot: args.boot };
    follow(target, wanted, |item| match item {
        Item::Event(event) => output.json(&event),
        Item::End => Ok(()),
    })
}

fn list(output: &Output) -> Done {
    if output.is_json() {
        let rows: Vec<_> = Happening::TYPES
            .iter()
            .map(|(word, meaning)| serde_json::json!({ "type": word, "meaning": meaning }))
            .collect();
        return output.json(&rows);
    }
    let rows: Vec<_> =
        Happening::TYPES.iter().map(|(word, meaning)| vec![(*word).into(), (*meaning).into()]).collect();
    output.table(&["TYPE", "WHEN"], &rows)
}

/// Whether a type is one, or stands for some.
fn known(word: &str) -> Done {
    let types = || Happening::TYPES.iter().map(|(name, _)| *name);
    let wanted = Events { types: vec![word.to_owned()], ..Events::default() };
    if types().any(|name| wanted.wants(name)) {
        return Ok(());
    }
    let groups = types().filter_map(|name| name.split_once('.')).map(|(group, _)| group);
    let near = kraal_api::config::nearest(word, types().chain(groups));
    let hint =
        near.map_or("`kraal events --list` lists them".to_owned(), |near| format!("did you mean {near}?"));
    Err(Failure::Usage(format!("there is no event type '{word}': {hint}")))
}

/// Follows a session's events, also over restarts of its server, until the session ends. `step`
/// sees each event; an `End` first of all, once the stream stands.
pub(crate) fn follow(target: &Target, mut wanted: Events, mut step: impl FnMut(Item) -> Done) -> Done {
    let mut client = target.client()?;
    let mut standing = false;
    loop {
        let stands = match client.subscribe(&Request::Verb(Verb::Events(wanted.clone()))) {
            // A server that dies may still accept.
            Err(Failure::Gone(_)) => false,
            other => other.map(|()| true)?,
        };
        if stands && !standing {
            step(Item::End)?;
            standing = true;
        }
        while stands && let Item::Event(event) = client.next()? {
            if let (Some(seq), Some(boot)) = (event["seq"].as_u64(), event["boot"].as_str()) {
                wanted.since = Some(seq);
                wanted.boot = Some(boot.to_owned());
            }
            let lagged = event["type"] == "lagged";
            step(Item::Event(event))?;
            if lagged {
                return Err(Failure::Failed(
                    "the reader was too slow, the stream ended: go on with --since and --boot".into(),
                ));
            }
        }
        // The server restarts, and the stream goes on where it was; or the session ended.
        client = match target.client() {
            Err(Failure::NoSession(_)) => return Ok(()),
            other => other?,
        };
    }
}

/// `kraal notify`.
#[derive(Debug, Args)]
pub(crate) struct NotifyArgs {
    /// One line.
    title: String,
    /// More.
    #[arg(default_value = "")]
    body: String,
}

pub(crate) fn notify(args: NotifyArgs, target: &Target, output: &Output) -> Done {
    ask_ok(Verb::Notify(Notify { title: args.title, body: args.body }), target, output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_checked_before_anything_is_followed() {
        for good in ["agent", "agent.changed", "bell", "pane"] {
            assert!(known(good).is_ok(), "{good}");
        }
        let wrong = known("agent.chnaged").unwrap_err();
        assert_eq!(wrong.to_string(), "there is no event type 'agent.chnaged': did you mean agent.changed?");
        assert_eq!(wrong.code(), 2);
    }
}
