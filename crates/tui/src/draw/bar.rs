//! The bar below: what can be done now and its keys, or what there is to say.
//!
//! Not here: which of these it is (`client`).

use kraal_api::layout::Rect;

use super::{Canvas, Hit, Scene, agents};
use crate::actions::{Action, named};
use crate::grid::at;
use crate::text;

/// What the bar is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// Nothing special: what can be done in the focused pane.
    Normal,
    /// The same, with a line of the caller's instead of the usual keys.
    Hint(String),
    /// The prefix was pressed.
    Prefix,
    /// The focused pane shows its history.
    Scrolled,
    /// The program of the focused pane ended, or never started.
    Ended {
        /// Whether it waits for its first start.
        waiting: bool,
    },
    /// A sentence.
    Saying(String),
    /// A sentence about what went wrong.
    Wrong(String),
}

/// A key, what it does, and the action a click runs.
type Entry = (String, String, Option<&'static Action>);

pub(super) fn draw(scene: &Scene<'_>, canvas: &mut Canvas<'_>) {
    let area = scene.areas.bar;
    if area.h == 0 || area.w == 0 {
        return;
    }
    let looks = &canvas.theme.looks;
    match &scene.mood {
        Mood::Saying(words) => sentence(canvas, area, words, looks.text),
        Mood::Wrong(words) => sentence(canvas, area, words, looks.wrong),
        Mood::Hint(words) => sentence(canvas, area, words, looks.faint),
        Mood::Normal => entries(canvas, area, &usual(scene)),
        Mood::Prefix => {
            let keys = [
                ("esc".to_owned(), "back".to_owned(), None),
                ("h".to_owned(), "help".to_owned(), named("help")),
            ];
            let from = canvas.text(
                at(area.x + 1, area.y, area.w),
                &scene.keymap.prefix().to_string(),
                looks.focus_name,
            );
            entries(canvas, Rect { x: from + 1, w: area.w.saturating_sub(from + 1), ..area }, &keys);
        }
        Mood::Scrolled => entries(
            canvas,
            area,
            &[
                ("pgup pgdn ↑ ↓".to_owned(), "move".to_owned(), None),
                ("home end".to_owned(), "to the ends".to_owned(), None),
                ("q".to_owned(), "back to live".to_owned(), None),
            ],
        ),
        Mood::Ended { waiting } => {
            let runs = if *waiting { "runs it" } else { "runs again" };
            entries(
                canvas,
                area,
                &[
                    ("Enter".to_owned(), runs.to_owned(), named("pane-rerun")),
                    ("x".to_owned(), "closes".to_owned(), named("pane-close")),
                    (scene.keymap.prefix().to_string(), "menu".to_owned(), None),
                ],
            );
        }
    }
}

fn usual(scene: &Scene<'_>) -> Vec<Entry> {
    let keymap = scene.keymap;
    let key = |name: &str, words: &str| {
        let action = named(name)?;
        Some((keymap.key_of(action), words.to_owned(), Some(action)))
    };
    let waiting = agents(scene.mirror).iter().filter(|(_, _, agent)| agent.needs_you()).count();
    let next = match waiting {
        0 => None,
        1 => key("agent-next", "1 agent needs you"),
        n => key("agent-next", &format!("{n} agents need you")),
    };
    let menu = Some((keymap.prefix().to_string(), "menu".to_owned(), None));
    [
        next,
        menu,
        key("pane-new", "new pane"),
        key("palette", "everything"),
        key("help", "help"),
        key("detach", "leave"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Draws the entries that fit.
fn entries(canvas: &mut Canvas<'_>, area: Rect, entries: &[Entry]) {
    let limit = area.x + area.w;
    let mut x = area.x + 1;
    for (key, words, action) in entries {
        let cells = text::width(key) + 1 + text::width(words);
        if x + cells > limit {
            break;
        }
        let from = x;
        x = canvas.text(at(x, area.y, limit), key, canvas.theme.looks.key);
        x = canvas.text(at(x + 1, area.y, limit), words, canvas.theme.looks.faint);
        if let Some(action) = action {
            canvas.hit(Rect { x: from, y: area.y, w: x - from, h: 1 }, Hit::Action(action));
        }
        x += 3;
    }
}

fn sentence(canvas: &mut Canvas<'_>, area: Rect, words: &str, look: crate::look::Look) {
    let words = canvas.fit(&text::clean(words), area.w.saturating_sub(2));
    canvas.text(at(area.x + 1, area.y, area.x + area.w), &words, look);
}
