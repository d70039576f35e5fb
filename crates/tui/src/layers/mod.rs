//! What lies over the panes: menus, lists, forms, questions, pages of text. A layer takes a key and
//! answers what came of it; it never acts itself.
//!
//! Not here: carrying out what was chosen (`client`), which layer opens when.

mod form;
mod list;
mod menu;
mod page;
mod question;

use kraal_api::layout::Rect;
use kraal_api::panes::Place;
use kraal_api::{PaneId, TabId};
use kraal_term::keys::KeyEvent;

use crate::actions::{Action, Group};
use crate::draw::Canvas;
use crate::keymap::{self, Bound, Keymap};

pub(crate) use form::Form;
pub(crate) use list::{List, Row};
#[cfg(test)]
pub(crate) use menu::shows as menu_shows;
pub(crate) use menu::{draw as draw_menu, entries as menu_entries};
pub(crate) use page::{Line, Page};
pub(crate) use question::Question;

/// What happens when something is chosen; a form gives its text to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Act(&'static Action),
    GoPane(PaneId),
    GoTab(TabId),
    GoWorkspace(String),
    /// To a tab, or one of its own.
    MovePane(PaneId, Option<TabId>),
    RenamePane(PaneId),
    RenameTab(TabId),
    RenameWorkspace(String),
    NewWorkspace,
    Run(Place),
    StartAgent,
    Prompt(PaneId),
    ClosePane(PaneId),
    CloseTab(TabId),
    CloseWorkspace(String),
    Kill,
}

/// What came of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// It changed nothing here.
    Ignored,
    /// It was used.
    Taken,
    /// The layer is done, with nothing to do.
    Close,
    /// The layer is done: this is to be done, with the text that was typed.
    Do(Then, String),
    /// A theme's menu was chosen.
    Menu(Group),
}

/// Something that lies over the panes.
#[derive(Clone, Debug)]
pub(crate) enum Layer {
    /// A theme's menu.
    Menu(Group),
    /// Rows to search and choose from.
    List(List),
    /// A line to fill in.
    Form(Form),
    /// Yes or no.
    Question(Question),
    /// Text to read.
    Page(Page),
}

impl Layer {
    /// Takes a key.
    pub(crate) fn key(&mut self, key: &KeyEvent) -> Reply {
        match self {
            Layer::Menu(group) => match keymap::in_menu(*group, key) {
                Some(action) => Reply::Do(Then::Act(action), String::new()),
                None => Reply::Close,
            },
            Layer::List(list) => list.key(key),
            Layer::Form(form) => form.key(key),
            Layer::Question(question) => question.key(key),
            Layer::Page(page) => page.key(key),
        }
    }

    /// Takes pasted text, where there is a line for it.
    pub(crate) fn paste(&mut self, text: &str) {
        match self {
            Layer::List(list) => list.paste(text),
            Layer::Form(form) => form.paste(text),
            Layer::Menu(_) | Layer::Question(_) | Layer::Page(_) => {}
        }
    }

    /// Takes a click on one of its rows.
    pub(crate) fn click(&mut self, row: usize) -> Reply {
        match self {
            Layer::List(list) => list.click(row),
            Layer::Question(question) => question.click(row),
            Layer::Menu(_) | Layer::Form(_) | Layer::Page(_) => Reply::Ignored,
        }
    }

    /// Turns the wheel: down when positive.
    pub(crate) fn wheel(&mut self, by: i32) {
        match self {
            Layer::List(list) => list.step(by),
            Layer::Page(page) => page.step(by * 3),
            Layer::Menu(_) | Layer::Form(_) | Layer::Question(_) => {}
        }
    }

    /// Draws it over `area`; says where the cursor is.
    pub(crate) fn draw(
        &mut self,
        canvas: &mut Canvas<'_>,
        keymap: &Keymap,
        area: Rect,
    ) -> Option<(u16, u16)> {
        match self {
            Layer::Menu(group) => {
                draw_menu(canvas, &menu_entries(keymap, Some(*group)), group.word(), area);
                None
            }
            Layer::List(list) => list.draw(canvas, area),
            Layer::Form(form) => form.draw(canvas, area),
            Layer::Question(question) => {
                question.draw(canvas, area);
                None
            }
            Layer::Page(page) => {
                page.draw(canvas, area);
                None
            }
        }
    }
}

/// A plain line of a page, cleaned.
pub(crate) fn page_line(text: &str) -> Line {
    Line::Text(crate::text::clean(text))
}

/// What an entry of a menu leads to.
pub(crate) fn chosen(bound: Bound) -> Reply {
    match bound {
        Bound::Action(action) => Reply::Do(Then::Act(action), String::new()),
        Bound::Menu(group) => Reply::Menu(group),
    }
}

/// A rectangle of at most this size in the middle of another.
pub(crate) fn centred(area: Rect, w: u16, h: u16) -> Rect {
    let (w, h) = (w.min(area.w), h.min(area.h));
    // A little above the middle: the eye rests there.
    Rect { x: area.x + (area.w - w) / 2, y: area.y + (area.h - h) / 3, w, h }
}

#[cfg(test)]
mod tests;
