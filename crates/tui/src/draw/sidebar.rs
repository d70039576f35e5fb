//! The sidebar: workspaces with the dot of their most urgent agent, and the agents with their state
//! in words. Folded to a strip it keeps dots and first letters.
//!
//! Not here: clicking (`client`), the searchable lists (`layers`).

use kraal_api::layout::Rect;
use kraal_api::model::{AgentFacts, Pane, Workspace};

use super::{Canvas, Hit, Scene, agents, branch_words, called, kind_word, most_urgent, panes_of, state_word};
use crate::actions::named;
use crate::grid::at;
use crate::text;

pub(super) fn draw(scene: &Scene<'_>, canvas: &mut Canvas<'_>) {
    let area = scene.areas.side;
    if area.w == 0 || area.h == 0 {
        return;
    }
    if scene.areas.folded() {
        strip(scene, canvas, area);
    } else {
        full(scene, canvas, area);
    }
}

/// Workspaces take at most this part of the height while there are agents below.
const WORKSPACES_PART: u16 = 2;

fn full(scene: &Scene<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let limit = area.x + area.w - 1;
    let bottom = area.y + area.h;
    let agents = agents(scene.mirror);
    let workspaces = &scene.mirror.model().workspaces;
    let room = if agents.is_empty() { area.h } else { (area.h / WORKSPACES_PART).max(3) };
    let mut y = area.y;
    canvas.text(at(area.x + 1, y, limit), "WORKSPACES", canvas.theme.looks.heading);
    y += 1;
    let fits = usize::from(room.saturating_sub(2));
    let take = if workspaces.len() > fits { fits.saturating_sub(1) } else { workspaces.len() };
    for workspace in workspaces.iter().take(take) {
        if y >= bottom {
            return;
        }
        workspace_row(scene, canvas, workspace, Rect { x: area.x, y, w: area.w - 1, h: 1 });
        y += 1;
    }
    if take < workspaces.len() && y < bottom {
        more(canvas, workspaces.len() - take, "workspace-list", Rect { x: area.x, y, w: area.w - 1, h: 1 });
        y += 1;
    }
    y += 1;
    if agents.is_empty() || y + 1 >= bottom {
        return;
    }
    canvas.text(at(area.x + 1, y, limit), "AGENTS", canvas.theme.looks.heading);
    y += 1;
    agent_rows(scene, canvas, &agents, Rect { x: area.x, y, w: area.w - 1, h: bottom - y });
}

fn workspace_row(scene: &Scene<'_>, canvas: &mut Canvas<'_>, workspace: &Workspace, row: Rect) {
    let looks = &canvas.theme.looks;
    let current = scene.mirror.tab().is_some_and(|(w, _)| w.id == workspace.id);
    let look = if current { looks.focus_name } else { looks.text };
    let limit = row.x + row.w;
    match most_urgent(panes_of(workspace), scene.mirror) {
        Some((state, certain)) => {
            canvas.text(
                at(row.x + 1, row.y, limit),
                canvas.theme.dot(state),
                canvas.theme.state(state, certain),
            );
        }
        None => {
            canvas.text(at(row.x + 1, row.y, limit), canvas.theme.signs.dot, canvas.theme.looks.faint);
        }
    }
    let name = canvas.fit(&text::clean(&workspace.name), row.w.saturating_sub(3));
    canvas.text(at(row.x + 3, row.y, limit), &name, look);
    canvas.hit(row, Hit::Workspace(workspace.name.clone()));
}

fn agent_rows(
    scene: &Scene<'_>,
    canvas: &mut Canvas<'_>,
    agents: &[(&Workspace, &Pane, &AgentFacts)],
    area: Rect,
) {
    let height = if agents.len() * 2 <= usize::from(area.h) { 2 } else { 1 };
    let fits = usize::from(area.h / height);
    let take = if agents.len() > fits { fits.saturating_sub(1) } else { agents.len() };
    let mut y = area.y;
    for (workspace, pane, agent) in agents.iter().take(take) {
        let row = Rect { y, h: height, ..area };
        agent_row(scene, canvas, pane, agent, row);
        if height == 2 {
            let mut facts: Vec<String> = Vec::new();
            match &pane.branch {
                Some(branch) => facts.push(branch_words(branch, canvas.theme)),
                None => facts.push(text::clean(&workspace.name)),
            }
            facts.extend(agent.verdict.kind.map(|kind| kind_word(kind).to_owned()));
            facts.extend(agent.account.as_deref().map(text::clean));
            let line =
                canvas.fit(&facts.join(&format!(" {} ", canvas.theme.signs.dot)), row.w.saturating_sub(3));
            canvas.text(at(row.x + 3, y + 1, row.x + row.w), &line, canvas.theme.looks.faint);
        }
        y += height;
    }
    if take < agents.len() {
        more(canvas, agents.len() - take, "agent-list", Rect { y, h: 1, ..area });
    }
}

fn agent_row(scene: &Scene<'_>, canvas: &mut Canvas<'_>, pane: &Pane, agent: &AgentFacts, row: Rect) {
    let limit = row.x + row.w;
    let state = canvas.theme.state(agent.verdict.state, agent.verdict.certain);
    canvas.text(at(row.x + 1, row.y, limit), canvas.theme.dot(agent.verdict.state), state);
    let word = state_word(agent);
    let word_at = canvas.text_right(at(row.x + 3, row.y, limit), &word, state);
    let look = if scene.mirror.focus() == Some(pane.id) {
        canvas.theme.looks.focus_name
    } else {
        canvas.theme.looks.text
    };
    let name = canvas.fit(&called(pane), word_at.saturating_sub(row.x + 4));
    canvas.text(at(row.x + 3, row.y, word_at), &name, look);
    canvas.hit(row, Hit::Pane(pane.id));
}

fn more(canvas: &mut Canvas<'_>, count: usize, action: &str, row: Rect) {
    let line = format!("{} {count} more", canvas.theme.signs.more);
    canvas.text(at(row.x + 1, row.y, row.x + row.w), &line, canvas.theme.looks.faint);
    if let Some(action) = named(action) {
        canvas.hit(row, Hit::Action(action));
    }
}

fn strip(scene: &Scene<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let limit = area.x + area.w - 1;
    let bottom = area.y + area.h;
    let looks = canvas.theme.looks.clone();
    let mut y = area.y;
    for workspace in &scene.mirror.model().workspaces {
        if y >= bottom {
            return;
        }
        let current = scene.mirror.tab().is_some_and(|(w, _)| w.id == workspace.id);
        if let Some((state, certain)) = most_urgent(panes_of(workspace), scene.mirror) {
            canvas.text(at(area.x, y, limit), canvas.theme.dot(state), canvas.theme.state(state, certain));
        }
        let look = if current { looks.focus_name } else { looks.text };
        canvas.text(at(area.x + 1, y, limit), &first_letters(&workspace.name), look);
        canvas.hit(Rect { y, h: 1, ..area }, Hit::Workspace(workspace.name.clone()));
        y += 1;
    }
    y += 1;
    for (_, pane, agent) in agents(scene.mirror) {
        if y >= bottom {
            return;
        }
        let state = canvas.theme.state(agent.verdict.state, agent.verdict.certain);
        canvas.text(at(area.x, y, limit), canvas.theme.dot(agent.verdict.state), state);
        let look = if scene.mirror.focus() == Some(pane.id) { looks.focus_name } else { looks.text };
        canvas.text(at(area.x + 1, y, limit), &first_letters(&called(pane)), look);
        canvas.hit(Rect { y, h: 1, ..area }, Hit::Pane(pane.id));
        y += 1;
    }
}

fn first_letters(name: &str) -> String {
    let mut out = String::new();
    let mut cells = 0;
    for (cluster, width) in text::clusters(&text::clean(name)) {
        cells += width;
        if cells > 2 {
            break;
        }
        out.push_str(cluster);
    }
    out
}
