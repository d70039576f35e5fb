//! Which keys run which action, as data: a preset, changed by the user's bindings.
//!
//! Not here: the actions themselves (`actions`), waiting for the key after a prefix (`client`).

use std::collections::BTreeMap;

use kraal_api::config::{Keys, Preset, Problem};
use kraal_term::keys::KeyEvent;

use crate::actions::{ACTIONS, Action, Group, named};
use crate::chord::Chord;
use crate::text;

/// What a key after the prefix leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// An action.
    Action(&'static Action),
    /// A theme's menu.
    Menu(Group),
}

/// The bindings in force.
#[derive(Clone, Debug)]
pub(crate) struct Keymap {
    prefix: Chord,
    direct: BTreeMap<Chord, &'static Action>,
    after: BTreeMap<Chord, Bound>,
    /// Every binding of an action, in the order it was made: an action's first key is the one shown.
    made: Vec<(Place, &'static Action)>,
}

/// A binding's key: with or without the prefix before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Direct(Chord),
    After(Chord),
}

/// The prefix when a configuration's own cannot be read.
const FALLBACK: &str = "ctrl+b";

impl Keymap {
    /// The bindings of a configuration; what cannot be read of it is left out ([`check`] says so).
    pub(crate) fn new(keys: &Keys) -> Self {
        let prefix = Chord::parse(&keys.prefix)
            .or_else(|_| Chord::parse(FALLBACK))
            .unwrap_or(Chord::plain(kraal_term::keys::KeyCode::F(12)));
        let mut map = Keymap { prefix, direct: BTreeMap::new(), after: BTreeMap::new(), made: Vec::new() };
        for group in Group::ALL {
            if let Some(capital) = group.capital() {
                map.after.insert(Chord::char(capital), Bound::Menu(group));
            }
        }
        for action in ACTIONS {
            let preset = match keys.preset {
                Preset::Kraal => action.kraal,
                Preset::Tmux => action.tmux,
            };
            for key in preset {
                map.bind(key, Some(action));
            }
        }
        for (key, action) in &keys.bind {
            if action.is_empty() || named(action).is_some() {
                map.bind(key, named(action));
            }
        }
        map
    }

    fn bind(&mut self, key: &str, action: Option<&'static Action>) {
        let Ok(place) = self.place(key) else { return };
        self.made.retain(|(made, _)| *made != place);
        match place {
            Place::Direct(chord) => drop(self.direct.remove(&chord)),
            Place::After(chord) => drop(self.after.remove(&chord)),
        }
        let Some(action) = action else { return };
        self.made.push((place, action));
        match place {
            Place::Direct(chord) => drop(self.direct.insert(chord, action)),
            Place::After(chord) => drop(self.after.insert(chord, Bound::Action(action))),
        }
    }

    fn place(&self, key: &str) -> Result<Place, String> {
        let words: Vec<&str> = key.split_whitespace().collect();
        let parse = |word: &str| match word {
            "prefix" => Ok(self.prefix),
            _ => Chord::parse(word).map_err(|e| e.to_string()),
        };
        match words.as_slice() {
            ["prefix", key] => parse(key).map(Place::After),
            ["prefix"] => Err("`prefix` stands before a key: write it like `prefix n`".to_owned()),
            [key] => parse(key).map(Place::Direct),
            _ => Err(format!("`{}` is no key: write one key, or `prefix` and one key", text::clean(key))),
        }
    }

    /// The prefix.
    pub(crate) fn prefix(&self) -> Chord {
        self.prefix
    }

    /// What a key does by itself.
    pub(crate) fn direct(&self, key: &KeyEvent) -> Option<&'static Action> {
        both_layouts(key, |chord| self.direct.get(&chord).copied())
    }

    /// Whether a key is the prefix.
    pub(crate) fn is_prefix(&self, key: &KeyEvent) -> bool {
        both_layouts(key, |chord| (chord == self.prefix).then_some(())).is_some()
    }

    /// What a key after the prefix does.
    pub(crate) fn after_prefix(&self, key: &KeyEvent) -> Option<Bound> {
        both_layouts(key, |chord| self.after.get(&chord).copied())
    }

    /// The first key of an action after the prefix, for the menu.
    pub(crate) fn key_after_prefix(&self, action: &Action) -> Option<Chord> {
        self.made.iter().find_map(|(place, made)| match place {
            Place::After(chord) if made.name == action.name => Some(*chord),
            _ => None,
        })
    }

    /// All keys of an action for people: `ctrl+b n`, `alt+n`; else its way through the menu.
    pub(crate) fn keys_of(&self, action: &Action) -> Vec<String> {
        let made = self.made.iter().filter(|(_, made)| made.name == action.name);
        let mut keys: Vec<String> = made
            .map(|(place, _)| match place {
                Place::Direct(chord) => chord.to_string(),
                Place::After(chord) => format!("{} {chord}", self.prefix),
            })
            .collect();
        if keys.is_empty()
            && let Some(capital) = self.capital(action.group)
        {
            keys.push(format!("{} {capital} {}", self.prefix, action.letter));
        }
        keys
    }

    /// The shortest way to say how an action is run.
    pub(crate) fn key_of(&self, action: &Action) -> String {
        self.keys_of(action).into_iter().min_by_key(|k| text::width(k)).unwrap_or_default()
    }

    /// The key that opens a theme's menu.
    pub(crate) fn capital(&self, group: Group) -> Option<Chord> {
        self.after.iter().find(|(_, b)| **b == Bound::Menu(group)).map(|(chord, _)| *chord)
    }
}

/// The action a key runs in a theme's menu.
pub(crate) fn in_menu(group: Group, key: &KeyEvent) -> Option<&'static Action> {
    both_layouts(key, |chord| group.actions().find(|a| Chord::parse(a.letter) == Ok(chord)))
}

/// Looks a key up as it is, and by its place on the standard layout where that is told.
fn both_layouts<T>(key: &KeyEvent, find: impl Fn(Chord) -> Option<T>) -> Option<T> {
    find(Chord::of(key)).or_else(|| find(Chord::on_standard_layout(key)?))
}

/// What is wrong with the keys of a configuration; the rest of them apply.
pub fn check(keys: &Keys) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut say = |message: String| problems.push(Problem { line: 0, message });
    if let Err(error) = Chord::parse(&keys.prefix) {
        say(format!("keys.prefix: {error}; {FALLBACK} is the prefix"));
    }
    let map = Keymap::new(&Keys { bind: Vec::new(), ..keys.clone() });
    for (key, action) in &keys.bind {
        if let Err(error) = map.place(key) {
            say(format!("keys: {error}"));
        }
        if !action.is_empty() && named(action).is_none() {
            let near = text::nearest(action, ACTIONS.iter().map(|a| a.name));
            let hint = near.map_or(": `kraal config keys` lists them all".to_owned(), |near| {
                format!(": did you mean `{near}`?")
            });
            say(format!("keys: there is no action `{}`{hint}", text::clean(action)));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> KeyEvent {
        kraal_term::keys::parse_name(name).expect(name)
    }

    #[test]
    fn a_user_rebinds_and_unbinds() {
        let keys = Keys {
            prefix: "ctrl+a".into(),
            preset: Preset::Kraal,
            bind: vec![
                ("prefix s".into(), "pane-split-right".into()),
                ("alt+n".into(), String::new()),
                ("f5".into(), "redraw".into()),
            ],
        };
        let map = Keymap::new(&keys);
        assert!(map.is_prefix(&key("ctrl+a")) && !map.is_prefix(&key("ctrl+b")));
        assert_eq!(map.direct(&key("f5")).map(|a| a.name), Some("redraw"));
        assert_eq!(map.direct(&key("alt+n")), None);
        assert!(
            matches!(map.after_prefix(&key("s")), Some(Bound::Action(a)) if a.name == "pane-split-right")
        );
        assert!(
            matches!(map.after_prefix(&key("ctrl+a")), Some(Bound::Action(a)) if a.name == "send-prefix")
        );
        assert_eq!(map.after_prefix(&key("P")), Some(Bound::Menu(Group::Panes)));
        assert_eq!(check(&keys), []);
    }

    #[test]
    fn typos_are_named_with_what_was_meant() {
        let keys = Keys {
            prefix: "ctl+b".into(),
            bind: vec![("prefix n".into(), "pane-colse".into()), ("contrl+x".into(), "detach".into())],
            ..Keys::default()
        };
        let said: Vec<String> = check(&keys).into_iter().map(|p| p.message).collect();
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(
            said[0].contains("ctl+b") && said[1].contains("`pane-close`") && said[2].contains("contrl+x")
        );
        let map = Keymap::new(&keys);
        assert!(matches!(map.after_prefix(&key("n")), Some(Bound::Action(a)) if a.name == "pane-new"));
    }

    #[test]
    fn letters_of_menus_are_keys() {
        for group in Group::ALL {
            for action in group.actions().filter(|a| !a.letter.is_empty()) {
                assert_eq!(in_menu(group, &key(action.letter)).map(|a| a.name), Some(action.name));
            }
        }
    }

    #[test]
    fn a_key_of_another_script_is_found_by_its_place() {
        let map = Keymap::new(&Keys::default());
        let mut cyrillic = KeyEvent::char('т');
        cyrillic.base = Some('n');
        assert!(matches!(map.after_prefix(&cyrillic), Some(Bound::Action(a)) if a.name == "pane-new"));
    }
}
