//! The menu of what each next key does, above the bar: for a newcomer, and for whoever waits.
//!
//! Not here: when it shows (`client`), matching the key (`keymap`).

use kraal_api::layout::Rect;

use crate::actions::{ACTIONS, Action, Group};
use crate::chord::Chord;
use crate::draw::{Canvas, Hit};
use crate::grid::at;
use crate::keymap::{Bound, Keymap};
use crate::text;

/// A line of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The key, or keys.
    pub(crate) keys: String,
    /// What it does.
    pub(crate) words: String,
    /// What a click does; nothing for a family.
    pub(crate) bound: Option<Bound>,
}

/// Actions that are one line together: the common start of their names, and that line's words.
const FAMILIES: [(&str, &str); 3] =
    [("pane-focus-", "go to a neighbour"), ("pane-resize-", "move the border"), ("tab-", "go to a tab")];

/// The family of an action: only the four directions and the nine digits count.
fn family(action: &Action) -> Option<usize> {
    let ends = ["left", "right", "up", "down", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    FAMILIES
        .iter()
        .position(|(start, _)| action.name.strip_prefix(start).is_some_and(|end| ends.contains(&end)))
}

/// The lines of the prefix menu, or of a theme's.
pub(crate) fn entries(keymap: &Keymap, group: Option<Group>) -> Vec<Entry> {
    match group {
        Some(group) => collapse(group.actions().filter_map(|a| Some((Chord::parse(a.letter).ok()?, a)))),
        None => {
            let mut out = Vec::new();
            for group in Group::ALL {
                let bound = ACTIONS.iter().filter(|a| a.group == group);
                out.extend(collapse(bound.filter_map(|a| Some((keymap.key_after_prefix(a)?, a)))));
                if let Some(capital) = keymap.capital(group) {
                    out.push(Entry {
                        keys: capital.to_string(),
                        words: group.word().to_owned(),
                        bound: Some(Bound::Menu(group)),
                    });
                }
            }
            out
        }
    }
}

fn collapse(actions: impl Iterator<Item = (Chord, &'static Action)>) -> Vec<Entry> {
    let mut out = Vec::new();
    let mut seen = [false; FAMILIES.len()];
    for (chord, action) in actions {
        match family(action) {
            None => out.push(Entry {
                keys: chord.to_string(),
                words: action.title.to_owned(),
                bound: Some(Bound::Action(action)),
            }),
            Some(family) if !seen[family] => {
                seen[family] = true;
                let key = chord.to_string();
                let keys = match key.strip_suffix("left") {
                    Some(mods) => format!("{mods}arrows"),
                    None => format!("{key} to 9"),
                };
                out.push(Entry { keys, words: FAMILIES[family].1.to_owned(), bound: None });
            }
            Some(_) => {}
        }
    }
    out
}

/// The widest a column gets.
const COLUMN_MAX: u16 = 44;
/// Narrower than this a column says too little.
const COLUMN_MIN: u16 = 34;

/// Draws the menu at the bottom of an area, in as many columns as fit.
pub(crate) fn draw(canvas: &mut Canvas<'_>, entries: &[Entry], title: &str, area: Rect) {
    let keys = entries.iter().map(|e| text::width(&e.keys)).max().unwrap_or(0);
    let words = entries.iter().map(|e| text::width(&e.words)).max().unwrap_or(0);
    let column = (keys + 1 + words + 2).min(COLUMN_MAX);
    let count = entries.len() as u16;
    let most = (area.w.saturating_sub(4) / column.clamp(1, COLUMN_MIN)).max(1);
    // As few columns as keep it under half of the height; more height rather than words that are cut.
    let whole = (area.w.saturating_sub(3) / column.max(1)).clamp(1, most);
    let within = |height: u16| move |n: &u16| count.div_ceil(*n) + 2 <= height;
    let columns = (1..=whole)
        .find(within(area.h / 2))
        .or_else(|| (1..=whole).rev().find(within(area.h)))
        .or_else(|| (whole..=most).find(within(area.h)))
        .unwrap_or(most);
    let rows = count.div_ceil(columns);
    let height = (rows + 2).min(area.h);
    let width = (columns * column + 3).min(area.w);
    let rect = Rect { x: area.x + (area.w - width) / 2, y: area.y + area.h - height, w: width, h: height };
    let inner = canvas.panel(rect, title);
    let room = (inner.w / columns).min(column);
    for (i, entry) in entries.iter().enumerate() {
        let (at, y) = (i as u16 / rows, i as u16 % rows);
        if y >= inner.h {
            continue;
        }
        let (x, y) = (inner.x + at * room, inner.y + y);
        let limit = (x + room.saturating_sub(1)).min(inner.x + inner.w);
        one(canvas, entry, (x, y), keys, limit);
        if let Some(bound) = entry.bound {
            canvas.hit(Rect { x, y, w: room, h: 1 }, Hit::Menu(bound));
        }
    }
}

fn one(canvas: &mut Canvas<'_>, entry: &Entry, place: (u16, u16), keys: u16, limit: u16) {
    let (x, y) = place;
    canvas.text_right(at(x, y, (x + keys).min(limit)), &entry.keys, canvas.theme.looks.key);
    let from = x + keys + 1;
    let leads = matches!(entry.bound, Some(Bound::Menu(_)));
    let words =
        if leads { format!("{} {}", entry.words, canvas.theme.signs.leads) } else { entry.words.clone() };
    let look = if leads { canvas.theme.looks.heading } else { canvas.theme.looks.text };
    let words = canvas.fit(&words, limit.saturating_sub(from));
    canvas.text(at(from, y, limit), &words, look);
}

/// Whether an action stands in some menu by its own line or its family's.
#[cfg(test)]
pub(crate) fn shows(entries: &[Entry], action: &Action) -> bool {
    entries.iter().any(|entry| match entry.bound {
        Some(Bound::Action(a)) => a.name == action.name,
        Some(Bound::Menu(_)) => false,
        None => family(action).is_some_and(|f| FAMILIES[f].1 == entry.words),
    })
}
