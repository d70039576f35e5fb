//! Facts and screens for the tests: a workspace as somebody would have it.

use kraal_api::layout::{Axis, Layout};
use kraal_api::model::{AgentFacts, Branch, Exit, Model, Pane, Phase, Tab, Workspace};
use kraal_api::screen::{Fill, Head, Style, Writer, flag};
use kraal_api::state::{Kind, Source, State, Verdict};
use kraal_api::{PaneId, TabId, WorkspaceId};

/// When the tests are, in unix milliseconds.
pub(crate) const START: u64 = 1_796_000_000_000;

/// A shell in a folder.
pub(crate) fn pane(id: u64) -> Pane {
    Pane {
        id: PaneId(id),
        name: None,
        title: String::new(),
        argv: Vec::new(),
        cwd: "/home/me/src/api".into(),
        phase: Phase::Running,
        branch: None,
        agent: None,
        progress: None,
    }
}

/// A pane with an agent.
pub(crate) fn agent(id: u64, label: &str, state: State, kind: Option<Kind>) -> Pane {
    Pane {
        agent: Some(AgentFacts {
            name: label.to_lowercase().replace(' ', "-"),
            label: label.into(),
            verdict: Verdict { state, kind, certain: true, source: Source::Status },
            since: START - id * 60_000,
            account: None,
        }),
        branch: Some(Branch { name: "main".into(), changed: true, untracked: true, ahead: 2 }),
        ..pane(id)
    }
}

/// A tab of one pane.
pub(crate) fn tab(id: u64, name: Option<&str>, layout: Layout) -> Tab {
    let focus = layout.panes()[0];
    Tab { name: name.map(str::to_owned), layout, ..Tab::of_pane(TabId(id), None, focus) }
}

pub(crate) fn leaf(id: u64) -> Layout {
    Layout::Pane(PaneId(id))
}

pub(crate) fn split(axis: Axis, children: &[Layout]) -> Layout {
    Layout::Split { axis, children: children.iter().map(|child| (1, child.clone())).collect() }
}

pub(crate) fn workspace(id: u64, name: &str, tabs: Vec<Tab>) -> Workspace {
    Workspace { id: WorkspaceId(id), name: name.into(), folder: format!("/home/me/src/{name}"), tabs }
}

/// One workspace with one shell.
pub(crate) fn lone() -> Model {
    Model {
        environment: "main".into(),
        workspaces: vec![workspace(1, "api", vec![tab(1, None, leaf(1))])],
        panes: vec![pane(1)],
    }
}

/// Two workspaces, four tabs, agents in every state, an ended command and a waiting one.
pub(crate) fn busy() -> Model {
    let first = split(Axis::Row, &[leaf(1), split(Axis::Column, &[leaf(2), leaf(3)])]);
    Model {
        environment: "main".into(),
        workspaces: vec![
            workspace(
                1,
                "api",
                vec![tab(1, None, first), tab(2, Some("tests"), leaf(4)), tab(3, None, leaf(5))],
            ),
            workspace(2, "web", vec![tab(4, None, split(Axis::Row, &[leaf(6), leaf(7)]))]),
        ],
        panes: vec![
            agent(1, "Claude Code", State::Working, None),
            agent(2, "Codex", State::Blocked, Some(Kind::Permission)),
            Pane { name: Some("shell".into()), ..pane(3) },
            Pane {
                argv: vec!["cargo".into(), "test".into()],
                phase: Phase::Exited(Exit::Code(101)),
                ..pane(4)
            },
            Pane { argv: vec!["npm".into(), "run".into(), "dev".into()], phase: Phase::Waiting, ..pane(5) },
            agent(6, "OpenCode", State::Done, None),
            agent(7, "Pi", State::Idle, None),
        ],
    }
}

/// A screen frame of a pane with these lines from the top, all narrow.
pub(crate) fn screen(pane: u64, cols: u16, rows: u16, lines: &[&str]) -> Vec<u8> {
    let cursor = (lines.last().map_or(0, |l| l.chars().count() as u16), lines.len().saturating_sub(1) as u16);
    let head = Head {
        pane: PaneId(pane),
        cols,
        rows,
        cursor,
        flags: flag::CURSOR_VISIBLE | flag::FRESH,
        ..Head::default()
    };
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, &head);
    for (y, line) in lines.iter().enumerate() {
        writer.row(y as u16);
        writer.run(&Style::default(), None, Fill::Narrow, line);
    }
    writer.end();
    out
}

/// A screen frame with only a head.
pub(crate) fn head(head: Head) -> Vec<u8> {
    let mut out = Vec::new();
    Writer::new(&mut out, &head).end();
    out
}
