//! Looking at a pane's history: the server shows the rows, the client says how far up.
//!
//! Not here: the wheel's way here (`mouse`), keys (`keys`).

use kraal_api::PaneId;
use kraal_api::model::Phase;
use kraal_api::stream::FromClient;
use kraal_term::keys::{KeyCode, KeyEvent};

use super::{Client, Link, Now, Out};
use crate::chord::Chord;

/// An offset that was asked for and is not shown yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pane: PaneId,
    offset: u32,
    at: u64,
}

/// After so long the server's word counts again.
const TRUST_MS: u64 = 500;

impl Client {
    /// How far up the focused pane shows.
    pub(super) fn focus_offset(&self) -> u32 {
        self.mirror.focus().map_or(0, |pane| match self.hands.wanted {
            Some(wanted) if wanted.pane == pane => wanted.offset,
            _ => self.mirror.head(pane).offset,
        })
    }

    /// Whether the focused pane's program has ended (false), or waits for its first start (true).
    pub(super) fn focus_ended(&self) -> Option<bool> {
        match self.mirror.focused()?.phase {
            Phase::Exited(_) | Phase::Failed(_) => Some(false),
            Phase::Waiting => Some(true),
            Phase::Starting | Phase::Running => None,
        }
    }

    /// Scrolls a pane: up when positive. Says whether it has any history.
    pub(super) fn scroll_by(&mut self, pane: PaneId, by: i32, now: Now, out: &mut Out) -> bool {
        let head = self.mirror.head(pane);
        let base = match self.hands.wanted {
            Some(wanted) if wanted.pane == pane && now.ms < wanted.at + TRUST_MS => wanted.offset,
            _ => head.offset,
        };
        let offset = base.saturating_add_signed(by).min(head.history);
        if offset != base {
            self.scroll_to(pane, offset, now, out);
        }
        head.history > 0
    }

    pub(super) fn scroll_to(&mut self, pane: PaneId, offset: u32, now: Now, out: &mut Out) {
        if self.link == Link::Live {
            self.hands.wanted = Some(Wanted { pane, offset, at: now.ms });
            out.tell(&FromClient::Scroll { pane, offset });
            self.redraw();
        }
    }

    /// A frame of a pane came: what was wanted is there, or the server decided otherwise.
    pub(super) fn scroll_shown(&mut self, pane: PaneId, now: Now) {
        if let Some(wanted) = self.hands.wanted.filter(|w| w.pane == pane)
            && (self.mirror.head(pane).offset == wanted.offset || now.ms >= wanted.at + TRUST_MS)
        {
            self.hands.wanted = None;
        }
    }

    /// The rows a page of a pane has.
    pub(super) fn page_of(&self, pane: PaneId) -> i32 {
        i32::from(self.mirror.head(pane).rows.saturating_sub(1).max(1))
    }

    /// A key while the focused pane shows its history; says whether it was for that.
    pub(super) fn scroll_key(&mut self, key: &KeyEvent, now: Now, out: &mut Out) -> bool {
        let Some(pane) = self.mirror.focus().filter(|_| self.focus_offset() > 0) else { return false };
        let chord = Chord::of(key);
        let page = self.page_of(pane);
        let by = match chord.code {
            _ if !chord.mods.is_empty() => None,
            KeyCode::Up => Some(1),
            KeyCode::Down => Some(-1),
            KeyCode::PageUp => Some(page),
            KeyCode::PageDown => Some(-page),
            KeyCode::Home => Some(i32::MAX),
            KeyCode::End | KeyCode::Escape | KeyCode::Char('q') => {
                self.scroll_to(pane, 0, now, out);
                return true;
            }
            _ => None,
        };
        match by {
            Some(by) => drop(self.scroll_by(pane, by, now, out)),
            None => {
                // Typing goes on where the output goes on.
                self.scroll_to(pane, 0, now, out);
                return false;
            }
        }
        true
    }
}
