//! The bar on top: the workspace's name, its tabs, a place to open another.
//!
//! Not here: clicking (`client`), the list of all tabs (`layers`).

use kraal_api::layout::Rect;
use kraal_api::model::{Tab, Workspace};

use super::{Canvas, Hit, Scene, most_urgent, tab_called};
use crate::actions::named;
use crate::grid::at;
use crate::look::Look;
use crate::text;

/// A tab's name takes no more cells than this.
const NAME_MAX: u16 = 24;

struct Label {
    number: usize,
    name: String,
    dot: Option<(&'static str, Look)>,
    shown: bool,
}

impl Label {
    fn width(&self) -> u16 {
        let number = self.number.to_string().len() as u16;
        // ` 1 name ● `
        2 + number + 1 + text::width(&self.name) + if self.dot.is_some() { 2 } else { 0 }
    }
}

pub(super) fn draw(scene: &Scene<'_>, canvas: &mut Canvas<'_>) {
    let area = scene.areas.tabs;
    if area.h == 0 {
        return;
    }
    let Some((workspace, shown)) = scene.mirror.tab() else {
        let name = text::clean(&scene.mirror.model().environment);
        canvas.text(at(1, area.y, area.w), &name, canvas.theme.looks.faint);
        return;
    };
    let name_room = (area.w / 3).min(scene.areas.side.w.max(16).saturating_sub(2));
    let name = canvas.fit(&text::clean(&workspace.name), name_room);
    let end = canvas.text(at(area.x + 1, area.y, area.w), &name, canvas.theme.looks.text.bold());
    canvas.hit(Rect { x: area.x, y: area.y, w: end, h: 1 }, Hit::Workspace(workspace.name.clone()));
    let start = (end + 2).max(scene.areas.side.w);
    row(scene, canvas, workspace, shown, start);
}

fn row(scene: &Scene<'_>, canvas: &mut Canvas<'_>, workspace: &Workspace, shown: &Tab, start: u16) {
    let area = scene.areas.tabs;
    let y = area.y;
    let labels: Vec<Label> = workspace
        .tabs
        .iter()
        .enumerate()
        .map(|(i, tab)| Label {
            number: i + 1,
            name: label(tab, &canvas.fit(&tab_called(tab, scene.mirror), NAME_MAX)),
            dot: most_urgent(tab.panes().into_iter(), scene.mirror)
                .map(|(state, certain)| (canvas.theme.dot(state), canvas.theme.state(state, certain))),
            shown: tab.id == shown.id,
        })
        .collect();
    let room = area.w.saturating_sub(start + 3);
    let (first, last) = window(&labels, room);
    let mut x = start;
    if first > 0 {
        let more = format!("{}{first} ", canvas.theme.signs.hidden[0]);
        let from = x;
        x = canvas.text(at(x, y, area.w), &more, canvas.theme.looks.faint);
        canvas.hit(Rect { x: from, y, w: x - from, h: 1 }, Hit::Tab(workspace.tabs[first - 1].id));
    }
    for (label, tab) in labels.iter().zip(&workspace.tabs).take(last).skip(first) {
        let from = x;
        x = one(canvas, label, x, y, area.w);
        canvas.hit(Rect { x: from, y, w: x - from, h: 1 }, Hit::Tab(tab.id));
    }
    if last < labels.len() {
        let more = format!(" {}{}", labels.len() - last, canvas.theme.signs.hidden[1]);
        let from = x;
        x = canvas.text(at(x, y, area.w), &more, canvas.theme.looks.faint);
        canvas.hit(Rect { x: from, y, w: x - from, h: 1 }, Hit::Tab(workspace.tabs[last].id));
    }
    let from = x;
    x = canvas.text(at(x, y, area.w), " + ", canvas.theme.looks.faint);
    if let Some(action) = named("tab-new") {
        canvas.hit(Rect { x: from, y, w: x - from, h: 1 }, Hit::Action(action));
    }
}

/// A tab's name, and how many panes of it float out of sight.
fn label(tab: &Tab, name: &str) -> String {
    match tab.floats_hidden {
        true => format!("{name} +{}", tab.floating.len()),
        false => name.to_owned(),
    }
}

fn one(canvas: &mut Canvas<'_>, label: &Label, x: u16, y: u16, limit: u16) -> u16 {
    let looks = &canvas.theme.looks;
    let (look, number) = if label.shown { (looks.chosen, looks.chosen) } else { (looks.text, looks.faint) };
    let pointer = if label.shown { canvas.theme.signs.pointer } else { " " };
    let mut end = canvas.text(at(x, y, limit), pointer, look);
    end = canvas.text(at(end, y, limit), &format!("{} ", label.number), number);
    end = canvas.text(at(end, y, limit), &label.name, look);
    if let Some((dot, dot_look)) = label.dot {
        end = canvas.text(at(end, y, limit), " ", look);
        // On the chosen tab the dot keeps its colour as a background: still told by sign and word.
        let dot_look = if label.shown { dot_look.with(look.attrs()) } else { dot_look };
        end = canvas.text(at(end, y, limit), dot, dot_look);
    }
    canvas.text(at(end, y, limit), " ", look)
}

/// The tabs that fit around the shown one.
fn window(labels: &[Label], room: u16) -> (usize, usize) {
    let total: u32 = labels.iter().map(|l| u32::from(l.width())).sum();
    if total <= u32::from(room) {
        return (0, labels.len());
    }
    // Both ends may need a mark with the number of hidden tabs.
    let room = room.saturating_sub(10);
    let shown = labels.iter().position(|l| l.shown).unwrap_or(0);
    let (mut first, mut last) = (shown, (shown + 1).min(labels.len()));
    let mut used: u16 = labels.get(shown).map_or(0, Label::width);
    loop {
        let right = labels.get(last).map(Label::width).filter(|w| used + w <= room);
        if let Some(w) = right {
            (used, last) = (used + w, last + 1);
        }
        let left = first.checked_sub(1).map(|i| labels[i].width()).filter(|w| used + w <= room);
        if let Some(w) = left {
            (used, first) = (used + w, first - 1);
        }
        if right.is_none() && left.is_none() {
            return (first, last);
        }
    }
}
