//! What actions open: lists of what there is, forms for names and commands, questions before
//! something ends.
//!
//! Not here: how they behave (`layers`), what choosing does (`act`).

use kraal_api::model::Phase;
use kraal_api::panes::Place;
use kraal_api::{PaneId, State};

use super::{Client, Now, Out};
use crate::actions::{ACTIONS, Group, Open, named};
use crate::draw::{agents, branch_words, called, most_urgent, panes_of, state_word, state_words, tab_called};
use crate::layers::{Form, Layer, Line, List, Page, Question, Row, Then};
use crate::text;

impl Client {
    pub(super) fn open(&mut self, open: Open, now: Now, out: &mut Out) {
        let layer = match open {
            Open::Palette => Some(Layer::List(self.palette())),
            Open::Help => Some(Layer::Page(self.help())),
            Open::Workspaces => Some(Layer::List(self.workspaces())),
            Open::Tabs => Some(Layer::List(self.tabs())),
            Open::Panes => Some(Layer::List(self.panes())),
            Open::Agents => match self.agents(now) {
                Some(list) => Some(Layer::List(list)),
                None => {
                    self.say("no agent runs here yet: start one in a pane, like `claude`", now);
                    None
                }
            },
            Open::MoveToTab => self.move_to_tab().map(Layer::List),
            Open::ClosePane => self.close_question(now, out).map(Layer::Question),
            Open::Quit | Open::CloseTab | Open::CloseWorkspace => self.question(open).map(Layer::Question),
            _ => self.form(open).map(Layer::Form),
        };
        if let Some(layer) = layer {
            self.layers.push(layer);
        }
        self.redraw();
    }

    fn palette(&self) -> List {
        let palette = named("palette").map(|a| a.name);
        let mut rows: Vec<Row> = ACTIONS
            .iter()
            .filter(|action| Some(action.name) != palette)
            .map(|action| Row {
                more: action.name.to_owned(),
                right: self.keymap.key_of(action),
                ..Row::new(action.title, Then::Act(action))
            })
            .collect();
        let model = self.mirror.model();
        for workspace in &model.workspaces {
            let name = workspace.name.clone();
            rows.push(Row {
                right: "workspace".to_owned(),
                ..Row::new(text::clean(&name), Then::GoWorkspace(name))
            });
            for pane in panes_of(workspace) {
                rows.extend(self.pane_row(pane));
            }
        }
        List::new("Everything", rows)
    }

    fn workspaces(&self) -> List {
        let model = self.mirror.model();
        let shown = self.mirror.tab().map(|(w, _)| w.id);
        let at = model.workspaces.iter().position(|w| Some(w.id) == shown).unwrap_or(0);
        let rows = model
            .workspaces
            .iter()
            .map(|w| {
                let urgent = most_urgent(panes_of(w), &self.mirror);
                Row {
                    dot: Some(urgent.map_or((" ", self.theme.looks.faint), |(state, certain)| {
                        (self.theme.dot(state), self.theme.state(state, certain))
                    })),
                    more: text::clean(&w.folder),
                    right: urgent.map_or(String::new(), |(state, _)| state.word().to_owned()),
                    ..Row::new(text::clean(&w.name), Then::GoWorkspace(w.name.clone()))
                }
            })
            .collect();
        List::new("Workspaces", rows).choosing(at)
    }

    fn tabs(&self) -> List {
        let mut rows = Vec::new();
        let mut at = 0;
        for workspace in &self.mirror.model().workspaces {
            for (i, tab) in workspace.tabs.iter().enumerate() {
                if self.mirror.tab().is_some_and(|(_, shown)| shown.id == tab.id) {
                    at = rows.len();
                }
                let urgent = most_urgent(tab.panes().into_iter(), &self.mirror);
                rows.push(Row {
                    dot: Some(urgent.map_or((" ", self.theme.looks.faint), |(state, certain)| {
                        (self.theme.dot(state), self.theme.state(state, certain))
                    })),
                    more: text::clean(&workspace.name),
                    right: urgent.map_or(String::new(), |(state, _)| state.word().to_owned()),
                    ..Row::new(format!("{} {}", i + 1, tab_called(tab, &self.mirror)), Then::GoTab(tab.id))
                });
            }
        }
        List::new("Tabs", rows).choosing(at)
    }

    fn panes(&self) -> List {
        let ids: Vec<PaneId> = self.mirror.model().workspaces.iter().flat_map(panes_of).collect();
        let at = ids.iter().position(|id| Some(*id) == self.mirror.focus()).unwrap_or(0);
        let rows = ids.into_iter().filter_map(|id| self.pane_row(id)).collect();
        List::new("Panes", rows).choosing(at)
    }

    fn pane_row(&self, id: PaneId) -> Option<Row> {
        let pane = self.mirror.model().pane(id)?;
        let (workspace, _) = self.mirror.model().place(id)?;
        let mut facts = vec![text::clean(&workspace.name)];
        match &pane.branch {
            Some(branch) => facts.push(branch_words(branch, &self.theme)),
            None => facts.push(text::fit_path(&text::clean(&pane.cwd), 30, self.theme.signs.more)),
        }
        let title = text::clean(&pane.title);
        facts.extend((!title.is_empty()).then_some(title));
        let agent = pane.agent.as_ref();
        let right = match (&pane.phase, agent) {
            (Phase::Exited(exit), _) => exit.to_string(),
            (Phase::Waiting, _) => "waiting".to_owned(),
            (Phase::Failed(_), _) => "failed".to_owned(),
            (_, Some(agent)) => state_word(agent),
            (_, None) => String::new(),
        };
        Some(Row {
            dot: Some(agent.map_or((" ", self.theme.looks.faint), |agent| {
                let (state, certain) = (agent.verdict.state, agent.verdict.certain);
                (self.theme.dot(state), self.theme.state(state, certain))
            })),
            more: facts.join(&format!(" {} ", self.theme.signs.dot)),
            right,
            ..Row::new(called(pane), Then::GoPane(id))
        })
    }

    /// Agents, those that need you first.
    fn agents(&self, now: Now) -> Option<List> {
        let mut all = agents(&self.mirror);
        all.sort_by_key(|(_, _, agent)| (agent.verdict.state.urgency(), agent.since));
        let rows: Vec<Row> = all
            .into_iter()
            .filter_map(|(_, pane, agent)| {
                let since = ago(now.unix_ms.saturating_sub(agent.since));
                Some(Row {
                    right: format!("{} {since}", state_words(agent, &self.theme)),
                    ..self.pane_row(pane.id)?
                })
            })
            .collect();
        (!rows.is_empty()).then(|| List::new("Agents", rows))
    }

    fn move_to_tab(&self) -> Option<List> {
        let pane = self.mirror.focus()?;
        let (_, shown) = self.mirror.tab()?;
        let mut rows = vec![Row::new("A tab of its own", Then::MovePane(pane, None))];
        for workspace in &self.mirror.model().workspaces {
            for (i, tab) in workspace.tabs.iter().enumerate().filter(|(_, tab)| tab.id != shown.id) {
                let name = format!("{} {}", i + 1, tab_called(tab, &self.mirror));
                rows.push(Row {
                    more: text::clean(&workspace.name),
                    ..Row::new(name, Then::MovePane(pane, Some(tab.id)))
                });
            }
        }
        Some(List::new("Move this pane to", rows))
    }

    fn form(&self, open: Open) -> Option<Form> {
        let (workspace, tab) = self.mirror.tab()?;
        let pane = self.mirror.focused();
        let command = "a program and its arguments; empty is a shell";
        Some(match open {
            Open::NewWorkspace => {
                Form::new("New workspace", "a name, or a folder like src/api", "", Then::NewWorkspace)
            }
            Open::RenameWorkspace => {
                let then = Then::RenameWorkspace(workspace.name.clone());
                Form::new("Rename this workspace", "its new name", &workspace.name, then)
            }
            Open::RenameTab => {
                let name = tab.name.as_deref().unwrap_or_default();
                Form::new("Rename this tab", "empty takes the name away", name, Then::RenameTab(tab.id))
            }
            Open::RenamePane => {
                let pane = pane?;
                let name = pane.name.as_deref().unwrap_or_default();
                Form::new("Rename this pane", "empty takes the name away", name, Then::RenamePane(pane.id))
            }
            Open::Run(place) => Form::new(run_title(place), command, "", Then::Run(place)),
            Open::StartAgent => {
                Form::new("Start an agent", "its name and arguments, like: claude", "", Then::StartAgent)
            }
            Open::Prompt => {
                let pane = pane.filter(|pane| pane.agent.is_some())?;
                let title = format!("A prompt for {}", called(pane));
                Form::new(title, "typed only while it is ready for one", "", Then::Prompt(pane.id))
            }
            _ => return None,
        })
    }

    /// Asks before something that runs is ended; else closes the pane at once.
    fn close_question(&mut self, now: Now, out: &mut Out) -> Option<Question> {
        let pane = self.mirror.focus()?;
        match self.closing_ends(pane) {
            Some(what) => {
                let name = self.mirror.focused().map(called).unwrap_or_default();
                let question = Question::new(format!("Close {name}?"), "close it", Then::ClosePane(pane));
                Some(question.line(what))
            }
            None => {
                self.close_pane(pane, now, out);
                None
            }
        }
    }

    fn question(&self, open: Open) -> Option<Question> {
        let (workspace, tab) = self.mirror.tab()?;
        Some(match open {
            Open::CloseTab => {
                let panes = tab.panes();
                let title = format!("Close the tab {}?", tab_called(tab, &self.mirror));
                Question::new(title, "close it", Then::CloseTab(tab.id)).line(self.at_stake(&panes))
            }
            Open::CloseWorkspace => {
                let panes: Vec<PaneId> = panes_of(workspace).collect();
                let name = workspace.name.clone();
                let title = format!("Close the workspace {}?", text::clean(&name));
                Question::new(title, "close it", Then::CloseWorkspace(name)).line(self.at_stake(&panes))
            }
            _ => {
                let panes: Vec<PaneId> = self.mirror.model().panes.iter().map(|p| p.id).collect();
                let title = format!("End the session {}?", text::clean(&self.settings.session));
                let mut question = Question::new(title, "end it", Then::Kill).line(self.at_stake(&panes));
                if let Some(detach) = named("detach") {
                    question = question.or('d', "leave, it runs on", Then::Act(detach));
                }
                question
            }
        })
    }

    /// What ends with some panes: `3 panes and their programs; 1 agent is working.`
    fn at_stake(&self, panes: &[PaneId]) -> String {
        let facts = panes.iter().filter_map(|id| self.mirror.model().pane(*id));
        let working = facts
            .filter(|pane| pane.agent.as_ref().is_some_and(|a| a.verdict.state == State::Working))
            .count();
        let count = match panes.len() {
            1 => "1 pane and its program end".to_owned(),
            n => format!("{n} panes and their programs end"),
        };
        match working {
            0 => format!("{count}."),
            1 => format!("{count}; 1 agent is working."),
            n => format!("{count}; {n} agents are working."),
        }
    }

    fn help(&self) -> Page {
        let mut lines = vec![
            Line::Text(format!(
                "Press {} and wait: a menu shows what each next key does.",
                self.keymap.prefix()
            )),
            Line::Text("Click tabs, agents and panes; drag borders; the wheel scrolls back.".to_owned()),
            Line::Text("Drag over text to copy it; hold shift where a program has the mouse.".to_owned()),
        ];
        for group in Group::ALL {
            lines.push(Line::Text(String::new()));
            lines.push(Line::Heading(group.word().to_uppercase()));
            for action in group.actions() {
                let mut keys = self.keymap.keys_of(action);
                keys.truncate(2);
                lines.push(Line::Keys(keys.join(", "), action.title.to_owned()));
            }
        }
        Page::new("Help", lines)
    }
}

fn run_title(place: Place) -> &'static str {
    match place {
        Place::Right => "Run a command to the right",
        Place::Down => "Run a command below",
        Place::Tab => "Run a command in a tab",
        Place::Floating => "Run a command in a floating pane",
        Place::Auto | Place::Here => "Run a command",
    }
}

/// `12 s`, `5 min`, `3 h`, `2 d`
fn ago(ms: u64) -> String {
    match ms / 1000 {
        s @ 0..60 => format!("{s} s"),
        s @ 60..3_600 => format!("{} min", s / 60),
        s @ 3_600..86_400 => format!("{} h", s / 3_600),
        s => format!("{} d", s / 86_400),
    }
}
