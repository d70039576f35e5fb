//! The matrix of callers and requests as a table: each request has a row, each row says what each
//! role may do.
//!
//! Not here: whose pane something is (`rights::check` looks), what a request does.

use kraal_api::worktrees::Preparing;
use kraal_api::{Request, Verb};

/// What a caller is in the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "chats call from a later version on; their columns are decided")
)]
pub(crate) enum Role {
    /// A program of the user's own, or an attached client.
    Client,
    /// A pane that runs no agent: the user at a shell.
    Terminal,
    /// A pane that runs an agent.
    Agent,
    /// An agent that the user let lead.
    Lead,
    /// A conversation over a structured protocol.
    Chat,
    /// A chat that a lead started.
    Worker,
    /// A process of no pane that is known.
    Unknown,
    /// A pane's token, and nothing else.
    Token,
}

impl Role {
    /// Every role, in the order of the page.
    #[cfg(test)]
    pub(crate) const ALL: [Role; 8] = [
        Role::Client,
        Role::Terminal,
        Role::Agent,
        Role::Lead,
        Role::Chat,
        Role::Worker,
        Role::Unknown,
        Role::Token,
    ];
}

/// Rows of the matrix: requests that are alike in rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// What a pane's token may see, too.
    See,
    /// What is in the environment, as it is and as it changes.
    Watch,
    /// The caller's own mailbox.
    Mailbox,
    /// Opens something in the background.
    Make,
    /// A lead's requests.
    LeadOnly,
    /// Runs or switches what runs by itself.
    RunByName,
    /// Changes what is remembered.
    Remember,
    /// What installed integrations send.
    Integration,
    /// A new pane.
    Open,
    /// Something with one pane.
    OnPane,
    /// The user's alone.
    User,
}

/// What a role may do in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grant {
    /// All of it.
    Yes,
    /// In the caller's own workspace, without taking the focus.
    OwnWorkspace,
    /// On panes it opened itself.
    OwnPanes,
    /// In the caller's own group.
    OwnGroup,
    /// No: it is the user's alone.
    No,
    /// No: the caller leads nothing.
    NoLead,
    /// No: the caller has none.
    NoMailbox,
    /// No: a token only shows.
    NoToken,
}

/// The row of a request.
pub(crate) fn row(request: &Request) -> Row {
    match request {
        Request::Hello(_) | Request::List | Request::ListAll | Request::Read(_) | Request::Changes(_) => {
            Row::See
        }
        Request::SubscribeAgents(_)
        | Request::Wait(_)
        | Request::Sessions
        | Request::Variants(_)
        | Request::Kraddies
        | Request::Automations
        | Request::KraddieMemory(_)
        | Request::KraddieRecall(_)
        | Request::MemorySearch(_)
        | Request::MemoryRead(_) => Row::Watch,
        Request::Check(_) => Row::Mailbox,
        Request::CreateSession(_)
        | Request::CreateWorktree(_)
        | Request::OpenFile(_)
        | Request::RunVariants(_) => Row::Make,
        Request::Spawn(_)
        | Request::Send(_)
        | Request::Close(_)
        | Request::CloseSession(_)
        | Request::PickVariant(_) => Row::LeadOnly,
        Request::RunKraddie(_)
        | Request::RunAutomation(_)
        | Request::SwitchAutomation(_)
        | Request::NewKraddieChat(_) => Row::RunByName,
        Request::RememberKraddie(_) | Request::ShareKraddieMemory(_) => Row::Remember,
        Request::Hook(_)
        | Request::Status(_)
        | Request::Ask(_)
        | Request::Askpass(_)
        | Request::Code(_)
        | Request::Tools(_)
        | Request::ExtensionTool(_) => Row::Integration,
        Request::Verb(verb) => verb_row(verb),
    }
}

fn verb_row(verb: &Verb) -> Row {
    match verb {
        Verb::NewWorktree(_)
        | Verb::SetupWorktree(_)
        | Verb::TrustWorktree(_)
        | Verb::RemoveWorktree(_)
        | Verb::PruneWorktrees(_) => worktree_row(verb),
        Verb::Panes
        | Verb::Worktrees(_)
        | Verb::Agents
        | Verb::Explain(_)
        | Verb::ReadPane(_)
        | Verb::WaitPane(_)
        | Verb::Events(_)
        | Verb::Notify(_)
        | Verb::Info => Row::Watch,
        Verb::Run(_) | Verb::StartAgent(_) => Row::Open,
        Verb::SendText(_)
        | Verb::SendKeys(_)
        | Verb::Prompt(_)
        | Verb::Focus(_)
        | Verb::Rename(_)
        | Verb::ClosePane(_)
        | Verb::Rerun(_)
        | Verb::Zoom(_)
        | Verb::ResizePane(_)
        | Verb::SwapPane(_)
        | Verb::Float(_)
        | Verb::PlaceFloat(_) => Row::OnPane,
        Verb::MovePane(_)
        | Verb::Reveal(_)
        | Verb::HideFloats(_)
        | Verb::Arrange(_)
        | Verb::LookAt(_)
        | Verb::CloseTab(_)
        | Verb::RenameTab(_)
        | Verb::MoveTab(_)
        | Verb::OpenWorkspace(_)
        | Verb::RenameWorkspace(_)
        | Verb::CloseWorkspace(_)
        | Verb::Lead(_)
        | Verb::Unlead(_)
        | Verb::Attach(_)
        | Verb::ReloadConfig
        | Verb::Restart
        | Verb::Kill => Row::User,
    }
}

/// A person alone approves what a repository asks to run, and loses or closes anything.
fn worktree_row(verb: &Verb) -> Row {
    match verb {
        Verb::NewWorktree(ask) => match ask.preparing {
            Preparing::Approved(_) => Row::User,
            Preparing::Ask | Preparing::IfApproved | Preparing::Skip => Row::Open,
        },
        Verb::SetupWorktree(ask) => match ask.preparing {
            Preparing::Approved(_) => Row::User,
            Preparing::Ask | Preparing::IfApproved | Preparing::Skip => Row::Watch,
        },
        Verb::RemoveWorktree(ask) if ask.dry_run => Row::Watch,
        Verb::RemoveWorktree(ask) if !ask.force && !ask.close => Row::Make,
        Verb::PruneWorktrees(ask) if ask.dry_run => Row::Watch,
        Verb::PruneWorktrees(ask) if !ask.discard_ignored && !ask.close && ask.agreed.is_empty() => Row::Make,
        _ => Row::User,
    }
}

/// What a role may do in a row.
pub(crate) fn grant(row: Row, role: Role) -> Grant {
    use Grant::{No, NoLead, NoMailbox, NoToken, OwnGroup, OwnPanes, OwnWorkspace, Yes};
    // Client, Terminal, Agent, Lead, Chat, Worker, Unknown, Token
    let columns = match row {
        Row::See => [Yes, Yes, Yes, Yes, Yes, Yes, Yes, Yes],
        Row::Watch => [Yes, Yes, Yes, Yes, Yes, Yes, Yes, NoToken],
        Row::Mailbox => [NoMailbox, Yes, Yes, Yes, Yes, Yes, NoMailbox, NoToken],
        Row::Make => [Yes, Yes, Yes, Yes, Yes, No, Yes, NoToken],
        Row::LeadOnly => [OwnGroup, NoLead, NoLead, OwnGroup, NoLead, NoLead, NoLead, NoToken],
        Row::RunByName => [Yes, Yes, Yes, Yes, Yes, No, Yes, NoToken],
        Row::Remember => [Yes, Yes, No, No, No, No, No, NoToken],
        Row::Integration => [Yes, Yes, Yes, Yes, Yes, Yes, Yes, NoToken],
        Row::Open => {
            [Yes, Yes, OwnWorkspace, OwnWorkspace, OwnWorkspace, OwnWorkspace, OwnWorkspace, NoToken]
        }
        Row::OnPane => [Yes, Yes, OwnPanes, OwnPanes, OwnPanes, OwnPanes, OwnPanes, NoToken],
        Row::User => [Yes, Yes, No, No, No, No, No, NoToken],
    };
    columns[role as usize]
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    /// Every request by name, and what each role may do, chats and Workers included.
    #[test]
    fn the_matrix() {
        let mut text = String::new();
        let mut seen = Vec::new();
        for line in include_str!("../../tests/samples.jsonl").lines() {
            let request: Request = serde_json::from_str(line).unwrap();
            let name = match &request {
                Request::Verb(verb) => verb.name(),
                other => other.name(),
            };
            if seen.contains(&name) {
                continue;
            }
            seen.push(name);
            let row = row(&request);
            let _ = write!(text, "{name:<20}");
            for role in Role::ALL {
                let _ = write!(text, " {role:?}:{:?}", grant(row, role));
            }
            text.push('\n');
        }
        for name in Request::NAMES.iter().filter(|name| **name != "Verb").chain(Verb::NAMES) {
            assert!(seen.contains(name), "no sample of {name}");
        }
        insta::assert_snapshot!(text);
    }
}
