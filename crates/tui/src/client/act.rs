//! Actions carried out: what the table names becomes a request, a step, or something that opens.
//!
//! Not here: the table (`actions`), what opens (`opens`).

use kraal_api::layout::Rect;
use kraal_api::panes::{
    Arrange, Attention, CloseWorkspace, MovePane, MoveTab, OnPane, OnTab, OpenWorkspace, Opening, Place,
    Prompt, Rename, RenameTab, RenameWorkspace, ResizePane, Run, SwapPane,
};
use kraal_api::request::Verb;
use kraal_api::{PaneId, PaneRef, State, TabId, agents};
use kraal_term::keys::KeyEvent;

use super::ask::Waits;
use super::hold::Until;
use super::{Client, Ending, Link, Now, Out};
use crate::actions::{Action, Ask, Does, Go, Here};
use crate::areas::{Sidebar, beside, from_float};
use crate::draw;
use crate::layers::Then;
use crate::text;

/// How far one press moves a border, in cells.
const STEP: i32 = 2;

impl Client {
    /// Runs an action.
    pub(super) fn act(&mut self, action: &'static Action, now: Now, out: &mut Out) {
        self.run(action.does, now, out);
    }

    pub(super) fn run(&mut self, does: Does, now: Now, out: &mut Out) {
        match does {
            Does::Ask(ask) => self.request(ask, now, out),
            Does::Go(go) => self.go(go, now, out),
            Does::Open(open) => self.open(open, now, out),
            Does::Here(here) => self.here(here, now, out),
        }
    }

    fn here(&mut self, here: Here, now: Now, out: &mut Out) {
        match here {
            Here::Detach => out.end = Some(Ending::Detached),
            Here::Sidebar => {
                self.stage.sidebar = match self.stage.sidebar {
                    Sidebar::Auto => Sidebar::Off,
                    Sidebar::Off => Sidebar::Auto,
                };
                self.place(out);
            }
            Here::Redraw => self.forget_screen(),
            Here::SendPrefix => {
                let prefix = self.keymap.prefix();
                self.type_key(&KeyEvent::new(prefix.code, prefix.mods), now, out);
            }
            Here::ScrollBack => {
                let Some(pane) = self.mirror.focus() else { return };
                let page = self.page_of(pane);
                if !self.scroll_by(pane, page, now, out) {
                    self.say("there is nothing to scroll back to", now);
                }
            }
        }
    }

    fn request(&mut self, ask: Ask, now: Now, out: &mut Out) {
        if self.link != Link::Live {
            self.say("not connected: try again in a moment", now);
            return;
        }
        if let Ask::NewPane(place) = ask {
            self.new_pane(Vec::new(), place, now, out);
            return;
        }
        let Some(pane) = self.mirror.focus() else { return };
        let on = OnPane { pane: pane.into() };
        let verb = match ask {
            Ask::NewPane(_) => return,
            Ask::Zoom => Verb::Zoom(on),
            Ask::Float => Verb::Float(on),
            Ask::MoveFloat(direction) => match self.float_moved(pane, direction) {
                Some(place) => Verb::PlaceFloat(place),
                None => return self.say("this pane does not float", now),
            },
            Ask::HideFloats => return self.hide_floats(now, out),
            Ask::Arrange(how) => match self.mirror.tab() {
                Some((_, tab)) => Verb::Arrange(Arrange { tab: tab.id, how }),
                None => return,
            },
            Ask::Rerun => Verb::Rerun(on),
            Ask::Lead => Verb::Lead(on),
            Ask::Unlead => Verb::Unlead(on),
            Ask::Resize(direction) => {
                Verb::ResizePane(ResizePane { pane: pane.into(), direction, cells: STEP })
            }
            Ask::ToOwnTab => Verb::MovePane(MovePane { pane: pane.into(), to: None }),
            Ask::SwapNext | Ask::SwapPrevious => {
                match self.next_pane(if ask == Ask::SwapNext { 1 } else { -1 }) {
                    Some(with) => Verb::SwapPane(SwapPane { pane: pane.into(), with: with.into() }),
                    None => return,
                }
            }
            Ask::MoveTab(by) => match self.mirror.tab() {
                Some((_, tab)) => Verb::MoveTab(MoveTab { tab: tab.id, by }),
                None => return,
            },
            Ask::Explain => {
                self.ask(Verb::Explain(agents::Explain { pane: pane.into() }), Waits::Explaining(pane), out);
                return;
            }
            Ask::ReloadConfig => {
                self.ask(Verb::ReloadConfig, Waits::Reloading, out);
                return;
            }
        };
        self.ask(verb, Waits::Done, out);
    }

    fn opening(&self, place: Place) -> Opening {
        Opening {
            place,
            from: self.mirror.focus().map(PaneRef::Id),
            attention: Attention::Focus,
            ..Opening::default()
        }
    }

    /// Opens a pane; what is typed from now on is meant for it.
    fn new_pane(&mut self, argv: Vec<String>, place: Place, now: Now, out: &mut Out) {
        let run = Run { argv, opening: self.opening(place) };
        if let Some(ask) = self.ask(Verb::Run(run), Waits::Holding, out) {
            self.hold(Until::Answer(ask), now);
        }
    }

    /// Hides or shows what floats; what is typed from now on is for the pane that gets the focus.
    fn hide_floats(&mut self, now: Now, out: &mut Out) {
        let Some(tab) = self.mirror.tab().map(|(_, tab)| tab.id) else { return };
        if let Some(ask) = self.ask(Verb::HideFloats(OnTab { tab }), Waits::Holding, out) {
            self.hold(Until::FactsAfter(ask), now);
        }
    }

    /// Closes a pane; what is typed from now on is not meant for it.
    pub(super) fn close_pane(&mut self, pane: PaneId, now: Now, out: &mut Out) {
        if self.ask(Verb::ClosePane(OnPane { pane: pane.into() }), Waits::Holding, out).is_some() {
            self.hold(Until::Gone(pane), now);
        }
    }

    fn go(&mut self, go: Go, now: Now, out: &mut Out) {
        let Some((workspace, tab)) = self.mirror.tab() else { return };
        let tabs: Vec<TabId> = workspace.tabs.iter().map(|t| t.id).collect();
        let at = tabs.iter().position(|t| *t == tab.id).unwrap_or(0);
        match go {
            Go::Towards(direction) => {
                // A zoomed pane has neighbours all the same.
                let area = self.stage.areas.panes.or_some();
                let tiles = tab.layout.solve(area);
                let to = self.mirror.focus().and_then(|pane| match tab.floats(pane) {
                    true => from_float(tab, area, pane, direction),
                    false => beside(&tiles, pane, direction),
                });
                if let Some(pane) = to {
                    self.go_pane(pane, out);
                }
            }
            Go::NextPane => {
                if let Some(pane) = self.next_pane(1) {
                    self.go_pane(pane, out);
                }
            }
            Go::LastPane => {
                if let Some(pane) = self.past.last_pane.filter(|p| tab.contains(*p)) {
                    self.go_pane(pane, out);
                }
            }
            Go::Tab(number) => match tabs.get(usize::from(number).saturating_sub(1)) {
                Some(tab) => self.go_tab(*tab, out),
                None => self.say(format!("there is no tab {number}"), now),
            },
            Go::TabBy(by) => {
                let to = (at as i64 + i64::from(by)).rem_euclid(tabs.len().max(1) as i64);
                if let Some(tab) = tabs.get(to as usize) {
                    self.go_tab(*tab, out);
                }
            }
            Go::LastTab => {
                if let Some(tab) = self.past.last_tab.filter(|t| self.mirror.model().tab(*t).is_some()) {
                    self.go_tab(tab, out);
                }
            }
            Go::WorkspaceBy(by) => {
                let id = workspace.id;
                let all = &self.mirror.model().workspaces;
                let at = all.iter().position(|w| w.id == id).unwrap_or(0);
                let to = (at as i64 + i64::from(by)).rem_euclid(all.len().max(1) as i64);
                if let Some(name) = all.get(to as usize).filter(|w| w.id != id).map(|w| w.name.clone()) {
                    self.go_workspace(&name, now, out);
                }
            }
            Go::NextAgent => match self.next_agent() {
                Some(pane) => self.show_pane(pane, out),
                None => self.say("no other agent needs you", now),
            },
        }
    }

    /// The pane that many places further in the shown tab.
    fn next_pane(&self, by: i64) -> Option<PaneId> {
        let (_, tab) = self.mirror.tab()?;
        let panes = if tab.floats_hidden { tab.layout.panes() } else { tab.panes() };
        let focus = self.mirror.focus()?;
        let at = panes.iter().position(|p| *p == focus)? as i64;
        let next = panes[(at + by).rem_euclid(panes.len() as i64) as usize];
        Some(next).filter(|next| *next != focus)
    }

    /// Blocked before done, the one that waits longest first; past the focused one, in a circle.
    fn next_agent(&self) -> Option<PaneId> {
        let mut waiting: Vec<(u8, u64, PaneId)> = draw::agents(&self.mirror)
            .into_iter()
            .filter(|(_, _, agent)| agent.needs_you())
            .map(|(_, pane, agent)| (agent.verdict.state.urgency(), agent.since, pane.id))
            .collect();
        waiting.sort_unstable();
        let focus = self.mirror.focus();
        let at = waiting.iter().position(|(_, _, pane)| Some(*pane) == focus);
        let next = at.map_or(0, |at| (at + 1) % waiting.len());
        waiting.get(next).map(|(_, _, pane)| *pane).filter(|pane| Some(*pane) != focus)
    }

    pub(super) fn go_pane(&mut self, pane: PaneId, out: &mut Out) {
        if self.mirror.focus() == Some(pane) {
            return;
        }
        self.step(Verb::Focus(OnPane { pane: pane.into() }), pane, out);
    }

    /// Goes to a pane that was asked for by name. What floats over it is for the server to hide: the
    /// facts here may be old.
    pub(super) fn show_pane(&mut self, pane: PaneId, out: &mut Out) {
        self.step(Verb::Reveal(OnPane { pane: pane.into() }), pane, out);
    }

    fn step(&mut self, verb: Verb, pane: PaneId, out: &mut Out) {
        if let Some(ask) = self.ask(verb, Waits::Going, out) {
            self.mirror.go_to(pane, ask);
            self.redraw();
        }
    }

    pub(super) fn go_tab(&mut self, tab: TabId, out: &mut Out) {
        let shown = self.mirror.tab().is_some_and(|(_, shown)| shown.id == tab);
        if shown || self.mirror.model().tab(tab).is_none() {
            return;
        }
        if self.ask(Verb::LookAt(OnTab { tab }), Waits::Going, out).is_some() {
            self.mirror.view(tab);
            self.redraw();
        }
    }

    pub(super) fn go_workspace(&mut self, name: &str, now: Now, out: &mut Out) {
        if self.mirror.tab().is_some_and(|(w, _)| w.name == name) {
            return;
        }
        let verb = Verb::OpenWorkspace(OpenWorkspace { name: Some(name.to_owned()), folder: None });
        if self.ask(verb, Waits::Holding, out).is_some() {
            self.hold(Until::Shown(name.to_owned()), now);
        }
    }

    /// Does what a list, a form or a question was for, with the text that was typed.
    pub(super) fn finish(&mut self, then: Then, typed: &str, now: Now, out: &mut Out) {
        let name = (!typed.is_empty()).then(|| typed.to_owned());
        let verb = match then {
            Then::Act(action) => return self.act(action, now, out),
            Then::GoPane(pane) => return self.show_pane(pane, out),
            Then::GoTab(tab) => return self.go_tab(tab, out),
            Then::GoWorkspace(name) => return self.go_workspace(&name, now, out),
            Then::ClosePane(pane) => return self.close_pane(pane, now, out),
            Then::NewWorkspace => return self.new_workspace(typed, now, out),
            Then::Run(place) => {
                let argv = text::words(typed);
                return self.new_pane(argv, place, now, out);
            }
            Then::StartAgent => return self.start_agent(typed, now, out),
            Then::MovePane(pane, to) => Verb::MovePane(MovePane { pane: pane.into(), to }),
            Then::RenamePane(pane) => Verb::Rename(Rename { pane: pane.into(), name }),
            Then::RenameTab(tab) => Verb::RenameTab(RenameTab { tab, name }),
            Then::RenameWorkspace(workspace) => match name {
                Some(name) => Verb::RenameWorkspace(RenameWorkspace { workspace, name }),
                None => return,
            },
            Then::Prompt(pane) => match name {
                Some(text) => Verb::Prompt(Prompt { pane: pane.into(), text }),
                None => return,
            },
            Then::CloseTab(tab) => Verb::CloseTab(OnTab { tab }),
            Then::CloseWorkspace(workspace) => Verb::CloseWorkspace(CloseWorkspace { workspace }),
            Then::Kill => Verb::Kill,
        };
        if self.ask(verb, Waits::Done, out).is_none() {
            self.say("not connected: try again in a moment", now);
        }
    }

    /// A name makes a workspace in the focused pane's folder; a path makes one there.
    fn new_workspace(&mut self, typed: &str, now: Now, out: &mut Out) {
        let here = self.mirror.focused().map(|pane| pane.cwd.clone());
        let open = match (typed, here) {
            ("", _) => return,
            (path, _) if path.starts_with('/') => OpenWorkspace { name: None, folder: Some(path.to_owned()) },
            (path, Some(here)) if path.contains('/') => {
                OpenWorkspace { name: None, folder: Some(format!("{}/{path}", here.trim_end_matches('/'))) }
            }
            (name, here) => OpenWorkspace { name: Some(name.to_owned()), folder: here },
        };
        let shown = open.name.clone();
        if let Some(ask) = self.ask(Verb::OpenWorkspace(open), Waits::Holding, out) {
            self.hold(shown.map_or(Until::Answer(ask), Until::Shown), now);
        }
    }

    fn start_agent(&mut self, typed: &str, now: Now, out: &mut Out) {
        let mut words = text::words(typed).into_iter();
        let Some(agent) = words.next() else { return };
        let start = agents::StartAgent {
            agent,
            args: words.collect(),
            opening: self.opening(Place::Auto),
            lead: false,
        };
        if let Some(ask) = self.ask(Verb::StartAgent(start), Waits::Holding, out) {
            self.hold(Until::Answer(ask), now);
        }
    }

    /// Whether closing a pane ends something that runs, as far as a client can tell.
    pub(super) fn closing_ends(&self, pane: PaneId) -> Option<String> {
        let facts = self.mirror.model().pane(pane)?;
        if !matches!(facts.phase, kraal_api::model::Phase::Running | kraal_api::model::Phase::Starting) {
            return None;
        }
        if let Some(agent) = &facts.agent {
            let label = text::clean(&agent.label);
            return Some(match agent.verdict.state {
                State::Working => format!("{label} is working in it."),
                State::Blocked => format!("{label} in it waits for you."),
                State::Done | State::Idle => format!("{label} runs in it."),
            });
        }
        if !facts.argv.is_empty() {
            return Some(format!("`{}` runs in it.", text::clean(&facts.argv.join(" "))));
        }
        // A shell's own programs are no facts; one that fills the screen can be seen.
        self.on_alternate(pane).then(|| "A program runs in it.".to_owned())
    }
}

/// In an area without cells nothing has neighbours: a stand-in gives them their order.
trait OrSome {
    fn or_some(self) -> Rect;
}

impl OrSome for Rect {
    fn or_some(self) -> Rect {
        if self.w < 80 || self.h < 24 { Rect::sized(self.w.max(80), self.h.max(24)) } else { self }
    }
}
