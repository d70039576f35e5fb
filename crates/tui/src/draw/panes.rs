//! The panes in their frames: name, branch, agent, exit status, scroll position, and the cells.
//!
//! Not here: the cells' own bytes (`mirror`), which rectangle a pane has (`areas`).

use kraal_api::layout::Rect;
use kraal_api::model::{Pane, Phase};
use kraal_api::{PaneId, State};

use super::{Canvas, Scene, branch_words, called, state_word, state_words};
use crate::areas::uncovered;
use crate::grid::{Cell, Grid, at};
use crate::look::Look;
use crate::text;

pub(super) fn draw(scene: &Scene<'_>, canvas: &mut Canvas<'_>) {
    let Some((_, tab)) = scene.mirror.tab() else { return };
    for (id, rect) in tab.in_sight(scene.areas.panes) {
        if tab.floats(id) {
            canvas.grid.fill(rect, Cell::BLANK);
        }
        frame(scene, canvas, id, rect);
        cells(scene, canvas.grid, (id, rect), &[], |_| true);
    }
}

pub(super) fn changed_rows(scene: &Scene<'_>, grid: &mut Grid) {
    let Some((_, tab)) = scene.mirror.tab() else { return };
    let rects = tab.in_sight(scene.areas.panes);
    for (at, (id, rect)) in rects.iter().enumerate() {
        if let Some(screen) = scene.mirror.screen(*id) {
            // Tiles do not cover each other.
            let over = rects[at + 1..].iter().filter(|(id, _)| tab.floats(*id));
            let over: Vec<(PaneId, Rect)> = over.copied().collect();
            cells(scene, grid, (*id, *rect), &over, |y| screen.grid.touched(y));
        }
    }
}

/// Copies the rows of a pane that `wanted` names, but for what lies over it; what the pane's screen
/// does not fill is blank.
fn cells(
    scene: &Scene<'_>,
    grid: &mut Grid,
    (id, rect): (PaneId, Rect),
    over: &[(PaneId, Rect)],
    wanted: impl Fn(u16) -> bool,
) {
    let Some(screen) = scene.mirror.screen(id) else { return };
    if rect.w == 0 || rect.h == 0 {
        return;
    }
    let inner = rect.inside_frame();
    for y in 0..inner.h {
        if !wanted(y) && y < screen.grid.rows() {
            continue;
        }
        let row = screen.grid.row(y);
        if over.is_empty() {
            grid.copy(inner.x, inner.y + y, inner.w, row);
            continue;
        }
        for (x, w) in uncovered(over, inner.y + y, (inner.x, inner.w)) {
            grid.copy(x, inner.y + y, w, row.get(usize::from(x - inner.x)..).unwrap_or_default());
        }
    }
}

fn frame(scene: &Scene<'_>, canvas: &mut Canvas<'_>, id: PaneId, rect: Rect) {
    let looks = &canvas.theme.looks;
    let focused = scene.mirror.focus() == Some(id);
    let (line, name_look) = if focused { (looks.focus, looks.focus_name) } else { (looks.frame, looks.text) };
    canvas.frame(rect, line);
    let Some(pane) = scene.mirror.model().pane(id) else { return };
    if rect.h <= 2 || rect.w < 6 {
        return;
    }
    top(scene, canvas, pane, rect, name_look);
    bottom(scene, canvas, pane, rect);
}

/// `╭─ name ⎇ main* ─────── ● working ─╮`: the state first finds room, then name, then branch.
fn top(scene: &Scene<'_>, canvas: &mut Canvas<'_>, pane: &Pane, rect: Rect, name_look: Look) {
    let (left, y) = (rect.x + 2, rect.y);
    let mut limit = rect.x + rect.w - 2;
    for (forms, look) in facts_right(scene, canvas, pane) {
        let fits = forms
            .iter()
            .map(|words| format!(" {words} "))
            .find(|words| left + text::width(words) + 6 <= limit);
        if let Some(words) = fits {
            let cells = text::width(&words);
            canvas.text(at(limit - cells, y, limit), &words, look);
            limit -= cells + 1;
        }
    }
    let room = limit.saturating_sub(left + 2);
    if room == 0 {
        return;
    }
    let name = canvas.fit(&called(pane), room);
    let mut x = canvas.text(at(left, y, limit), &format!(" {name} "), name_look);
    let branch = pane.branch.as_ref().map(|b| branch_words(b, canvas.theme));
    let folder = text::clean(&pane.cwd);
    let folder = folder.rsplit('/').find(|part| !part.is_empty()).unwrap_or("/").to_owned();
    // A shell's name says little: its folder says where one is.
    let place = branch.or_else(|| (pane.name.is_none() && !folder.is_empty()).then_some(folder));
    if let Some(words) = place
        && x + text::width(&words) < limit
    {
        x = canvas.text(at(x, y, limit), &words, canvas.theme.looks.faint);
        canvas.text(at(x, y, limit), " ", canvas.theme.looks.faint);
    }
}

/// A fact's words, the long form first, and their look.
type Fact = (Vec<String>, Look);

/// What stands on the right of a frame, most important first.
fn facts_right(scene: &Scene<'_>, canvas: &Canvas<'_>, pane: &Pane) -> Vec<Fact> {
    let looks = &canvas.theme.looks;
    let mut facts = Vec::new();
    let mut one = |words: String, look| facts.push((vec![words], look));
    match &pane.phase {
        Phase::Exited(exit) => {
            let well = matches!(exit, kraal_api::model::Exit::Code(0));
            one(exit.to_string(), if well { looks.faint } else { looks.wrong });
        }
        Phase::Failed(_) => one("failed".to_owned(), looks.wrong),
        Phase::Waiting => one("waiting".to_owned(), looks.faint),
        Phase::Starting => one("starting".to_owned(), looks.faint),
        Phase::Running => {}
    }
    if let Some(agent) = &pane.agent {
        let look = canvas.theme.state(agent.verdict.state, agent.verdict.certain);
        let dot = canvas.theme.dot(agent.verdict.state);
        let forms = [state_words(agent, canvas.theme), state_word(agent)];
        facts.push((forms.iter().map(|words| format!("{dot} {words}")).collect(), look));
        facts.extend(agent.account.as_ref().map(|account| (vec![text::clean(account)], looks.faint)));
    }
    facts.extend(pane.progress.map(|p| {
        let words = if p <= 100 { format!("{p}%") } else { "busy".to_owned() };
        (vec![words], canvas.theme.state(State::Working, true))
    }));
    if scene.mirror.zoomed() == Some(pane.id) {
        facts.push((vec!["zoomed".to_owned()], looks.key));
    }
    facts
}

fn bottom(scene: &Scene<'_>, canvas: &mut Canvas<'_>, pane: &Pane, rect: Rect) {
    let y = rect.y + rect.h - 1;
    let (left, mut limit) = (rect.x + 2, rect.x + rect.w - 2);
    let head = scene.mirror.head(pane.id);
    if head.offset > 0 {
        let place = format!(" {} {}/{} ", canvas.theme.signs.up, head.offset, head.history);
        let cells = text::width(&place);
        if left + cells <= limit {
            limit -= cells;
            canvas.text(at(limit, y, limit + cells), &place, canvas.theme.looks.key);
        }
    }
    let dot = canvas.theme.signs.dot;
    // What no room is left for stands in the bar or above: an exit in the top border, what keys do in the bar.
    let forms = match &pane.phase {
        Phase::Exited(exit) => {
            let keys = format!("Enter runs again {dot} x closes");
            [format!("{exit} {dot} {keys}"), keys]
        }
        Phase::Waiting => {
            let command = text::clean(&pane.argv.join(" "));
            [format!("{command} {dot} Enter runs it {dot} x closes"), command]
        }
        Phase::Failed(why) => {
            let why = text::clean(why);
            [format!("{why} {dot} Enter tries again {dot} x closes"), why]
        }
        Phase::Starting | Phase::Running => return,
    };
    let room = limit.saturating_sub(left + 2);
    let note = forms.iter().find(|form| text::width(form) <= room).unwrap_or(&forms[1]);
    let note = format!(" {} ", canvas.fit(note, room));
    canvas.text(at(left, y, limit), &note, canvas.theme.looks.key);
}
