//! Layers answer keys: chosen, closed, taken, ignored.

use kraal_api::PaneId;
use kraal_term::keys::parse_name;

use super::*;
use crate::actions::named;

fn press(layer: &mut Layer, names: &str) -> Reply {
    let keys = names.split_whitespace().map(|name| parse_name(name).expect(name));
    keys.map(|key| layer.key(&key)).last().unwrap_or(Reply::Ignored)
}

fn done(then: Then) -> Reply {
    Reply::Do(then, String::new())
}

#[test]
fn a_list_narrows_and_keeps_its_order() {
    let rows = ["alpha", "beta", "gamma", "alphabet"].into_iter().zip(1..);
    let rows = rows.map(|(name, id)| Row::new(name, Then::GoPane(PaneId(id)))).collect();
    let mut list = Layer::List(List::new("Panes", rows));
    assert_eq!(press(&mut list, "down down enter"), done(Then::GoPane(PaneId(3))));
    assert_eq!(press(&mut list, "b e t enter"), done(Then::GoPane(PaneId(2))));
    assert_eq!(press(&mut list, "z z z enter"), Reply::Ignored);
    assert_eq!(press(&mut list, "ctrl+u up enter"), done(Then::GoPane(PaneId(1))));
    assert_eq!(press(&mut list, "ctrl+c"), Reply::Close);
}

#[test]
fn a_form_gives_its_text() {
    let mut form = Layer::Form(Form::new("Rename", "", "old", Then::RenamePane(PaneId(1))));
    assert_eq!(press(&mut form, "ctrl+u n e w enter"), Reply::Do(Then::RenamePane(PaneId(1)), "new".into()));
    assert_eq!(press(&mut form, "escape"), Reply::Close);
}

#[test]
fn a_question_wants_a_letter() {
    let mut question = Layer::Question(Question::new("End?", "end it", Then::Kill));
    assert_eq!(press(&mut question, "enter"), Reply::Ignored);
    assert_eq!(press(&mut question, "n"), Reply::Close);
    assert_eq!(press(&mut question, "Y"), done(Then::Kill));
}

#[test]
fn a_themes_menu_runs_by_letter_and_closes_on_anything_else() {
    let mut menu = Layer::Menu(Group::Panes);
    let zoom = named("pane-zoom").expect("it is in the table");
    assert_eq!(press(&mut menu, "z"), done(Then::Act(zoom)));
    assert_eq!(press(&mut menu, "f5"), Reply::Close);
}
