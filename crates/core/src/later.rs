//! Requests of the page that this version reads, checks the rights of, and does not serve yet.
//!
//! Not here: requests nobody knows (`kraal_api::envelope` answers those).

use kraal_api::{Refusal, Request};

/// Each with what it asks for.
const LATER: &[(&str, &str)] = &[
    ("Check", "the mailbox"),
    ("Send", "sending to Workers"),
    ("Spawn", "starting Workers"),
    ("Close", "closing Workers"),
    ("OpenFile", "opening files"),
    ("Changes", "showing git changes"),
    ("Kraddies", "a list of Kraddies"),
    ("RunKraddie", "waking a Kraddie"),
    ("NewKraddieChat", "a Kraddie's chat"),
    ("Automations", "a list of automations"),
    ("RunAutomation", "running an automation"),
    ("SwitchAutomation", "switching an automation"),
    ("RememberKraddie", "a Kraddie's memory"),
    ("KraddieMemory", "a Kraddie's memory"),
    ("KraddieRecall", "a Kraddie's memory"),
    ("ShareKraddieMemory", "a Kraddie's memory"),
    ("MemorySearch", "searching memory"),
    ("MemoryRead", "reading memory"),
    ("RunVariants", "running variants"),
    ("Variants", "a list of variants"),
    ("PickVariant", "picking a variant"),
    ("Ask", "taking permission asks"),
    ("Askpass", "taking credential prompts"),
    ("Code", "code intelligence"),
    ("Tools", "the tool catalog"),
    ("ExtensionTool", "running tools"),
];

/// Refuses what comes later.
///
/// # Errors
///
/// `unsupported`, in one sentence.
pub(crate) fn check(request: &Request) -> Result<(), Refusal> {
    let name = match request {
        Request::Verb(verb) => verb.name(),
        other => other.name(),
    };
    match LATER.iter().find(|(later, _)| *later == name) {
        Some((_, what)) => Err(Refusal::unsupported(format!("{what} comes with a later version"))),
        None => Ok(()),
    }
}

/// The names of the public requests that are served.
pub(crate) fn served() -> Vec<String> {
    let later = |name: &str| name == "Verb" || LATER.iter().any(|(later, _)| *later == name);
    Request::NAMES.iter().filter(|name| !later(name)).map(|name| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use kraal_api::Verb;

    #[test]
    fn every_later_name_is_a_name() {
        for (name, _) in super::LATER {
            assert!(kraal_api::Request::NAMES.contains(name) || Verb::NAMES.contains(name), "{name}");
        }
        assert!(super::served().contains(&"List".to_owned()));
    }
}
