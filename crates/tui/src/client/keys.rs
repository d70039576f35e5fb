//! Keys and pastes on their way: to a layer, to an action, or to the pane that has the focus.
//!
//! Not here: what an action does (`act`), the mouse (`mouse`).

use kraal_api::PaneId;
use kraal_api::stream::{self, FromClient, Part};
use kraal_term::keys::{Event, KeyCode, KeyEvent, KeyKind};

use super::scroll::Wanted;
use super::{Client, Link, Now, Out};
use crate::actions::{Ask, Does, Open};
use crate::chord::Chord;
use crate::layers::{Layer, Reply, Then};

/// What the user's hands are in the middle of.
#[derive(Debug, Default)]
pub(super) struct Hands {
    /// A paste that has not ended.
    paste: Option<Paste>,
    /// Keys that are down, and the panes their presses went to.
    down: Vec<(KeyCode, PaneId)>,
    /// A border that follows the mouse.
    pub(super) drag: Option<super::mouse::Drag>,
    /// A floating pane that follows the mouse.
    pub(super) float: Option<super::float::FloatDrag>,
    /// Text that is being selected.
    pub(super) selection: Option<super::select::Selection>,
    /// A pane whose program got the press of a button: it gets what follows.
    pub(super) grabbed: Option<PaneId>,
    /// How far up a pane was asked to show.
    pub(super) wanted: Option<Wanted>,
}

#[derive(Debug)]
enum Paste {
    /// Into a pane: what was not sent yet, and whether any was.
    Pane { pane: PaneId, held: Vec<u8>, begun: bool },
    /// Into a layer.
    Layer(Vec<u8>),
    /// Nowhere.
    Nowhere,
}

impl Hands {
    /// The connection is gone.
    pub(super) fn let_go(&mut self) {
        // The rest of a paste must not arrive as the start of another.
        let paste = self.paste.take().map(|_| Paste::Nowhere);
        *self = Hands { paste, ..Hands::default() };
    }
}

/// The largest part of a paste in one frame.
const PART_BYTES: usize = 64 * 1024;
/// More keys than fingers.
const DOWN_MAX: usize = 32;

impl Client {
    /// Takes what the outer terminal sent.
    pub(super) fn event(&mut self, event: Event, now: Now, out: &mut Out) {
        let Some(event) = self.held(event) else { return };
        match event {
            Event::Key(key) => self.key(&key, now, out),
            Event::Mouse(mouse) => self.mouse(&mouse, now, out),
            Event::PasteStart => self.paste_start(now, out),
            Event::Paste(bytes) => self.paste_more(&bytes, out),
            Event::PasteEnd => self.paste_end(out),
            Event::FocusIn => self.focus_changed(true, out),
            Event::FocusOut => self.focus_changed(false, out),
            Event::Reply(reply) => match self.outer.reply(reply, &mut out.write) {
                super::outer::Learned::Nothing => {}
                super::outer::Learned::Facts => {
                    if self.link == Link::Live {
                        out.tell(&FromClient::Outer(self.outer.facts().clone()));
                    }
                }
                super::outer::Learned::Clicked(pane) => {
                    if self.link == Link::Live && self.mirror.model().pane(pane).is_some() {
                        self.show_pane(pane, out);
                    }
                }
                super::outer::Learned::Dark(dark) => {
                    if self.link == Link::Live {
                        out.tell(&FromClient::Dark(dark));
                    }
                }
            },
        }
    }

    fn focus_changed(&mut self, focused: bool, out: &mut Out) {
        if self.link == Link::Live {
            out.tell(&FromClient::Focus(focused));
        }
    }

    fn key(&mut self, key: &KeyEvent, now: Now, out: &mut Out) {
        if key.kind == KeyKind::Release {
            self.key_up(key, out);
            return;
        }
        self.heed_notice(now);
        if let Some(layer) = self.layers.last_mut() {
            let reply = layer.key(key);
            self.reply(reply, now, out);
            return;
        }
        if self.prefix.is_some() {
            self.after_prefix(key, now, out);
            return;
        }
        if self.keymap.is_prefix(key) {
            self.prefix = Some(now.ms);
            self.redraw();
            return;
        }
        if let Some(action) = self.keymap.direct(key) {
            self.act(action, now, out);
            return;
        }
        if self.scroll_key(key, now, out) || self.ended_key(key, now, out) {
            return;
        }
        self.type_key(key, now, out);
    }

    fn after_prefix(&mut self, key: &KeyEvent, now: Now, out: &mut Out) {
        // A modifier pressed alone is no answer yet.
        if matches!(key.code, KeyCode::Other(_)) {
            return;
        }
        self.prefix = None;
        self.redraw();
        match self.keymap.after_prefix(key) {
            Some(bound) => {
                let reply = crate::layers::chosen(bound);
                self.reply(reply, now, out);
            }
            None if key.code == KeyCode::Escape => {}
            None => {
                let (prefix, chord) = (self.keymap.prefix(), Chord::of(key));
                self.say(format!("{prefix} {chord} does nothing; {prefix} h is the help"), now);
            }
        }
    }

    /// Does what a layer or a menu answered.
    pub(super) fn reply(&mut self, reply: Reply, now: Now, out: &mut Out) {
        match reply {
            Reply::Ignored => return,
            Reply::Taken => {}
            Reply::Close => drop(self.layers.pop()),
            Reply::Menu(group) => self.layers.push(Layer::Menu(group)),
            Reply::Do(Then::Act(action), _) => {
                self.layers.pop();
                self.act(action, now, out);
            }
            Reply::Do(then, text) => {
                self.layers.pop();
                self.finish(then, &text, now, out);
            }
        }
        self.redraw();
    }

    /// In a pane whose program ended, Enter runs it again and x closes the pane.
    fn ended_key(&mut self, key: &KeyEvent, now: Now, out: &mut Out) -> bool {
        if self.focus_ended().is_none() {
            return false;
        }
        let does = match Chord::of(key) {
            Chord { code: KeyCode::Enter, .. } => Some(Does::Ask(Ask::Rerun)),
            chord if chord == Chord::char('x') => Some(Does::Open(Open::ClosePane)),
            _ => None,
        };
        if let Some(does) = does {
            self.run(does, now, out);
        }
        true
    }

    /// Gives a key to the pane that has the focus.
    pub(super) fn type_key(&mut self, key: &KeyEvent, now: Now, out: &mut Out) {
        let Some(pane) = self.mirror.focus().filter(|_| self.link == Link::Live) else {
            if key.kind == KeyKind::Press {
                self.say("not connected: what is typed now is not sent", now);
                out.write.push(7);
            }
            return;
        };
        if self.outer.tells_releases() {
            self.hands.down.retain(|(code, _)| *code != key.code);
            if self.hands.down.len() < DOWN_MAX {
                self.hands.down.push((key.code, pane));
            }
        }
        send_key(key, pane, out);
    }

    /// A key goes up where it went down, or not at all.
    fn key_up(&mut self, key: &KeyEvent, out: &mut Out) {
        let Some(at) = self.hands.down.iter().position(|(code, _)| *code == key.code) else { return };
        let (_, pane) = self.hands.down.swap_remove(at);
        if self.link == Link::Live {
            send_key(key, pane, out);
        }
    }

    fn paste_start(&mut self, now: Now, out: &mut Out) {
        self.prefix = None;
        self.hands.paste = Some(match self.mirror.focus() {
            _ if !self.layers.is_empty() => Paste::Layer(Vec::new()),
            Some(pane) if self.link == Link::Live && self.focus_ended().is_none() => {
                if self.focus_offset() > 0 {
                    self.scroll_to(pane, 0, now, out);
                }
                Paste::Pane { pane, held: Vec::new(), begun: false }
            }
            _ => Paste::Nowhere,
        });
    }

    fn paste_more(&mut self, bytes: &[u8], out: &mut Out) {
        match &mut self.hands.paste {
            Some(Paste::Pane { pane, held, begun }) => {
                held.extend_from_slice(bytes);
                // The last part is known only at the end: one part's worth is always kept.
                while held.len() > PART_BYTES {
                    let rest = held.split_off(PART_BYTES);
                    let part = if std::mem::replace(begun, true) { Part::Middle } else { Part::First };
                    stream::paste(&mut out.send, *pane, part, held);
                    *held = rest;
                }
            }
            Some(Paste::Layer(held)) if held.len() < PART_BYTES => held.extend_from_slice(bytes),
            _ => {}
        }
    }

    fn paste_end(&mut self, out: &mut Out) {
        match self.hands.paste.take() {
            Some(Paste::Pane { pane, held, begun }) => {
                let part = if begun { Part::Last } else { Part::Whole };
                stream::paste(&mut out.send, pane, part, &held);
            }
            Some(Paste::Layer(held)) => {
                if let Some(layer) = self.layers.last_mut() {
                    layer.paste(&String::from_utf8_lossy(&held));
                    self.redraw();
                }
            }
            Some(Paste::Nowhere) | None => {}
        }
    }
}

fn send_key(key: &KeyEvent, pane: PaneId, out: &mut Out) {
    let mut wire = Vec::new();
    key.to_wire(&mut wire);
    stream::keys(&mut out.send, pane, &wire);
}
