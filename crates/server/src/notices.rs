//! What a pane's program says beside its screen, and what is done about it.
//!
//! Not here: how it is read (`term`), what follows for the user (`core`).

use kraal_api::PaneId;
use kraal_api::config::Clipboard;
use kraal_api::stream::ToClient;
use kraal_core::{Input, PaneChange};
use kraal_term::{Mark, Notice, Outbox, ProgressState};

use crate::conn::Conn;
use crate::server::Server;

impl Server {
    /// What left a pane's terminal: answers go back to its program, notices to whom they concern.
    pub(crate) fn take_out(&mut self, id: PaneId, out: &mut Outbox, now: u64) {
        self.type_bytes(id, &out.replies);
        if out.notices.is_empty() {
            return;
        }
        // Of the folders a program names in one go only the last is looked at.
        let folder = out.notices.iter().rposition(|notice| matches!(notice, Notice::Cwd(_)));
        self.as_one(|server| {
            for (at, notice) in out.notices.drain(..).enumerate() {
                if folder == Some(at) || !matches!(notice, Notice::Cwd(_)) {
                    server.notice(id, notice, now);
                }
            }
        });
    }

    fn notice(&mut self, id: PaneId, notice: Notice, now: u64) {
        self.evidence(id, &notice, now);
        let change = match notice {
            Notice::Title(title) => PaneChange::Title(title),
            Notice::Bell => PaneChange::Bell,
            Notice::Notification { title, body, .. } => PaneChange::Notification { title, body },
            Notice::Progress(progress) => PaneChange::Progress(progress.map(|p| match p.state {
                ProgressState::Indeterminate => 255,
                _ => p.percent.unwrap_or(255),
            })),
            Notice::PromptMark(Mark::End(status)) => {
                if let Some(root) = self.marks.root_of(id) {
                    self.marks.refresh(&root, now);
                }
                PaneChange::CommandFinished(status)
            }
            Notice::Cwd(url) => {
                if let Some(path) = local_path(&url) {
                    self.pane_moved(id, path);
                }
                return;
            }
            Notice::ClipboardSet { selection, data } => {
                self.clipboard(id, selection, data);
                return;
            }
            Notice::SyncStarted => {
                self.sync(id, Some(now));
                return;
            }
            Notice::SyncEnded => {
                self.sync(id, None);
                return;
            }
            Notice::HistoryCleared => {
                self.history_cleared(id);
                return;
            }
            // The host's clipboard is never read for a program; the rest is evidence alone.
            Notice::ClipboardQuery { .. }
            | Notice::Icon(_)
            | Notice::PromptMark(_)
            | Notice::ProgramStatus(_)
            | Notice::Osc { .. } => return,
        };
        self.feed(Input::Pane { pane: id, change });
    }

    /// A notice as evidence for the pane's agent.
    fn evidence(&mut self, id: PaneId, notice: &Notice, now: u64) {
        let Some(pane) = self.panes.all.get_mut(&id) else { return };
        if let Some(found) = pane.watch.notice(notice, now) {
            self.take_found(id, found);
        }
    }

    /// Rows a program cleared stay for those who read among them, and go when nobody does.
    pub(crate) fn history_cleared(&mut self, id: PaneId) {
        let read =
            self.conns.all.values_mut().filter_map(Conn::client).any(|client| client.screens.reads(id));
        if let Some(pane) = self.panes.all.get_mut(&id)
            && !read
        {
            pane.terminal.drop_cleared();
        }
    }

    fn sync(&mut self, id: PaneId, since: Option<u64>) {
        if let Some(pane) = self.panes.all.get_mut(&id) {
            pane.sync_since = since;
        }
    }

    /// A program set the clipboard: the client that shows it hands it to its terminal, once.
    fn clipboard(&mut self, id: PaneId, selection: String, data: Vec<u8>) {
        if self.config.clipboard == Clipboard::Off {
            return;
        }
        let shows = |conn: &mut Conn| conn.client().is_some_and(|client| client.shown.contains(&id));
        let active = self.conns.active;
        let mut chosen = None;
        for conn in self.conns.all.values_mut() {
            if shows(conn) && (chosen.is_none() || Some(conn.id) == active) {
                chosen = Some(conn.id);
            }
        }
        let Some(chosen) = chosen.or(active) else { return };
        self.tell_kept(Some(chosen), &ToClient::Clipboard { selection, data });
    }
}

/// The path of a `file://` URL as OSC 7 carries it, when it names this machine's files. Some
/// programs send the bare path.
fn local_path(url: &str) -> Option<String> {
    let path = match url.strip_prefix("file://") {
        Some(rest) => &rest[rest.find('/')?..],
        None => url,
    };
    path.starts_with('/').then(|| percent_decoded(path))
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, tail @ ..] = rest {
        let hex = |b: u8| (b as char).to_digit(16);
        match (byte, tail) {
            (b'%', [high, low, after @ ..]) if hex(*high).is_some() && hex(*low).is_some() => {
                bytes.push((hex(*high).unwrap_or(0) * 16 + hex(*low).unwrap_or(0)) as u8);
                rest = after;
            }
            _ => {
                bytes.push(*byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_as_urls_or_paths() {
        assert_eq!(local_path("file://host/home/a%20b").as_deref(), Some("/home/a b"));
        assert_eq!(local_path("file:///tmp").as_deref(), Some("/tmp"));
        assert_eq!(local_path("/tmp/100%").as_deref(), Some("/tmp/100%"));
        assert_eq!(local_path("kitty-shell-cwd://x"), None);
        assert_eq!(local_path("file://nothing"), None);
    }
}
